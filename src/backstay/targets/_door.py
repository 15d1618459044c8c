"""Which kind of outcome is this? Decided once, where data come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._validation import check_nothing_missing, plain_labels
from backstay.targets._classes import ClassTarget
from backstay.targets._metric import Metric
from backstay.targets._target import Target

KINDS: dict[str, type[ClassTarget]] = {ClassTarget.kind: ClassTarget}


def as_target(y: Any, kind: str | None = None, *, positive: Any = None) -> Target:
    """Return the target of some rows: what they are to predict, of a known kind.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or Target
        One outcome per row. A target is returned as it is.
    kind : {"classes"}, default=None
        Kind of outcome; None finds it out.
    positive : object, default=None
        Of two classes, the label that metrics of one class are about; None is the second in order.

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
    """
    if isinstance(y, Target):
        return y
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind={kind!r} is unknown; there are {', '.join(KINDS)}.")
    values = np.asarray(plain_labels(y))
    check_nothing_missing("y", values)
    return ClassTarget.of(values, positive)


def from_store(stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Target:
    """Return the target that a store describes, of the kind it names."""
    return KINDS[stored["kind"]].from_store(stored, arrays)


def find_metric(name: str) -> Metric:
    """Return a metric by name, of whatever kind of outcome it is."""
    for kind in KINDS.values():
        if name in kind.metrics:
            return kind.metrics[name]
    known = ", ".join(metric for kind in KINDS.values() for metric in kind.metrics)
    raise Refusal(f"metric={name!r} is unknown; there are {known}.", parameter="metric")
