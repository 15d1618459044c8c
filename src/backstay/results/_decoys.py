"""Which features are more than luck? Their scores beside those of decoys, on all rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backstay.results._records import Records, computed_once

if TYPE_CHECKING:  # a reader of results need not load the methods
    from backstay.ensemble import DecoyScores

Floats = NDArray[np.float64]


@computed_once
def decoy_scores(records: Records, method: str) -> DecoyScores | None:
    """Return the scores of features beside those of decoys, on every draw; None without draws."""
    held = records.numbered(partial(records.decoy_key, records.check_method(method)))
    if not held:
        return None
    from backstay.ensemble import DecoyScores

    return DecoyScores(np.array([draw[0] for draw in held]), np.array([draw[1] for draw in held]))


@computed_once
def decoy_q_values(records: Records, method: str) -> Floats | None:
    """Return the q-value of every feature from decoys; None if none were drawn."""
    scores = decoy_scores(records, method)
    return None if scores is None else scores.qvalues()
