"""Which features are more than luck? Their scores beside those of decoys, on all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backstay.results._choice import method_and_size
from backstay.results._parts import size_within
from backstay.results._records import Records

if TYPE_CHECKING:  # a reader of results need not load the methods
    from backstay.ensemble import ExpectedFalse

Floats = NDArray[np.float64]


def false_in_signature(
    records: Records, method: str | None, size: int | None
) -> ExpectedFalse | None:
    """Return how many features of a signature are expected to be false; None without decoys."""
    method, size = method_and_size(records, method, size)
    draws = decoy_draws(records, method)
    if draws is None:
        return None
    from backstay.ensemble import DecoyScores

    members = records.members(method, size_within(records, size))
    return DecoyScores(*draws).expected_false(np.asarray(members, dtype=np.intp))


def decoy_key(method: str, draw: int) -> str:
    """Return the name of the array that holds a draw: scores of features and decoys."""
    return f"decoys {draw} of {method}"


def decoy_draws(records: Records, method: str) -> tuple[Floats, Floats] | None:
    """Return scores of features and of decoys, draw × feature; None if there are none."""

    def read() -> tuple[Floats, Floats] | None:
        held = records.numbered(lambda draw: decoy_key(method, draw))
        return (np.array([d[0] for d in held]), np.array([d[1] for d in held])) if held else None

    return records.once(("decoy draws", records.check_method(method)), read)


def decoy_q_values(records: Records, method: str) -> Floats | None:
    """Return the q-value of every feature from decoys; None if none were drawn."""
    draws = decoy_draws(records, method)
    if draws is None:
        return None
    from backstay.ensemble import DecoyScores

    return records.once(("decoy q", method), DecoyScores(*draws).qvalues)
