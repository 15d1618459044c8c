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
    target, rows = records.target, []
    for resample, outputs in records.outputs(method):
        for row, said in zip(records.test(resample), outputs[place, at], strict=True):
            known = {"row": int(row), "resample": resample}
            rows.append(known | target.row_facts(int(row), said))
    return rows
