"""Which kind of outcome is this? Decided once, where data come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._validation import check_nothing_missing, outcome_kind, plain_labels
from backstay._words import nearest
from backstay.targets._classes import ClassTarget
from backstay.targets._metric import Metric
from backstay.targets._numbers import LEAST_ROWS, NumberTarget
from backstay.targets._survival import SurvivalTarget
from backstay.targets._target import Target

KINDS: dict[str, type[ClassTarget | NumberTarget | SurvivalTarget]] = {
    kind.kind: kind for kind in (ClassTarget, NumberTarget, SurvivalTarget)
}


def as_target(
    y: Any, kind: str | None = None, *, positive: Any = None, horizon: float | None = None
) -> Target:
    """Return the target of some rows: what they are to predict, of a known kind.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or Target
        One outcome per row. A target is returned as it is.
    kind : {"classes", "numbers", "survival"}, default=None
        Kind of outcome; None finds it out: text, truth values, categories and whole numbers are
        classes, numbers with fractions are numbers, and an array with a field of truth values and
        one of numbers, such as :func:`survival` makes, has times until an event. Whole numbers
        stored as floating point are classes if they have few values, and refused if many.
    positive : object, default=None
        Of two classes, the label that metrics of one class are about; None is the second in order.
    horizon : float, default=None
        Of times until an event, the time at which survival is predicted; None is the median time
        of the events.

    Returns
    -------
    Target
        With the rows in the order given.

    Examples
    --------
    >>> from backstay.targets import as_target
    >>> target = as_target(["ill", "well", "ill"])
    >>> target.kind, target.summary()
    ('classes', [('ill', 2), ('well', 1)])
    >>> as_target([36.6, 37.1, 38.4, 36.9, 37.0, 36.7, 39.2, 36.8, 37.3, 36.5, 37.9, 36.4]).kind
    'numbers'
    """
    if isinstance(y, Target):
        return y
    if kind is not None and kind not in KINDS:
        raise Refusal(
            f"target={kind!r} is unknown; there are {', '.join(KINDS)}.", parameter="target"
        )
    if y is None or isinstance(y, str | float | int):
        raise Refusal(f"y must hold one outcome per row; got {y!r}.")
    has_fields = isinstance(y, np.ndarray) and y.dtype.names is not None
    if has_fields or horizon is not None or kind == "survival":
        if kind not in (None, "survival") or not has_fields:
            raise Refusal(
                "times until an event, and a horizon, need an array of both times and events; "
                "make it with backstay.targets.survival(time, event).",
                parameter="target" if horizon is None else "horizon",
            )
        return SurvivalTarget.of(y, positive, horizon)
    values = np.asarray(plain_labels(y))
    if values.ndim == 2 and values.shape[1] == 1:  # a frame of one column
        values = np.asarray(plain_labels(values[:, 0]))
    check_nothing_missing("y", values)
    if values.dtype == object and all(isinstance(one, float) for one in values.tolist()):
        values = values.astype(np.float64)
    return KINDS[_found_kind(values) if kind is None else kind].of(values, positive)


def _found_kind(values: NDArray[Any]) -> str:
    """Return the kind of outcome that values are of; refuse those that may be either."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        return NumberTarget.kind  # which refuses them
    kind = outcome_kind(values)
    if kind not in KINDS:
        raise ValueError(f"y holds {kind}; there are {', '.join(KINDS)}.")
    if kind == NumberTarget.kind and (values % 1 == 0).all():
        if len(values) < LEAST_ROWS:
            return ClassTarget.kind
        raise Refusal(
            f"y holds {len(np.unique(values))} different whole numbers as floating point, which "
            "may be names of classes or measured: say which with target='classes' or "
            "target='numbers'.",
            parameter="target",
        )
    return kind


def from_store(stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Target:
    """Return the target that a store describes, of the kind it names."""
    return KINDS[stored["kind"]].from_store(stored, arrays)


def find_metric(name: str) -> Metric:
    """Return a metric by name, of whatever kind of outcome it is."""
    for kind in KINDS.values():
        if name in kind.metrics:
            return kind.metrics[name]
    known = nearest(name, (metric for kind in KINDS.values() for metric in kind.metrics))
    raise Refusal(f"metric={name!r} is unknown; {known}", parameter="metric")
