"""Phrases that answer, caveats and figures share: numbers, intervals, counts, lists."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from backstay.results import DatasetFacts, Estimate
from backstay.targets import Target, find_metric

# A space that neither breaks nor is wide.
THIN = "\u202f"
FRACTIONS = {"half": 1 / 2, "two thirds": 2 / 3, "three quarters": 3 / 4, "nine tenths": 9 / 10}


def clean(text: Any) -> str:
    """Return text with control characters and lone surrogates replaced by U+FFFD."""
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
    """Return 1 near 0 and 1, where a whole percentage would claim never or always."""
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
    return f"{two_decimals(low)} to {two_decimals(high)}"


def two_decimals(value: float) -> str:
    """Return a number with a true minus sign, and none before a zero.

    Examples
    --------
    >>> two_decimals(-0.256), two_decimals(-0.001)
    ('−0.26', '0.00')
    """
    text = f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def number_text(value: float, *, sign: bool = False) -> str:
    """Return a number of any size to three digits, with a true minus sign.

    Examples
    --------
    >>> number_text(-7.3104), number_text(12345.6), number_text(0.5, sign=True)
    ('−7.31', '12346', '+0.5')
    """
    text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return ("+" if sign and value > 0 else "") + text.replace("-", "−")


def signed(value: float) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.123), signed(-0.001)
    ('+0.12', '0.00')
    """
    text = two_decimals(value)
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
    """Return names as in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(list("abcdef"), most=3)
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def units_text(data: DatasetFacts) -> str:
    """Say what effects and their tests are over, or why there are none."""
    units = data.effect_units
    lack = f" ({count(units.left_out, 'pair')} without one of the classes left out)"
    left_out = lack if units.left_out else ""
    names = list(data.design.get("covariates", ()))
    names += ["batches"] if "batches" in data.design and units.kind != "pairs" else []
    left_out += f", adjusted for {listed(names, 12)}" if names else ""
    return {
        "rows": f"all rows{left_out}",
        "groups": f"the means of {count(units.n, 'group')}{left_out}",
        "pairs": f"the differences within {count(units.n, 'pair')}{left_out}",
        "mixed": "nothing, as groups have rows of different outcomes: they have no common mean. "
        "Groups with rows of both of two classes can be named as pairs instead",
        "unknown": "nothing, as an older version of backstay counted rows of a group as if they "
        "were independent. Run the same study again",
    }[units.kind]


def pair_order_text(predictions: dict[str, Any]) -> str:
    """Say how many pairs are put in the right order; empty if that is not known."""
    return "".join(
        f"Of {count(one['pairs'], 'pair')}, {percent(one['right'])} were put in the right order "
        f"({100 * one['low']:.0f} to {percent(one['high'])}; guessing: 50\u202f%)"
        for one in predictions.get("pair_order", ())
    )


def held_text(target: Target, most: int) -> str:
    """Return how many rows every kind of outcome has, or where the outcomes lie.

    Examples
    --------
    >>> from backstay.targets import as_target
    >>> held_text(as_target(["ill", "well", "ill"]), 12)
    'ill: 2 and well: 1'
    """
    if not target.names:
        return target.words().described
    return listed([f"{name}: {n}" for name, n in target.summary()], most)


def metric_title(metric: str | None) -> str:
    """Return the name of a metric as in a sentence; other names stay as they are.

    Examples
    --------
    >>> metric_title("balanced_accuracy"), metric_title("roc_auc"), metric_title("stability")
    ('balanced accuracy', 'AUC', 'stability')
    """
    name = metric or "accuracy"
    return name if name == "stability" else find_metric(name).title


def capital(text: str) -> str:
    """Return text that begins a sentence.

    Examples
    --------
    >>> capital("balanced accuracy"), capital("mean F1 of the classes")
    ('Balanced accuracy', 'Mean F1 of the classes')
    """
    return text[:1].upper() + text[1:]


def score_text(metric: str | None, value: float) -> str:
    """Return a score: a percentage of rows, three digits of what has a unit, or two decimals.

    Examples
    --------
    >>> score_text("accuracy", 0.843), score_text("roc_auc", 0.843), score_text("roc_auc", 0.9981)
    ('84\u202f%', '0.84', '0.998')
    """
    if _is_share(metric):
        return percent(value)
    if has_unit(metric):
        return number_text(value)
    return f"{value:.3f}" if 0.995 <= value < 1 else two_decimals(value)


def score_interval(metric: str | None, low: float, high: float) -> str:
    """Return the ends of an interval of a score.

    Examples
    --------
    >>> score_interval("accuracy", 0.81, 0.9), score_interval("roc_auc", 0.81, 0.9)
    ('81 to 90\u202f%', '0.81 to 0.90')
    """
    if has_unit(metric) and math.isfinite(low + high):
        return f"{number_text(low)} to {number_text(high)}"
    return percent_interval(low, high) if _is_share(metric) else interval(low, high)


def has_unit(metric: str | None) -> bool:
    """Return whether a metric is in the unit of the outcome, and so of any size."""
    return metric is not None and find_metric(metric).has_unit


def _is_share(metric: str | None) -> bool:
    return metric is not None and find_metric(metric).is_share


def score_with_ends(metric: str, score: Estimate, chance: float | None = None) -> str:
    r"""Return a score with its interval, and what guessing reaches.

    Examples
    --------
    >>> from backstay.results import Estimate
    >>> score_with_ends("roc_auc", Estimate(0.9, 0.8, 0.95), 0.5)
    '0.90 (95\u202f% interval 0.80 to 0.95; guessing: 0.50)'
    """
    ends = f"95{THIN}% interval {score_interval(metric, score.low, score.high)}"
    guess = "" if chance is None else f"; guessing: {score_text(metric, chance)}"
    return f"{score_text(metric, score.value)} ({ends}{guess})"


def again_text(replication: Estimate, size: int, n_features: int) -> str:
    r"""Return which part of the features another sample would choose again, with its interval.

    Examples
    --------
    >>> from backstay.results import Estimate
    >>> again_text(Estimate(0.4, 0.2, 0.6), 20, 2000)
    'about 41\u202f% of them (95\u202f% interval 21 to 60\u202f%)'
    """
    value, low, high = again_shares(replication, size, n_features)
    ends = f"95{THIN}% interval {percent_interval(low, high)}"
    if size == 1:
        return f"the same one with a chance of about {percent(value)} ({ends})"
    return f"about {percent(value)} of them ({ends})"


def again_shares(replication: Estimate, size: int, n_features: int) -> tuple[float, float, float]:
    """Return an overlap and its ends as shares of the features, those shared at random included."""
    at_random = size / n_features
    ends = (replication.value, replication.low, replication.high)
    # To whole percentages: more digits would claim too much.
    shares = (round(min(max(one + (1 - one) * at_random, 0.0), 1.0), 2) for one in ends)
    value, low, high = shares
    return value, low, high


def share_text(share: float) -> str:
    """Return a share in words where there are any.

    Examples
    --------
    >>> share_text(0.664), share_text(0.5), share_text(0.632)
    ('two thirds', 'half', '63\u202f%')
    """
    near = [words for words, value in FRACTIONS.items() if abs(share - value) < 0.015]
    return near[0] if near else percent(share)


def estimator_text(described: Any) -> str:
    """Return the code that builds an estimator, from its description in a store.

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
