"""Which classes and samples are mistaken: predictions of rows that were not trained on."""

from __future__ import annotations

from backstay.results._choice import choice_of
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.targets import Tested

CURVES = ("roc", "precision_recall")


def prediction_rows(
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


def misclassified_rows(
    records: Records, method: str | None, size: int | None, model: str | None
) -> Rows:
    """Return the samples by the share of their tests in which the prediction was wrong."""
    rows = prediction_rows(records, "misclassified", method, size, model)
    return [{"row": row["row"], "name": records.sample_name(row["row"]), **row} for row in rows]


def row_score_rows(records: Records, method: str, size: int, model: str | None) -> Rows:
    """Return every prediction of every tested row."""
    place, at = records.check_model(model), records.check_size(size)
    target, rows = records.target, []
    for resample, outputs in records.outputs(method):
        for row, said in zip(records.test(resample), outputs[place, at], strict=True):
            known = {"row": int(row), "resample": resample}
            rows.append(known | target.row_facts(int(row), said))
    return rows
