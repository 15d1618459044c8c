"""Which classes and rows are mistaken: tables of predictions of rows that were not trained on.

A row is tested in several runs. Its predictions are averaged, so every row counts once. Scores of
different runs are never compared: every run has a curve of its own, and the curves are averaged at
equal false positive rate, or at equal recall. So the area under the mean ROC curve is the mean of
the runs' AUC, and that under the other the mean of their average precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay._units import complete_pairs, pair_sides
from backstay._wilson import wilson
from backstay.targets._class_metrics import class_columns
from backstay.targets._target import Floats, TableRows, Tested, mean_row

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget

Run = tuple[NDArray[np.bool_], NDArray[Any]]
# Curves change at so many places at most; finer ones are drawn on an even grid.
MOST_PLACES = 200
CONFIDENCE = 0.95
N_BOOTSTRAPS = 200


def _said(target: ClassTarget, tested: Tested) -> tuple[Floats, NDArray[np.int_]]:
    """Return how often each row was taken for each class, and in how many runs it was tested."""
    said = np.zeros((len(target), target.n_classes))
    times = np.zeros(len(target), dtype=int)
    for rows, outputs in tested.runs:
        said[rows, outputs[:, 0].astype(np.intp)] += 1
        times[rows] += 1
    return said, times


def _counts(target: ClassTarget, tested: Tested) -> Floats:
    """Return rows by true and predicted class; every row that was tested counts once."""
    said, times = _said(target, tested)
    shares, n = said / np.maximum(times, 1)[:, None], target.n_classes
    return np.array([shares[target.codes == c].sum(axis=0) for c in range(n)]).reshape(n, n)


def confusion(target: ClassTarget, tested: Tested) -> TableRows:
    """Return how many rows of every class are taken for each class."""
    table = _counts(target, tested)
    total = table.sum(axis=1)
    return [
        {
            "true": target.classes[i],
            "predicted": target.classes[j],
            "rows": float(value),
            "share": float(value / total[i]) if total[i] else np.nan,
        }
        for (i, j), value in np.ndenumerate(table)
    ]


def recalls(target: ClassTarget, tested: Tested) -> TableRows:
    """Return the share of every class that is predicted right, with Wilson's interval."""
    rows: TableRows = []
    for i, line in enumerate(_counts(target, tested)):
        n = round(float(line.sum()))
        recall = float(line[i] / n) if n else np.nan
        low, high = wilson(recall, n * tested.independent)
        rows.append(
            {
                "class": target.classes[i],
                "rows": n,
                "recall": recall,
                "low": float(low),
                "high": float(high),
                "taken_for": _most_wrong(target, line, i),
            }
        )
    return rows


def _most_wrong(target: ClassTarget, line: Floats, own: int) -> Any:
    """Return the class that predictions are most often wrong with; None if they never are."""
    wrong = line.copy()
    wrong[own] = 0
    return target.classes[int(np.argmax(wrong))] if wrong.any() else None


def misclassified(target: ClassTarget, tested: Tested) -> TableRows:
    """Return the rows tested, those that are most often wrong first."""
    said, times = _said(target, tested)
    seen = np.flatnonzero(times)
    wrong = 1 - said[seen, target.codes[seen]] / times[seen]
    rows: TableRows = []
    # Of those as often wrong, the one tested more often comes first.
    for k in np.lexsort((-times[seen], -wrong)):
        row = int(seen[k])
        own = int(target.codes[row])
        rows.append(
            {
                "row": row,
                "class": target.classes[own],
                "n_runs": int(times[row]),
                "share": float(wrong[k]),
                "taken_for": _most_wrong(target, said[row], own),
            }
        )
    return rows


def bias_variance(target: ClassTarget, tested: Tested) -> TableRows:
    """Split the error into bias and variance, under zero-one loss (Domingos 2000)."""
    said, times = _said(target, tested)
    again = np.flatnonzero(times > 1)
    shares = said[again] / times[again, None]
    right, variance = shares[np.arange(len(again)), target.codes[again]], 1 - shares.max(axis=1)
    wrong = shares.argmax(axis=1) != target.codes[again]  # of equal votes the first class counts
    return mean_row(1 - right, wrong, variance, np.where(wrong, -right, variance))


def curves(target: ClassTarget, tested: Tested, kind: str) -> TableRows:
    """Return the mean curve of a kind with a band, of each class against the others."""
    if not tested.runs or tested.runs[0][1].shape[1] < 2:  # the study kept no scores
        return []
    rows: TableRows = []
    for positive, column in class_columns(target.n_classes):
        runs = [(target.codes[test] == positive, out[:, 1 + column]) for test, out in tested.runs]
        points = _mean_curve(kind, runs, tested.test_share).to_dict("records")
        rows += [
            {"class": target.classes[positive], **{str(key): value for key, value in point.items()}}
            for point in points
        ]
    return rows


def pair_order(target: ClassTarget, tested: Tested) -> TableRows:
    """Return the share of pairs whose second side has the higher score, with Wilson's interval.

    Ties are halves; a pair that several runs tested counts once. Empty without pairs or scores.
    """
    if tested.pairs is None or not tested.runs or tested.runs[0][1].shape[1] < 2:
        return []
    right, times = np.zeros((2, tested.pairs.max() + 1))
    for rows, outputs in tested.runs:
        pairs, second = tested.pairs[rows], target.codes[rows] == 1
        low, high = pair_sides(outputs[:, 1:2], second, pairs)
        whole = complete_pairs(second, pairs)
        right[whole] += (0.5 + 0.5 * np.sign(high - low))[:, 0]
        times[whole] += 1
    seen = times > 0
    share, n = float((right[seen] / times[seen]).mean()), int(seen.sum())
    low, high = wilson(share, n)
    return [{"pairs": n, "right": share, "low": float(low), "high": float(high)}]


def roc_points(target: ClassTarget, tested: Tested) -> TableRows:
    """Return the points of the ROC curves of rows that were tested once."""
    points: TableRows = []
    for (rows, outputs), (c, column) in product(tested.runs, class_columns(target.n_classes)):
        positive = target.codes[rows] == c
        if 0 < positive.sum() < len(positive):
            rates = _rates((positive, outputs[:, 1 + column]))
            pairs = zip(*(rate.tolist() for rate in rates), strict=True)
            points += [{"class": target.classes[c], "fpr": x, "tpr": y} for x, y in pairs]
    return points


def _mean_curve(kind: str, runs: Sequence[Run], test_share: float) -> pd.DataFrame:
    """Return the mean curve over runs with a band: ``x``, ``y``, ``low`` and ``high``.

    Runs are whether each test row is positive, and its score; those without a positive or without
    a negative row are left out. The band over several runs has Nadeau and Bengio's correction, that
    of a single run is over bootstraps of its rows, drawn within the classes. The curve is linear
    between the points.
    """
    runs = [run for run in runs if 0 < run[0].sum() < len(run[0])]
    if not runs:
        return pd.DataFrame(columns=["x", "y", "low", "high"], dtype=float)
    edges = _edges(kind, runs)
    curves = np.array([_values(kind, run, edges) for run in runs])
    y = curves.mean(axis=0)
    if len(runs) > 1:
        error = np.sqrt((1 / len(runs) + test_share) * curves.var(axis=0, ddof=1))
        half = stats.t.ppf(0.5 + CONFIDENCE / 2, len(runs) - 1) * error
        low, high = np.clip(y - half, 0, 1), np.clip(y + half, 0, 1)
    else:
        drawn = [_values(kind, run, edges) for run in _bootstraps(runs[0])]
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return pd.DataFrame({"x": np.repeat(edges, 2)[1:-1], "y": y, "low": low, "high": high})


def _edges(kind: str, runs: Sequence[Run]) -> Floats:
    """Return the places where some run's curve may change its course."""
    counts = {int(len(p) - p.sum()) if kind == "roc" else int(p.sum()) for p, _ in runs}
    if sum(counts) > MOST_PLACES:
        return np.linspace(0, 1, MOST_PLACES + 1)
    return np.unique(np.round(np.concatenate([np.arange(n + 1) / n for n in counts]), 12))


def _values(kind: str, run: Run, edges: Floats) -> Floats:
    """Return a curve just right and just left of the ends of every interval."""
    curve = _roc(run) if kind == "roc" else _precision(run)
    width = np.diff(edges)
    near, far = curve(edges[:-1] + width / 4), curve(edges[:-1] + 3 * width / 4)
    slope = (far - near) / 2
    return np.clip(np.stack([near - slope, far + slope], axis=1).ravel(), 0, 1)


def _rates(run: Run) -> tuple[Floats, Floats]:
    """Return false and true positive rates at every score, from (0, 0) on."""
    positive, scores = run
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.append(0, np.cumsum(positive[order])[last]) / positive.sum()
    alarms = np.append(0, np.cumsum(~positive[order])[last]) / (~positive).sum()
    return alarms, hits


def _roc(run: Run) -> Callable[[Floats], Floats]:
    alarms, hits = _rates(run)
    return lambda x: np.interp(x, alarms, hits)


def _precision(run: Run) -> Callable[[Floats], Floats]:
    """Precision among the rows that score as high as the last positive row needed."""
    positive, scores = run
    above = stats.rankdata(-scores, method="max")[positive]
    hits = stats.rankdata(-scores[positive], method="max")
    steps = (hits / above)[np.argsort(-scores[positive], kind="stable")]
    return lambda x: steps[np.minimum((x * len(steps)).astype(int), len(steps) - 1)]


def _bootstraps(run: Run) -> list[Run]:
    positive, scores = run
    rng = np.random.default_rng(0)
    ours, others = np.flatnonzero(positive), np.flatnonzero(~positive)
    drawn = []
    for _ in range(N_BOOTSTRAPS):
        rows = np.concatenate([rng.choice(ours, len(ours)), rng.choice(others, len(others))])
        drawn.append((positive[rows], scores[rows]))
    return drawn
