"""``results.predictions``: what models said about rows that they were not trained on."""

from backstay.results._choice import choice_of, method_and_size
from backstay.results._designs import batch_rows
from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records, computed_once
from backstay.results._stability import curve_rows, prediction_stability_rows, repeated

CURVES = ("roc", "precision_recall")


@computed_once
def prediction_rows(
    records: Records, name: str, method: str | None, size: int | None, model: str | None
) -> Rows:
    """Return one of the target's tables of predictions, for a configuration."""
    records.check_model(None)
    chosen = method is None
    method, size = method_and_size(records, method, size)
    if chosen and model is None:
        model = choice_of(records).model
    at, by = records.check_size(size), records.check_model(model)
    runs = [(rows, outputs[by, at]) for rows, outputs in records.tested(method)]
    independent = records.n_units / records.n_samples
    pairs = records.units if records.effect_units.kind == "pairs" else None
    return records.target.table(name, runs, independent, records.test_share, pairs)


def named_rows(
    records: Records, name: str, method: str | None, size: int | None, model: str | None
) -> Rows:
    """Return the same with the names of samples, where a row of the table is about one."""
    rows = prediction_rows(records, name, method, size, model)
    return [
        {"row": row["row"], "name": records.sample_name(row["row"]), **row} if "row" in row else row
        for row in rows
    ]


def bias_variance_rows(records: Records) -> Rows:
    """Split the error of every configuration, with the stability of its selections beside it."""
    records.check_model(None)
    rows: Rows = []
    for method in repeated(records):
        for row in curve_rows(records, method):
            known = {"method": method, "size": row["size"], "stability": row["value"]}
            for model in records.models:
                parts = prediction_rows(records, "bias_variance", method, row["size"], model)
                rows += [known | {"model": model} | part for part in parts]
    return rows


def row_score_rows(records: Records, method: str, size: int, model: str | None) -> Rows:
    """Return every prediction of every tested row, with its group where there are groups."""
    units = records.units if records.n_units < records.n_samples else None
    place, at = records.check_model(model), records.check_size(size)
    target, rows = records.target, []
    for resample, outputs in records.outputs(method):
        for row, said in zip(records.test(resample), outputs[place, at], strict=True):
            known = {"row": int(row), "resample": resample}
            known |= {} if units is None else {"group": int(units[row])}
            rows.append(known | target.row_facts(int(row), said))
    return rows


class Predictions(Parts):
    """What models said about test rows, and where they were wrong.

    A row is tested in several runs. Its predictions are averaged, so every row counts once.

    `method` and `size` name what was studied; left out together, they and the model are those
    of ``results.choice()``. With a method but no `model`, it is the study's first.
    """

    def chance(self, metric: str | None = None) -> float:
        """Return what guessing reaches, for one data set.

        Parameters
        ----------
        metric : str, default=None
            None is the metric that decides.
        """
        part = self._one()
        return part.metric(part.check_metric(metric)).chance(part.target)

    def table(
        self,
        name: str,
        method: str | None = None,
        size: int | None = None,
        model: str | None = None,
    ) -> Table:
        """Return one of the tables that this kind of outcome has, by name.

        Parameters
        ----------
        name : str
            One of ``results.data.target.tables``; an unknown name is refused with those there are.
        """
        return self._table(
            name,
            "from predictions of test rows",
            lambda part: named_rows(part, name, method, size, model),
        )

    def confusion(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """How often rows of a class are taken for each class.

        ``rows`` sum to the rows of the class that were tested, ``share`` to 1.
        """
        return self._table(
            "confusion",
            "predictions of test rows, averaged per row",
            lambda part: prediction_rows(part, "confusion", method, size, model),
            "true predicted rows share",
        )

    def recalls(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """Share of the rows of every class that is predicted right.

        The interval is Wilson's over rows (over groups, where rows belong together): it covers
        other samples, not other training sets. ``taken_for`` is the class it is most often
        mistaken for.
        """
        return self._table(
            "recall of the classes",
            "Wilson's 95 % interval over rows",
            lambda part: prediction_rows(part, "recalls", method, size, model),
            "class rows recall low high taken_for",
        )

    def misclassified(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Table:
        """List samples by the share of their tests in which the prediction was wrong."""
        return self._table(
            "misclassified samples",
            "share of the runs that tested them",
            lambda part: named_rows(part, "misclassified", method, size, model),
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
        """
        if kind not in CURVES:
            raise ValueError(f"kind={kind!r} must be {' or '.join(map(repr, CURVES))}.")
        return self._table(
            kind.replace("_", "–"),
            "mean over runs, corrected t interval",
            lambda part: prediction_rows(part, kind, method, size, model),
            "class x y low high",
        )

    def rows(self, method: str, size: int, model: str | None = None) -> Table:
        """Every prediction of every tested row.

        Returns
        -------
        Table
            ``row``, ``resample``, ``group`` (a number, where there are groups), and what the kind
            of outcome has. Classes: ``class`` and
            ``predicted`` (places among the classes), and, if the study kept scores, ``score``, that
            of the second of two classes; ``score_0``, ``score_1``, … for more. Numbers:
            ``outcome``, ``predicted`` and ``training_mean``.
        """
        return self._table(
            "predictions of tested rows",
            "one per row and resample",
            lambda part: row_score_rows(part, method, size, model),
            "row resample predicted",
        )

    def batches(self) -> Table:
        """Return how well rows of every batch were predicted, with what ``choice()`` looks at.

        Under :class:`backstay.study.LeaveBatchOut` these are the scores of batches left out; under
        other protocols rows of the same batch were trained on, too.
        """
        return self._table(
            "scores of batches",
            "pooled over the rows of a batch",
            lambda part: [*batch_rows(part, choice_of(part).configuration)],
            "batch rows metric score",
        )

    def bias_variance(self) -> Table:
        """Split the error of models into bias and variance, beside the stability of selections.

        A row's main prediction is that of most runs that tested it. ``bias`` is the share of rows
        whose main prediction is wrong, ``variance`` that of predictions unlike it. Some of these
        are right where the main one is wrong: ``error`` is ``bias + net_variance``. For numbers,
        it is the squared error: bias² + variance (Domingos 2000). Rows tested once are left out;
        few tests make some variance look like bias, so compare under one protocol.
        """
        return self._table(
            "bias and variance of models",
            "predictions of rows tested more than once",
            bias_variance_rows,
            "method size stability model error bias variance net_variance rows",
        )

    def stability(self, *, confidence: float = 0.95) -> Table:
        """Agreement, and pooled κ, of models trained on different resamples.

        Models are compared on the rows that both were tested on, never on
        training rows; all pairs are pooled. With two classes, pooled κ is φ; numbers have
        Krippendorff's α, which is pooled κ with squared differences.

        Parameters
        ----------
        confidence : float, default=0.95
            Coverage of the jackknife intervals.
        """
        return self._table(
            "prediction stability",
            "pairs of models on common test rows, jackknife intervals",
            lambda part: prediction_stability_rows(part, confidence),
        )
