"""The signature's features in somebody else's table: found by name, replaced, rescaled.

The outcomes of its rows have no part in any of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import columns_of
from backstay._refusal import Refusal
from backstay._words import listed
from backstay.signature._document import N_QUANTILES, SignatureError

Array = NDArray[np.float64]
Names = Sequence[str] | None
Feature = dict[str, Any]  # of a document
QUANTILES = np.arange(1, N_QUANTILES + 1) / (N_QUANTILES + 1)
RESCALES = ("none", "zscore")
# Rows that a mean and a spread of a cohort need.
LEAST_ROWS = 5


@dataclass(frozen=True)
class StandIn:
    """What was taken for a feature that a cohort does not have."""

    feature: str
    by: str | None  # the correlated feature it was computed from; None for the training mean
    correlation: float  # of both in the training rows; 0 for the training mean


@dataclass(frozen=True)
class Cohort:
    """A cohort's values of the features, in the signature's order, and what was done to get them.

    Attributes
    ----------
    raw, values : array of shape (n_rows, n_features)
        Values before rescaling, nan where the table has none, and those to predict from.
    stand_ins : list of StandIn
        For features that the table does not have.
    Z : array or None
        Covariates, where the signature has any.
    """

    raw: Array
    values: Array
    stand_ins: list[StandIn]
    Z: Array | None = None


def _named(X: Any, names: Names, features: list[Feature]) -> tuple[Any, list[str]]:
    """Return a table and the names of its columns; arrays have the names they are given."""
    if hasattr(X, "columns"):
        return X, list(map(str, X.columns))
    X = X.tocsc() if sparse.issparse(X) else np.asarray(X)
    if len(X.shape) != 2:
        raise SignatureError(f"X must be a table of rows × features, got shape {X.shape}.")
    if names is None and X.shape[1] == len(features):
        names = [feature["name"] for feature in features]
    if names is None or len(names) != X.shape[1]:
        given = "without names" if names is None else f"and {len(names)} names"
        raise SignatureError(
            f"X has {X.shape[1]} columns {given}; the signature has {len(features)} features. Give "
            "a frame, feature_names, or exactly these columns in the signature's order."
        )
    return X, list(map(str, names))


def _column(table: Any, names: list[str], name: str) -> Array:
    """Return a column as numbers, nan where it has none."""
    if names.count(name) > 1:
        raise SignatureError(f"the table has more than one column {name!r}; keep one of them.")
    try:
        values = columns_of(table, np.array([names.index(name)]))[:, 0]
    except (TypeError, ValueError) as error:
        raise SignatureError(
            f"column {name!r} does not hold numbers ({error}); give the values that the "
            "signature was trained on."
        ) from error
    if np.isinf(values).any():
        raise SignatureError(f"column {name!r} holds infinite values.")
    return values


def cohort_of(
    document: Mapping[str, Any], X: Any, names: Names, allow_missing: bool, rescale: str
) -> Cohort:
    """Return a cohort's values of the features; see :meth:`Signature.read`."""
    if rescale not in RESCALES:
        raise Refusal(
            f"rescale={rescale!r} must be one of {', '.join(RESCALES)}.", parameter="rescale"
        )
    features = document["features"]
    table, there = _named(X, names, features)
    absent = [feature["name"] for feature in features if feature["name"] not in there]
    if absent and not allow_missing:
        raise SignatureError(
            f"{len(absent)} of the {len(features)} features are not in the table: "
            f"{listed(absent)}. Rename columns if these have other names there; allowing missing "
            "features takes a stand-in for them.",
            parameter="allow_missing",
        )
    if len(absent) == len(features):
        raise SignatureError("none of the signature's features is in the table.")
    stand_ins, columns = [], []
    for feature in features:
        if feature["name"] in there:
            columns.append(_column(table, there, feature["name"]))
            continue
        # The strongest correlated feature that is there, or the mean; also for its gaps.
        values, stand_in = np.full(table.shape[0], np.nan), StandIn(feature["name"], None, 0.0)
        for other in feature["stand_ins"]:
            if other["name"] in there:
                own = _column(table, there, other["name"])
                values = other["intercept"] + other["slope"] * own
                stand_in = StandIn(feature["name"], other["name"], other["correlation"])
                break
        columns.append(np.where(np.isnan(values), feature["mean"], values))
        stand_ins.append(stand_in)
    raw = np.column_stack(columns)
    _check_gaps(document, raw)
    if rescale == "none":
        _check_logarithms(document, raw)
        return Cohort(raw, raw, stand_ins)
    present = np.array([feature["name"] not in absent for feature in features])
    return Cohort(raw, _rescaled(features, raw, present), stand_ins)


def _check_gaps(document: Mapping[str, Any], raw: Array) -> None:
    """Refuse missing cells unless the signature fills them in."""
    gaps = np.isnan(raw)
    if not gaps.any() or any(step["kind"] == "fill" for step in document["steps"]):
        return
    names = [document["features"][j]["name"] for j in np.flatnonzero(gaps.any(axis=0))]
    raise SignatureError(
        f"{int(gaps.sum())} cells are missing in {listed(names)}; the signature was trained "
        "without missing cells, so fill them in or leave these rows out."
    )


def _check_logarithms(document: Mapping[str, Any], raw: Array) -> None:
    """Refuse values whose logarithm was taken twice, or never, unlike the training rows'."""
    floor, known = document["training"]["log2"], raw[~np.isnan(raw)]
    if floor is None or not len(known):
        return
    trained = np.array([feature["quantiles"] for feature in document["features"]])
    least = np.log2(float(floor)) + 1e-9
    below, before = float((known <= least).mean()), float((trained <= least).mean())
    if below > (1 + before) / 2:
        raise SignatureError(
            f"{below:.0%} of the values are at the floor of {floor:g} or below, {before:.0%} in "
            "the training rows. It looks as if log2 had been taken of them before: if so, do not "
            "take it again.",
            parameter="log2",
        )
    if np.median(known) > 2 * trained.max():
        raise SignatureError(
            f"half of the values are above {np.median(known):.4g}; log2 of the training rows' is "
            f"at most {trained.max():.4g}. Raise values to {floor:g} and take log2, as then.",
            parameter="log2",
        )


def _rescaled(features: list[Feature], raw: Array, present: NDArray[np.bool_]) -> Array:
    """Return columns moved to the mean and spread of the training rows."""
    if len(raw) < LEAST_ROWS:
        raise SignatureError(
            f"rescale='zscore' needs {LEAST_ROWS} rows to see how the cohort is spread; there are "
            f"{len(raw)}."
        )
    values = raw.copy()
    for j in np.flatnonzero(present):
        known = raw[:, j][~np.isnan(raw[:, j])]
        if len(known) > 1 and np.ptp(known) > 0:  # a single value has no spread
            z = (raw[:, j] - known.mean()) / known.std(ddof=1)
            values[:, j] = features[j]["mean"] + features[j]["sd"] * z
    return values
