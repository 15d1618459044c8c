"""How does each row do when it is tested? What calibration is made of."""

from __future__ import annotations

from backstay.results._parts import Rows
from backstay.results._records import Records


def row_score_rows(records: Records, method: str, size: int, model: str | None) -> Rows:
    """Return every prediction of every tested row."""
    place, at = records.check_model(model), records.check_size(size)
    target, rows = records.target, []
    for resample, outputs in records.outputs(method):
        for row, said in zip(records.test(resample), outputs[place, at], strict=True):
            known = {"row": int(row), "resample": resample}
            rows.append(known | target.row_facts(int(row), said))
    return rows
