"""Does it hold elsewhere? The score in a cohort beside the expected one, without refitting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import logit

from backstay._wilson import wilson
from backstay._words import listed
from backstay.results import Estimate
from backstay.signature._calibration import platt
from backstay.signature._cautions import cautions_of
from backstay.signature._document import SignatureError
from backstay.signature._expected import expected_with, of_one_signature, scored
from backstay.signature._shift import feature_shifts
from backstay.signature._signature import Signature
from backstay.signature._validation import Calibration, Recall, ScoreComparison, Validation
from backstay.targets import Metric, Target, find_metric

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
# Rows that a bin of the calibration curve holds at least, and how many bins there are at most.
ROWS_OF_A_BIN, MOST_BINS = 15, 10


def validate(
    signature: Signature,
    X: Any,
    y: ArrayLike,
    *,
    mapping: Mapping[str, str] | None = None,
    n_bootstrap: int = 2000,
    random_state: int = 0,
    **options: Any,
) -> Validation:
    """Return how a signature does in a cohort; see :meth:`Signature.validate`."""
    # Everything is predicted before a label is looked at.
    cohort = signature.read(X, **options)
    labels = signature.predict(cohort)
    scores = signature.decision_function(cohort).reshape(len(labels), -1)
    chances = signature.predict_proba(cohort) if signature.has_probabilities else None
    document = signature.document
    names = [label_text(label) for label in document["classes"]]
    truth = class_numbers(y, names, mapping or {})
    if len(truth) != len(labels):
        raise SignatureError(f"y has {len(truth)} labels; the table has {len(labels)} rows.")
    predicted = np.array([names.index(label_text(label)) for label in labels.tolist()])
    leanings = _Leanings(signature.target_of(truth), predicted, scores, chances)
    expected = expected_with(signature, cohort.stand_ins)
    draws = _draws(truth, n_bootstrap, random_state)
    comparisons = [_comparison(known, leanings, draws) for known in expected]
    absent = {one.feature for one in cohort.stand_ins}
    shifts = feature_shifts(document["features"], cohort.found, absent, truth)
    sizes = np.bincount(truth, minlength=len(names))
    confusion = np.zeros((len(names), len(names)), dtype=np.intp)
    np.add.at(confusion, (truth, predicted), 1)
    found = Validation(
        scores=comparisons,
        classes=names,
        class_sizes=sizes.tolist(),
        training_sizes=document["training"]["class_sizes"],
        recalls=[_recall(names[c], confusion[c, c], sizes[c]) for c in range(len(names))],
        confusion=confusion,
        roc=_roc(leanings, names),
        calibration=_calibration(leanings),
        shifts=shifts,
        stand_ins=cohort.stand_ins,
        rescale=options.get("rescale", "none"),
        cautions=[],
        predictions=_frame(X, names, leanings),
        signature={
            "choice": document["choice"],
            "stability": document["stability"],
            "training": document["training"],
            "n_features": len(document["features"]),
            "probabilities": document["probabilities"],
        },
    )
    return Validation(**{**vars(found), "cautions": cautions_of(found)})


class _Leanings:
    """True and predicted classes of a cohort's rows, with scores and probabilities."""

    def __init__(
        self, target: Target, predicted: Codes, scores: Array, chances: Array | None
    ) -> None:
        self.target, self.predicted, self.truth = target, predicted, target.values
        self.scores, self.chances = scores, chances

    def value(self, metric: Metric, draws: NDArray[np.intp] | None = None) -> Array:
        """Return a metric on all rows, or on every draw of them; draws keep class sizes."""
        rows = np.arange(len(self.target)) if draws is None else draws
        target = self.target if draws is None else self.target.take(draws[0])
        chances = None if self.chances is None else self.chances[rows]
        return scored(metric, target, self.predicted[rows], self.scores[rows], chances)


def label_text(label: Any) -> str:
    """Return a label as text; 1.0 is 1, as a column with gaps holds it.

    Examples
    --------
    >>> label_text(1.0), label_text("ill"), label_text(True)
    ('1', 'ill', 'True')
    """
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)


def class_numbers(y: ArrayLike, names: list[str], mapping: Mapping[str, str]) -> Codes:
    """Return the number of every row's class; `mapping` turns the cohort's names into ours."""
    unknown = sorted(set(mapping.values()) - set(names))
    if unknown:
        raise SignatureError(
            f"a class is mapped to {unknown[0]!r}; the signature has {', '.join(names)}.",
            parameter="mapping",
        )
    given = np.asarray(y)
    missing = np.flatnonzero(pd.isna(given))
    if len(missing):
        raise SignatureError(
            f"{len(missing)} rows have no class, first row {missing[0]}; leave them out."
        )
    texts = [label_text(label) for label in given.tolist()]
    mapped = [mapping.get(text, text) for text in texts]
    strange = sorted(set(mapped) - set(names))
    if strange:
        raise SignatureError(
            f"the cohort has the classes {listed(sorted(set(texts)))}, the signature "
            f"{listed(names)}; map {listed(strange)} to one of these, or leave these rows out.",
            parameter="mapping",
        )
    return np.array([names.index(text) for text in mapped], dtype=np.intp)


def _draws(truth: Codes, n_bootstrap: int, random_state: int) -> NDArray[np.intp]:
    """Return rows drawn with replacement within classes, so that all draws have the same labels."""
    if n_bootstrap < 10:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be at least 10.")
    rng = np.random.default_rng(random_state)
    rows = [np.flatnonzero(truth == c) for c in np.unique(truth)]
    return np.hstack([one[rng.integers(len(one), size=(n_bootstrap, len(one)))] for one in rows])


def _comparison(
    known: dict[str, Any], leanings: _Leanings, draws: NDArray[np.intp]
) -> ScoreComparison:
    metric = find_metric(known["metric"])
    value = float(leanings.value(metric))
    found = Estimate(value, math.nan, math.nan)
    if math.isfinite(value):
        low, high = (float(q) for q in np.quantile(leanings.value(metric, draws), [0.025, 0.975]))
        # Predictions that are all right have no spread to show.
        bounds = metric.least_interval(value, metric.rows_worth(leanings.target))
        low, high = min(low, bounds[0]), max(high, bounds[1])
        found = Estimate(value, max(low, metric.low), min(high, metric.high))
    expected = of_one_signature(known)
    difference, p_value = score_difference(expected, found)
    return ScoreComparison(
        metric=metric.name,
        expected=expected,
        found=found,
        corrected=known["corrected"],
        difference=difference,
        p_value=p_value,
        chance=metric.chance(leanings.target),
    )


def score_difference(expected: Estimate, found: Estimate) -> tuple[Estimate, float]:
    """Return found − expected of independent rows, its 95 % interval and a p-value.

    The interval recovers the variances from those of both scores, each on its own side (Zou &
    Donner 2008), because intervals near the end of a range are not symmetric. The p-value is the
    level at which the interval would end at 0.

    Examples
    --------
    >>> from backstay.results import Estimate
    >>> difference, p = score_difference(Estimate(0.9, 0.8, 0.95), Estimate(0.7, 0.6, 0.8))
    >>> [round(end, 3) for end in (difference.low, difference.value, difference.high)]
    [-0.312, -0.2, -0.059]
    >>> round(p, 4)
    0.0056
    """
    value = found.value - expected.value
    low = value - math.hypot(found.value - found.low, expected.high - expected.value)
    high = value + math.hypot(found.high - found.value, expected.value - expected.low)
    towards_zero = value - low if value > 0 else high - value
    if not math.isfinite(towards_zero):
        return Estimate(value, math.nan, math.nan), math.nan
    if towards_zero == 0:
        return Estimate(value, low, high), 0.0 if value else 1.0
    return Estimate(value, low, high), float(2 * stats.norm.sf(1.96 * abs(value) / towards_zero))


def _recall(label: str, right: int, n: int) -> Recall:
    if not n:
        return Recall(label, 0, math.nan, math.nan, math.nan)
    low, high = wilson(right / n, n)
    return Recall(label, int(n), right / n, float(low), float(high))


def _roc(leanings: _Leanings, names: list[str]) -> pd.DataFrame:
    """Return the points of the ROC curve of the second class, or of each against the others."""
    classes = [(1, 0)] if len(names) == 2 else [(c, c) for c in range(len(names))]
    parts = []
    for c, column in classes:
        positive = leanings.truth == c
        if not 0 < positive.sum() < len(positive):
            continue
        values, places = np.unique(-leanings.scores[:, column], return_inverse=True)
        hits = np.bincount(places, positive, minlength=len(values)).cumsum() / positive.sum()
        alarms = np.bincount(places, ~positive, minlength=len(values)).cumsum() / (~positive).sum()
        curve = {"class": names[c], "fpr": np.r_[0, alarms], "tpr": np.r_[0, hits]}
        parts.append(pd.DataFrame(curve))
    empty = pd.DataFrame({"class": [], "fpr": [], "tpr": []})
    return pd.concat(parts, ignore_index=True) if parts else empty


def _calibration(leanings: _Leanings) -> Calibration | None:
    """Return how predicted and observed shares of the second of two classes go together."""
    truth = leanings.truth == 1
    if leanings.chances is None or leanings.scores.shape[1] > 1 or not 0 < truth.sum() < len(truth):
        return None
    second = leanings.chances[:, 1]
    tiny = 1e-6  # votes of a k-NN are 0 and 1
    log_odds = logit(np.clip(second, tiny, 1 - tiny))
    slope, intercept = platt(log_odds, truth, np.ones(len(truth)))
    n_bins = int(np.clip(len(truth) // ROWS_OF_A_BIN, 1, MOST_BINS))
    rows = []
    for part in np.array_split(np.argsort(second, kind="stable"), n_bins):
        observed = float(truth[part].mean())
        low, high = wilson(observed, len(part))
        rows.append(
            {
                "predicted": float(second[part].mean()),
                "observed": observed,
                "low": float(low),
                "high": float(high),
                "n": len(part),
            }
        )
    return Calibration(slope, intercept, pd.DataFrame(rows))


def _frame(X: Any, names: list[str], leanings: _Leanings) -> pd.DataFrame:
    """Return what was predicted, row by row."""
    index = X.index if isinstance(X, pd.DataFrame) else None
    labels = np.array(names, dtype=object)
    columns: dict[str, Any] = {
        "class": labels[leanings.truth],
        "predicted": labels[leanings.predicted],
    }
    return pd.DataFrame(
        columns | prediction_columns(names, leanings.scores, leanings.chances), index
    )


def prediction_columns(names: list[str], scores: Array, chances: Array | None) -> dict[str, Any]:
    """Return scores and probabilities as named columns."""
    shown = names[1:] if scores.shape[1] == 1 else names
    columns = {f"score {name}": scores[:, c] for c, name in enumerate(shown)}
    if chances is not None:
        columns |= {f"probability {name}": chances[:, c] for c, name in enumerate(names)}
    return columns
