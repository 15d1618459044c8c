"""Which classes and samples are mistaken: predictions of rows that were not trained on."""

from __future__ import annotations

from backstay.results._choice import choice_of
from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._table import Table
from backstay.targets import Tested

CURVES = ("roc", "precision_recall")


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
            lambda part: _tested(part, "confusion", method, size, model),
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
            lambda part: _tested(part, "recalls", method, size, model),
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
            lambda part: _mistaken(part, method, size, model),
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
        if kind not in CURVES:
            raise ValueError(f"kind={kind!r} must be {' or '.join(map(repr, CURVES))}.")
        return self._table(
            kind.replace("_", "–"),
            "mean over runs, corrected t interval",
            lambda part: _tested(part, kind, method, size, model),
            "class x y low high",
        )


def _tested(
    records: Records, name: str, method: str | None, size: int | None, model: str | None
) -> Rows:
    """Return one of the target's tables of predictions, for a configuration."""
    method, at, by = _configured(records, method, size, model)

    def compute() -> Rows:
        runs = [(rows, outputs[by, at]) for rows, outputs in records.tested(method)]
        independent = records.n_units / records.n_samples
        return records.target.table(name, Tested(runs, independent, records.test_share))

    return records.once(("predictions", name, method, at, by), compute)


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


def _mistaken(records: Records, method: str | None, size: int | None, model: str | None) -> Rows:
    rows = _tested(records, "misclassified", method, size, model)
    return [{"row": row["row"], "name": records.sample_name(row["row"]), **row} for row in rows]
