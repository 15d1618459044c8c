"""How does each row do when it is tested? What calibration is made of."""

from __future__ import annotations

from backstay.results._parts import Rows
from backstay.results._records import Records


def row_score_rows(records: Records, method: str, size: int, model: str | None) -> Rows:
    """Return every prediction of every tested row."""
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
