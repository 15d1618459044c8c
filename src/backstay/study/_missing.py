"""Missing cells: refused before anything runs, where they would cost a method its tasks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from backstay._columns import missing_cells
from backstay.study._checks import CheckedStudy
from backstay.study._data import CheckedData


def check_missing_cells(study: CheckedStudy, data: CheckedData) -> None:
    """Refuse data with missing cells that some method or model cannot take.

    Preprocessing is left to deal with them itself.
    """
    if study.preprocess is not None:
        return
    n_cells, n_columns = missing_cells(data.X)
    if not n_cells:
        return
    refused = [
        f"{kind} {', '.join(names)}"
        for kind, estimators in (("methods", study.methods), ("models", study.models))
        if (names := [name for name, one in estimators.items() if not takes_missing(one)])
    ]
    if refused:
        raise ValueError(
            f"X of {data.name!r} has {n_cells} missing cells in {n_columns} columns, which the "
            f"{' and the '.join(refused)} cannot take; fill them in with preprocess, such as "
            "SimpleImputer(), or leave these out."
        )


def takes_missing(estimator: Any) -> bool:
    """Whether an estimator says that it takes missing cells, or proves to on a small table.

    Parameters
    ----------
    estimator : estimator
        A ranker or a model.

    Returns
    -------
    bool

    Notes
    -----
    Pipelines and searches do not say what their parts take. One that fits the small table
    neither with a missing cell nor without has proved nothing, and may try.
    """
    if hasattr(estimator, "__sklearn_tags__") and get_tags(estimator).input_tags.allow_nan:
        return True
    X, y = np.random.default_rng(0).random((24, 6)), np.tile([0, 1], 12)
    holed = X.copy()
    holed[5, 0] = np.nan
    return _fits(estimator, holed, y) or not _fits(estimator, X, y)


def _fits(estimator: Any, X: NDArray[np.float64], y: NDArray[np.int_]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clone(estimator).fit(X, y)
        except Exception:  # whatever the reason, it does not fit
            return False
    return True
