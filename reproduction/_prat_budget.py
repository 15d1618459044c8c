"""Remainder and accumulated evidence beside searches that may evaluate as much [Prat 6, 7]."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from reproduction._dots import dots
from reproduction._estimates import claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._prat_cells import over_pairs, stability_pairs
from reproduction._prat_wrappers import WRAPPER_PROBLEMS, _load, nested

__all__ = ["EXPERIMENTS"]

PROBLEMS = (
    "diabetes",
    "heart-statlog",
    "ionosphere",
    "parkinsons",
    "pop_failures",
    "sonar",
    "spectf",
    "vehicle",
    "wdbc",
)
TWICE = ", twice the inner folds"
# What is claimed to be stabler: the plain search, and the plain search with as many evaluations.
CLAIMS = {
    "RSA forward": ("SFG", f"SFG{TWICE}"),
    "RSA backward": ("SBG", f"SBG{TWICE}"),
    "SBG+": ("SBG", f"SBG{TWICE}"),
}
SEARCHES = tuple(dict.fromkeys(name for one, two in CLAIMS.items() for name in (one, *two)))


def _search(key: Mapping[str, Any], seed: int, *, settings: RunSettings) -> Arrays:
    """Run one search on one problem."""
    X, y = _load(settings, str(key["problem"]))
    found = nested(X, y, "knn", str(key["method"]), n_repeats=int(key["repeats"]), seed=seed)
    pairs = stability_pairs(found["orders"], X.shape[1])
    return {
        "stability": np.array(over_pairs(pairs).value),
        "error": found["errors"].mean(),
        "features": found["features"].mean(),
    }


def _run(settings: RunSettings) -> ExperimentResult:
    names = [
        name
        for name in PROBLEMS
        if not (file := WRAPPER_PROBLEMS[name].file)
        or (settings.data is not None and (settings.data / f"{file}.npz").is_file())
    ]
    names = names[:2] if settings.quick else names
    n = settings.count(5, 1)
    keys = [{"problem": p, "method": m, "repeats": n} for p in names for m in SEARCHES]
    units = settings.kept_all("prat-budget", keys, partial(_search, settings=settings))
    table = pd.DataFrame(keys).assign(
        **{what: [float(unit[what]) for unit in units] for what in units[0]}
    )
    rows: list[dict[str, Any]] = []
    for what in ("stability", "error", "features"):
        wide = table.pivot_table(index="problem", columns="method", values=what)
        for method in SEARCHES:
            four = compared(None, *mean_estimate(wide[method]))
            rows.append({"method": method, "against": "", "quantity": what, **four})
        for method, (plain, control) in CLAIMS.items():
            for other in (plain, control):
                gain = mean_estimate(wide[method] - wide[other])
                about = {"method": method, "against": other, "quantity": what}
                if what == "stability" and other == plain:
                    four = claimed("more stable", gain.low > 0, *gain)
                else:
                    four = compared(None, *gain)
                rows.append({**about, **four})
    said = "; ".join(
        f"{row['method']} − {row['against']} {row['measured']:+.3f} ({row['interval']})"
        for row in rows
        if row["against"] and row["quantity"] == "stability"
    )
    finding = f"Gain in stability: {said}."
    drawn = [row for row in rows if row["against"] and row["quantity"] == "stability"]
    repeats = f"{n}×2 outer folds on {len(names)} data sets"
    return ExperimentResult(pd.DataFrame(rows), finding, repeats, dots(drawn, "method", "against"))


EXPERIMENTS = [
    Experiment(
        "prat-budget",
        "Remainder and accumulated evidence at equal budget",
        "[Prat] hypotheses 3 and 4, chapters 6 and 7",
        "Remainder-aware search, and search with accumulated evidence, are more stable.",
        "Nested folds with 1-NN, inner folds shared by all subsets, on data sets with other outer "
        "folds than those of tables 6.2 to 7.2. RSA evaluates two subsets where a plain search "
        "evaluates one. The control has that budget, too: the plain search with ten instead of "
        "five repetitions of its two inner folds. SBG+ evaluates no more than SBG, so the control "
        "is generous to the plain search there. Intervals are t intervals over data sets.",
        _run,
        {
            one.file: one.shape
            for name, one in WRAPPER_PROBLEMS.items()
            if name in PROBLEMS and one.file
        },
    )
]
