"""Instance weights that are updated inside a ranker's loop [Prat 9.3, second scheme; PB 5]."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay._metric import without_scaling
from backstay._validation import check_random_state, fit_context, param, positive_int, validate_X_y
from backstay.base import (
    Array,
    Indices,
    InstanceWeighted,
    distance_weights,
    warn_single_members,
)
from backstay.feature_weighting._double_relief import relief_by_visits
from backstay.feature_weighting._relief import ReliefF, relative_weights
from backstay.feature_weighting._relief_table import ReliefTable, read_columns
from backstay.feature_weighting._simba import Simba, drawing_chances, relative_squares

# From the feature weights so far, largest 1, to the instance weights.
Reweigh = Callable[[Array], Array]


@dataclass(eq=False, repr=False)
class InstanceReweighted(InstanceWeighted):
    """Update the instance weights whenever the ranker has changed its feature weights.

    Relief and Simba visit one row after the other and change the feature weights w at each
    visit. Here the instance weights ω follow at once: they are computed again from distances
    under the w so far, for the next visit. :class:`InstanceWeighted` computes ω once, before the
    ranker starts; :class:`JointWeighting` alternates whole fits.

    Parameters
    ----------
    estimator : Simba, Relief, ReliefF or DoubleReliefF
        Gives w. A :class:`Simba` must use ω: by its ``strategy``, by ``delta=True``, or both.
    weighting : InstanceWeighter
        Gives ω; its scaling and whitening are applied before the feature weights.
    every : int, default=1
        Number of visits between two computations of ω. Each costs a fit of `weighting`;
        1 is the scheme as it was proposed.
    n_features_to_select
        As in :class:`InstanceWeighted`.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The ω of the last visits.
    weighting_ : InstanceWeighter
        The weighter, as last fitted.

    Examples
    --------
    >>> from backstay import DoubleReliefF, InstanceReweighted, MarginWeighting
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> ranker = InstanceReweighted(
    ...     DoubleReliefF(random_state=0), MarginWeighting(), every=20, n_features_to_select=3
    ... )
    >>> ranker.fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    _: KW_ONLY
    every: int = param(1, positive_int())
    strategy: str = field(default="native", init=False)
    random_state: Any = field(default=None, init=False)

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        return validate_X_y(self, X, y)

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        ranker = clone(self.estimator)
        _check_loop(ranker)
        _check_parameters(ranker, X.shape[1])
        ranker.classes_ = self.classes_
        warn_single_members(self.classes_, y)
        self.weighting_, rows = without_scaling(self.weighting, X, y)

        def reweigh(w: Array) -> Array:
            with warnings.catch_warnings():  # said once, above
                warnings.filterwarnings("ignore", "class .* has a single member")
                weights = self.weighting_.fit_weight(rows * w, y)
            self.sample_weight_ = weights if sample_weight is None else weights * sample_weight
            return self.sample_weight_

        if isinstance(ranker, Simba):
            return simba_in_step(ranker, X, y, reweigh, self.every)
        return relief_in_step(ranker, X, y, reweigh, self.every)

    def _n_ranked(self) -> int:
        return self.n_features_in_  # as Simba and Relief do

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.categorical = False
        return tags


def _check_loop(ranker: Any) -> None:
    """Refuse rankers without a loop over rows, and a Simba that would not use the weights."""
    if not isinstance(ranker, Simba | ReliefF):
        raise ValueError(
            "InstanceReweighted needs a ranker that visits rows one by one, of Simba, Relief, "
            f"ReliefF and DoubleReliefF; {type(ranker).__name__} does not. "
            "JointWeighting alternates whole fits of any ranker."
        )
    if isinstance(ranker, Simba):
        if ranker.solver != "stochastic":
            raise ValueError(
                f"solver={ranker.solver!r} of Simba visits no rows one by one; "
                "use solver='stochastic'."
            )
        if ranker.strategy == "normal" and not ranker.delta:
            raise ValueError(
                "Simba with strategy='normal' and delta=False uses no instance weights; "
                "choose another strategy or delta=True."
            )


@fit_context(prefer_skip_nested_validation=True)
def _check_parameters(ranker: Any, n_features: int) -> None:
    """Refuse what the ranker's own ``fit`` refuses, which is not called here."""
    if isinstance(ranker, Simba):
        ranker._check_combination(None, n_features)


def simba_in_step(simba: Simba, X: Any, y: Indices, reweigh: Reweigh, every: int) -> Array:
    """Simba; ω is computed again before every `every`-th visit."""
    n, d = X.shape
    rows = simba._padded_rows(X, y)
    blends = simba._blends(n * simba.n_epochs)
    omega, w, rate = np.ones(n), np.ones(d), 1.0
    visits = _chosen_by(simba, omega)
    for t, blend in enumerate(blends):
        if t % every == 0:
            relative = distance_weights(np.abs(w))
            inside = relative if blend < 0 else 1.0 + (relative - 1.0) * blend
            omega[:] = reweigh(inside)
        steps = omega if simba.delta else np.ones(n)
        visit = np.array([next(visits)])
        rate = simba._climb(rows, y, visit, steps, blends[t : t + 1], w, rate)
    return relative_squares(w)


def _chosen_by(simba: Simba, omega: Array) -> Iterator[int]:
    """Yield the row to visit next by the strategy, looking at ω as it is when asked."""
    rng = check_random_state(simba.random_state)
    n = len(omega)
    for _ in range(simba.n_epochs):
        if simba.strategy == "normal":
            yield from rng.permutation(n)
            continue
        waiting = np.ones(n, bool)
        for _ in range(n):
            if simba.strategy == "order":  # the heaviest row that was not visited yet
                visit = int(np.argmax(np.where(waiting, omega, -np.inf)))
                waiting[visit] = False
            elif simba.strategy == "sample":
                visit = int(rng.choice(n, p=drawing_chances(omega)))
            else:
                draws = rng.randint(n, size=max(1, int(np.sqrt(n))))
                visit = int(draws[np.argmax(omega[draws])])
            yield visit


def relief_in_step(ranker: ReliefF, X: Any, y: Indices, reweigh: Reweigh, every: int) -> Array:
    """Relief, ReliefF or dReliefF; ω is computed again before every `every`-th visit."""
    columns = read_columns(X, ranker.categorical_features)
    table = ReliefTable.build(columns, y, ranker.metric, ranker.missing)
    omega = np.ones(table.n)

    def omega_at(t: int, w: Array) -> Array:
        if t % every == 0:
            omega[:] = relative_weights(reweigh(w), table.n)[table.order]
        return omega

    return relief_by_visits(ranker, table, omega_at)
