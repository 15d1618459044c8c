"""Tests between two methods, over the resamples of one data set or over data sets.

Every difference is *first minus second*.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DifferenceTest:
    """The outcome of a two-sided test between two methods.

    Attributes
    ----------
    test : str
        Which test.
    difference : float
        Mean of the first method's scores minus that of the second's.
    low, high : float
        Confidence interval for the difference; nan where the test gives none.
    statistic, p_value : float
        Statistic and p-value of the test. Scores that never differ give p = 1.
    df : tuple of float
        Degrees of freedom of the reference distribution, if it has any.
    n : int
        Number of pairs of scores.
    """

    test: str
    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    df: tuple[float, ...]
    n: int

    def frame(self) -> pd.DataFrame:
        """Return the result as a frame of one row."""
        names = ("test", "difference", "low", "high", "statistic", "p_value", "n")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])


def compare_scores(
    first: ArrayLike,
    second: ArrayLike,
    test: str = "corrected_t",
    *,
    test_share: float | None = None,
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test whether two methods differ in score.

    Parameters
    ----------
    first, second : array-like of shape (n_runs,)
        Scores of the two methods on the same resamples, or on the same data sets.
    test : str, default="corrected_t"
        Which test:

        - "corrected_t": for random splits, corrected for the rows they share:
          ``t = d̄ / √((1/J + n_test/n_train) s²)`` with J − 1 degrees of freedom (Nadeau & Bengio
          2003). The only one with an interval.
        - "five_by_two_t": Dietterich's paired t test for 5×2cv. ``t = p₁⁽¹⁾ / √(Σ sᵢ²/5)`` is the
          first of the ten differences over the spread inside the five repeats, with 5 degrees of
          freedom (Dietterich 1998).
        - "five_by_two_f": Alpaydın's combined F test for 5×2cv. ``F = Σ p²/(2 Σ s²)`` over all
          ten differences, with 10 and 5 degrees of freedom, does not depend on which half came
          first (Alpaydın 1999).
        - "signed_rank": Wilcoxon's signed-rank test. Pairs without a difference count half for
          each side (Demšar 2006).
        - "mann_whitney": Wilcoxon's rank-sum test, as published by Prat; it ignores that scores
          are paired.
    test_share : float, optional
        n_test/n_train of a split, such as 0.5 if two thirds of the rows are training rows; needed
        by "corrected_t".
    confidence : float, default=0.95
        Coverage of the interval.

    Returns
    -------
    DifferenceTest
        Its `difference` is the mean of the first method's scores minus that of the second's.

    Notes
    -----
    "signed_rank" and "mann_whitney" assume independent scores, as those across data sets are. On
    resamples, which share rows, they find differences too often. The 5×2cv tests take ten scores,
    or 5 × 2, with the two halves of each repeat together.

    Examples
    --------
    >>> from backstay.comparison import compare_scores
    >>> a = [0.70, 0.72, 0.68, 0.71, 0.69, 0.73, 0.70, 0.70, 0.71, 0.69]
    >>> b = [0.75, 0.74, 0.73, 0.75, 0.71, 0.76, 0.74, 0.77, 0.72, 0.74]
    >>> result = compare_scores(a, b, test_share=0.5)
    >>> round(result.difference, 4), round(result.p_value, 4)
    (-0.038, 0.0242)
    """
    if test not in TESTS:
        raise ValueError(f"test={test!r} must be one of {', '.join(TESTS)}.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1.")
    if test.startswith("five_by_two"):
        first, second = np.ravel(first), np.ravel(second)
    a, b = _checked(first, second)
    if test == "corrected_t":
        return _corrected_t(a, b, test_share, confidence)
    difference, statistic, p, df = TESTS[test](a, b)
    return DifferenceTest(test, difference, math.nan, math.nan, statistic, p, df, len(a))


def _checked(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"first and second must be scores of the same runs, got shapes {a.shape} and {b.shape}."
        )
    if len(a) < 2:
        raise ValueError(f"first and second hold {len(a)} scores; a test needs at least 2.")
    if not np.isfinite(a).all() or not np.isfinite(b).all():
        raise ValueError("first and second must be finite, got nan or infinity.")
    return a, b


def ratio(numerator: float, spread: float) -> float:
    """Return numerator/spread; without spread, 0 for no difference and infinity for any."""
    if spread > 0:
        return numerator / spread
    return 0.0 if numerator == 0 else math.copysign(math.inf, numerator)


def corrected_mean(values: Floats, test_share: float) -> tuple[float, float]:
    """Return a mean over resamples and its standard error, corrected for common rows.

    `test_share` is n_test/n_train of a split.
    """
    factor = 1 / len(values) + test_share
    # Differences that are all the same have no spread; do not let rounding give them one.
    spread = 0.0 if np.ptp(values) == 0 else float(values.var(ddof=1))
    return float(values.mean()), math.sqrt(factor * spread)


def _corrected_t(
    a: Floats, b: Floats, test_share: float | None, confidence: float
) -> DifferenceTest:
    if test_share is None or not test_share > 0:
        raise ValueError(f"test_share={test_share!r} must be positive: n_test/n_train.")
    mean, error = corrected_mean(a - b, test_share)
    df = len(a) - 1
    t = ratio(mean, error)
    half = float(stats.t.ppf(0.5 + confidence / 2, df)) * error
    p = float(2 * stats.t.sf(abs(t), df))
    return DifferenceTest("corrected_t", mean, mean - half, mean + half, t, p, (df,), len(a))


# Difference, statistic, p-value and degrees of freedom.
Outcome = tuple[float, float, float, tuple[float, ...]]


def _repeats(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the ten differences of 5×2cv, a repeat per row, and the variance in each repeat."""
    if len(a) != 10:
        raise ValueError(f"5×2cv needs 10 scores, the two of each repeat together, got {len(a)}.")
    differences = (a - b).reshape(5, 2)
    variances = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return differences, variances


def _five_by_two_t(a: Floats, b: Floats) -> Outcome:
    differences, variances = _repeats(a, b)
    t = ratio(float(differences[0, 0]), math.sqrt(variances.mean()))
    return float(differences.mean()), t, float(2 * stats.t.sf(abs(t), 5)), (5,)


def _five_by_two_f(a: Floats, b: Floats) -> Outcome:
    differences, variances = _repeats(a, b)
    f = ratio(float((differences**2).sum()), 2 * float(variances.sum()))
    return float(differences.mean()), f, float(stats.f.sf(f, 10, 5)), (10, 5)


def _signed_rank(a: Floats, b: Floats) -> Outcome:
    statistic, p = math.nan, 1.0
    if (a - b).any():
        statistic, p = map(float, stats.wilcoxon(a, b, zero_method="zsplit"))
    return float((a - b).mean()), statistic, p, ()


def _mann_whitney(a: Floats, b: Floats) -> Outcome:
    statistic, p = map(float, stats.mannwhitneyu(a, b, alternative="two-sided"))
    return float(a.mean() - b.mean()), statistic, p, ()


TESTS: dict[str, Callable[..., Any]] = {
    "corrected_t": _corrected_t,
    "five_by_two_t": _five_by_two_t,
    "five_by_two_f": _five_by_two_f,
    "signed_rank": _signed_rank,
    "mann_whitney": _mann_whitney,
}
