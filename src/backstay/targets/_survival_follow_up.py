"""How long rows were followed: times and events as an array, and what follows from all of them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay._kernels._survival import censoring_survival
from backstay._refusal import Refusal
from backstay._validation import SURVIVAL as DTYPE
from backstay._words import counted, listed
from backstay.targets._target import Floats

Flags = NDArray[np.bool_]
# Events that a training part and, on average, a test part need, and so a study.
EVENTS_TO_TRAIN, EVENTS_TO_TEST = 20, 10
LEAST_EVENTS = EVENTS_TO_TRAIN + EVENTS_TO_TEST
# Concordance is up to this quantile of the event times, and while so many rows are followed.
LATE, STILL_FOLLOWED = 0.9, 0.1


def survival(time: ArrayLike, event: ArrayLike, *, event_is: Any = None) -> NDArray[Any]:
    """Return times until an event as one array, the outcome of a study.

    Parameters
    ----------
    time : array-like of shape (n_rows,)
        How long every row was followed, above 0: until the event, or until nothing more is known
        of it.
    event : array-like of shape (n_rows,)
        Whether the event happened then: truth values, or 0 and 1.
    event_is : object, default=None
        The value of `event` that means that it happened, where it has two others.

    Returns
    -------
    ndarray of shape (n_rows,)
        With the fields ``event`` and ``time``.

    Examples
    --------
    >>> from backstay.targets import survival
    >>> survival([5, 8.5], [True, False])["time"]
    array([5. , 8.5])
    >>> survival([5, 8.5], ["dead", "alive"], event_is="dead")["event"]
    array([ True, False])
    """
    try:
        times = np.asarray(time, dtype=np.float64)
    except (TypeError, ValueError):
        raise Refusal("time must hold numbers; some are text or dates.", parameter="time") from None
    given = np.asarray(event)
    if times.ndim != 1 or given.shape != times.shape:
        raise Refusal(
            f"time has shape {times.shape} and event {given.shape}; each needs one value per row.",
            parameter="time",
        )
    y = np.empty(len(times), dtype=DTYPE)
    y["event"], y["time"] = _events(given, event_is), times
    for wrong, words in (
        (np.isnan(times), "missing in {}; leave such rows out"),
        (np.isinf(times), "infinite in {}; give the time up to which a row was followed"),
        (times <= 0, "0 or less in {}; times are above 0, counted from one start to the event"),
    ):
        if wrong.any():
            where = f"{counted(int(wrong.sum()), 'row')}, first row {np.argmax(wrong)}"
            raise Refusal(f"time is {words.format(where)}.", parameter="time")
    return y


def _events(given: NDArray[Any], event_is: Any) -> Flags:
    """Return which rows have the event; what means it is never guessed."""
    if (missing := np.flatnonzero(pd.isna(given))).size:
        raise Refusal(
            f"event is missing in {counted(len(missing), 'row')}, first row {missing[0]}; leave "
            "such rows out.",
            parameter="event",
        )
    values = list(dict.fromkeys(sorted(given.tolist(), key=str)))
    if len(values) > 2:
        raise Refusal(
            f"event holds {len(values)} values, {listed(values, 6)}; it takes two, whether the "
            "event happened or not. Several kinds of event (competing risks), repeated events "
            "and intervals are not for backstay: decide what counts as the event.",
            parameter="event",
        )
    if event_is is not None:
        happened = np.array([str(one) == str(event_is) for one in given.tolist()], dtype=bool)
        if not happened.any():
            raise Refusal(
                f"event_is={event_is!r} is no value of event, which holds {listed(values)}.",
                parameter="event_is",
            )
        return happened
    if not set(values) <= {0, 1}:
        raise Refusal(
            f"event holds {listed(values)}; say with event_is which value means that the event "
            "happened.",
            parameter="event_is",
        )
    return given.astype(bool)


def as_survival(y: NDArray[Any]) -> NDArray[Any]:
    """Return an array of a truth value and a number, whatever their names, with ours."""
    names = y.dtype.names or ()
    kinds = {y.dtype[name].kind: name for name in names}
    number = next((kinds[kind] for kind in "fiu" if kind in kinds), None)
    if len(names) != 2 or "b" not in kinds or number is None:
        raise Refusal(
            "times until an event need an array with two fields, a truth value and a number; make "
            "it with backstay.targets.survival(time, event).",
            parameter=("time", "event"),
        )
    return survival(y[number], y[kinds["b"]])


@dataclass(frozen=True)
class FollowUp:
    """What all rows of a table say of the time that rows were followed; parts of them share it."""

    time: Floats
    event: Flags
    tau: float  # concordance compares events before it
    horizon: float  # at which survival is predicted

    @classmethod
    def of(cls, y: NDArray[Any], horizon: float | None = None) -> Self:
        """Return it for all rows; the horizon is the median time of an event unless given."""
        time, event = y["time"], y["event"]
        late, median = float(np.quantile(time[event], LATE)), float(np.median(time[event]))
        made = cls(time, event, late, median if horizon is None else float(horizon))
        tau = min(late, made.last)
        if horizon is not None:
            return replace(made, tau=tau)._checked()
        return replace(made, tau=tau, horizon=min(median, tau))

    def _checked(self) -> Self:
        """Refuse a horizon before the first event, or when nobody is followed any more."""
        first, last = float(self.time[self.event].min()), self.last
        if not first <= self.horizon <= last or not (self.time > self.horizon).any():
            raise Refusal(
                f"horizon={self.horizon:g} must lie between {first:g}, the first event, and "
                f"{last:g}, until which enough rows are followed.",
                parameter="horizon",
            )
        return self

    def followed(self, at: Floats) -> Floats:
        """Return Ĝ just before times: the chance that a row is still followed then."""
        return censoring_survival(self.time, self.event, np.asarray(at, dtype=np.float64))

    @cached_property
    def last(self) -> float:
        """The last time up to which enough rows are followed."""
        times = np.unique(self.time)
        late = times[self.followed(_after(times)) >= STILL_FOLLOWED]
        return float(late[-1] if len(late) else times[0])

    @property
    def reaches_horizon(self) -> bool:
        """Whether it is known of enough rows what happened up to the horizon."""
        return bool(len(self.time)) and self.horizon <= self.last

    @cached_property
    def at_horizon(self) -> float:
        """Ĝ just before the horizon."""
        return float(self.followed(np.array([self.horizon]))[0])

    @cached_property
    def median(self) -> float:
        """Median time of follow-up, by the reverse Kaplan–Meier curve; the last time if beyond."""
        times = np.unique(self.time)
        left = times[self.followed(_after(times)) <= 0.5]
        return float(left[0] if len(left) else times[-1])

    def with_rows(self, y: NDArray[Any]) -> Self:
        """Return the same τ and horizon with Ĝ of other rows."""
        return replace(self, time=y["time"], event=y["event"])


def _after(times: Floats) -> Floats:
    return np.nextafter(times, np.inf)
