"""Which score is to be expected? The study's, and what is left of it if features are missing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._files import plain
from backstay._refusal import Refusal
from backstay.results import Configuration, Estimate, Results
from backstay.signature._cohort import Cohort, StandIn
from backstay.signature._document import SignatureError
from backstay.targets import Target, find_metric

if TYPE_CHECKING:
    from backstay.signature._signature import Predicted, Signature

Array = NDArray[np.float64]
ANSWERS = ("trusted", "short", "accurate")
# Rows that are drawn from the training moments, to see what a stand-in costs.
N_DRAWN = 4000


def configuration_of(results: Results, choice: str | tuple[str, int, str]) -> Configuration:
    """Return the configuration that a choice means."""
    if isinstance(choice, str):
        if choice not in ANSWERS:
            raise Refusal(
                f"choice={choice!r} must be one of {', '.join(ANSWERS)}, or a tuple of method, "
                "size and model.",
                parameter="choice",
            )
        answers = results.recommend().answers
        if choice not in answers:
            raise SignatureError(
                "the study recommends nothing, because nothing is shown to be above chance; to "
                "freeze a signature all the same, name a method, a size and a model.",
                parameter="choice",
            )
        return answers[choice].configuration
    method, size, model = choice
    data = results.data
    for name, value, known in (
        ("method", method, list(data.methods)),
        ("size", size, data.sizes),
        ("model", model, data.models),
    ):
        if value not in known:
            shown = ", ".join(map(str, known))
            raise Refusal(
                f"choice has the {name} {value!r}; the study has {shown}.", parameter="choice"
            )
    return Configuration(method, int(size), model, data.metric)


def expected_scores(
    results: Results, choice: str | tuple[str, int, str], configuration: Configuration
) -> list[dict[str, Any]]:
    """Return the score of every metric of the study, the deciding one first.

    Corrected for the choice where the study knows how: the deciding metric of each answer, and
    all of the trusted one. Others are means over runs.
    """
    corrected = {}
    if isinstance(choice, str):
        recommended = results.recommend()
        corrected[recommended.metric] = recommended.answers[choice].score
        if choice == "trusted":
            corrected |= recommended.beside
    data = results.data
    expected = []
    for metric in dict.fromkeys([data.metric, *data.scoring]):
        if metric in corrected:
            figures = vars(corrected[metric])
        else:
            row = _rows_of(results.scores(metric).frame(), configuration).iloc[0]
            figures = {key: float(row[key]) for key in ("value", "low", "high")}
        spread = {"spread": _spread(results, configuration, metric)}
        known = {"metric": metric, **plain(figures), **spread, "corrected": metric in corrected}
        expected.append(known)
    return expected


def _rows_of(frame: pd.DataFrame, configuration: Configuration) -> pd.DataFrame:
    names = ("method", "size", "model")
    return frame[np.all([frame[n] == getattr(configuration, n) for n in names], axis=0)]


def _spread(results: Results, configuration: Configuration, metric: str) -> float:
    """Return how far scores of single signatures lie apart, in standard deviations.

    Runs differ in what they selected and learned, and in the rows they were tested on. The part
    that the few test rows explain is subtracted; the rest is that of the signatures.
    """
    runs = _rows_of(results.runs.scores(metric).frame(), configuration)["value"].dropna()
    known = find_metric(metric)
    if len(runs) < 2 or not known.is_bounded:
        return float(runs.std(ddof=1)) if len(runs) > 1 else 0.0
    assert configuration.size is not None
    key = configuration.method, configuration.size, configuration.model
    rows = results.predictions.rows(*key).frame()
    tested = results.data.target.take(rows["row"].to_numpy())
    span = known.high - known.low
    share = (float(runs.mean()) - known.low) / span
    by_rows = span**2 * share * (1 - share) / known.rows_worth(tested, rows["resample"].nunique())
    return math.sqrt(max(float(runs.var(ddof=1)) - by_rows, 0.0))


def of_one_signature(known: dict[str, Any]) -> Estimate:
    """Return an expected score with the interval of one signature, not of the procedure's mean."""
    value, low, high = (
        math.nan if known[k] is None else known[k] for k in ("value", "low", "high")
    )
    metric = find_metric(known["metric"])
    more = 1.96 * known["spread"]
    return Estimate(
        value,
        max(value - math.hypot(value - low, more), metric.low),
        min(value + math.hypot(high - value, more), metric.high),
    )


def like_training(signature: Signature, n_rows: int) -> tuple[Target, Cohort]:
    """Return outcomes and features of rows drawn from the moments of the training rows."""
    document, rng = signature.document, np.random.default_rng(0)
    moments, sizes = document["target"]["moments"], document["training"]["rows"]
    with np.errstate(all="ignore"):
        target, rows = signature.target.drawn_like(moments, sizes, n_rows, rng)
    if rows.shape[1] != signature.n_features_in_:
        raise SignatureError("target.moments are not of these features.")
    # At the mean of the covariates, if there are any.
    means = [step["mean"] for step in document["steps"] if "mean" in step]
    return target, Cohort(rows, rows, [], np.tile(means[0], (len(rows), 1)) if means else None)


def expected_with(signature: Signature, stand_ins: list[StandIn]) -> list[dict[str, Any]]:
    """Return the expected scores, estimated again where stand-ins take the place of features.

    Rows are drawn from the moments of the training rows. The signature predicts them as they are
    and with the stand-ins; of what it has above chance, the expected score keeps the same share.
    A stand-in of correlation r is the feature with its deviation from the mean shrunk by r², and
    noise of its own.
    """
    document = signature.document
    expected: list[dict[str, Any]] = document["expected"]
    if not stand_ins:
        return expected
    target, whole = like_training(signature, N_DRAWN)
    partial = _with_stand_ins(document["features"], whole.values, stand_ins)
    cohorts = (whole, replace(whole, values=partial))
    predicted = [signature.predicted(cohort) for cohort in cohorts]
    return [_share_left(known, target, predicted) for known in expected]


def _with_stand_ins(features: list[dict[str, Any]], rows: Array, stand_ins: list[StandIn]) -> Array:
    rng = np.random.default_rng(1)
    rows = rows.copy()
    places = {feature["name"]: j for j, feature in enumerate(features)}
    for stand_in in stand_ins:
        j, r = places[stand_in.feature], stand_in.correlation
        mean, sd = features[j]["mean"], features[j]["sd"]
        noise = sd * abs(r) * math.sqrt(max(1 - r**2, 0)) * rng.normal(size=len(rows))
        rows[:, j] = mean + r**2 * (rows[:, j] - mean) + noise
    return rows


def _share_left(
    known: dict[str, Any], target: Target, predicted: list[Predicted]
) -> dict[str, Any]:
    """Return an expected score with the share of it that predictions with stand-ins keep."""
    metric = find_metric(known["metric"])
    whole, partial = (one.score(metric, target) for one in predicted)
    chance = metric.chance(target)
    ends = {key: known[key] for key in ("value", "low", "high")}
    if known["value"] is None or not math.isfinite(whole + partial):
        return {**known, **dict.fromkeys(ends)}
    span = metric.gain(whole - chance)
    left = metric.gain(partial - chance) / span if span > 0 else 1.0
    share = float(np.clip(left, 0.0, 1.0))
    ends = {k: None if v is None else chance + share * (v - chance) for k, v in ends.items()}
    return {**known, **ends}
