"""Numbers and findings in words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from backstay.report._curves import AccuracyDisplay, SelectionFrequencyDisplay, StabilityDisplay
from backstay.report._planes import (
    AgreementDisplay,
    FitTimesDisplay,
    ParetoDisplay,
    SampleWeightsDisplay,
)

__all__ = [
    "accuracy_finding",
    "agreement_finding",
    "clean",
    "count",
    "estimator_text",
    "frequency_finding",
    "interval",
    "listed",
    "pareto_finding",
    "percent",
    "percent_interval",
    "signed",
    "stability_finding",
    "times_finding",
    "weights_finding",
]

# A space that neither breaks nor is wide.
THIN = "\u202f"


def clean(text: Any) -> str:
    """Return text without characters that are no text: controls and lone surrogates."""
    return re.sub(
        r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", str(text)
    )


def percent(share: float) -> str:
    """Return a share as a percentage, to the digit that matters.

    Examples
    --------
    >>> percent(0.843), percent(0.9963), percent(float("nan"))
    ('84\u202f%', '99.6\u202f%', 'undefined')
    """
    if math.isnan(share):
        return "undefined"
    return f"{100 * share:.{_digits(share)}f}{THIN}%"


def percent_interval(low: float, high: float) -> str:
    """Return the ends of an interval as percentages within 0 and 100.

    Examples
    --------
    >>> percent_interval(0.853, 0.981), percent_interval(0.94, 0.9881)
    ('85 to 98\u202f%', '94.0 to 98.8\u202f%')
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    ends = [min(max(end, 0.0), 1.0) for end in (low, high)]
    digits = max(_digits(end) for end in ends)
    return f"{100 * ends[0]:.{digits}f} to {100 * ends[1]:.{digits}f}{THIN}%"


def _digits(share: float) -> int:
    """Return 1 near 0 and 1, where whole per cents would claim never or always."""
    return 1 if 0.985 < share < 1 or 0 < share < 0.015 else 0


def interval(low: float, high: float) -> str:
    """Return the ends of an interval of an index.

    Examples
    --------
    >>> interval(-0.024, 0.5)
    '−0.02 to 0.50'
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{_minus(low)} to {_minus(high)}"


def _minus(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.123), signed(-0.001)
    ('+0.12', '0.00')
    """
    text = _minus(value)
    return text if value < 0 or float(f"{value:.2f}") == 0 else f"+{text}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "feature"), count(12000, "feature"), count(2, "class", "classes")
    ('1 feature', '12\u202f000 features', '2 classes')
    """
    number = f"{n:,}".replace(",", THIN)
    return f"{number} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as one would say them.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(list("abcdef"), most=3)
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def estimator_text(described: Any) -> str:
    """Return the description of an estimator in a store as the code that makes it.

    Examples
    --------
    >>> estimator_text({"class": "a.b.SVMRFE", "parameters": {"C": 1.0, "scaling": "minmax"}})
    "SVMRFE(C=1.0, scaling='minmax')"
    """
    if isinstance(described, dict):
        if "class" in described:
            inner = described.get("parameters", {})
            arguments = ", ".join(f"{key}={estimator_text(value)}" for key, value in inner.items())
            return f"{str(described['class']).rsplit('.', 1)[-1]}({arguments})"
        if len(described) == 1 and set(described) <= {"name", "float", "dtype"}:
            return str(next(iter(described.values())))
        pairs = (f"{key!r}: {estimator_text(value)}" for key, value in described.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(described, list):
        return "[" + ", ".join(map(estimator_text, described)) + "]"
    return repr(described)


# What figures show, with the numbers: their text for those who do not see them.


def _best(frame: pd.DataFrame) -> pd.Series[Any] | None:
    known = frame[np.isfinite(frame["value"])]
    return None if known.empty else known.iloc[int(known["value"].argmax())]


def _ends(display: StabilityDisplay | AccuracyDisplay) -> str:
    frame = display.frame()
    best = _best(frame)
    if best is None:
        return "Nothing could be computed."
    words = [
        f"highest is {best['method']} with {best['value']:.2f} at "
        f"{count(int(best['size']), 'feature')} (95\u202f% {interval(best['low'], best['high'])})"
    ]
    for method in dict.fromkeys(frame["method"]):
        curve = frame[(frame["method"] == method) & np.isfinite(frame["value"])]
        if not curve.empty:
            words.append(
                f"{method} between {_minus(curve['value'].min())} "
                f"and {_minus(curve['value'].max())}"
            )
    return "; ".join(words) + "."


def stability_finding(display: StabilityDisplay) -> str:
    """Say which method is stablest, and how far each ranges."""
    return f"Stability by number of features: {_ends(display)}"


def accuracy_finding(display: AccuracyDisplay) -> str:
    """Say which method is most accurate, and how far each ranges."""
    name = display.metric.replace("_", " ")
    chance = "" if math.isnan(display.chance) else f" Chance is {display.chance:.2f}."
    title = f"{name.capitalize()} of {display.classifier} by number of features"
    return f"{title}: {_ends(display)}{chance}"


def pareto_finding(display: ParetoDisplay) -> str:
    """Say who is on the front."""
    frame = display.frame()
    front = frame[frame["on_front"]]
    if front.empty:
        return "No method has both a stability and an accuracy."
    points = [
        f"{row['method']} (stability {row['stability']:.2f}, {row['accuracy']:.2f})"
        for _, row in front.iterrows()
    ]
    others = len(frame) - len(front)
    return (
        f"Stability against {display.metric.replace('_', ' ')}: on the front "
        f"{'is' if len(points) == 1 else 'are'} {listed(points)}; {count(others, 'method')} "
        f"{'is' if others == 1 else 'are'} not on it."
    )


def frequency_finding(display: SelectionFrequencyDisplay) -> str:
    """Say how many features came up in most runs, per method."""
    words = []
    for name, rows in display.frame().groupby("method", sort=False):
        often = int((rows["frequency"] > 0.5).sum())
        words.append(f"{name} {often} of {len(rows)} ever chosen")
    return (
        f"Features chosen in more than half of the runs, {display.size} being chosen in each: "
        f"{'; '.join(words) or 'none'}."
    )


def agreement_finding(display: AgreementDisplay) -> str:
    """Say which two methods agree most and least."""
    frame = display.frame()
    pairs = frame[(frame["first"] != frame["second"]) & np.isfinite(frame["kuncheva"])]
    if pairs.empty:
        return "There are no two methods to compare."
    index = pairs["kuncheva"]
    most, least = pairs.iloc[int(index.argmax())], pairs.iloc[int(index.argmin())]
    return (
        f"Agreement at {count(display.size, 'feature')}: most between {most['first']} and "
        f"{most['second']} ({most['kuncheva']:.2f}), least between {least['first']} and "
        f"{least['second']} ({_minus(least['kuncheva'])})."
    )


def weights_finding(display: SampleWeightsDisplay) -> str:
    """Say how far the weights range and who is outlying."""
    words = []
    for names, rows, fence in display.lanes():
        low = int((rows["weight"] < fence).sum())
        words.append(
            f"{listed(names)}: {rows['weight'].min():.2f} to {rows['weight'].max():.2f}, "
            f"{count(low, 'sample')} below the fence at {fence:.2f}"
        )
    return f"Mean weights of samples. {'; '.join(words)}."


def times_finding(display: FitTimesDisplay) -> str:
    """Say what takes longest."""
    frame = display.frame()
    if frame.empty:
        return "No task has finished."
    spent = frame["method_seconds"]
    slow, quick = frame.iloc[int(spent.argmax())], frame.iloc[int(spent.argmin())]
    return (
        f"Seconds per resample in the method itself: most {slow['method']} "
        f"({slow['method_seconds']:.3g} s), least {quick['method']} "
        f"({quick['method_seconds']:.3g} s)."
    )
