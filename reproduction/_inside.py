"""The one door to what backstay does not publish: replaying its searches takes their parts.

Whoever changes these parts has this file to look at, and no other of the reproduction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._kernels._distances import pad
from backstay._kernels._simba import stochastic_ascent
from backstay._scaling import Scaling
from backstay.feature_weighting import Simba
from backstay.instance_weighting._logistic import logistic_weights
from backstay.study._ranking import ranking_of
from backstay.wrappers import SequentialSelector
from backstay.wrappers._checkpoint import EvaluationLog
from backstay.wrappers._criteria import Accumulated
from backstay.wrappers._inducers import equivalent
from backstay.wrappers._search import Search, order_units
from backstay.wrappers._search import best_subset as best_visited
from reproduction._estimates import Floats

__all__ = [
    "Accumulated",
    "backward_search",
    "inducer_classifier",
    "logistic_weights",
    "ranking_of",
    "simba_path",
]


def inducer_classifier(name: str, scaling: str | None, ties: str = "first") -> Any:
    """Return the scikit-learn classifier that an inducer of the wrappers stands for."""
    return equivalent(name, scaling, ties)


def backward_search(
    selector: SequentialSelector, X: Floats, y: NDArray[Any], criterion: type[Accumulated]
) -> tuple[NDArray[np.intp], int, float]:
    """Search backward with another criterion, on the folds that the selector would draw.

    Returns
    -------
    order : ndarray
        Columns from best to worst.
    n_selected : int
        Size of the best subset.
    merit : float
        J of the best subset.
    """
    d = X.shape[1]
    folds = selector._folds(y, None)
    units = [np.array([column]) for column in range(d)]
    sizes = np.ones(d, dtype=np.intp)
    run = Search(
        evaluate=selector._judge().evaluator(X, y, folds, units),
        criterion=criterion(sizes, selector.accumulation, None),
        sizes=sizes,
        fixed=np.zeros(d, dtype=bool),
        forward=False,
        target=1,
        log=EvaluationLog(None, {}, folds),
    )
    run.run(floating=False, plus=1, minus=0, stop="never")
    chosen = best_visited(run.visits, sizes, None)
    merit = next(v.score for v in run.visits if np.array_equal(v.members, chosen))
    return order_units(run, chosen), int(chosen.sum()), float(merit)


def simba_path(
    simba: Simba, X: Floats, y: NDArray[np.intp], omega: Floats, stops: NDArray[np.intp]
) -> Floats:
    """Return the weights w² of one pass of Simba, after each number of visits in `stops`."""
    visits = simba._visits(omega)
    rows = pad(Scaling(X, simba.scaling)(X))
    steps = omega if simba.delta else np.ones(len(y))
    plain = np.full(len(visits), -1.0)
    w = np.ones(X.shape[1])
    path = []
    for start, stop in zip(np.r_[0, stops[:-1]], stops, strict=True):
        part = slice(start, stop)
        stochastic_ascent(rows, y, visits[part], steps, plain[part], 0.0, w)
        path.append(w**2)
    return np.array(path)
