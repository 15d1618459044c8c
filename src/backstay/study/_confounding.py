"""How covariates and batches go with the outcome, and with what varies most in the features."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._columns import column_chunks, columns_of, numeric_columns, standardized
from backstay._design import Covariates, Regression
from backstay._refusal import Refusal
from backstay.targets import Association, Target

# What tells the outcome to this share tells it wholly.
WHOLLY = 0.999
COMPONENTS = 3


@dataclass(frozen=True)
class Confounding:
    """How a column beside the features goes with the outcome and with the features.

    ``levels`` is the number of its kinds, 0 for numbers; ``components`` the share of the variance
    of the first principal components of the features that it explains.
    """

    name: str
    levels: int
    outcome: Association
    components: list[float]


def confounding(
    X: Any, target: Target, covariates: Any = None, batch: Any = None
) -> list[Confounding]:
    """Return how every covariate, and the batch, go with outcome and features."""
    check_confounding(target, covariates, batch)
    frame = pd.DataFrame({} if covariates is None else covariates)
    columns = {str(name): frame[name] for name in frame}
    if batch is not None:
        columns["batch"] = pd.Series(np.asarray(batch).astype(str))
    if not columns:
        return []
    first, found = _components(X), []
    for name, column in columns.items():
        one = Covariates.of({name: column.to_numpy()}) if name != "batch" else None
        levels = None if one is None else one.levels[name]
        numeric = one is not None and levels is None
        texts = column.to_numpy(np.float64) if numeric else column.map(str).to_numpy(str)
        Z = one.Z if one is not None else pd.get_dummies(column).to_numpy(np.float64)
        said = Regression.fit(Z, first).explained(Z)
        shares = ((said - said.mean(axis=0)) ** 2).sum(axis=0)
        kinds = 0 if numeric else len(np.unique(texts))
        found.append(Confounding(name, kinds, target.association(texts), shares.tolist()))
    return found


def check_confounding(target: Target, covariates: Any, batch: Any) -> None:
    """Refuse batches or covariates that tell the outcome wholly."""
    if batch is not None and target.association(np.asarray(batch).astype(str)).value >= WHOLLY:
        raise Refusal(
            "every batch holds rows of one outcome only, so that nothing can tell batch and "
            "outcome apart, and no adjustment repairs it. Add rows of other outcomes to the "
            "batches; without batch= the answer is about batches as much as about the outcome.",
            parameter="batch",
        )
    if covariates is not None:
        Z = covariates.Z if isinstance(covariates, Covariates) else Covariates.of(covariates).Z
        aims = target.ridge_aims()[1]
        aims = aims - aims.mean(axis=0)
        left = ((aims - Regression.fit(Z, aims).explained(Z)) ** 2).sum()
        if left <= (1 - WHOLLY) * (aims**2).sum():
            raise Refusal(
                "the covariates tell the outcome without an error, so nothing is left for features "
                "to add. Adjust for fewer.",
                parameter="adjust",
            )


def _components(X: Any) -> NDArray[np.float64]:
    """Return scores of rows on the first principal components, of length 1; gaps are means."""
    columns = numeric_columns(X)
    if X.shape[0] > len(columns):
        left = np.linalg.svd(standardized(columns_of(X, columns)), full_matrices=False)[0]
        return np.asarray(left[:, :COMPONENTS])
    # A wide table is not copied: its rows' products are enough.
    products = np.zeros((X.shape[0], X.shape[0]))
    for _, values in column_chunks(X, columns):
        unit = standardized(values)
        products += unit @ unit.T
    return np.asarray(np.linalg.eigh(products)[1][:, : -COMPONENTS - 1 : -1])
