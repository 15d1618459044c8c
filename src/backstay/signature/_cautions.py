"""What should a reader of a validation beware of? Each case is judged here; a report words it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from backstay.signature._validation import Caution, Validation
from backstay.targets import find_metric

# Proportions differ if the difference is beyond chance at this level, and this large.
LEVEL, LARGE_SHARE = 0.01, 0.1
# Slopes of a calibration curve that are near enough to 1.
RIGHT_SLOPES = (0.5, 2.0)
# Fewer rows of one outcome than this say little.
FEW_ROWS = 20


def cautions_of(validation: Validation) -> list[Caution]:
    """Return what to beware of, the gravest first."""
    judged: dict[str, dict[str, Any] | None] = {
        "score": _score(validation),
        "chance": _chance(validation),
        "absent": _absent(validation),
        "platform": _platform(validation),
        "missing": {} if validation.stand_ins else None,
        "proportions": _proportions(validation),
        "calibration": _calibration(validation),
        "rescaled": None if validation.rescale == "none" else {},
        "rows": _few_rows(validation),
    }
    return [Caution(kind, facts) for kind, facts in judged.items() if facts is not None]


def _score(validation: Validation) -> dict[str, Any] | None:
    worse = [one.metric for one in validation.scores if one.verdict == "worse"]
    return {"metrics": worse} if worse else None


def _chance(validation: Validation) -> dict[str, Any] | None:
    main = validation.main
    return None if not math.isfinite(main.found.low) or main.above_chance else {}


def _absent(validation: Validation) -> dict[str, Any] | None:
    absent = [name for name, n in validation.target.summary() if not n]
    return {"names": absent} if absent else None


def _platform(validation: Validation) -> dict[str, Any] | None:
    moved = [one for one in validation.shifts if one.moved]
    if not moved:
        return None
    worst = max(moved, key=lambda one: max(abs(one.shift), abs(math.log(one.ratio))))
    return {"moved": len(moved), "worst": vars(worst)}


def _proportions(validation: Validation) -> dict[str, Any] | None:
    names, here = zip(*validation.target.summary(), strict=True)
    counts = np.array([validation.training_rows, here], dtype=float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    apart = float(np.abs(shares[1] - shares[0]).max())
    table = counts[:, counts.sum(axis=0) > 0]
    p_value = float(stats.chi2_contingency(table, correction=False).pvalue)
    if apart < LARGE_SHARE or p_value >= LEVEL:
        return None
    moving = [one.metric for one in validation.scores if find_metric(one.metric).moves_with_shares]
    recalls = validation.tables["recalls"]["recall"].to_numpy()
    # What the recalls would make of the training rows; nan where a recall is not known.
    accuracy = float(shares[0] @ recalls)
    return {
        "names": list(names),
        "training": shares[0].tolist(),
        "cohort": shares[1].tolist(),
        "metrics": moving,
        "accuracy": accuracy,
    }


def _calibration(validation: Validation) -> dict[str, Any] | None:
    known = validation.calibration
    if known is None:
        return None
    rows = known.bins["n"].to_numpy()
    said, seen = (float(known.bins[name] @ rows / rows.sum()) for name in ("predicted", "observed"))
    wrong_slope = not RIGHT_SLOPES[0] <= known.slope <= RIGHT_SLOPES[1]
    wrong_mean = abs(said - seen) > LARGE_SHARE
    if not wrong_slope and not wrong_mean:
        return None
    return {
        "slope": known.slope if wrong_slope else None,
        "predicted": said if wrong_mean else None,
        "observed": seen if wrong_mean else None,
    }


def _few_rows(validation: Validation) -> dict[str, Any] | None:
    few = [[name, n] for name, n in validation.target.summary() if 0 < n < FEW_ROWS]
    return {"few": few, "least": FEW_ROWS} if few else None
