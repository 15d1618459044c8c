"""What a study is given: rows, their outcome and what is known of both, checked together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from backstay._design import Covariates, Design
from backstay._refusal import Refusal
from backstay._suspicion import Suspicion
from backstay._validation import names_of_rows
from backstay.study._rows import shared_table
from backstay.targets import Target, as_target


@dataclass(frozen=True)
class Dataset:
    """A data set to run a study on.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Rows, all of them; the study splits them itself.
    y : array-like of shape (n_samples,) or Target
        What is to be predicted: class labels, a number for every row, or times until an event
        as :func:`backstay.targets.survival` makes them.
    groups : array-like of shape (n_samples,), optional
        Rows of one group stay on one side of every split.
    covariates : DataFrame, optional
        Columns that features are adjusted for, such as age and sex; see docs/designs.md.
    batch : array-like of shape (n_samples,), optional
        Names of batches, such as sites. Splits and shuffled outcomes stay within them.
    pairs : array-like of shape (n_samples,), optional
        What rows of different outcomes that belong together share, such as the patient.
    center_batches : bool, default=False
        Whether features are centred within batches, by means of training rows.
    truth : array-like of shape (n_features,), optional
        True relevance, where it is known, for ``results.weights.bias_variance()``.
    provenance : dict, optional
        Where the data came from and what was done to them. Kept with the data set and
        shown in the report; it does not make another study.
    annotation : DataFrame, optional
        What is known of the features, such as their symbols: a row per feature, in the
        order of the columns of X. Kept with the data set as text, for reports.
    suspicions : sequence of Suspicion, optional
        What the file that the data came from makes suspicious, as ``LabelledTable.suspicions``.
    found : sequence of Suspicion, optional
        What :func:`suspicions` found in the table, if that is known; None has the study look.
    positive : object, optional
        Of two classes, the label that metrics of one class, such as average precision, are
        about; None is the second in order.
    target : {"classes", "numbers", "survival"}, optional
        Kind of outcome, where whole numbers could be either; None finds it out.
    """

    X: Any
    y: ArrayLike | Target
    groups: ArrayLike | None = None
    truth: ArrayLike | None = None
    covariates: Any = None
    batch: ArrayLike | None = None
    pairs: ArrayLike | None = None
    center_batches: bool = False
    provenance: Mapping[str, Any] | None = None
    annotation: Any = None
    suspicions: Sequence[Suspicion] | None = None
    found: Sequence[Suspicion] | None = None
    positive: Any = None
    target: str | None = None

    shared_table = staticmethod(shared_table)


@dataclass(frozen=True)
class CheckedData:
    """A data set whose parts fit together; ``sizes`` are the study's on so many features."""

    name: str
    X: Any
    target: Target
    design: Design
    truth: NDArray[np.float64] | None
    annotation: dict[str, list[str | None]] | None
    given: Dataset
    sizes: tuple[int, ...]

    @property
    def groups(self) -> NDArray[Any] | None:
        """Groups of rows that stay together."""
        return self.design.groups


def checked_data(name: str, given: Dataset, sizes: Any) -> CheckedData:
    """Return a data set whose rows, outcome, groups, truth and the study's sizes fit together."""
    X, target = as_table(given.X), as_target(given.y, given.target, positive=given.positive)
    for name, n_rows in target.rarer_than(2):
        raise ValueError(f"{name} has {n_rows} row, which is too few to train and to test on.")
    if target.values.shape != (X.shape[0],):
        raise ValueError(f"y has shape {target.values.shape}; X has {X.shape[0]} rows.")
    n_features, truth, annotation = X.shape[1], None, None
    if given.truth is not None:
        truth = np.asarray(given.truth, dtype="<f8")
        if truth.shape != (n_features,) or not np.isfinite(truth).all():
            raise ValueError(
                f"truth must be one finite relevance per feature, shape ({n_features},); "
                f"got shape {truth.shape}."
            )
    if given.annotation is not None:
        table = pd.DataFrame(given.annotation)
        if len(table) != n_features:
            raise ValueError(f"annotation has {len(table)} rows; X has {n_features} features.")
        annotation = {
            str(column): [None if pd.isna(value) else str(value) for value in table[column]]
            for column in table.columns
        }
    return CheckedData(
        name=name,
        X=X,
        target=target,
        design=_design(given, target),
        truth=truth,
        annotation=annotation,
        given=given,
        sizes=_subset_sizes(sizes, n_features, target.most_features),
    )


def _design(given: Dataset, target: Target) -> Design:
    """Return what is known of the rows beside features and outcome."""
    columns: dict[str, NDArray[Any]] = {}
    n_rows = len(target)
    for name in ("batch", "pairs", "groups"):
        if getattr(given, name) is not None:
            columns[name] = names_of_rows(name, getattr(given, name), n_rows)
    if "pairs" in columns:
        if "groups" in columns or given.covariates is not None:
            raise Refusal(
                "pairs keep rows together as groups do, so give one of them; and what belongs to a "
                "pair makes no difference within it, so leave covariates out.",
                parameter=("pairs", "groups"),
            )
        target.on_second_side(columns["pairs"])
        columns["groups"] = columns["pairs"]
    covariates = None
    if given.covariates is not None:
        frame = pd.DataFrame(given.covariates)
        if len(frame) != n_rows:
            raise ValueError(f"covariates has {len(frame)} rows; X has {n_rows}.")
        covariates = Covariates.of(frame)
    return Design(covariates, **columns, centered=bool(given.center_batches))


def as_table(X: Any) -> Any:
    """Return a table of rows × features as a frame, an array or a CSR matrix."""
    if sparse.issparse(X):
        X = X.tocsr()
    elif not hasattr(X, "columns"):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"X must be a table of rows × features, got shape {X.shape}.")
    return X


def log_sizes(n_features: int) -> tuple[int, ...]:
    """Return the subset sizes that ``sizes="log"`` stands for: 1, 2, 5, 10, … below all features.

    >>> log_sizes(30)
    (1, 2, 5, 10, 20)
    """
    steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    return tuple(size for size in steps if size < n_features) or (1,)


def _subset_sizes(sizes: Any, n_features: int, most: int) -> tuple[int, ...]:
    """Return the sizes in order; "log" is 1, 2, 5, 10, … up to `most`, below that of features."""
    if isinstance(sizes, str):
        if sizes != "log":
            raise ValueError(f"sizes={sizes!r} must be 'log' or a list of integers.")
        return tuple(size for size in log_sizes(n_features) if size <= most)
    sizes = list(sizes)
    for size in sizes:
        whole = isinstance(size, Integral) and not isinstance(size, bool)
        if not whole or not 1 <= size <= n_features:
            raise ValueError(
                f"sizes holds {size!r}; sizes are integers from 1 to the number of features, "
                f"{n_features}."
            )
    if not sizes:
        raise ValueError("sizes is empty; give at least one, or 'log'.")
    return tuple(sorted({int(size) for size in sizes}))
