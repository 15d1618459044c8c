"""Which classes and samples are mistaken: predictions of rows that were not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.results._choice import choice_of
from backstay.results._metrics import METRICS, class_columns
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._roc import mean_curve
from backstay.results._wilson import wilson

Floats = NDArray[np.float64]


def _configured(
    records: Records, method: str | None, size: int | None, model: str | None
) -> tuple[str, int, int]:
    """Return a method, and the places of a size and a model."""
    records.check_model(None)
    if (method is None) != (size is None):
        raise ValueError("give method and size together, or neither.")
    if method is None or size is None:
        chosen = choice_of(records)
        method, size = chosen.method, chosen.size
        model = chosen.model if model is None else model
    method = records.check_method(method)
    return method, records.check_size(size), records.check_model(model)


def rows_taken_for(
    records: Records, method: str | None, size: int | None, model: str | None
) -> tuple[Floats, NDArray[np.int_]]:
    """Return how often each row was taken for each class, and in how many runs it was tested."""
    method, at, by = _configured(records, method, size, model)

    def compute() -> tuple[Floats, NDArray[np.int_]]:
        said = np.zeros((records.n_samples, len(records.classes)))
        times = np.zeros(records.n_samples, dtype=int)
        for resample, predicted in records.predicted(method):
            test = records.test(resample)
            said[test, predicted[by, at]] += 1
            times[test] += 1
        return said, times

    return records.once(("said", method, at, by), compute)


def _table_of(records: Records, said: Floats, times: NDArray[np.int_]) -> Floats:
    """Return rows by true and predicted class; every row that was tested counts once."""
    shares = said / np.maximum(times, 1)[:, None]
    n = len(records.classes)
    return np.array([shares[records.codes == c].sum(axis=0) for c in range(n)]).reshape(n, n)


def confusion_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
    """Return how often rows of a class are taken for each class."""
    table = _table_of(records, *found)
    total = table.sum(axis=1)
    return [
        {
            "true": records.classes[i],
            "predicted": records.classes[j],
            "rows": float(value),
            "share": float(value / total[i]) if total[i] else np.nan,
        }
        for (i, j), value in np.ndenumerate(table)
    ]


def recall_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
    """Return the share of the rows of every class that is predicted right."""
    table = _table_of(records, *found)
    independent = (int(records.units.max()) + 1) / records.n_samples
    rows: Rows = []
    for i, line in enumerate(table):
        n = round(float(line.sum()))
        recall = float(line[i] / n) if n else np.nan
        low, high = wilson(recall, n * independent)
        rows.append(
            {
                "class": records.classes[i],
                "rows": n,
                "recall": recall,
                "low": float(low),
                "high": float(high),
                "taken_for": _most_wrong(records, line, i),
            }
        )
    return rows


def _most_wrong(records: Records, line: Floats, own: int) -> Any:
    """Return the class that predictions are most often wrong with; None if they never are."""
    wrong = line.copy()
    wrong[own] = 0
    return records.classes[int(np.argmax(wrong))] if wrong.any() else None


def misclassified_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
    """Return the samples by the share of their tests in which the prediction was wrong."""
    said, times = found
    tested = np.flatnonzero(times)
    wrong = 1 - said[tested, records.codes[tested]] / times[tested]
    rows: Rows = []
    # Of those as often wrong, the one tested more often comes first.
    for k in np.lexsort((-times[tested], -wrong)):
        row = int(tested[k])
        own = int(records.codes[row])
        rows.append(
            {
                "row": row,
                "name": records.sample_name(row),
                "class": records.classes[own],
                "n_runs": int(times[row]),
                "share": float(wrong[k]),
                "taken_for": _most_wrong(records, said[row], own),
            }
        )
    return rows


def mean_curves(
    records: Records, kind: str, method: str | None, size: int | None, model: str | None
) -> pd.DataFrame:
    """Return the mean curve of each class; no rows where the study kept no scores."""
    method, at, by = _configured(records, method, size, model)
    if all(METRICS[name].needs == "labels" for name in records.facts.scoring):
        return pd.DataFrame(columns=["class", "x", "y", "low", "high"])
    leanings = records.leanings(method)
    curves = []
    for positive, column in class_columns(len(records.classes)):
        runs = [
            (records.codes[records.test(i)] == positive, scores[by, at, :, column])
            for i, scores in leanings
        ]
        curve = mean_curve(kind, runs, records.test_share)
        curve.insert(0, "class", [records.classes[positive]] * len(curve))
        curves.append(curve)
    return pd.concat(curves, ignore_index=True)
