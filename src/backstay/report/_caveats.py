"""What was not shown, and whether instance weighting did anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backstay.comparison import DifferenceTest
from backstay.report._evidence import Evidence
from backstay.report._words import (
    count,
    interval,
    listed,
    metric_title,
    percent,
    score_interval,
    score_text,
    signed,
    two_decimals,
)
from backstay.results import (
    MINIMUM_SHARE,
    Choice,
    Comparison,
    DatasetFacts,
    Role,
    WeightingVerdict,
)
from backstay.targets import find_metric

# Fewer runs, or fewer rows of a class, leave intervals rough.
FEW_RUNS, FEW_ROWS = 20, 10
# Classes further apart in size make accuracy misleading.
UNEQUAL = 3
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
    study = [
        *_about_unfinished(data),
        *_about_too_few(evidence.runs),
        *_about_failures(evidence.failures),
        *_about_filling(evidence.ranked, choice),
        *_about_imbalance(data),
        *_about_numbers(data, choice),
    ]
    if choice.kind == "nothing":
        return [*_about_nothing(choice), *study]
    return [
        *_about_stability(choice, evidence.n_core),
        *_about_rivals(evidence.rivals, choice),
        *_about_partners(evidence.partners, signature),
        *_about_weighting(choice, data.methods, verdicts),
        *study,
        Caveat(
            "That it holds elsewhere.",
            f"Every run used the same {count(data.n_samples, 'row')}: intervals and tests over "
            "runs cover more resamples of these rows, not other samples of the population. "
            "Samples from another place or time are the real test.",
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
            f"{at} the gain over {control} is {over_control} on these rows, and {average}; over "
            f"{plain} it is {over_plain}."
        )
    elif verdict.kind == "here":
        title = f"{title} in general."
        text = (
            f"{at} the gain over {control} is {over_control} on these rows, but {average}, which "
            "is no gain."
        )
    elif verdict.kind == "explained":
        title = f"{title}."
        text = (
            f"{at} it gains {over_plain} over {plain} on these rows, but the gain is explained by "
            f"its control: over {verdict.control} it is {over_control}. The control has equal "
            "weights of the same sum, so what helps is their sum, which changes the "
            "regularisation, not the weighting."
        )
    else:
        title = f"{title}."
        text = (
            f"{at} its gain over {plain} is {over_plain} on these rows; over {control} it is "
            f"{over_control}."
        )
    return WeightingWords(verdict.method, verdict.kind, title, text)


def _gain(difference: DifferenceTest) -> str:
    ends = interval(difference.low, difference.high)
    return f"{signed(difference.difference)} (95\u202f% {ends})"


def _about_nothing(choice: Choice) -> Iterator[Caveat]:
    found = choice.recommendation
    if found is not None:
        ends = score_interval(found.metric, found.score.low, found.score.high)
        yield Caveat(
            "That there is nothing to find.",
            f"The interval of the {metric_title(found.metric)}, {ends}, does not lie above "
            f"{score_text(found.metric, found.chance)}, which guessing reaches. With more rows it "
            "may.",
        )


def _about_stability(choice: Choice, n_core: int) -> Iterator[Caveat]:
    if choice.stability == 1:
        yield Caveat(
            "That the choice never changes.",
            "It did not change in these runs, so the interval of the stability has no width; "
            "other rows could still change it.",
        )
    if choice.low < POOR:
        yield Caveat(
            "That the selection is stable.",
            f"The interval of the stability on these rows, {interval(choice.low, choice.high)}, "
            f"reaches below {POOR}, which is usually called poor (above {EXCELLENT}: excellent).",
        )
    if n_core < choice.size / 2:
        yield Caveat(
            f"That {count(choice.size, 'feature')} can be named.",
            f"Each run chose {choice.size}, but only {n_core}, the core of the signature, came up "
            "in most runs; the others changed from run to run.",
        )


def _about_weighting(
    choice: Choice, roles: Mapping[str, Role], verdicts: Iterable[WeightingWords]
) -> Iterator[Caveat]:
    """Say in one line what is not shown of instance weighting; its section has the figures."""
    unshown = [words.method for words in verdicts if words.kind != "shown"]
    owners = [method for method, role in roles.items() if role.control == choice.method]
    if not unshown and not owners:
        return
    text = "No gain over a control with equal weights of the same sum is shown in general."
    if owners:
        text += f" {choice.method} is such a control, of {listed(owners)}."
    yield Caveat(f"That instance weighting makes {listed(unshown or owners)} more stable.", text)


def _about_rivals(rivals: Iterable[Comparison], choice: Choice) -> Iterator[Caveat]:
    """Name the methods that cannot be told from the one chosen, in paired comparisons."""
    comparisons = {comparison.first: comparison for comparison in rivals}
    yield from _about_stable_rivals({m: c.stability for m, c in comparisons.items()}, choice)
    if choice.model is not None:
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
            f"More stable {at} on these rows, by a paired difference whose 95\u202f% interval is "
            f"above 0: {listed(stabler)}.",
        )
    if ties:
        named = listed([f"{rival} ({ends[rival]})" for rival in ties])
        yield Caveat(
            f"That {choice.method} is more stable than {listed(ties)}.",
            f"The 95\u202f% intervals of the paired differences {at}, on these rows, include 0: "
            f"{named}.",
        )


def _about_accurate_rivals(tests: Mapping[str, DifferenceTest], choice: Choice) -> Iterator[Caveat]:
    metric = find_metric(choice.metric or "accuracy")
    known = {rival: test for rival, test in tests.items() if math.isfinite(test.p_value)}
    better = [
        f"{rival} ({signed(test.difference)})"
        for rival, test in known.items()
        if test.p_value < 0.05 and metric.gain(test.difference) > 0
    ]
    undecided = [
        rival
        for rival, test in known.items()
        if not (test.p_value < 0.05 and metric.gain(test.difference) < 0)
    ]
    where = f"With {choice.model} at {count(choice.size, 'feature')}"
    title = f"That its {metric.title} is the best."
    if better:
        text = f"{where}, better in a paired test at 5\u202f% on these rows: {listed(better)}."
        yield Caveat(title, text)
    elif undecided:
        text = f"{where} paired tests at 5\u202f% on these rows cannot tell it from"
        yield Caveat(title, f"{text} {listed(undecided)}.")


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


def _about_too_few(runs: pd.DataFrame) -> Iterator[Caveat]:
    """Name the methods that took part in no comparison."""
    few = runs[~runs["judged"].to_numpy(dtype=bool)].to_dict("records")
    if few:
        named = listed([f"{row['method']} ({row['n_runs']} of {row['of']})" for row in few])
        yield Caveat(
            f"That {listed([row['method'] for row in few])} would not be better.",
            f"To be compared or recommended, a method needs {MINIMUM_SHARE:.0%} of the runs. "
            f"Fewer finished of {named}.",
        )


def _about_failures(failures: pd.DataFrame) -> Iterator[Caveat]:
    if not failures.empty:
        counts = failures.groupby("method", sort=False).size()
        named = listed([f"{method} ({n})" for method, n in counts.items()])
        yield Caveat(
            "That failed tasks would have changed nothing.",
            f"{count(len(failures), 'task')} failed: {named}. The reasons are below.",
        )


def _about_filling(ranked: pd.DataFrame, choice: Choice) -> Iterator[Caveat]:
    """Name the methods whose subsets hold features that they did not rank."""
    filled = ranked[(ranked["size"] == choice.size) & (ranked["filled"] > 0)].to_dict("records")
    if filled:
        named = [
            f"{row['method']} in {percent(row['filled'])} of its runs, which rank {row['least']} "
            "or more"
            for row in filled
        ]
        yield Caveat(
            f"That {listed([row['method'] for row in filled])} selected "
            f"{count(choice.size, 'feature')} in every run.",
            f"Where a run ranks fewer, its subset was filled up by lot: {listed(named)}. Features "
            "drawn by lot lower the stability, and say nothing.",
        )


def _about_unfinished(data: DatasetFacts) -> Iterator[Caveat]:
    if data.n_done < data.n_tasks:
        yield Caveat(
            "That the rest of the study would change nothing.",
            f"{data.n_done} of {count(data.n_tasks, 'task')} are done.",
        )


def _about_imbalance(data: DatasetFacts) -> Iterator[Caveat]:
    """Say that accuracy misleads where one class is far larger than another."""
    sizes = sorted((n, name) for name, n in data.target.summary())
    (few, rare), (many, common) = sizes[0], sizes[-1]
    if not data.models or many <= UNEQUAL * few:
        return
    ratio = f"{many / few:.1f}".removesuffix(".0")
    guess = percent(find_metric("accuracy").chance(data.target))
    title = metric_title(data.metric)
    used = (
        f"The {title} is used instead."
        if data.metric != "accuracy"
        else "This study decides by it all the same; roc_auc or balanced_accuracy would be better."
    )
    yield Caveat(
        "That a high accuracy means much.",
        f"The classes are unequal: {many} rows of {common} to {few} of {rare}, {ratio}:1. Always "
        f"guessing {common} is right about {guess}, so accuracy is misleading here. {used}",
    )


def _about_numbers(data: DatasetFacts, choice: Choice) -> list[Caveat]:
    found = []
    if choice.n_runs < FEW_RUNS:
        few = f"{choice.method} has {count(choice.n_runs, 'run')}; intervals from fewer than"
        found.append(Caveat("That the intervals are precise.", f"{few} {FEW_RUNS} are rough."))
    small = [f"{name} ({n})" for name, n in data.target.summary() if n < FEW_ROWS]
    if small:
        text = f"Fewer than {FEW_ROWS} rows: {listed(small)}."
        found.append(Caveat("That it holds for small classes.", text))
    return found
