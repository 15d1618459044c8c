"""Does it hold elsewhere? The score in a cohort beside the expected one, without refitting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay._refusal import Refusal
from backstay.results import Estimate
from backstay.signature._cautions import cautions_of
from backstay.signature._error import SignatureError
from backstay.signature._expected import expected_with, of_one_signature
from backstay.signature._shift import feature_shifts, outcome_shift
from backstay.signature._signature import Predicted, Signature
from backstay.signature._validation import ScoreComparison, Validation
from backstay.targets import Target, find_metric


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
