"""Does it hold elsewhere, and what should a reader beware of? A report words it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from backstay._refusal import Refusal
from backstay.results import Estimate
from backstay.signature._document import SignatureError
from backstay.signature._expected import expected_with, of_one_signature
from backstay.signature._shift import feature_shifts, outcome_shift
from backstay.signature._signature import Predicted, Signature
from backstay.signature._validation import Caution, ScoreComparison, Validation
from backstay.targets import INTERVAL_LEVEL, Target, find_metric

# Proportions differ if the difference is beyond chance at this level, and this large.
LEVEL, LARGE_SHARE = 0.01, 0.1
# Slopes of a calibration curve that are near enough to 1, and of observed on predicted numbers.
RIGHT_SLOPES, RIGHT_LINES = (0.5, 2.0), (2 / 3, 1.5)
# A mean difference of numbers that matters, in standard deviations of the cohort.
LARGE_BIAS = 0.25
# Fewer rows of one outcome than this say little.
FEW_ROWS = 20


def validate(
    signature: Signature,
    X: Any,
    y: ArrayLike,
    mapping: Mapping[str, str],
    margin: float,
    n_bootstrap: int,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> Validation:
    """Return how a signature does in a cohort; see :meth:`Signature.validate`."""
    if n_bootstrap < 10:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be at least 10.")
    if not 0 < margin < 1:
        raise Refusal(
            f"margin={margin!r} must be between 0 and 1: a share of the way from guessing to the "
            "best score.",
            parameter="margin",
        )
    # Everything is predicted before an outcome is looked at.
    cohort = signature.read(X, **options)
    predicted = signature.predicted(cohort)
    target = _outcomes(signature.target, y, mapping)
    n_rows = len(predicted.outputs)
    if len(target) != n_rows:
        raise SignatureError(f"y has {len(target)} labels; the table has {n_rows} rows.")
    document = signature.document
    draws = target.draws(n_bootstrap, rng)
    expected = expected_with(signature, cohort.stand_ins)
    runs = [(np.arange(n_rows), predicted.outputs)]
    frame = predicted.frame(target, X.index if isinstance(X, pd.DataFrame) else None)
    frame = frame.assign(**target.row_order())
    frame.insert(0, target.row_column, target.row_labels())
    chances = predicted.chances
    tables = {name: pd.DataFrame(target.table(name, runs)) for name in target.cohort_tables}
    if figures := target.cohort_figures(predicted.outputs, predicted.interval, draws):
        tables["figures"] = pd.DataFrame(figures)
    validation = Validation(
        scores=[_comparison(known, predicted, target, draws, margin) for known in expected],
        target=target,
        training_rows=document["training"]["rows"],
        tables=tables,
        calibration=None if chances is None else target.calibration(chances),
        shifts=feature_shifts(document, cohort, target),
        outcome_shift=outcome_shift(document, target),
        concerns=target.cohort_concerns(
            document["target"]["moments"], document["training"]["rows"]
        ),
        stand_ins=cohort.stand_ins,
        rescale=options.get("rescale", "none"),
        cautions=[],
        predictions=frame,
        signature={
            "choice": document["choice"],
            "stability": document["stability"],
            "training": document["training"],
            "n_features": len(document["features"]),
            "probabilities": document["probabilities"],
            "intervals": signature.intervals_said,
        },
    )
    return replace(validation, cautions=cautions_of(validation))


def _outcomes(target: Target, y: ArrayLike, mapping: Mapping[str, str]) -> Target:
    """Return the cohort's outcomes; what is wrong with them is an error of the signature."""
    try:
        return target.of_cohort(y, mapping)
    except Refusal as error:
        raise SignatureError(str(error), parameter=error.parameter) from None


def _comparison(
    known: dict[str, Any],
    predicted: Predicted,
    target: Target,
    draws: NDArray[np.intp],
    margin: float,
) -> ScoreComparison:
    metric = find_metric(known["metric"])
    value = predicted.score(metric, target)
    here = Estimate(value, math.nan, math.nan)
    outputs = predicted.outputs_for(metric)
    if math.isfinite(value) and outputs is not None:
        drawn = target.scores_of_draws(metric, outputs, draws)
        # A few drawn rows may all have one outcome, and no score.
        low, high = (float(q) for q in np.nanquantile(drawn, [0.025, 0.975]))
        # Predictions that are all right have no spread to show.
        bounds = metric.least_interval(value, metric.rows_worth(target))
        low, high = min(low, bounds[0]), max(high, bounds[1])
        here = Estimate(value, max(low, metric.low), min(high, metric.high))
    return ScoreComparison(
        metric=metric.name,
        expected=of_one_signature(known),
        found=here,
        corrected=known["corrected"],
        chance=metric.chance(target),
        margin=margin,
    )


def cautions_of(validation: Validation) -> list[Caution]:
    """Return what to beware of, the gravest first."""
    concerns = [{"title": title, "text": text} for title, text in validation.concerns]
    judged: dict[str, dict[str, Any] | list[dict[str, Any]] | None] = {
        "score": _score(validation),
        "chance": _chance(validation),
        "absent": _absent(validation),
        "concern": concerns,
        "platform": _platform(validation),
        "missing": {} if validation.stand_ins else None,
        "proportions": _proportions(validation),
        "outcome": _outcome(validation),
        "calibration": _calibration(validation),
        "line": _line(validation),
        "coverage": _coverage(validation),
        "rescaled": None if validation.rescale == "none" else {},
        "rows": _few_rows(validation),
    }
    by_kind = {kind: one if isinstance(one, list) else [one] for kind, one in judged.items()}
    return [Caution(kind, f) for kind, facts in by_kind.items() for f in facts if f is not None]


def _score(validation: Validation) -> dict[str, Any] | None:
    worse = [one.metric for one in validation.scores if one.verdict == "worse"]
    return {"metrics": worse} if worse else None


def _chance(validation: Validation) -> dict[str, Any] | None:
    main = validation.main
    return None if not math.isfinite(main.found.low) or main.above_chance else {}


def _absent(validation: Validation) -> dict[str, Any] | None:
    absent = [name for name, n in validation.target.summary() if not n]
    return {"names": absent} if absent and validation.target.names else None


def _platform(validation: Validation) -> dict[str, Any] | None:
    moved = [one for one in validation.shifts if one.moved]
    if not moved:
        return None
    worst = max(moved, key=lambda one: max(abs(one.shift), abs(math.log(one.ratio))))
    return {"moved": len(moved), "worst": vars(worst)}


def _proportions(validation: Validation) -> dict[str, Any] | None:
    if not validation.target.names:
        return None
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


def _outcome(validation: Validation) -> dict[str, Any] | None:
    shift = validation.outcome_shift
    if shift is None or not shift.moved:
        return None
    return {**vars(shift), "own_r2": _figure(validation, "own_r2")}


def _figure(validation: Validation, key: str) -> dict[str, Any] | None:
    """Return one of the figures of numbers, if it has an interval."""
    table = validation.tables.get("figures")
    found: list[Any] = [] if table is None else table[table["key"] == key].to_dict("records")
    return found[0] if found and math.isfinite(found[0]["low"] + found[0]["high"]) else None


def _line(validation: Validation) -> dict[str, Any] | None:
    slope, bias = (_figure(validation, key) for key in ("slope", "bias"))
    large = LARGE_BIAS * float(np.std(validation.target.values)) if bias else 0.0
    wrong = {
        "slope": slope if slope and _beyond(slope, 1.0, *RIGHT_LINES) else None,
        "bias": bias if bias and _beyond(bias, 0.0, -large, large) else None,
    }
    return wrong if any(wrong.values()) else None


def _beyond(figure: dict[str, Any], right: float, low: float, high: float) -> bool:
    """Return whether a figure differs from the right one beyond chance, and by much."""
    far = not low <= figure["value"] <= high
    return far and not figure["low"] <= right <= figure["high"]


def _coverage(validation: Validation) -> dict[str, Any] | None:
    found = _figure(validation, "coverage")
    return found if found and found["high"] < INTERVAL_LEVEL else None


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
    target = validation.target
    # Without classes it is all rows that count, or those with an event: the first.
    counts = target.summary() if target.names else target.summary()[:1]
    few = [[name, n] for name, n in counts if 0 < n < FEW_ROWS]
    return {"few": few, "least": FEW_ROWS} if few else None
