"""Which classes and rows are mistaken: tables of predictions of rows that were not trained on.

A row is tested in several runs. Its predictions are averaged, so every row counts once.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backstay._units import complete_pairs, pair_sides
from backstay._wilson import wilson
from backstay.targets._class_curves import mean_curve
from backstay.targets._class_curves import roc_points as points_of_roc
from backstay.targets._class_metrics import class_columns
from backstay.targets._target import Floats, TableRows, Tested, mean_row

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget


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
        points = mean_curve(kind, runs, tested.test_share).to_dict("records")
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
            rates = points_of_roc((positive, outputs[:, 1 + column]))
            pairs = zip(*(rate.tolist() for rate in rates), strict=True)
            points += [{"class": target.classes[c], "fpr": x, "tpr": y} for x, y in pairs]
    return points
