"""The signature's features in somebody else's table: found by name, replaced, rescaled.

The outcomes of its rows have no part in any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import columns_of
from backstay._refusal import Refusal
from backstay._words import listed
from backstay.signature._document import N_QUANTILES
from backstay.signature._error import SignatureError

Array = NDArray[np.float64]
Names = Sequence[str] | None
Feature = dict[str, Any]  # of a document
QUANTILES = np.arange(1, N_QUANTILES + 1) / (N_QUANTILES + 1)
RESCALES = ("none", "zscore", "quantile")
# Rows that a mean and a spread, or quantiles, of a cohort need.
LEAST_ROWS = {"zscore": 5, "quantile": 20}


@dataclass(frozen=True)
class StandIn:
    """What was taken for a feature that a cohort does not have.

    Attributes
    ----------
    feature : str
        Name of the feature.
    by : str or None
        Name of the correlated feature it was computed from; None for the training mean.
    correlation : float
        Of both in the training rows; 0 for the training mean.
    """

    feature: str
    by: str | None
    correlation: float


@dataclass(frozen=True)
class Cohort:
    """A cohort's values of the features, in the signature's order, and what was done to get them.

    Attributes
    ----------
    raw : array of shape (n_rows, n_features)
        Values before rescaling; nan where the table has none.
    values : array of shape (n_rows, n_features)
        Values to predict from.
    stand_ins : list of StandIn
        For features that the table does not have.
    Z : array or None
        Covariates, where the signature has any.
    """

    raw: Array
    values: Array
    stand_ins: list[StandIn]
    Z: Array | None = None


class NamedColumns:
    """Columns of a table by name, whatever holds them; arrays have the names they are given."""

    def __init__(self, X: Any, names: Names, features: list[Feature]) -> None:
        framed = hasattr(X, "columns")
        if not framed:
            X = X.tocsc() if sparse.issparse(X) else np.asarray(X)
        if len(X.shape) != 2:
            raise SignatureError(f"X must be a table of rows × features, got shape {X.shape}.")
        given = list(X.columns) if framed else _array_names(X, names, features)
        if len(given) != X.shape[1]:
            raise SignatureError(f"{len(given)} names were given for {X.shape[1]} columns.")
        texts = list(map(str, given))
        times = Counter(texts)
        for feature in features:
            if times[feature["name"]] > 1:
                raise SignatureError(
                    f"the table has more than one column {feature['name']!r}; keep one of them."
                )
        self._table, self.n_rows = X, int(X.shape[0])
        self._names = texts

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def values(self, name: str) -> Array:
        """Return a column as numbers, nan where it has none."""
        try:
            values = columns_of(self._table, np.array([self._names.index(name)]))[:, 0]
        except (TypeError, ValueError) as error:
            raise SignatureError(
                f"column {name!r} does not hold numbers ({error}); give the values that the "
                "signature was trained on."
            ) from error
        if np.isinf(values).any():
            raise SignatureError(f"column {name!r} holds infinite values.")
        return values


def _array_names(X: Any, names: Names, features: list[Feature]) -> Sequence[str]:
    if names is not None:
        return [str(name) for name in names]
    if X.shape[1] == len(features):
        return [feature["name"] for feature in features]
    raise SignatureError(
        f"X has {X.shape[1]} columns without names; the signature has {len(features)} features. "
        "Give a frame, feature_names, or exactly these columns in the signature's order."
    )


def cohort_of(
    document: Mapping[str, Any], X: Any, names: Names, allow_missing: bool, rescale: str
) -> Cohort:
    """Return a cohort's values of the features; see :meth:`Signature.read`."""
    if rescale not in RESCALES:
        raise Refusal(
            f"rescale={rescale!r} must be one of {', '.join(RESCALES)}.", parameter="rescale"
        )
    features = document["features"]
    table = NamedColumns(X, names, features)
    absent = [feature["name"] for feature in features if feature["name"] not in table]
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
        if feature["name"] in table:
            columns.append(table.values(feature["name"]))
        else:
            values, stand_in = _stood_in(feature, table)
            columns.append(values)
            stand_ins.append(stand_in)
    raw = np.column_stack(columns)
    _check_gaps(document, raw)
    if rescale == "none":
        _check_logarithms(document, raw)
    present = np.array([feature["name"] not in absent for feature in features])
    return Cohort(raw, _rescaled(features, raw, present, rescale), stand_ins)


def _stood_in(feature: Feature, table: NamedColumns) -> tuple[Array, StandIn]:
    """Return the values of the strongest correlated feature that is there, or the mean."""
    for other in feature["stand_ins"]:
        if other["name"] in table:
            values = other["intercept"] + other["slope"] * table.values(other["name"])
            # A gap of the stand-in is no reason to have a gap here.
            values = np.where(np.isnan(values), feature["mean"], values)
            return values, StandIn(feature["name"], other["name"], other["correlation"])
    return np.full(table.n_rows, feature["mean"]), StandIn(feature["name"], None, 0.0)


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
    least = np.log2(floor) + 1e-9
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


def _rescaled(
    features: list[Feature], raw: Array, present: NDArray[np.bool_], rescale: str
) -> Array:
    """Return columns moved to where the training rows were."""
    if rescale == "none":
        return raw
    if len(raw) < LEAST_ROWS[rescale]:
        raise SignatureError(
            f"rescale={rescale!r} needs {LEAST_ROWS[rescale]} rows to see how the cohort is "
            f"spread; there are {len(raw)}."
        )
    values = raw.copy()
    for j in np.flatnonzero(present):
        column = raw[:, j]
        known = column[~np.isnan(column)]
        if len(known) < 2 or np.ptp(known) == 0:
            continue  # a single value has no spread
        if rescale == "zscore":
            z = (column - known.mean()) / known.std(ddof=1)
            values[:, j] = features[j]["mean"] + features[j]["sd"] * z
        else:
            values[:, j] = _mapped(column, np.quantile(known, QUANTILES), features[j]["quantiles"])
    return values


def _mapped(column: Array, here: Array, there: list[float]) -> Array:
    """Map quantiles onto quantiles; outside, distances are scaled as the ranges of both are."""
    knots, places = np.unique(here, return_index=True)
    targets = np.asarray(there)[places]
    inside = np.clip(column, knots[0], knots[-1])
    width = knots[-1] - knots[0]
    scale = (targets[-1] - targets[0]) / width if width > 0 else 1.0
    return np.asarray(np.interp(inside, knots, targets) + scale * (column - inside))
