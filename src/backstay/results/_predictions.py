"""``results.predictions``: what models said about rows that they were not trained on."""

from backstay.results._choice import choice_of, method_and_size
from backstay.results._designs import batch_rows
from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records, computed_once
from backstay.results._stability import curve_rows, prediction_stability_rows, repeated

# Tables that are empty where a study kept no scores.
CURVES = ("roc", "precision_recall")


@computed_once
def prediction_rows(
    records: Records, name: str, method: str | None, size: int | None, model: str | None
) -> Rows:
    """Return one of the target's tables of predictions, with names of samples."""
    records.check_model(None)
    chosen = method is None
    method, size = method_and_size(records, method, size)
    if chosen and model is None:
        model = choice_of(records).model
    at, by = records.check_size(size), records.check_model(model)
    runs = [(rows, outputs[by, at]) for rows, outputs in records.tested(method)]
    independent = records.n_units / records.n_samples
    pairs = records.units if records.effect_units.kind == "pairs" else None
    rows = records.target.table(name, runs, independent, records.test_share, pairs)
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
        """Return what guessing reaches by a metric, the deciding one if None, for one data set."""
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

        Of classes: "confusion" (``rows`` sum to the rows of a class that were tested, ``share`` to
        1), "recalls" (with Wilson's interval over rows, or over groups), "misclassified" samples,
        and curves, the mean over runs with a corrected t interval, "roc" and "precision_recall":
        of more than two classes each against the others, empty where no scores were kept.

        Parameters
        ----------
        name : str
            One of ``results.data.target.tables``; an unknown name is refused with those there are.
        method, size, model : str, int, str, default=None
            As in the class.
        """
        columns = "class x y low high" if name in CURVES else ""
        note = "from predictions of test rows"
        return self._table(name, note, prediction_rows, name, method, size, model, columns=columns)

    def rows(self, method: str, size: int, model: str | None = None) -> Table:
        """Every prediction of every tested row.

        ``row``, ``resample``, ``group`` (where there are groups), and what the kind of outcome has.
        Classes: ``class`` and ``predicted`` (places among the classes), and, if kept, ``score`` of
        the second of two; ``score_0``, ``score_1``, … of more. Numbers: ``outcome``, ``predicted``
        and ``training_mean``.
        """
        columns = "row resample predicted"
        note = "one per row and resample"
        return self._table(
            "predictions of tested rows", note, row_score_rows, method, size, model, columns=columns
        )

    def batches(self) -> Table:
        """Return how well rows of every batch were predicted, by the choice of the report."""
        return self._table(
            "scores of batches",
            "pooled over the rows of a batch",
            lambda part: [*batch_rows(part, choice_of(part).configuration)],
            columns="batch rows metric score",
        )

    def bias_variance(self) -> Table:
        """Split the error of models into bias and variance, beside the stability of selections.

        A row's main prediction is that of most runs that tested it. ``bias`` is the share of rows
        whose main prediction is wrong, ``variance`` that of predictions unlike it. Some of these
        are right where the main one is wrong: ``error`` is ``bias + net_variance``. For numbers,
        it is the squared error: bias² + variance (Domingos 2000). Rows tested once are left out;
        few tests make some variance look like bias, so compare under one protocol.
        """
        columns = "method size stability model error bias variance net_variance rows"
        note = "predictions of rows tested more than once"
        return self._table("bias and variance of models", note, bias_variance_rows, columns=columns)

    def stability(self) -> Table:
        """Agreement, and pooled κ, of models of different resamples, with jackknife intervals.

        Models are compared on the rows that both were tested on, never on
        training rows; all pairs are pooled. With two classes, pooled κ is φ; numbers have
        Krippendorff's α, which is pooled κ with squared differences.
        """
        note = "pairs of models on common test rows, jackknife intervals"
        return self._table("prediction stability", note, prediction_stability_rows)
