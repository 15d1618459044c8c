"""Stability measures on rankings of real data [Prat 2.3.2, figures 2.5 to 2.8]."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from backstay.feature_weighting import ReliefF, Simba
from backstay.stability import UndefinedStabilityWarning, stability_curve, stability_score
from backstay.study import RepeatedStratifiedKFold
from reproduction._estimates import Floats, claimed, compared, mean_estimate
from reproduction._experiment import (
    Arrays,
    Experiment,
    ExperimentResult,
    MissingDataError,
    RunSettings,
)
from reproduction._prat_measures import MEASURES, NEAR

__all__ = ["EXPERIMENTS"]

UCI = {
    "heart_statlog": (270, 13),
    "ionosphere": (351, 34),
    "parkinsons": (195, 22),
    "sonar": (208, 60),
    "spectf": (267, 44),
    "vehicle": (846, 18),
}
ARRAYS = {"colon_alon": (62, 2000), "leukemia_golub": (72, 7129), "lung_gordon": (181, 12533)}
FIGURES = {
    ("ReliefF", "UCI"): "2.5",
    ("ReliefF", "microarrays"): "2.6",
    ("Simba", "UCI"): "2.7",
    ("Simba", "microarrays"): "2.8",
}
LARGEST = 200  # subset sizes of microarrays


def _orders(settings: RunSettings, name: str, ranker: str) -> Arrays:
    X, y = settings.load(name)
    found = []
    splits = RepeatedStratifiedKFold(2, 5, random_state=settings.seed).split(X, y)
    for run, (train, _) in enumerate(splits):
        method = ReliefF() if ranker == "ReliefF" else Simba(random_state=run)
        found.append(np.argsort(method.fit(X[train], y[train]).ranking_))
    return {"orders": np.array(found)}


def _curve(orders: Any, measure: str) -> Floats:
    n_features = orders.shape[1]
    sizes = range(1, min(n_features, LARGEST + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedStabilityWarning)
        if measure == "krizek":
            scores = (stability_score(orders[:, :k], n_features, measure) for k in sizes)
            return np.array([score.details["normalized"] for score in scores])
        frame = stability_curve(orders, measure, sizes, kind="order")
    return frame["value"].to_numpy(dtype=np.float64)


Means = dict[tuple[str, str, str], dict[str, float]]


def _means(settings: RunSettings) -> tuple[Means, dict[tuple[str, str, str], dict[str, Floats]]]:
    """Return every measure, averaged over sizes and as a curve, by ranker, kind and data set."""
    if settings.data is None:
        raise MissingDataError("needs real data; name their folder with --data.")
    folder = settings.data
    means: Means = {}
    curves: dict[tuple[str, str, str], dict[str, Floats]] = {}
    for kind, names in (("UCI", UCI), ("microarrays", ARRAYS)):
        there = [n for n in names if (folder / f"{n}.npz").is_file()]
        for name in there[:2] if settings.quick else there:
            for ranker in ("ReliefF", "Simba"):
                key = {"data": name, "ranker": ranker}
                compute = partial(_orders, settings, name, ranker)
                kept = settings.kept("prat-fig2.5", key, compute)
                curve = {label: _curve(kept["orders"], m) for label, m in MEASURES.items()}
                curves[ranker, kind, name] = curve
                means[ranker, kind, name] = {k: float(np.nanmean(v)) for k, v in curve.items()}
    return means, curves


def _run(settings: RunSettings) -> ExperimentResult:
    means, curves = _means(settings)
    rows: list[dict[str, Any]] = []
    for (ranker, kind), figure in FIGURES.items():
        part = {key[2]: value for key, value in means.items() if key[:2] == (ranker, kind)}
        if part:
            rows += _claims(part, {"figure": figure, "ranker": ranker, "data": kind})
    for ranker in ("ReliefF", "Simba"):
        rows += _influence_of_dimension(means, ranker)
    for (ranker, kind, name), values in means.items():
        about = {"figure": FIGURES[ranker, kind], "ranker": ranker, "data": name}
        for measure, value in values.items():
            four = compared(None, value, np.nan, np.nan)
            rows.append({**about, "quantity": f"{measure}, mean over sizes", **four})
    table = pd.DataFrame(rows)
    held = table[table["agrees"] != ""]
    apart = held[held["quantity"].str.startswith("|CW_rel")]
    finding = (
        f"{(held['agrees'] == 'yes').sum()} of {len(held)} statements hold. CW_rel and Kuncheva's "
        f"index are {apart['measured'].min():.3f} to {apart['measured'].max():.3f} apart on "
        "average. Means over data sets and sizes, UCI and microarrays: "
        + "; ".join(_both_kinds(means, measure) for measure in ("Dunne", "Křížek", "Kalousis"))
        + "."
    )
    return ExperimentResult(table, finding, "5×2 training halves of each data set", _draw(curves))


def _both_kinds(means: Means, measure: str) -> str:
    """Say a measure's mean on either kind of data, over both rankers."""
    by_kind = {
        kind: [values[measure] for key, values in means.items() if key[1] == kind]
        for kind in ("UCI", "microarrays")
    }
    return f"{measure} " + " and ".join(
        f"{np.mean(values):.2f}" if values else "–" for values in by_kind.values()
    )


def _claims(part: Mapping[str, Mapping[str, float]], about: dict[str, str]) -> list[dict[str, Any]]:
    largest = max(values["Křížek"] for values in part.values())
    near = mean_estimate([abs(v["Somol CW_rel"] - v["Kuncheva"]) for v in part.values()])
    rows = [
        {
            **about,
            "quantity": "|CW_rel − Kuncheva|, mean over sizes",
            **claimed("very similar", near.value <= NEAR, *near),
        },
        {
            **about,
            "quantity": "Křížek, largest of the data sets",
            **claimed("close to 0 for every data set", largest <= NEAR, largest, np.nan, np.nan),
        },
    ]
    if about["data"] == "microarrays":
        dunne = mean_estimate([values["Dunne"] for values in part.values()])
        four = claimed("close to 1 for large data sets", dunne.value >= 1 - NEAR, *dunne)
        rows.append({**about, "quantity": "Dunne, mean over data sets", **four})
    return rows


def _influence_of_dimension(means: Means, ranker: str) -> list[dict[str, Any]]:
    """Compare what chance adds to Kalousis' measure on many and on few features."""
    gaps = {
        kind: [v["Kalousis"] - v["Kuncheva"] for k, v in means.items() if k[:2] == (ranker, kind)]
        for kind in ("microarrays", "UCI")
    }
    if not all(gaps.values()):
        return []
    apart = mean_estimate(gaps["microarrays"]).minus(mean_estimate(gaps["UCI"]))
    four = claimed("Kalousis depends on dimension", apart.low > 0 or apart.high < 0, *apart)
    figures = " and ".join(FIGURES[ranker, kind] for kind in ("UCI", "microarrays"))
    about = {"figure": figures, "ranker": ranker, "data": "microarrays − UCI"}
    return [{**about, "quantity": "Kalousis − Kuncheva, mean over data sets", **four}]


def _draw(curves: Mapping[tuple[str, str, str], Mapping[str, Floats]]) -> Any:
    def draw(figure: Any) -> None:
        n_columns = 6
        n_lines = -(-len(curves) // n_columns)
        panels = np.ravel(figure.subplots(n_lines, n_columns, sharey=True, squeeze=False))
        for axes in panels[len(curves) :]:
            axes.set_axis_off()
        for axes, key in zip(panels, curves, strict=False):
            for measure, values in curves[key].items():
                axes.plot(np.arange(1, len(values) + 1), values, lw=0.8, label=measure)
            axes.set_title(f"{key[2]}, {key[0]}", fontsize=6, pad=2)
            axes.tick_params(labelsize=5)
        panels[0].legend(fontsize=4)

    return draw


EXPERIMENTS = [
    Experiment(
        "prat-fig2.5",
        "Stability measures on rankings of real data",
        "[Prat] figures 2.5 to 2.8",
        "Kuncheva and Somol give very similar results; Dunne is close to 1 for large data sets, "
        "Křížek close to 0 for every one, and Kalousis depends on dimension.",
        "Rankings of ReliefF and of Simba on the training halves of 5×2 folds; six UCI data sets "
        f"with all sizes, three microarrays (log2) with sizes up to {LARGEST}. The thesis names "
        "neither resampling nor sizes; its figures have no numbers. 'Close' is taken as within "
        "0.1, on average over sizes; 'for every data set' is judged by the farthest. Kalousis' "
        "measure depends on dimension if its distance to Kuncheva's index, which corrects for "
        "chance, differs between microarrays and UCI data.",
        _run,
        {**UCI, **ARRAYS},
    )
]
