"""The one door to what backstay does not publish.

Whoever changes these private parts has to look at this file, and at no other of the reproduction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backstay._kernels._distances import pad
from backstay._kernels._simba import stochastic_ascent
from backstay._scaling import Scaling
from backstay.feature_weighting import Simba
from backstay.instance_weighting._logistic import logistic_weights
from backstay.study._ranking import ranking_of
from backstay.wrappers._criteria import Accumulated
from backstay.wrappers._evaluator import FastInducer
from backstay.wrappers._inducers import equivalent
from reproduction._estimates import Floats

__all__ = [
    "Accumulated",
    "FastInducer",
    "equivalent",
    "logistic_weights",
    "ranking_of",
    "simba_path",
]


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
