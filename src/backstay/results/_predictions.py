"""Which classes and samples are mistaken: predictions of rows that were not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.results._choice import choice_of
from backstay.results._metrics import METRICS, class_columns
from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._roc import mean_curve
from backstay.results._table import Table
from backstay.results._wilson import wilson

Floats = NDArray[np.float64]


class PredictionAnswers(Parts):
    """Mistakes of a model on test rows, pooled over runs.

    A row is tested in several runs. Its predictions are averaged, so every row counts once.
    """

    def confusion(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """How often rows of a class are taken for each class.

        ``rows`` sum to the rows of the class that were tested, ``share`` to 1.

        Parameters
        ----------
        method : str, default=None
            Name of a method. None takes method, size and model from :meth:`choice`.
        size : int, default=None
            A size studied.
        model : str, default=None
            The study's first if None and a method is given.
        """
        return self._table(
            "confusion",
            "predictions of test rows, averaged per row",
            lambda part: _confusion_rows(part, _said(part, method, size, model)),
            "true predicted rows share",
        )

    def recalls(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """Share of the rows of every class that is predicted right.

        The interval is Wilson's over rows (over groups, where rows belong together): it covers
        other samples, not other training sets. ``taken_for`` is the class it is most often
        mistaken for.

        Parameters
        ----------
        method, size, model
            As in :meth:`confusion`.
        """
        return self._table(
            "recall of the classes",
            "Wilson's 95 % interval over rows",
            lambda part: _recall_rows(part, _said(part, method, size, model)),
            "class rows recall low high taken_for",
        )

    def misclassified(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """List samples by the share of their tests in which the prediction was wrong.

        Parameters
        ----------
        method, size, model
            As in :meth:`confusion`.
        """
        return self._table(
            "misclassified samples",
            "share of the runs that tested them",
            lambda part: _sample_rows(part, _said(part, method, size, model)),
            "row name class n_runs share taken_for",
        )

    def roc(
        self,
        kind: str = "roc",
        method: str | None = None,
        size: int | None = None,
        model: str | None = None,
    ) -> Table:
        """ROC or precision–recall curve, the mean over runs with a band.

        Of two classes the second is the positive one; of more, each against the others. Empty
        where the study kept no scores. The area under the mean ROC curve is the mean AUC.

        Parameters
        ----------
        kind : {"roc", "precision_recall"}, default="roc"
            True positive rate by false positive rate, or precision by recall.
        method, size, model
            As in :meth:`confusion`.
        """
        frames = []
        for name, part in self._parts.items():
            for curve in _curves(part, kind, *_configured(part, method, size, model)):
                curve.insert(0, "dataset", name)
                frames.append(curve)
        columns = ["dataset", "class", "x", "y", "low", "high"]
        data = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
        return Table(kind.replace("_", "–"), "mean over runs, corrected t interval", data)


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


def _said(
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


def _confusion_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
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


def _recall_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
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


def _sample_rows(records: Records, found: tuple[Floats, NDArray[np.int_]]) -> Rows:
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


def _curves(records: Records, kind: str, method: str, at: int, by: int) -> list[pd.DataFrame]:
    if all(METRICS[name].needs == "labels" for name in records.facts.scoring):
        return []
    leanings = records.leanings(method)
    found = []
    for positive, column in class_columns(len(records.classes)):
        runs = [
            (records.codes[records.test(i)] == positive, scores[by, at, :, column])
            for i, scores in leanings
        ]
        curve = mean_curve(kind, runs, records.test_share)
        curve.insert(0, "class", [records.classes[positive]] * len(curve))
        found.append(curve)
    return found
