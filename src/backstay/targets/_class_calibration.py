"""From scores to probabilities of two classes, and whether probabilities mean what they say.

Calibration uses scores of rows that were tested, not trained on: a model's scores of its own
training rows lie too far apart, and probabilities made from them would be too sure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from backstay._wilson import wilson
from backstay.targets._target import Calibration, Floats

Flags = NDArray[np.bool_]
# Rows of the smaller class that Platt's two constants need, and rows that a curve needs.
LEAST_ROWS, ROWS_OF_A_CURVE = 10, 1000
# A bin of the calibration curve holds at least this many rows; there are at most this many bins.
ROWS_OF_A_BIN, MOST_BINS = 15, 10


def calibrated(
    rows: NDArray[Any], scores: Floats, second: Flags
) -> tuple[dict[str, Any] | None, str]:
    """Return a map from scores of the second class to its probability, and how it was made.

    Platt's, or an isotonic curve from a thousand rows on; None if there are too few rows. A row
    that was tested several times has several scores; together they count as one row.
    """
    _, firsts, places, times = np.unique(
        rows, return_index=True, return_inverse=True, return_counts=True
    )
    weight, n_rows = 1 / times[places], len(firsts)
    smaller = int(min(second[firsts].sum(), (~second[firsts]).sum())) if n_rows else 0
    if smaller < LEAST_ROWS:
        return None, (
            f"none: calibration needs scores of {LEAST_ROWS} tested rows of each class, and one "
            f"has {smaller}"
        )
    if n_rows >= ROWS_OF_A_CURVE:
        curve = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        curve.fit(scores, second, weight)
        isotonic = {
            "kind": "isotonic",
            "scores": curve.X_thresholds_.astype(float).tolist(),
            "probabilities": curve.y_thresholds_.astype(float).tolist(),
        }
        return isotonic, f"an isotonic curve through the scores of {n_rows} tested rows"
    slope, intercept = platt(scores, second, weight)
    if slope <= 0:
        return None, "none: scores of tested rows do not rise with the second class"
    straight = {"kind": "platt", "slope": slope, "intercept": intercept}
    return straight, f"Platt's calibration on the scores of {n_rows} tested rows"


def platt(scores: Floats, second: Flags, weight: Floats) -> tuple[float, float]:
    """Return slope and intercept of the log odds as a function of the score (Platt 1999).

    His targets, (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), keep separable classes finite.
    """
    n_second, n_first = float(weight[second].sum()), float(weight[~second].sum())
    target = np.where(second, (n_second + 1) / (n_second + 2), 1 / (n_first + 2))
    middle, spread = float(scores.mean()), float(scores.std()) or 1.0
    z = (scores - middle) / spread

    def loss(ab: Floats) -> tuple[float, Floats]:
        log_odds = ab[0] * z + ab[1]
        # log(1 + exp(t)) − y·t, without overflow.
        value = float((np.logaddexp(0, log_odds) - target * log_odds) @ weight)
        error = weight * (expit(log_odds) - target)
        return value, np.array([(error * z).sum(), error.sum()])

    start = np.array([1.0, np.log((n_second + 1) / (n_first + 1))])
    a, b = minimize(loss, start, jac=True, method="BFGS").x
    return float(a / spread), float(b - a * middle / spread)


def probabilities(calibration: dict[str, Any], scores: Floats) -> Floats:
    """Return a column for each of two classes."""
    if calibration["kind"] == "platt":
        second = expit(calibration["slope"] * scores + calibration["intercept"])
    else:
        second = np.interp(scores, calibration["scores"], calibration["probabilities"])
    return np.column_stack([1 - second, second])


def calibration_of(second: Flags, chances: Floats, name: str) -> Calibration:
    """Compare probabilities of the second class with how often rows belong to it."""
    tiny = 1e-6  # votes of a k-NN are 0 and 1
    log_odds = logit(np.clip(chances, tiny, 1 - tiny))
    slope, intercept = platt(log_odds, second, np.ones(len(second)))
    n_bins = int(np.clip(len(second) // ROWS_OF_A_BIN, 1, MOST_BINS))
    bins = []
    for part in np.array_split(np.argsort(chances, kind="stable"), n_bins):
        observed = float(second[part].mean())
        low, high = wilson(observed, len(part))
        predicted = float(chances[part].mean())
        ends = {"low": float(low), "high": float(high), "n": len(part)}
        bins.append({"predicted": predicted, "observed": observed, **ends})
    return Calibration(name, slope, intercept, pd.DataFrame(bins))
