"""Phrases that answer, caveats and figures share: numbers, intervals, counts, lists."""

import math
import re
from collections.abc import Sequence
from typing import Any

from backstay.results import DatasetFacts, Estimate
from backstay.targets import Target, find_metric

# A space that neither breaks nor is wide.
THIN = "\u202f"
FRACTIONS = {"half": 1 / 2, "two thirds": 2 / 3, "three quarters": 3 / 4, "nine tenths": 9 / 10}
UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: Any) -> str:
    """Return text with control characters and lone surrogates replaced by U+FFFD."""
    return UNREADABLE.sub("\ufffd", str(text))


def percent(share: float) -> str:
    """Return a share as a percentage, to the digit that matters."""
    if math.isnan(share):
        return "undefined"
    return f"{100 * share:.{_digits(share)}f}{THIN}%"


def percent_interval(low: float, high: float) -> str:
    """Return the ends of an interval as percentages within 0 and 100."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    ends = [min(max(end, 0.0), 1.0) for end in (low, high)]
    digits = max(_digits(end) for end in ends)
    return f"{100 * ends[0]:.{digits}f} to {100 * ends[1]:.{digits}f}{THIN}%"


def _digits(share: float) -> int:
    """Return 1 near 0 and 1, where a whole percentage would claim never or always."""
    return 1 if 0.985 < share < 1 or 0 < share < 0.015 else 0


def interval(low: float, high: float) -> str:
    """Return the ends of an interval of an index."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{two_decimals(low)} to {two_decimals(high)}"


def two_decimals(value: float) -> str:
    """Return a number with a true minus sign, and none before a zero."""
    text = f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def number_text(value: float, *, sign: bool = False) -> str:
    """Return a number of any size to three digits, with a true minus sign."""
    text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return ("+" if sign and value > 0 else "") + text.replace("-", "−")


def signed(value: float) -> str:
    """Return a difference with its sign."""
    text = two_decimals(value)
    return text if value < 0 or float(f"{value:.2f}") == 0 else f"+{text}"


def count(n: int, noun: str) -> str:
    """Return a number with its noun."""
    number = f"{n:,}".replace(",", THIN)
    return f"{number} {noun}{'' if n == 1 else 's'}"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as in a sentence."""
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
    """Return how many rows every kind of outcome has, or where the outcomes lie."""
    if not target.names:
        return target.words().described
    return listed([f"{name}: {n}" for name, n in target.summary()], most)


def metric_title(metric: str | None) -> str:
    """Return the name of a metric as in a sentence; other names stay as they are."""
    name = metric or "accuracy"
    return name if name == "stability" else find_metric(name).title


def capital(text: str) -> str:
    """Return text that begins a sentence."""
    return text[:1].upper() + text[1:]


def score_text(metric: str, value: float) -> str:
    """Return a score: a percentage of rows, three digits of what has a unit, or two decimals."""
    if find_metric(metric).is_share:
        return percent(value)
    if find_metric(metric).has_unit:
        return number_text(value)
    return f"{value:.3f}" if 0.995 <= value < 1 else two_decimals(value)


def score_interval(metric: str, low: float, high: float) -> str:
    """Return the ends of an interval of a score."""
    if find_metric(metric).has_unit and math.isfinite(low + high):
        return f"{number_text(low)} to {number_text(high)}"
    return percent_interval(low, high) if find_metric(metric).is_share else interval(low, high)


def score_with_ends(metric: str, score: Estimate, chance: float | None = None) -> str:
    """Return a score with its interval, and what guessing reaches."""
    ends = f"95{THIN}% interval {score_interval(metric, score.low, score.high)}"
    guess = "" if chance is None else f"; guessing: {score_text(metric, chance)}"
    return f"{score_text(metric, score.value)} ({ends}{guess})"


def again_shares(replication: Estimate, size: int, n_features: int) -> tuple[float, float, float]:
    """Return an overlap and its ends as shares of the features, those shared at random included."""
    at_random = size / n_features
    ends = (replication.value, replication.low, replication.high)
    # To whole percentages: more digits would claim too much.
    shares = (round(min(max(one + (1 - one) * at_random, 0.0), 1.0), 2) for one in ends)
    value, low, high = shares
    return value, low, high


def share_text(share: float) -> str:
    """Return a share in words where there are any."""
    near = [words for words, value in FRACTIONS.items() if abs(share - value) < 0.015]
    return near[0] if near else percent(share)


def estimator_text(described: Any) -> str:
    """Return the code that builds an estimator, from its description in a store."""
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
