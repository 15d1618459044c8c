"""What was not shown, and whether instance weighting did anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backstay.comparison import DifferenceTest
from backstay.report._evidence import Evidence
from backstay.report._words import count, interval, listed, signed, two_decimals
from backstay.results import Choice, Comparison, DatasetFacts, Role, WeightingVerdict

# Fewer runs, or fewer rows of a class, leave intervals rough.
FEW_RUNS, FEW_ROWS = 20, 10
# The usual reading of such indices, after Fleiss.
POOR, EXCELLENT = 0.4, 0.75


@dataclass(frozen=True)
class Caveat:
    """Something the study gives no evidence for, and why."""

    title: str
    text: str


@dataclass(frozen=True)
class WeightingWords:
    """A verdict on instance weighting in words; its kind is that of the verdict."""

    method: str
    kind: str
    title: str
    text: str


def caveats(evidence: Evidence, verdicts: Iterable[WeightingWords]) -> list[Caveat]:
    """Return what the study does not show."""
    choice, data, signature = evidence.choice, evidence.data, evidence.signature
    return [
        *_about_stability(choice, len(signature)),
        *_about_control(choice, data.methods),
        *(Caveat(words.title, words.text) for words in verdicts if words.kind != "shown"),
        *_about_rivals(evidence.rivals, choice),
        *_about_partners(evidence.partners, signature),
        *_about_failures(evidence.failures),
        *_about_numbers(data),
        Caveat(
            "That it holds elsewhere.",
            f"Every run used the same {count(data.n_samples, 'row')}. Samples from another place "
            "or time are the real test.",
        ),
    ]


def weighting_words(verdict: WeightingVerdict) -> WeightingWords:
    """Put into words whether the weights of a method add stability."""
    at = f"At {count(verdict.size, 'feature')}"
    over_control, over_plain = _gain(verdict.over_control), _gain(verdict.over_plain)
    control, plain = f"its control {verdict.control}", f"plain {verdict.plain}"
    average = (
        f"averaged over all sizes it is {signed(verdict.overall.difference)} "
        f"({interval(verdict.overall.low, verdict.overall.high)})"
    )
    title = f"That instance weighting makes {verdict.method} more stable"
    if verdict.kind == "shown":
        title = f"The weights of {verdict.method} themselves add stability."
        text = (
            f"{at} the gain over {control} is {over_control}, and {average}; over {plain} it is "
            f"{over_plain}."
        )
    elif verdict.kind == "here":
        title = f"{title} in general."
        text = f"{at} the gain over {control} is {over_control}, but {average}, which is no gain."
    elif verdict.kind == "explained":
        title = f"{title}."
        text = (
            f"{at} it gains {over_plain} over {plain}, but the gain is explained by its control: "
            f"over {verdict.control} it is {over_control}. The control has equal weights of the "
            "same sum, so what helps is their sum, which changes the regularisation, not the "
            "weighting."
        )
    else:
        title = f"{title}."
        text = f"{at} its gain over {plain} is {over_plain}; over {control} it is {over_control}."
    return WeightingWords(verdict.method, verdict.kind, title, text)


def _gain(difference: DifferenceTest) -> str:
    ends = interval(difference.low, difference.high)
    return f"{signed(difference.difference)} (95\u202f% {ends})"


def _about_stability(choice: Choice, n_signature: int) -> Iterator[Caveat]:
    if choice.stability == 1:
        yield Caveat(
            "That the choice never changes.",
            "It did not change in these runs, so the interval of the stability has no width; "
            "other rows could still change it.",
        )
    if choice.low < POOR:
        yield Caveat(
            "That the selection is stable.",
            f"The interval of the stability, {interval(choice.low, choice.high)}, reaches "
            f"below {POOR}, which is usually called poor (above {EXCELLENT}: excellent).",
        )
    if n_signature < choice.size / 2:
        yield Caveat(
            f"That {count(choice.size, 'feature')} can be named.",
            f"Each run chose {choice.size}, but only {n_signature} came up in most runs; the "
            "others changed from run to run.",
        )


def _about_control(choice: Choice, roles: Mapping[str, Role]) -> Iterator[Caveat]:
    owners = [method for method, role in roles.items() if role.control == choice.method]
    if owners:
        yield Caveat(
            "That instance weighting is of use.",
            f"{choice.method} is the control of {listed(owners)}: the same method with equal "
            "weights of the same sum. It does as well without weighting samples differently.",
        )


def _about_rivals(rivals: Iterable[Comparison], choice: Choice) -> Iterator[Caveat]:
    """Name the methods that cannot be told from the one chosen, in paired comparisons."""
    comparisons = {comparison.first: comparison for comparison in rivals}
    yield from _about_stable_rivals({m: c.stability for m, c in comparisons.items()}, choice)
    if choice.classifier is not None:
        yield from _about_accurate_rivals({m: c.accuracy for m, c in comparisons.items()}, choice)


def _about_stable_rivals(tests: Mapping[str, DifferenceTest], choice: Choice) -> Iterator[Caveat]:
    at = f"at {count(choice.size, 'feature')}"
    ends = {rival: interval(test.low, test.high) for rival, test in tests.items()}
    twins = [rival for rival, test in tests.items() if test.low == test.high == 0]
    stabler = [
        f"{rival} ({signed(test.difference)}, {ends[rival]})"
        for rival, test in tests.items()
        if test.low > 0
    ]
    ties = [
        rival for rival, test in tests.items() if test.low <= 0 <= test.high and rival not in twins
    ]
    if twins:
        title = f"That {choice.method} differs from {listed(twins)}."
        yield Caveat(title, f"They are exactly as stable {at}.")
    if stabler:
        yield Caveat(
            "That it is the most stable of all.",
            f"More stable {at}, by a paired difference whose 95\u202f% interval is above 0: "
            f"{listed(stabler)}.",
        )
    if ties:
        named = listed([f"{rival} ({ends[rival]})" for rival in ties])
        yield Caveat(
            f"That {choice.method} is more stable than {listed(ties)}.",
            f"The 95\u202f% intervals of the paired differences {at} include 0: {named}.",
        )


def _about_accurate_rivals(tests: Mapping[str, DifferenceTest], choice: Choice) -> Iterator[Caveat]:
    known = {rival: test for rival, test in tests.items() if math.isfinite(test.p_value)}
    better = [
        f"{rival} ({signed(test.difference)})"
        for rival, test in known.items()
        if test.p_value < 0.05 and test.difference > 0
    ]
    undecided = [
        rival for rival, test in known.items() if not (test.p_value < 0.05 and test.difference < 0)
    ]
    where = f"With {choice.classifier} at {count(choice.size, 'feature')}"
    if better:
        text = f"{where}, more accurate in a paired test at 5\u202f%: {listed(better)}."
        yield Caveat("That it is the most accurate.", text)
    elif undecided:
        text = f"{where} paired tests at 5\u202f% cannot tell it from {listed(undecided)}."
        yield Caveat("That it is the most accurate.", text)


def _about_partners(partners: pd.DataFrame, signature: pd.DataFrame) -> Iterator[Caveat]:
    chosen = signature["feature"]
    outside = partners[partners["feature"].isin(chosen) & ~partners["partner"].isin(chosen)]
    if outside.empty:
        return
    n = outside["feature"].nunique()
    first = outside.iloc[int(np.argmax(outside["correlation"].abs()))]
    yield Caveat(
        "That it is the only such signature.",
        f"{n} of its {count(len(signature), 'feature')} {'has' if n == 1 else 'have'} a strongly "
        "correlated partner (|r|\u00a0≥\u00a00.7) outside it that could stand in, such as "
        f"{first['partner_name']} for {first['name']} "
        f"(r\u00a0=\u00a0{two_decimals(first['correlation'])}).",
    )


def _about_failures(failures: pd.DataFrame) -> Iterator[Caveat]:
    if not failures.empty:
        counts = failures.groupby("method", sort=False).size()
        named = listed([f"{method} ({n})" for method, n in counts.items()])
        yield Caveat(
            "That failed tasks would have changed nothing.",
            f"{count(len(failures), 'task')} failed: {named}. The reasons are below.",
        )


def _about_numbers(data: DatasetFacts) -> list[Caveat]:
    found = []
    if data.n_resamples < FEW_RUNS:
        few = f"{count(data.n_resamples, 'resample')} are few; intervals from fewer than"
        found.append(Caveat("That the intervals are precise.", f"{few} {FEW_RUNS} are rough."))
    classes = zip(data.classes, data.class_sizes, strict=True)
    small = [f"{name} ({n})" for name, n in classes if n < FEW_ROWS]
    if small:
        text = f"Fewer than {FEW_ROWS} rows: {listed(small)}."
        found.append(Caveat("That it holds for small classes.", text))
    return found
