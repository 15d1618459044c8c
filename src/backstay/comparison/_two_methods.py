"""Tests between two methods, over the resamples of one data set or over data sets.

Scores on resamples share training rows, so tests that suppose independence
(signed-rank, rank-sum) find differences too often there; they are offered
because they were published with. Across data sets they are the right ones.

Every difference is *first minus second*.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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
        Of the test. Scores that never differ give p = 1.
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


def _pairs(first: ArrayLike, second: ArrayLike, minimum: int = 2) -> tuple[Floats, Floats]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"first and second must be scores of the same runs, got shapes {a.shape} and {b.shape}."
        )
    if len(a) < minimum:
        raise ValueError(f"first and second hold {len(a)} scores; the test needs {minimum}.")
    if not np.isfinite(a).all() or not np.isfinite(b).all():
        raise ValueError("first and second must be finite, got nan or infinity.")
    return a, b


def ratio(numerator: float, spread: float) -> float:
    """Return numerator/spread; without spread, 0 for no difference and infinity for any."""
    if spread > 0:
        return numerator / spread
    return 0.0 if numerator == 0 else math.copysign(math.inf, numerator)


def _without_interval(
    test: str, mean: float, statistic: float, p: float, n: int, df: tuple[float, ...] = ()
) -> DifferenceTest:
    return DifferenceTest(test, mean, math.nan, math.nan, statistic, p, df, n)


def corrected_resampled_t(
    first: ArrayLike, second: ArrayLike, *, test_share: float, confidence: float = 0.95
) -> DifferenceTest:
    """Test for a difference over random splits, corrected for their common rows.

    ``t = d̄ / √((1/J + n_test/n_train) s²)`` with J − 1 degrees of freedom.

    Parameters
    ----------
    first, second : array-like of shape (n_runs,)
        Scores of the two methods on the same resamples.
    test_share : float
        n_test/n_train of a split, such as 0.5 for two thirds of training rows.
    confidence : float, default=0.95
        Coverage of the interval.

    Returns
    -------
    DifferenceTest
        With an interval for the difference.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error.

    Examples
    --------
    >>> from backstay.comparison import corrected_resampled_t
    >>> a, b = [0.80, 0.75, 0.82, 0.78], [0.85, 0.84, 0.88, 0.80]
    >>> result = corrected_resampled_t(a, b, test_share=0.5)
    >>> round(result.difference, 4), round(result.p_value, 4)
    (-0.055, 0.1152)
    """
    a, b = _pairs(first, second)
    if not test_share > 0:
        raise ValueError(f"test_share={test_share!r} must be positive: n_test/n_train.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1.")
    mean, error = corrected_mean(a - b, test_share)
    df = len(a) - 1
    t = ratio(mean, error)
    half = float(stats.t.ppf(0.5 + confidence / 2, df)) * error
    p = float(2 * stats.t.sf(abs(t), df))
    return DifferenceTest("corrected_t", mean, mean - half, mean + half, t, p, (df,), len(a))


def corrected_mean(values: Floats, test_share: float) -> tuple[float, float]:
    """Return a mean over resamples and its standard error, corrected for common rows."""
    factor = 1 / len(values) + test_share
    # Differences that are all the same have no spread, whatever rounding says.
    spread = 0.0 if np.ptp(values) == 0 else float(values.var(ddof=1))
    return float(values.mean()), math.sqrt(factor * spread)


def _five_by_two(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats, float]:
    a, b = _pairs(np.ravel(first), np.ravel(second), 10)
    if len(a) != 10:
        raise ValueError(f"5×2cv needs 10 scores, the two of each repeat together, got {len(a)}.")
    differences = (a - b).reshape(5, 2)
    variances = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return differences, variances, float(differences.mean())


def five_by_two_t(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Dietterich's 5×2cv paired t test.

    ``t = p₁⁽¹⁾ / √(Σ sᵢ²/5)``: the first of the ten differences over the spread
    inside the five repeats, t with 5 degrees of freedom.

    Parameters
    ----------
    first, second : array-like of 10 scores
        In the order of :class:`FiveByTwo`: the two halves of a repeat together.

    Returns
    -------
    DifferenceTest
        Its `difference` is the mean of all ten; it has no interval.

    References
    ----------
    Dietterich (1998), Neural Computation 10(7).

    Examples
    --------
    >>> from backstay.comparison import five_by_two_t
    >>> a = [0.70, 0.72, 0.68, 0.71, 0.69, 0.73, 0.70, 0.70, 0.71, 0.69]
    >>> b = [0.75, 0.74, 0.73, 0.75, 0.71, 0.76, 0.74, 0.77, 0.72, 0.74]
    >>> round(five_by_two_t(a, b).p_value, 4)
    0.0462
    """
    differences, variances, mean = _five_by_two(first, second)
    t = ratio(float(differences[0, 0]), math.sqrt(variances.mean()))
    p = float(2 * stats.t.sf(abs(t), 5))
    return _without_interval("five_by_two_t", mean, t, p, 10, (5,))


def five_by_two_f(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Alpaydın's combined 5×2cv F test.

    ``F = Σ p²/(2 Σ s²)`` over all ten differences, F with 10 and 5 degrees of
    freedom: it does not depend on which half came first.

    Parameters
    ----------
    first, second : array-like of 10 scores
        As in `five_by_two_t`.

    Returns
    -------
    DifferenceTest
        It has no interval.

    References
    ----------
    Alpaydın (1999), Neural Computation 11(8).

    Examples
    --------
    >>> from backstay.comparison import five_by_two_f
    >>> a = [0.70, 0.72, 0.68, 0.71, 0.69, 0.73, 0.70, 0.70, 0.71, 0.69]
    >>> b = [0.75, 0.74, 0.73, 0.75, 0.71, 0.76, 0.74, 0.77, 0.72, 0.74]
    >>> round(five_by_two_f(a, b).p_value, 4)
    0.048
    """
    differences, variances, mean = _five_by_two(first, second)
    f = ratio(float((differences**2).sum()), 2 * float(variances.sum()))
    p = float(stats.f.sf(f, 10, 5))
    return _without_interval("five_by_two_f", mean, f, p, 10, (10, 5))


def signed_rank(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Wilcoxon's signed-rank test, for scores paired by run or by data set.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores of the two methods; pairs without a difference count half for
        each side (Demšar 2006).

    Returns
    -------
    DifferenceTest
        It has no interval.

    Examples
    --------
    >>> from backstay.comparison import signed_rank
    >>> signed_rank([1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 12]).p_value
    0.03125
    """
    a, b = _pairs(first, second)
    statistic, p = math.nan, 1.0
    if (a - b).any():
        statistic, p = map(float, stats.wilcoxon(a, b, zero_method="zsplit"))
    return _without_interval("signed_rank", float((a - b).mean()), statistic, p, len(a))


def rank_sum(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Wilcoxon's rank-sum test, as published by Prat; it ignores that runs are paired.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores of the two methods.

    Returns
    -------
    DifferenceTest
        It has no interval.

    Examples
    --------
    >>> from backstay.comparison import rank_sum
    >>> round(rank_sum([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p_value, 4)
    0.0079
    """
    a, b = _pairs(first, second)
    statistic, p = map(float, stats.mannwhitneyu(a, b, alternative="two-sided"))
    return _without_interval("rank_sum", float(a.mean() - b.mean()), statistic, p, len(a))


# The tests that take one score per run.
RUN_TESTS: dict[str, Callable[..., DifferenceTest]] = {
    "corrected_t": corrected_resampled_t,
    "five_by_two_t": five_by_two_t,
    "five_by_two_f": five_by_two_f,
    "signed_rank": signed_rank,
    "rank_sum": rank_sum,
}
