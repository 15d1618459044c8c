"""How does each row score when it is tested? What calibration is made of."""

from __future__ import annotations

from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._table import Table


class RowScoreAnswers(Parts):
    """Scores of single rows, from classifiers that were not trained on them."""

    def row_scores(self, method: str, size: int, classifier: str | None = None) -> Table:
        """Every score of every tested row.

        Parameters
        ----------
        method : str
            Name of the method.
        size : int
            A size studied.
        classifier : str, default=None
            The study's first classifier if None.

        Returns
        -------
        Table
            ``row``, ``resample``, ``class`` (the row's place among the classes) and ``score``, that
            of the second of two classes; ``score_0``, ``score_1``, … for more. Empty if the study
            kept no scores.
        """
        return self._table(
            "scores of tested rows",
            "one per row and resample",
            lambda part: _score_rows(part, method, size, classifier),
            "row resample class score",
        )


def _score_rows(records: Records, method: str, size: int, classifier: str | None) -> Rows:
    place, at = records.check_classifier(classifier), records.check_size(size)
    rows: Rows = []
    for resample, scores in records.leanings(records.check_method(method)):
        test = records.test(resample)
        for row, values in zip(test.tolist(), scores[place, at].tolist(), strict=True):
            names = ["score"] if len(values) == 1 else [f"score_{c}" for c in range(len(values))]
            known = {"row": row, "resample": resample, "class": int(records.codes[row])}
            rows.append(known | dict(zip(names, values, strict=True)))
    return rows
