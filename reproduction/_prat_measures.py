"""Stability measures on two given sequences, and on random ones [Prat 2.3.2]."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.stability import UndefinedStabilityWarning, stability_curve, stability_score
from reproduction._estimates import Floats, claimed, mean_estimate
from reproduction._experiment import Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]


N_FEATURES = 10
N_SEQUENCES = 100
# Kuncheva's two sequences of f1 to f10 [Prat eq. 2.44, 2.45].
SEQUENCES = np.array([[9, 7, 2, 1, 3, 10, 8, 4, 5, 6], [3, 7, 9, 10, 2, 4, 8, 6, 1, 5]]) - 1
# Name in the thesis → measure here. Křížek's entropy is of disorder: 1 − H/log₂ min(M, C(d, k)).
MEASURES = {
    "Dunne": "dunne",
    "Kalousis": "kalousis",
    "Kuncheva": "kuncheva",
    "Křížek": "krizek",
    "Somol CW": "somol_weighted",
    "Somol CW_rel": "somol_relative",
}
CORRECTED = ("Kuncheva", "Somol CW")
# "Close to 0" and "almost constant" are no numbers in the thesis.
NEAR = 0.1


def measure_curve(orders: NDArray[np.intp], measure: str) -> Floats:
    """Return the stability of the first k features for k = 1 to all but one.

    All features are left out: every measure is 1 there, or undefined.
    """
    sizes = range(1, orders.shape[1])
    with warnings.catch_warnings():
        # A single run's leave-one-out values may be undefined; only the value is used here.
        warnings.simplefilter("ignore", UndefinedStabilityWarning)
        if measure == "krizek":
            scores = (stability_score(orders[:, :k], orders.shape[1], measure) for k in sizes)
            return np.array([score.details["normalized"] for score in scores])
        frame = stability_curve(orders, measure, sizes, kind="order")
    return frame["value"].to_numpy(dtype=np.float64)


def _figure_3(settings: RunSettings) -> ExperimentResult:
    curves = {name: measure_curve(SEQUENCES, measure) for name, measure in MEASURES.items()}
    rows = [_decrease(name, values, 3, 4, "decreases at k = 4") for name, values in curves.items()]
    spread = float(np.ptp(curves["Dunne"][5:]))
    rise = float(np.diff(curves["Kalousis"][5:]).min())
    largest = float(np.abs(curves["Křížek"]).max())
    rows += [
        _row("Dunne", "range over k = 6 to 9", "almost constant for k > 5", spread, spread <= NEAR),
        _row("Kalousis", "least rise from k to k + 1, k = 6 to 8", "increases", rise, rise > 0),
        _row("Křížek", "largest |value|, k = 1 to 9", "constant 0", largest, largest == 0),
    ]
    rows += [
        _decrease(name, curves[name], 6, 9, "decreases at the end")
        for name in ("Kuncheva", "Somol CW", "Somol CW_rel")
    ]
    for name in ("Somol CW", "Somol CW_rel"):
        r = float(np.corrcoef(curves[name], curves["Kuncheva"])[0, 1])
        far = float(np.abs(curves[name] - curves["Kuncheva"]).max())
        rows += [
            _row(name, "correlation with Kuncheva over k = 1 to 9", "similar", r, r >= 1 - NEAR),
            _row(name, "largest |difference| from Kuncheva", "similar", far, far <= NEAR),
        ]
    table = pd.DataFrame(rows)
    end = {name: curves[name][8] - curves[name][5] for name in ("Somol CW", "Somol CW_rel")}
    finding = (
        f"{(table['agrees'] == 'yes').sum()} of {len(table)} statements hold. Křížek's measure is "
        "constant, as described, and so does not decrease at k = 4 as all are said to. "
        f"CW as printed (eq. 2.41) changes by {end['Somol CW']:+.3f} from k = 6 to 9, CW_rel "
        f"(eq. 2.42) by {end['Somol CW_rel']:+.3f}: what the thesis says of CW is true of CW_rel."
    )
    draw = partial(_draw, curves={name: values[None] for name, values in curves.items()})
    return ExperimentResult(table, finding, "1: two given sequences, nothing is random", draw)


def _decrease(name: str, values: Floats, before: int, after: int, statement: str) -> dict[str, Any]:
    change = float(values[after - 1] - values[before - 1])
    quantity = f"value at k = {after} minus at {before}"
    return _row(name, quantity, statement, change, change < 0)


def _row(measure: str, quantity: str, statement: str, value: float, holds: bool) -> dict[str, Any]:
    """Return a row for an exact value, without an interval."""
    value = round(value, 12)  # 1e-16 is 0
    about = {"measure": measure, "quantity": quantity}
    return {**about, **claimed(statement, holds, value, math.nan, math.nan)}


def random_curves(key: Mapping[str, Any], seed: int) -> dict[str, NDArray[Any]]:
    """Return every measure's curve for independent random sequences."""
    rng = np.random.default_rng([seed, key["repeat"]])
    orders = rng.permuted(np.tile(np.arange(N_FEATURES), (key["sequences"], 1)), axis=1)
    return {measure: measure_curve(orders, measure) for measure in MEASURES.values()}


def _figure_4(settings: RunSettings) -> ExperimentResult:
    n_repeats = settings.count(200, 10)
    keys = [{"repeat": repeat, "sequences": N_SEQUENCES} for repeat in range(n_repeats)]
    runs = settings.kept_all("prat-fig2.4", keys, random_curves)
    curves = {name: np.array([run[measure] for run in runs]) for name, measure in MEASURES.items()}
    rows = []
    for name, values in curves.items():
        farthest = int(np.argmax(np.abs(values.mean(axis=0))))
        mean, low, high = mean_estimate(values[:, farthest])
        near = max(abs(low), abs(high)) <= NEAR
        wanted = name in CORRECTED
        statement = "close to 0" if wanted else "not close to 0"
        if name == "Somol CW_rel":
            statement, wanted = "corrected for chance (def. 2.11)", True
        rows.append(
            {
                "measure": name,
                "quantity": f"value farthest from 0, at k = {farthest + 1}",
                **claimed(statement, near == wanted, mean, low, high),
            }
        )
    table = pd.DataFrame(rows)
    far = {row["measure"]: row["measured"] for row in rows}
    finding = (
        "Under random selection the value farthest from 0 is "
        + ", ".join(f"{name} {value:.3f}" for name, value in far.items())
        + ". CW as printed (eq. 2.41) is k/10 and not corrected, as the thesis itself says where "
        "it defines it; its figure must show CW_rel (eq. 2.42). Křížek's entropy, brought to "
        "1 − H/log₂ min(M, C(10, k)), is far nearer to 0 than the measures without correction."
    )
    repeats = f"{n_repeats} times {N_SEQUENCES} random sequences"
    return ExperimentResult(table, finding, repeats, partial(_draw, curves=curves))


def _draw(figure: Any, curves: dict[str, Floats]) -> None:
    axes = figure.subplots()
    sizes = np.arange(1, N_FEATURES)
    for name, values in curves.items():
        axes.plot(sizes, values.mean(axis=0), marker=".", label=name)
        if len(values) > 1:
            low, high = np.percentile(values, [2.5, 97.5], axis=0)
            axes.fill_between(sizes, low, high, alpha=0.2)
    axes.axhline(0, color="grey", linewidth=0.5)
    axes.set_xlabel("subset size k")
    axes.set_ylabel("stability")
    axes.legend(fontsize="small")


EXPERIMENTS = [
    Experiment(
        name="prat-fig2.3",
        title="Stability measures on Kuncheva's two sequences",
        source="Prat's thesis, figure 2.3 and section 2.3.2",
        claim=(
            "All measures show the decrease at k = 4; Dunne is almost constant for k > 5, Kalousis "
            "rises, Křížek is constantly 0; only Somol's weighted consistency and Kuncheva's index "
            "show that stability decreases at the end, and they are similar."
        ),
        protocol=(
            "The two sequences as printed, first k of 10 features. The text names CW (eq. 2.41) "
            "but describes a measure corrected for chance; CW and CW_rel are both shown. Křížek is "
            f"1 − H/log₂ min(M, C(10, k)). We take 'almost constant' as a range of up to {NEAR}, "
            f"'similar' as a correlation of at least {1 - NEAR}, and as differences up to {NEAR}. "
            "Drotár's measure is left out as in the thesis. Exact values: no intervals."
        ),
        run=_figure_3,
    ),
    Experiment(
        name="prat-fig2.4",
        title="Stability measures on random sequences",
        source="Prat's thesis, figure 2.4 and section 2.3.2",
        claim=(
            "For 100 random sequences a robust measure is close to 0 at every subset size; only "
            "Somol's weighted consistency and Kuncheva's index are."
        ),
        protocol=(
            "100 independent random sequences of 10 features as published, drawn many times; the "
            "mean farthest from 0 over k = 1 to 9 and its 95 % t interval. We take 'close' as an "
            f"interval within ±{NEAR}."
        ),
        run=_figure_4,
    ),
]
