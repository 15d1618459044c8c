"""How does each row do when it is tested? What calibration is made of."""

from __future__ import annotations

from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._table import Table


class RowScoreAnswers(Parts):
    """Scores of single rows, from models that were not trained on them."""

    def row_scores(self, method: str, size: int, model: str | None = None) -> Table:
        """Every prediction of every tested row.

        Parameters
        ----------
        method : str
            Name of the method.
        size : int
            A size studied.
        model : str, default=None
            The study's first model if None.

        Returns
        -------
        Table
            ``row``, ``resample``, ``class`` and ``predicted`` (places among the classes), and, if
            the study kept scores, ``score``, that of the second of two classes; ``score_0``,
            ``score_1``, … for more.
        """
        return self._table(
            "predictions of tested rows",
            "one per row and resample",
            lambda part: _score_rows(part, method, size, model),
            "row resample class predicted",
        )


def _score_rows(records: Records, method: str, size: int, model: str | None) -> Rows:
    place, at = records.check_model(model), records.check_size(size)
    leanings = dict(records.leanings(method))
    rows: Rows = []
    for resample, predicted in records.predicted(method):
        scores = leanings[resample][place, at].tolist() if resample in leanings else None
        for i, row in enumerate(records.test(resample).tolist()):
            known = {"row": row, "resample": resample, "class": int(records.codes[row])}
            known["predicted"] = int(predicted[place, at, i])
            if scores is not None:
                single = len(scores[i]) == 1
                known |= {("score" if single else f"score_{c}"): v for c, v in enumerate(scores[i])}
            rows.append(known)
    return rows
