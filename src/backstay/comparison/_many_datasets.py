"""Several methods over several data sets: Friedman, Nemenyi, and counting."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from backstay.comparison._compare_scores import ratio


@dataclass(frozen=True)
class FriedmanNemenyi:
    """Several methods over several data sets.

    Attributes
    ----------
    statistic, p_value : float
        Friedman's χ², corrected for ties, with its p-value.
    f_statistic, f_p_value : float
        Iman & Davenport's F, computed from that χ²; it is less conservative.
    critical_difference : float
        Two methods differ by Nemenyi's test if their mean ranks are further apart than this.
    mean_ranks : dict of str to float
        Mean rank of every method; 1 is best.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    critical_difference: float
    mean_ranks: dict[str, float]
    _pairs: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return every pair of methods, first minus second in mean rank, with Nemenyi's p."""
        return self._pairs.copy()


def friedman_nemenyi(
    scores: ArrayLike, names: Sequence[str] | None = None, *, alpha: float = 0.05
) -> FriedmanNemenyi:
    """Test whether methods differ over data sets, and which pairs of them do.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One score per data set and method, higher is better.
    names : sequence of str, optional
        Names of the methods; a frame's columns if not given.
    alpha : float, default=0.05
        Level of the critical difference.

    Returns
    -------
    FriedmanNemenyi
        ``frame()`` gives every pair.

    Notes
    -----
    χ² is corrected for ties, as SciPy and R do; Demšar's formula is not, so with ties his statistic
    is smaller. Nemenyi's test takes mean ranks as they are, as in his paper.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> from backstay.comparison import friedman_nemenyi
    >>> scores = [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.6], [0.6, 0.7, 0.9]]
    >>> result = friedman_nemenyi(scores, ["a", "b", "c"])
    >>> round(result.statistic, 2), result.mean_ranks
    (6.5, {'a': 3.0, 'b': 1.75, 'c': 1.25})
    """
    if names is None and hasattr(scores, "columns"):
        names = [str(name) for name in scores.columns]
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            f"scores must be data sets × methods, at least 2 × 3, got shape {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError("scores must be finite, got nan or infinity.")
    n, k = table.shape
    labels = [str(i) for i in range(k)] if names is None else list(names)
    if len(labels) != k:
        raise ValueError(f"names has {len(labels)} names for {k} methods.")
    ranks = stats.rankdata(-table, axis=1)
    mean = ranks.mean(axis=0)
    if (ranks == ranks[:, :1]).all():
        chi2, p = 0.0, 1.0
    else:
        chi2, p = (float(value) for value in stats.friedmanchisquare(*table.T))
    f = ratio((n - 1) * chi2, n * (k - 1) - chi2)
    error = math.sqrt(k * (k + 1) / (6 * n))
    critical = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2) * error
    first, second = np.triu_indices(k, 1)
    apart = mean[first] - mean[second]
    pairs = pd.DataFrame(
        {
            "first": [labels[i] for i in first],
            "second": [labels[j] for j in second],
            "rank_difference": apart,
            "p_value": stats.studentized_range.sf(np.abs(apart) / error * math.sqrt(2), k, np.inf),
        }
    )
    return FriedmanNemenyi(
        statistic=chi2,
        p_value=p,
        f_statistic=f,
        f_p_value=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        critical_difference=critical,
        mean_ranks=dict(zip(labels, mean.tolist(), strict=True)),
        _pairs=pairs,
    )


def better_equal_worse(results: Sequence[Any], alpha: float = 0.05) -> tuple[int, int, int]:
    """Count on how many data sets the first method is better, equal or worse.

    `results` are one DifferenceTest per data set, on scores where higher is better. A difference
    counts if its p-value is below `alpha`.

    Examples
    --------
    >>> from backstay.comparison import better_equal_worse, compare_scores
    >>> up = compare_scores([2, 4, 6, 8, 10, 12], [1, 2, 3, 4, 5, 6], "signed_rank")
    >>> same = compare_scores([1, 2, 3], [1, 2, 3], "signed_rank")
    >>> better_equal_worse([up, up, same])
    (2, 1, 0)
    """
    signs = [np.sign(r.difference) if r.p_value < alpha else 0.0 for r in results]
    return signs.count(1.0), signs.count(0.0), signs.count(-1.0)
