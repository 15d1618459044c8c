"""The one door to scikit-learn's validation helpers, with errors that say what would be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import Field, field
from functools import reduce
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context, clone
from sklearn.utils import _safe_indexing as take
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    check_is_fitted,
    check_X_y,
    has_fit_parameter,
    validate_data,
)

try:
    from sklearn.svm import _libsvm as libsvm
except ImportError:  # pragma: no cover - another scikit-learn; callers have a public way
    libsvm = None

# scikit-learn's own, for the other modules.
__all__ = [
    "Interval",
    "StrOptions",
    "check_is_fitted",
    "check_random_state",
    "has_fit_parameter",
    "libsvm",
    "ovr_decision_function",
    "take",
]

FLOATS = [np.float64, np.float32]
PART_CELLS = 2**20  # of shared rows that are copied at a time
# Kinds of outcome, and how messages call them.
OUTCOMES = {"classes": "classes", "numbers": "numbers", "survival": "times until an event"}
SURVIVAL = np.dtype([("event", "?"), ("time", "<f8")])
MOST_FLOAT_CLASSES = 20  # whole numbers stored as floating point, up to which they are classes
Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Check the parameters before ``fit``; estimators that hold others must pass False."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy whose unset random states hold the seed; those that are set stay."""
    copied = clone(estimator)
    unset = {
        path: seed
        for path, value in copied.get_params(deep=True).items()
        if (path == "random_state" or path.endswith("__random_state")) and value is None
    }
    return copied.set_params(**unset) if unset else copied


def param(default: Any, *allowed: Any) -> Any:
    """Declare a parameter of an estimator: its default, and the values that ``fit`` takes."""
    values = [*allowed, None] if default is None else [*allowed]
    return field(default=default, metadata={"allowed": values})


class Parameters:
    """Base of estimators that are dataclasses and declare parameters with :func:`param`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        allowed: dict[str, list[Any]] = {}
        for base in reversed(cls.__mro__):
            allowed |= vars(base).get("_parameter_constraints", {})
        for name, value in vars(cls).items():
            if isinstance(value, Field) and "allowed" in value.metadata:
                allowed[name] = value.metadata["allowed"]
        cls._parameter_constraints = allowed


def positive_int(*, minimum: int = 1) -> Interval:
    """Return the constraint "an integer of at least `minimum`" for :func:`param`."""
    return Interval(Integral, minimum, None, closed="left")


# More constraints for `param`.
POSITIVE = Interval(Real, 0, None, closed="neither")
# Numbers of 16 digits never agree better; a solver would run for ever.
TOLERANCE = Interval(Real, 1e-15, None, closed="left")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="right")
PROPER_SHARE = Interval(Real, 0, 1, closed="neither")


def is_nominal(dtype: Any) -> bool:
    """Whether a pandas or polars column type holds categories, text or truth values."""
    name = str(dtype).lower()
    return name in ("bool", "boolean", "object", "str") or name.startswith(
        ("categor", "enum", "string")
    )


def check_columns(estimator: Any, X: Any, *, nominal: bool) -> None:
    """Refuse a frame with duplicate names, dates, or text where only numbers are taken."""
    if not hasattr(X, "columns"):
        return
    names = list(X.columns)
    repeated = [str(c) for c, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"X has more than one column named {', '.join(repeated)}; names must differ."
        )
    types = dict(zip(names, (str(dtype).lower() for dtype in X.dtypes), strict=True))
    dates = [str(c) for c, kind in types.items() if kind.startswith(("date", "time", "duration"))]
    if dates:
        raise ValueError(
            f"X has dates or times in column {', '.join(dates)}; "
            "turn them into numbers (days since an event, say) or drop them."
        )
    if nominal:
        return
    text = [str(c) for c, kind in types.items() if _is_text(kind, X[c])]
    if text:
        raise ValueError(
            f"X has categories or text in column {', '.join(text)}; "
            f"{type(estimator).__name__} takes numbers only. "
            "ReliefF, and filters such as InformationGain, take such columns as they are; for "
            "others encode them first."
        )


def _is_text(kind: str, column: Any) -> bool:
    if kind == "object":  # pandas before 3.0 keeps text so, and numbers of mixed types
        return any(isinstance(value, str) for value in column)
    return kind.startswith(("categor", "enum", "str"))


def plain_labels(y: Any) -> Any:
    """Return whole numbers and truth values, whatever holds them, as an array of that type."""
    if y is None or hasattr(y, "tocsr"):
        return y
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1 or not len(values):
        return y
    if values.dtype != object:
        return values if values.dtype.kind in "iub" else y
    kinds = {type(value) for value in values.tolist()}
    if kinds <= {bool, np.bool_}:
        return values.astype(np.bool_)
    if not all(issubclass(kind, Integral) and kind is not bool for kind in kinds):
        return y
    return values.astype(np.uint64 if values.max() > np.iinfo(np.int64).max else np.int64)


def check_nothing_missing(argument: str, values: NDArray[Any]) -> None:
    """Refuse outcomes or groups that are None or nan."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(
            f"{argument} is None or nan in {len(missing)} of {len(values)} rows, first in row "
            f"{missing[0]}; leave these rows out or fill them in."
        )


def names_of_rows(argument: str, given: Any, n_rows: int) -> NDArray[Any]:
    """Return what groups, pairs or batches call the rows: one name each, none of them missing."""
    names = np.asarray(given)
    if names.shape != (n_rows,):
        raise ValueError(f"{argument} has shape {names.shape}; X has {n_rows} rows.")
    check_nothing_missing(argument, names)
    return names


class SharedRows:
    """Rows of a large table that processes share, for methods that set ``takes_shared_rows``.

    They are copied a few at a time, or where a method copies them anyway.
    """

    ndim = 2

    def __init__(self, table: NDArray[Any], rows: NDArray[np.intp]) -> None:
        self.table, self.rows, self.dtype = np.asarray(table), rows, table.dtype
        self.shape, self.size = (len(rows), table.shape[1]), len(rows) * table.shape[1]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.table[self.rows], dtype)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return np.asarray(self.table[self.rows[rows], columns])

    def parts(self, order: Iterable[int] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield a few rows at a time, in an order, and their places in it."""
        places = np.arange(len(self.rows)) if order is None else np.asarray(order)
        step = max(1, PART_CELLS // self.shape[1])
        for start in range(0, len(places), step):
            yield slice(start, start + step), self[places[start : start + step]]

    def min(self, axis: int) -> NDArray[Any]:
        """Return the least value of every column."""
        return reduce(np.minimum, (part.min(axis=axis) for _, part in self.parts()))

    def max(self, axis: int) -> NDArray[Any]:
        """Return the greatest value of every column."""
        return reduce(np.maximum, (part.max(axis=axis) for _, part in self.parts()))


def validate_X_y(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    accept_sparse: bool | str | Iterable[str] = False,
    allow_nan: bool = False,
) -> tuple[Any, NDArray[Any]]:
    """Check a table and its labels; set ``n_features_in_`` and ``feature_names_in_``."""
    finite = "allow-nan" if allow_nan else True
    if isinstance(X, SharedRows):
        for _, part in X.parts():
            check_array(part, input_name="X", ensure_all_finite=finite)
        return X, validate_names(estimator, X, y)
    check_columns(estimator, X, nominal=False)
    y = plain_labels(y)
    X, y = validate_data(
        estimator,
        X,
        y,
        dtype=FLOATS,
        accept_sparse=accept_sparse,
        ensure_all_finite=finite,
        ensure_min_samples=2,
    )
    return X, y


def validate_names(estimator: Any, X: Any, y: Any) -> NDArray[Any]:
    """Check feature names, width and labels of a frame whose columns are converted later."""
    check_columns(estimator, X, nominal=True)
    y = plain_labels(y)
    validate_data(estimator, X, y, skip_check_array=True)
    # One numeric column stands in for the frame: its own columns are checked one by one.
    return check_X_y(np.zeros((_num_samples(X), 1)), y, ensure_min_samples=2)[1]


def validate_for_parts(
    estimator: Any, X: Any, y: Any, *, accept_sparse: Iterable[str] = ("csr",)
) -> tuple[Any, NDArray[Any]]:
    """Check a table as far as an estimator made of others must; these check their own columns."""
    if hasattr(X, "columns"):  # frames keep their types
        return X, validate_names(estimator, X, y)
    tags = get_tags(estimator).input_tags
    formats = list(accept_sparse) if tags.sparse else False
    return validate_X_y(estimator, X, y, accept_sparse=formats, allow_nan=tags.allow_nan)


def validate_width(estimator: Any, X: Any) -> None:
    """Check only the names and number of a frame's columns against the training rows."""
    validate_data(estimator, X, skip_check_array=True, reset=False)


def validate_rows(estimator: Any, X: Any) -> NDArray[Any]:
    """Check new rows against what `estimator` was fitted on."""
    return validate_data(estimator, X, dtype=FLOATS, reset=False)


def outcome_kind(y: ArrayLike) -> str:
    """Say what kind of outcome `y` holds, from its values alone.

    Whole numbers stored as floating point are classes only if there are few of them.
    """
    values = np.asarray(y)
    if values.dtype.names:
        kinds = [values.dtype[name].kind for name in values.dtype.names]
        if len(kinds) != 2 or "b" not in kinds or not {*kinds} & {*"iuf"}:
            raise ValueError(
                f"y has the fields {', '.join(values.dtype.names)}; for times until an event it "
                "needs two, a truth value (did the event happen?) and a number (when?)."
            )
        return "survival"
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return "classes"
    few = len(np.unique(values)) <= min(MOST_FLOAT_CLASSES, values.size / 2)
    return "classes" if few and not _has_fractions(values) else "numbers"


def check_outcome(estimator: Any, y: ArrayLike) -> str:
    """Return the kind of outcome in `y`; refuse one that `estimator` does not take.

    Whole numbers are classes where only classes are taken, numbers where only numbers are.
    """
    taken = getattr(estimator, "outcomes", ("classes",))
    values, kind = np.asarray(y), outcome_kind(y)
    if kind not in taken and values.dtype.kind in "iuf" and not _has_fractions(values):
        other = "numbers" if kind == "classes" else "classes"
        kind = other if other in taken else kind
    if kind in taken:
        return kind
    held = OUTCOMES[kind]
    if kind == "numbers":
        flat = np.ravel(values)
        held += f", such as {flat[np.argmax(flat % 1 != 0)]:g}"
    takes = " or ".join(OUTCOMES[name] for name in taken) or "nothing (its parts differ in that)"
    better = getattr(estimator, "instead", {}).get(kind)
    if kind == "survival" and "numbers" in taken:
        better = better or f"OnResiduals({_name(estimator)}())"
    hint = f"; {better} takes {OUTCOMES[kind]}" if better else ""
    raise ValueError(
        f"Unknown label type: {_name(estimator)} takes {takes} as outcome, but y holds "
        f"{held}{hint}."
    )


def as_numbers(estimator: Any, y: ArrayLike) -> NDArray[np.float64]:
    """Return an outcome of numbers divided by a power of two, all between -1/2 and 1/2.

    Of such numbers only 0 is whole, so that no part of the rows is taken for classes.
    """
    values = np.asarray(y, dtype=np.float64)
    if (values == values[0]).all():
        raise ValueError(
            f"y is {values[0]:g} in all {len(values)} rows; {_name(estimator)} needs at least 2 "
            "different numbers in the training rows."
        )
    return np.ldexp(values, -1 - int(np.frexp(np.abs(values).max())[1]))


def as_survival(estimator: Any, y: NDArray[Any]) -> NDArray[Any]:
    """Return times with the fields ``event`` and ``time``, with rows at risk after an event."""
    fields = sorted(y.dtype.names or (), key=lambda name: y.dtype[name].kind != "b")
    event, time = (np.asarray(y[name]) for name in fields)
    bad = np.flatnonzero(~(np.isfinite(time) & (time > 0)))
    if len(bad):
        raise ValueError(
            f"y has the time {time[bad[0]]:g} in row {bad[0]}; {_name(estimator)} needs finite "
            "times above 0 until the event, or until the row was last seen."
        )
    if not event.any():
        raise ValueError(
            f"y holds no event in {len(y)} rows, all of them are censored; {_name(estimator)} "
            "needs at least one."
        )
    first = time[event].min()
    if not (~event & (time == first) | (time > first)).any():
        raise ValueError(
            f"y has nobody left to compare with after the first event, at time {first:g}; "
            f"{_name(estimator)} needs events at different times, or rows censored later."
        )
    outcome = np.empty(len(y), dtype=SURVIVAL)
    outcome["event"], outcome["time"] = event, time
    return outcome


def _name(estimator: Any) -> str:
    return estimator if isinstance(estimator, str) else type(estimator).__name__


def _has_fractions(values: NDArray[Any]) -> bool:
    return bool((values % 1 != 0).any())


def encode_labels(estimator: Any, y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes, at least two, and each row's class number."""
    name = _name(estimator)
    check_outcome(estimator, y)
    try:
        kind = type_of_target(y, input_name="y")
    except TypeError:  # values of several types have no order
        kinds = sorted({type(value).__name__ for value in np.ravel(np.asarray(y, dtype=object))})
        raise ValueError(
            f"y mixes labels of the types {', '.join(kinds)}; make all of them text."
        ) from None
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: y is {kind}; {name} needs class labels, "
            "one per row, of two or more classes."
        )
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has 1 class ({classes.tolist()[0]!r}); "
            f"{name} needs at least 2 classes in the training rows."
        )
    return classes, codes.astype(np.intp, copy=False)


def validate_sample_weight(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Check instance weights: one per row, finite, non-negative, not all zero; keep None."""
    if sample_weight is None:
        return None
    given = np.asarray(sample_weight)
    if given.size and not given.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.argmin(weights))
        raise ValueError(
            f"Negative values in sample_weight: row {row} has {weights.tolist()[row]!r}; "
            "weights must be 0 or more."
        )
    return weights


def resolve_n_features(requested: Any, n_features: int) -> int:
    """Turn ``n_features_to_select`` (int, float in (0, 1], None = half) into a count."""
    if requested is None:
        return max(1, n_features // 2)
    if requested == "fdr":
        raise ValueError(
            "n_features_to_select='fdr' needs a p-value for every feature. BetweenWithinRatio, "
            "ChiSquared, CoxScore, FStatistic, SlopeTest, Spearman, TTest and Wilcoxon have them, "
            "on their own and not inside another ranker; for any other ranker, DecoyControl finds "
            "q-values."
        )
    if isinstance(requested, Integral):
        if not 1 <= int(requested) <= n_features:
            raise ValueError(
                f"n_features_to_select={requested!r} must lie between 1 and the number "
                f"of features, {n_features}."
            )
        return int(requested)
    if not 0 < requested <= 1:
        raise ValueError(
            f"n_features_to_select={requested!r} as a fraction must lie in (0, 1]; "
            "give an int for a count."
        )
    return max(1, int(requested * n_features))
