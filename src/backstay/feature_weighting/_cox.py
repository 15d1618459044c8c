"""Rankers for times until an event: score tests, the path of a Cox model, and residuals."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay._kernels._cox import net_path, null_residuals, risk_sets, score_tests
from backstay._validation import (
    PROPER_SHARE,
    SHARE,
    TOLERANCE,
    StrOptions,
    param,
    positive_int,
    take,
)
from backstay.base import Array, MetaRanker, fit_weighted, importances_of, n_ranked_of, outcomes_of
from backstay.feature_weighting._lasso import ElasticNetRanker, importances_by_entry, standardised
from backstay.feature_weighting._moments import BLOCK_CELLS, quotient
from backstay.feature_weighting._rows import counted_survival
from backstay.feature_weighting._significance import SignificanceFilter, upper_chi2


@dataclass(eq=False, repr=False)
class CoxScore(SignificanceFilter):
    """Size of the score statistic of a feature in a Cox model, plain or shrunken.

    For times until an event. At every event, the feature's value of the row that had it is compared
    with the mean of all rows still at risk. The sum of these differences U is divided by its
    standard error √V [Cox 1972]. For two groups of rows the square is the log-rank test.

    Parameters
    ----------
    moderation : {"shrunken"} or None, default=None
        "shrunken" adds the median standard error over the features to each one's own (SAM's
        statistic for survival) [Tusher, Tibshirani & Chu 2001]. Features that hardly vary then do
        not rank high by chance.
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |U|/√V, or |U|/(√V + s₀) with s₀ the median of √V; 0 for features that are constant among
        the rows at risk.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        P-value of U²/V by χ² with one degree of freedom, and Benjamini and Hochberg's q-value. The
        shrunken statistic has neither, as its distribution is not known.

    Notes
    -----
    Ties in time are treated as by Breslow. Only the order of the times matters. ``sample_weight``
    makes a row count for ω rows, also in the test.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.feature_weighting import CoxScore
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> y = np.empty(80, dtype=[("event", bool), ("time", float)])
    >>> y["time"], y["event"] = rng.exponential(np.exp(-X[:, 2])), rng.uniform(size=80) < 0.7
    >>> ranker = CoxScore(n_features_to_select="fdr").fit(X, y)
    >>> ranker.get_support(indices=True)
    array([2])
    """

    _: KW_ONLY
    moderation: str | None = param(None, StrOptions({"shrunken"}))

    outcomes = ("survival",)
    instead: ClassVar = {"classes": "TTest", "numbers": "SlopeTest"}
    tests_beside_covariates = True

    def _score(self, X: Any, y: NDArray[Any], sample_weight: Array | None) -> Array:
        return self._adjusted_score(X, y, sample_weight, np.empty((len(y), 0)))

    def _adjusted_score(
        self, X: Any, y: NDArray[Any], sample_weight: Array | None, Z: Array
    ) -> Array:
        rows, time, event, omega = counted_survival(y, sample_weight, type(self).__name__)
        step = max(1, BLOCK_CELLS // len(time))
        parts = []
        for start in range(0, X.shape[1], step):
            block = X[rows, start : start + step].astype(np.float64)
            parts.append(score_tests(block, time, event, omega, Z[rows]))
        U, V = (np.concatenate(part) for part in zip(*parts, strict=True))
        error = np.sqrt(V)
        if self.moderation is None:
            statistic = quotient(np.abs(U), error)
            self._p = partial(upper_chi2, statistic**2, np.ones(len(U)))
            return statistic
        self._p = (
            "the distribution of the shrunken statistic is not known. Use moderation=None, or "
            "DecoyControl, which finds q-values for any ranker."
        )
        return quotient(np.abs(U), error + np.median(error))


@dataclass(eq=False, repr=False)
class CoxPath(ElasticNetRanker):
    """Order of entry on the path of a Cox model with the lasso's or the elastic net's penalty.

    For times until an event. The penalty λ falls from where no feature is in the model. Features
    rank by the λ at which they first have a coefficient, then by the size of their coefficients at
    the end of the path [Tibshirani 1997]. Features that never enter are not ranked.

    Parameters
    ----------
    l1_ratio : float, default=1.0
        α in (0, 1]: 1 is the lasso. The lower, the more of correlated features enter together.
    n_lambdas : int, default=50
        Length of the grid of λ, equally spaced in its logarithm.
    lambda_min_ratio, lambdas, weakness, tol, n_features_to_select, random_state
        As in :class:`ElasticNetRanker`; `lambda_min_ratio` is 0.05 and `tol` 1e-4 by default.

    Attributes
    ----------
    feature_importances_, n_ranked_, lambdas_, selection_path_
        As in :class:`ElasticNetRanker`.
    coef_ : ndarray of shape (1, n_features)
        Log hazard ratios of the standardised features at the end of the path.

    Notes
    -----
    The loss is −log PL/n with Breslow's treatment of ties, and λ is that of R's glmnet [Simon et
    al. 2011]. Features are standardised on the training rows. ``sample_weight`` weighs rows; only
    proportions matter.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.feature_weighting import CoxPath
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 100)), np.ones(80, [("event", bool), ("time", float)])
    >>> y["time"] = rng.exponential(np.exp(-X[:, 2]))
    >>> ranker = CoxPath().fit(X, y)
    >>> ranker.n_ranked_, int(ranker.ranking_.argmin())
    (64, 2)
    """

    l1_ratio: float = param(1.0, SHARE)
    _: KW_ONLY
    n_lambdas: int = param(50, positive_int(minimum=2))
    lambda_min_ratio: float = param(0.05, PROPER_SHARE)
    tol: float = param(1e-4, TOLERANCE)

    outcomes = ("survival",)
    instead: ClassVar = {"classes": "ElasticNetRanker", "numbers": "ElasticNetRanker"}

    def _score(self, X: Any, y: NDArray[Any], sample_weight: Array | None) -> Array:
        rows, time, event, omega = counted_survival(y, sample_weight, type(self).__name__)
        omega = omega / omega.sum()
        sets = risk_sets(time, event, omega)
        Z = self._weakened(standardised(X[rows][sets.order], sets.weight))
        options = (float(self.l1_ratio), self._grid(1.0), self.lambdas is None, np.ones(len(Z)))
        top, self.lambdas_, path, unfinished = net_path(Z, sets, *options, self.tol)
        self.selection_path_ = path != 0.0
        self.coef_ = path[-1:] if len(path) else np.zeros((1, len(Z)))
        self._warn_of(unfinished)
        return importances_by_entry(self.selection_path_, self.lambdas_, top, np.abs(self.coef_[0]))


@dataclass(eq=False, repr=False)
class OnResiduals(MetaRanker):
    """Any ranker for numbers, on times until an event.

    The numbers are the martingale residuals of the model without features: for every row the events
    observed, 1 or 0, minus those expected in the time that it was followed. A row with a high
    residual had the event early [Therneau, Grambsch & Fleming 1990].

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        A ranker that takes numbers; anything that exposes ``feature_importances_``, ``coef_`` or
        ``ranking_`` after fit.
    n_features_to_select
        As in :class:`InstanceWeighted`.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on the residuals.
    residuals_ : ndarray of shape (n_samples,)
        The residuals; 0 for rows without weight.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.feature_weighting import OnResiduals, RReliefF
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 6)), np.ones(80, [("event", bool), ("time", float)])
    >>> y["time"] = rng.exponential(np.exp(-X[:, 2]))
    >>> OnResiduals(RReliefF()).fit(X, y).ranking_
    array([6, 4, 1, 5, 3, 2])
    """

    @property
    def outcomes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Times until an event, if the estimator takes numbers."""
        return ("survival",) if "numbers" in outcomes_of(self.estimator) else ()

    def _score(self, X: Any, y: NDArray[Any], sample_weight: Array | None) -> Array:
        rows, time, event, omega = counted_survival(y, sample_weight, type(self).__name__)
        self.residuals_ = np.zeros(len(y))
        self.residuals_[rows] = null_residuals(time, event, omega)
        own = None if sample_weight is None else sample_weight[rows]
        self.estimator_ = clone(self.estimator)
        table = X if sample_weight is None else take(X, rows)
        fit_weighted(self.estimator_, table, self.residuals_[rows], own)
        return importances_of(self.estimator_)

    def _n_ranked(self) -> int:
        return n_ranked_of(self.estimator_, self.feature_importances_)
