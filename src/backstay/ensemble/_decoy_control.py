"""Error control by decoys: which features are more than luck, for any ranker."""

from dataclasses import KW_ONLY, dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import rankdata
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from backstay._validation import (
    Interval,
    check_is_fitted,
    check_random_state,
    names_of_rows,
    positive_int,
    resolve_n_features,
    take,
    validate_X_y,
)
from backstay.base import Array, Indices, one_thread, ranking_from_importances
from backstay.ensemble._decoy_scores import DIGITS, DecoyScores, ExpectedFalse
from backstay.ensemble._ensemble import Ensemble
from backstay.ensemble._members import fit_members
from backstay.ensemble._resamples import draw_pairs, draw_rows


def permuted_within(pairs: Indices, X: Any, rng: np.random.RandomState) -> Any:
    """Return rows that changed places within their pairs only."""
    source = np.empty(len(pairs), dtype=np.intp)
    source[np.argsort(pairs, kind="stable")] = np.lexsort((rng.random_sample(len(pairs)), pairs))
    return take(X, source)


def log_rank_scores(ranks: Array) -> Array:
    """Return ln(m / rank) among m columns: like −ln p, and 0 for the last."""
    return np.log(len(ranks) / ranks)


def run_ranks(importances: Array) -> Array:
    """Rank columns, 1 for the best; equal ones share the mean, as columns must be treated alike."""
    return np.asarray(rankdata(-importances, method="average"))


@dataclass(eq=False, repr=False)
class DecoyControl(Ensemble):
    """Keep the features that do better than decoys, which know nothing about the class.

    Every feature gets a decoy, a copy with its rows permuted, all in the same way, so that decoys
    are correlated as the features are. Features and decoys compete in the same fits of the
    estimator, on resamples of the rows. This is repeated with fresh decoys, and a feature's
    q-value says how its score compares with those of all decoys. This works for any ranker, even
    where no statistical test is known.

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Anything that exposes ``feature_importances_``, ``coef_`` or ``ranking_`` after fit.
    n_draws : int, default=50
        How often decoys are drawn. A single feature reaches a q-value of `alpha` only with
        more than 1/alpha draws.
    n_resamples : int, default=5
        Runs per draw, each on other rows.
    resample : {"subsample", "bootstrap", "complementary_pairs"}, default="subsample"
        How the rows of a run are drawn, as in :class:`BaggedRanker`.
    max_samples : float, default=0.8
        Share of the rows in a subsample. 1.0 with ``n_resamples=1`` does without resamples.
    n_features_per_run : int, float or None, default=None
        How many of features and decoys count as selected in a run, for the frequencies.
        None takes the estimator's own number, or a tenth of the features. It does
        not change q-values.
    alpha : float, default=0.05
        False discovery rate: features with a q-value of at most this are kept.
    n_jobs, random_state
        As in :class:`BaggedRanker`.

    Attributes
    ----------
    qvalues_ : ndarray of shape (n_features,)
        The smallest false discovery rate at which a feature is kept.
    feature_importances_ : ndarray of shape (n_features,)
        Mean score over all runs: ln(m / rank) among m features and decoys.
    selection_frequency_ : ndarray of shape (n_features,)
        Share of the runs that selected each feature.
    decoy_frequency_ : ndarray of shape (n_draws, n_features)
        The same for the decoys of every draw.
    scores_, decoy_scores_ : ndarray of shape (n_draws, n_features)
        Scores of features and decoys in every draw.

    Notes
    -----
    Scores of decoys are pooled over draws: p = (1 + #{decoys ≥ feature})/(1 + N), and q-values
    are Benjamini and Hochberg's. A feature is false if it is independent of the class. One that
    is correlated with a relevant feature is not false in this sense.

    Examples
    --------
    >>> from backstay import TTest
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.ensemble import DecoyControl
    >>> X, y, relevance = make_han_yu(n_features=200, n_relevant=10, random_state=0)
    >>> shrunken = TTest(moderation="shrunken")
    >>> control = DecoyControl(shrunken, n_draws=25, random_state=0).fit(X, y)
    >>> control.get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 19])
    >>> print(control.expected_false(11))
    0.4 [0.0, 2.0]
    """

    n_draws: int = 50
    _: KW_ONLY
    n_resamples: int = 5
    resample: str = "subsample"
    max_samples: float = 0.8
    n_features_per_run: int | float | None = None
    alpha: float = 0.05
    n_features_to_select: None = field(default=None, init=False)  # alpha decides

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ensemble._parameter_constraints,
        "n_draws": [positive_int()],
        "n_features_per_run": [None, positive_int(), Interval(Real, 0, 1, closed="right")],
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    designs: ClassVar = ("pairs",)

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Rank features among decoys, as :meth:`FeatureRanker.fit` does.

        With names of `pairs`, such as patients before and after treatment, decoys change places
        within pairs, resamples draw whole pairs, and filters that compare within pairs do so.
        """
        self._pairs = pairs
        if pairs is not None and self.resample == "bootstrap":
            raise ValueError("pairs need resample='subsample' or 'complementary_pairs'.")
        return super().fit(X, y, sample_weight, covariates)

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        tags = get_tags(self).input_tags
        formats = ["csr"] if tags.sparse else False
        return validate_X_y(self, X, y, accept_sparse=formats, allow_nan=tags.allow_nan)

    def _n_requested(self) -> None:
        return None  # how many are kept is known after the runs

    def _n_kept(self, n_selected: int) -> int:
        return int((self.qvalues_ <= self.alpha).sum())

    def _rank(self, importances: Array) -> Indices:
        return ranking_from_importances(importances)

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        named = getattr(self.estimator, "categorical_features", None)
        if named is not None and not isinstance(named, str):
            raise ValueError(
                f"categorical_features={named!r} of the estimator does not name the decoys of "
                "these columns; encode them as numbers and leave it out."
            )
        d = self.n_features_in_
        k: Any = self.n_features_per_run
        if k is None:
            own = getattr(self.estimator, "n_features_to_select", None)
            k = own if isinstance(own, Integral | Real) else max(1, d // 10)
        rng = check_random_state(self.random_state)
        pairs = None
        if self._pairs is not None:
            pairs = np.unique(names_of_rows("pairs", self._pairs, len(y)), return_inverse=True)[1]
        del self._pairs
        table = (X, y, sample_weight, pairs, resolve_n_features(k, d))
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_draws).tolist()
        with one_thread():
            calls = [delayed(self._contest)(*table, seed) for seed in seeds]
            draws = Parallel(n_jobs=self.n_jobs, prefer="threads")(calls)
        scores, frequencies, ranked = (np.array(part) for part in zip(*draws, strict=True))
        self._n_ever_ranked = int(ranked[:, :d].any(axis=0).sum())
        self.selection_frequency_ = frequencies[:, :d].mean(axis=0)
        self.decoy_frequency_ = frequencies[:, d:]
        self.scores_, self.decoy_scores_ = scores[:, :d], scores[:, d:]
        self.qvalues_ = DecoyScores(self.scores_, self.decoy_scores_).qvalues()
        # By what q-values are made of: differences in rounding must not order features.
        return np.round(self.scores_.mean(axis=0), DIGITS)

    def _contest(
        self,
        X: Any,
        y: Indices,
        sample_weight: Array | None,
        pairs: Indices | None,
        k: int,
        seed: int,
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return mean scores of features and decoys, how often selected, and whether ever ranked.

        A decoy stays over the resamples, because the luck of a feature does, too.
        """
        rng = np.random.RandomState(seed)
        if pairs is None:
            decoys = take(X, rng.permutation(X.shape[0]))
        else:
            decoys = permuted_within(pairs, X, rng)
        # Where an estimator breaks ties by column, neither side must come first.
        order = rng.permutation(2 * X.shape[1])
        if sparse.issparse(X):
            table = sparse.hstack([X, decoys], format="csr")[:, order]
        else:
            table = np.hstack([X, decoys])[:, order]
        draw, of = (draw_rows, y) if pairs is None else (draw_pairs, pairs)
        samples = draw(self.resample, of, self.n_resamples, self.max_samples, rng)
        of_rows = (self._decoded(y), sample_weight, samples)
        members = fit_members(self.estimator, table, *of_rows, rng, pairs=pairs)
        ranks = np.empty((len(members), len(order)))
        ranked = np.zeros(len(order), dtype=bool)
        for run, member in enumerate(members):
            assert member.importances is not None  # they were read with ranked=True
            ranks[run, order] = run_ranks(member.importances)
            ranked[order] |= member.ranked()
        scores = np.mean([log_rank_scores(row) for row in ranks], axis=0)
        return scores, (ranks <= k).mean(axis=0), ranked

    def expected_false(self, features: int | ArrayLike) -> ExpectedFalse:
        """Return how many features are expected to be false, as `DecoyScores.expected_false`."""
        check_is_fitted(self)
        return DecoyScores(self.scores_, self.decoy_scores_).expected_false(features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags
