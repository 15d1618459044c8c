"""Stability selection with its error bounds."""

from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay._validation import Interval, StrOptions, check_random_state, positive_int
from backstay.base import Array, Indices, fit_weighted
from backstay.ensemble._ensemble import Ensemble
from backstay.ensemble._error_bounds import ASSUMPTIONS, largest_q, smallest_threshold

# Chosen with the defaults of threshold and assumption, by simulation: see docs/ensembles.md.
DEFAULT_PFER = 0.5
# On half of the rows slopes are steeper than on all: the grid starts higher by this factor.
HIGHER = 2.0


@dataclass(eq=False, repr=False)
class StabilitySelection(Ensemble):
    """Keep the features that a base method selects in most subsamples of half the rows.

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Anything that exposes ``feature_importances_``, ``coef_`` or
        ``ranking_`` after fit. A run selects its q best features; features that
        a scikit-learn model gives the importance 0 are not selected, nor are
        those that share a run's least importance. See :class:`BaggedRanker` for
        ties.
    threshold : float or None, default=0.9
        τ in (1/2, 1]: features selected in at least this share of the runs are
        kept. None chooses the smallest τ that keeps the bound within `pfer`.
    pfer : float, default=None
        Bound wanted on the expected number of falsely selected features.
    n_features_per_run : int or None, default=None
        q. None chooses the largest q that keeps the bound within `pfer`, or
        within 1/2 where `pfer` is None too. Of threshold, pfer and
        n_features_per_run, give two; the third follows.
    n_resamples : int, default=50
        Subsamples; for complementary pairs the number of pairs, two runs each.
    resample : {"complementary_pairs", "subsample"}, default="complementary_pairs"
        Runs on both halves of random splits [Shah & Samworth], or on random
        halves [Meinshausen & Bühlmann]. Classes are halved one by one.
    assumption : {"none", "unimodal", "r_concave"} or None, default=None
        Which bound chooses q or τ. None is "r_concave" for complementary pairs and "none" for
        subsamples, which the other two are not for.
    path : bool, default=False
        Whether a run selects along a path of penalties, as published by Meinshausen & Bühlmann:
        the frequency of a feature is the largest, over all λ of a common grid, of the share of
        the runs that select it at this λ. The grid is cut where runs have selected more than q
        features on average at any of its λ. The estimator must have the parameter ``lambdas``
        and, fitted, ``lambdas_`` and ``selection_path_``, as :class:`LassoPath` has.
    n_jobs, random_state
        As in :class:`BaggedRanker`.

    Attributes
    ----------
    selection_frequency_ : ndarray of shape (n_features,)
        Share of the runs that selected each feature (with ``path=True``, at the λ where it is
        largest); also ``feature_importances_``.
    error_bound_ : dict
        Bounds on the expected number of falsely selected features, at
        ``threshold_`` and ``n_features_per_run_``, d features in all:

        - "meinshausen_buhlmann": q²/((2τ − 1)d), if noise features are exchangeable and the method
          no worse than guessing; for complementary pairs without either, as a bound on selected
          features that a single run selects with probability at most q/d.
        - "unimodal": such features again, if the share of pairs in which both runs select the
          feature has a unimodal distribution.
        - "r_concave": if this share is −1/2-concave and the selection frequency −1/4-concave; the
          smallest of the three.

        The last two are nan with ``resample="subsample"``.
    threshold_ : float
        τ.
    n_features_per_run_ : float
        q: the number given or, where models left features out or with ``path=True``, the mean
        number selected.
    supports_ : ndarray of shape (n_runs, n_features)
        What every run selected, with ``path=True`` at any λ; runs 2i and 2i + 1 are a pair.
    lambdas_ : ndarray of shape (n_steps,)
        The λ of the path that was cut. Only with ``path=True``, as is:
    path_frequency_ : ndarray of shape (n_steps, n_features)
        Share of the runs that selected each feature at each λ.
    rankings_, estimators_samples_
        As in :class:`BaggedRanker`.
    ranking_ : ndarray of shape (n_features,)
        By selection frequency; ties by the sum of ranks, then by column.

    Notes
    -----
    The bounds are on an expectation over data sets, not on this data set. With ``path=True`` they
    are those of selecting a feature at any λ, which happens at least as often.

    References
    ----------
    Meinshausen & Bühlmann (2010); Shah & Samworth (2013).

    Examples
    --------
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.ensemble import StabilitySelection
    >>> X, y, relevance = make_han_yu(n_features=200, n_relevant=10, random_state=0)
    >>> selection = StabilitySelection(ReliefF(), random_state=0).fit(X, y)
    >>> selection.get_support(indices=True)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    >>> selection.n_features_per_run_, round(selection.error_bound_["r_concave"], 2)
    (33, 0.47)
    """

    _: KW_ONLY
    threshold: float | None = 0.9
    pfer: float | None = None
    n_features_per_run: int | None = None
    n_resamples: int = 50
    resample: str = "complementary_pairs"
    assumption: str | None = None
    path: bool = False
    max_samples: float = field(default=0.5, init=False)  # bounds are for halves
    n_features_to_select: None = field(default=None, init=False)  # the threshold decides

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ensemble._parameter_constraints,
        "threshold": [None, Interval(Real, 0.5, 1, closed="right")],
        "pfer": [None, Interval(Real, 0, None, closed="neither")],
        "n_features_per_run": [None, positive_int()],
        "resample": [StrOptions({"complementary_pairs", "subsample"})],
        "assumption": [None, StrOptions(set(ASSUMPTIONS))],
        "path": ["boolean"],
    }

    def _n_kept(self, n_selected: int) -> int:
        # Frequencies and thresholds are quotients: 0.6 may lie above 60/100 by rounding.
        return int((self.selection_frequency_ >= self.threshold_ - 1e-12).sum())

    def _n_requested(self) -> None:
        return None  # how many are kept is known after the runs

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        threshold, q = self._resolve(self.n_features_in_)
        rng = check_random_state(self.random_state)
        n_runs = self.n_resamples * (2 if self.resample == "complementary_pairs" else 1)
        estimator = self.estimator
        if self.path:
            self.lambdas_ = common_grid(estimator, X, self._decoded(y), sample_weight)
            estimator = clone(estimator).set_params(lambdas=self.lambdas_)
        members = self._fit_runs(X, y, sample_weight, rng, n_runs, estimator=estimator)
        if self.path:
            paths = [member.path for member in members]
            self.path_frequency_, self.supports_ = cut_path(paths, len(self.lambdas_), q)
            self.lambdas_ = self.lambdas_[: len(self.path_frequency_)]
            self.selection_frequency_ = self.path_frequency_.max(axis=0)
        else:
            self.supports_ = np.array([member.selected(q) for member in members])
            self.selection_frequency_ = self.supports_.mean(axis=0)
        self.threshold_ = threshold
        mean_q = float(self.supports_.sum(axis=1).mean())
        self.n_features_per_run_ = q if mean_q == q else mean_q
        known = ASSUMPTIONS if self.resample == "complementary_pairs" else ("none",)
        given = (self.n_features_per_run_, self.n_features_in_, threshold, self.n_resamples)
        bounds = [of(*given) if a in known else float("nan") for a, of in ASSUMPTIONS.items()]
        names = ("meinshausen_buhlmann", "unimodal", "r_concave")
        self.error_bound_ = dict(zip(names, bounds, strict=True))
        return self.selection_frequency_

    def _resolve(self, d: int) -> tuple[float, int]:
        """Threshold and q, one of them from the bound where it is not given."""
        threshold, q, pfer = self.threshold, self.n_features_per_run, self.pfer
        in_pairs = self.resample == "complementary_pairs"
        assumption = self.assumption or ("r_concave" if in_pairs else "none")
        if not in_pairs and assumption != "none":
            raise ValueError(
                f"assumption={self.assumption!r} needs resample='complementary_pairs'; "
                "for resample='subsample' use assumption='none'."
            )
        if q is not None and q > d:
            raise ValueError(
                f"n_features_per_run={q!r} must lie between 1 and the number of features, {d}."
            )
        too_few = threshold is None and (q is None or pfer is None)
        if too_few or None not in (threshold, q, pfer):
            raise ValueError(
                f"threshold={threshold!r}, pfer={pfer!r} and n_features_per_run={q!r}: two of them "
                "must be given, from which the third follows."
            )
        if threshold is None:
            assert q is not None
            assert pfer is not None
            chosen = smallest_threshold(pfer, q, d, self.n_resamples, assumption)
            if chosen is None:
                raise ValueError(
                    f"pfer={pfer!r} cannot be kept with n_features_per_run={q!r} of {d} features "
                    "at any threshold; raise pfer or lower n_features_per_run."
                )
            return chosen, q
        if q is None:
            wanted = DEFAULT_PFER if pfer is None else pfer
            q = largest_q(wanted, d, threshold, self.n_resamples, assumption)
            if q == 0 and pfer is not None:
                raise ValueError(
                    f"pfer={pfer!r} cannot be kept at threshold={threshold!r} with {d} features, "
                    "even with one feature per run; raise pfer or threshold."
                )
            return threshold, max(1, q)
        return threshold, q


def common_grid(estimator: Any, X: Any, y: NDArray[Any], sample_weight: Array | None) -> Array:
    """Return the λ that all runs share: those of a path on all rows, and some above them."""
    name = type(estimator).__name__
    if "lambdas" not in estimator.get_params():
        raise ValueError(
            f"path=True needs an estimator with the parameter lambdas and the fitted "
            f"selection_path_, such as LassoPath; {name} has no such parameter."
        )
    if estimator.lambdas is not None:
        return np.asarray(estimator.lambdas, dtype=np.float64)
    lambdas = np.asarray(
        fit_weighted(clone(estimator), X, y, sample_weight).lambdas_, dtype=np.float64
    )
    if len(lambdas) < 2:
        raise ValueError(f"path=True needs a path, but no feature enters that of {name}.")
    fall = lambdas[1] / lambdas[0]
    above = int(np.ceil(np.log(HIGHER) / -np.log(fall)))
    return np.concatenate([lambdas[0] * fall ** -np.arange(above, 0.0, -1.0), lambdas])


def cut_path(paths: list[Any], n_steps: int, q: float) -> tuple[Array, NDArray[np.bool_]]:
    """Cut the runs' paths (λ × feature) where they have selected more than q features on average.

    Returns how often each feature is selected at every λ left, and what runs selected at any.
    """
    n_features = paths[0].shape[1]
    counts = np.zeros((n_steps, n_features))
    first = np.full((len(paths), n_features), n_steps)
    for run, path in enumerate(paths):
        steps, features = path.nonzero()
        counts[steps, features] += 1
        # A run whose path ends early keeps its last selection.
        counts[path.shape[0] :, features[steps == path.shape[0] - 1]] += 1
        np.minimum.at(first[run], features, steps)
    entered = np.array([(first <= step).sum() for step in range(n_steps)]) / len(paths)
    left = int(np.searchsorted(entered, q + 1e-9, side="right"))
    if left == 0:
        raise ValueError(
            f"at the first penalty runs select {entered[0]:.3g} features on average, more than "
            f"the {q} that the bound allows; let lambdas begin higher, or raise pfer."
        )
    return counts[:left] / len(paths), first < left
