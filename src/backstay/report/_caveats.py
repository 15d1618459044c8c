"""The limits of the answer, and whether instance weighting did anything."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backstay.comparison import DifferenceTest
from backstay.report._evidence import Evidence
from backstay.report._suspicions import suspicion_words
from backstay.report._words import (
    clean,
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
    Choice,
    Comparison,
    DatasetFacts,
    Role,
    TooFewRunsError,
    WeightingVerdict,
)
from backstay.targets import find_metric

# Fewer runs leave intervals rough.
FEW_RUNS = 20
# The usual reading of such indices, after Fleiss.
POOR, EXCELLENT = 0.4, 0.75


@dataclass(frozen=True)
class Caveat:
    """A limit of the answer in one sentence, and the numbers behind it."""

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
    """Return the limits of the answer."""
    choice, data, signature = evidence.choice, evidence.data, evidence.signature
    study = [
        *_about_reading(data),
        *_about_unfinished(data),
        *_about_missing_runs(evidence.runs, evidence.failures),
        *_about_filling(evidence.ranked, choice),
        *_about_few_runs(choice),
        *(Caveat(*words) for words in data.target.concerns(data.metric if data.models else None)),
    ]
    first = data_warnings(evidence)
    if choice.kind == "nothing":
        return [*first, *_about_nothing(choice), *study]
    return [
        *first,
        *_about_stability(choice, evidence.n_core),
        *_about_rivals(evidence.rivals, choice),
        *_about_partners(evidence.partners, signature),
        *_about_weighting(choice, data.methods, verdicts),
        *study,
        Caveat(
            "It may not hold elsewhere.",
            "All figures are meant for new samples of the same population, not for another place, "
            "time or device. Test it there.",
        ),
    ]


def data_warnings(evidence: Evidence) -> list[Caveat]:
    """Return what makes the data suspicious, the most serious first."""
    target = evidence.data.target
    return [Caveat(*suspicion_words(one, target)) for one in evidence.suspicions]


def weighting_words(verdict: WeightingVerdict) -> WeightingWords:
    """Put into words whether the weights of a method add stability."""
    gain = (
        f"At {count(verdict.size, 'feature')} it gains {_gain(verdict.over_plain)} in stability "
        f"over plain {verdict.plain} on these rows, and {_gain(verdict.over_control)} over its "
        f"control {verdict.control}, which has equal weights of the same sum."
    )
    average = f"averaged over all sizes, the gain over the control is {_gain(verdict.overall)}"
    shown, text = {
        "shown": ("themselves add stability", f" The gain holds in general: {average}."),
        "here": ("are not shown to add stability in general", f" But {average}."),
        "explained": (
            "are not shown to add stability",
            " So its gain is explained by its control: what helps is the sum of the weights, "
            "which changes the regularisation, not the weighting.",
        ),
        "none": ("are not shown to add stability", ""),
    }[verdict.kind]
    title = f"The weights of {verdict.method} {shown}."
    return WeightingWords(verdict.method, verdict.kind, title, gain + text)


def _gain(difference: DifferenceTest) -> str:
    ends = interval(difference.low, difference.high)
    return f"{signed(difference.difference)} (95\u202f% {ends})"


def _about_nothing(choice: Choice) -> Iterator[Caveat]:
    advice = choice.recommendation
    if advice is None or advice.refused not in ("rows", "chance"):
        return
    ends = score_interval(advice.metric, advice.score.low, advice.score.high)
    why = "More rows would make it narrower."
    if advice.refused == "rows":
        why = (
            f"Below {advice.LEAST_ROWS} independent rows such figures are too good where anything "
            "is chosen by them, even after all corrections. Add rows, and run the study again."
        )
    yield Caveat(
        "There may still be something to find.",
        f"The interval of the {metric_title(advice.metric)} is {ends}; guessing reaches "
        f"{score_text(advice.metric, advice.chance)}. {why}",
    )


def _about_stability(choice: Choice, n_core: int) -> Iterator[Caveat]:
    if choice.replication is not None and choice.replication.value < 0.5:
        yield Caveat(
            "A second study would choose mostly other features.",
            f"The overlap expected with another sample of this size is "
            f"{two_decimals(choice.replication.value)} (0: random features, 1: the same). Features "
            "that say the same may stand in for each other.",
        )
    elif choice.replication is None and choice.low < POOR:
        yield Caveat(
            "The selection may not be stable.",
            f"The interval of its stability on these rows, {interval(choice.low, choice.high)}, "
            f"reaches below {POOR}, which is usually called poor (above {EXCELLENT}: excellent).",
        )
    if n_core < choice.size / 2:
        yield Caveat(
            "Most of the features are uncertain.",
            f"Each run chose {choice.size}, but only {n_core}, the core of the signature, were "
            "chosen in most runs. The others changed from run to run.",
        )


def _about_weighting(
    choice: Choice, roles: Mapping[str, Role], verdicts: Iterable[WeightingWords]
) -> Iterator[Caveat]:
    """Say in one line where instance weighting is not shown to help; its section has the rest."""
    unshown = [words.method for words in verdicts if words.kind != "shown"]
    owners = [method for method, role in roles.items() if role.control == choice.method]
    if not unshown and not owners:
        return
    text = "There is no general gain over a control with equal weights of the same sum."
    if owners:
        text += f" {choice.method} is such a control, of {listed(owners)}."
    title = f"Instance weighting is not shown to make {listed(unshown or owners)} more stable."
    yield Caveat(title, text)


def _about_rivals(rivals: Iterable[Comparison], choice: Choice) -> Iterator[Caveat]:
    """Name the methods that cannot be told from the one chosen, in paired comparisons."""
    comparisons = list(rivals)
    at = f"at {count(choice.size, 'feature')}"
    ends = {one.first: interval(one.stability.low, one.stability.high) for one in comparisons}
    stabler = [
        f"{one.first} ({signed(one.stability.difference)}, {ends[one.first]})"
        for one in comparisons
        if one.stability.low > 0
    ]
    ties = [one.first for one in comparisons if one.stability.low <= 0 <= one.stability.high]
    if stabler:
        yield Caveat(
            "Other methods are more stable.",
            f"Paired differences {at}, with 95\u202f% intervals on these rows: {listed(stabler)}.",
        )
    if ties:
        named = listed([f"{rival} ({ends[rival]})" for rival in ties])
        yield Caveat(
            f"{choice.method} is not shown to be more stable than {listed(ties)}.",
            f"95\u202f% intervals of the paired differences {at}, on these rows: {named}.",
        )
    if choice.model is None:
        return
    metric = find_metric(choice.metric or "accuracy")
    tests = {one.first: one.accuracy for one in comparisons}
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
    tests_said = f"Paired tests at 5\u202f% on these rows, with {choice.model} {at},"
    if better:
        text = f"{tests_said} find these better: {listed(better)}."
        yield Caveat(f"Other methods have a better {metric.title}.", text)
    elif undecided:
        text = f"{tests_said} cannot tell it from {listed(undecided)}."
        yield Caveat(f"Its {metric.title} is not shown to be the best.", text)


def _about_partners(partners: pd.DataFrame, signature: pd.DataFrame) -> Iterator[Caveat]:
    chosen = signature["feature"]
    outside = partners[partners["feature"].isin(chosen) & ~partners["partner"].isin(chosen)]
    if outside.empty:
        return
    n = outside["feature"].nunique()
    first = outside.iloc[int(np.argmax(outside["correlation"].abs()))]
    yield Caveat(
        "Other signatures may do as well.",
        f"{n} of its {count(len(signature), 'feature')} {'has' if n == 1 else 'have'} a strongly "
        "correlated partner outside it, such as "
        f"{first['partner_name']} for {first['name']} "
        f"(r\u00a0=\u00a0{two_decimals(first['correlation'])}).",
    )


def _about_missing_runs(runs: pd.DataFrame, failures: pd.DataFrame) -> Iterator[Caveat]:
    """Name the methods that failed, and those that took part in no comparison."""
    few = runs[~runs["judged"].to_numpy(dtype=bool)].to_dict("records")
    if few:
        named = listed([f"{row['method']} ({row['n_runs']} of {row['of']})" for row in few])
        yield Caveat(
            f"{listed([row['method'] for row in few])} could not be judged.",
            f"Only methods with {TooFewRunsError.minimum_share:.0%} of their runs are compared "
            f"or recommended. Fewer finished: {named}.",
        )
    if len(failures):
        counts = failures.groupby("method", sort=False).size()
        named = listed([f"{method} ({n})" for method, n in counts.items()])
        text = f"{count(len(failures), 'task')} failed: {named}. The section on failures says why."
        yield Caveat("Failed tasks could have changed the answer.", text)


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
            f"{listed([row['method'] for row in filled])} did not find "
            f"{count(choice.size, 'feature')} in every run.",
            f"Subsets of runs that rank fewer were filled up at random: {listed(named)}. Random "
            "features lower the stability and mean nothing.",
        )


def _about_reading(data: DatasetFacts) -> Iterator[Caveat]:
    said = data.provenance.get("warnings")
    if isinstance(said, list) and said:
        yield Caveat("Check how the table was read.", " ".join(clean(text) for text in said))


def _about_unfinished(data: DatasetFacts) -> Iterator[Caveat]:
    if data.n_done < data.n_tasks:
        yield Caveat(
            "The rest of the study may change the answer.",
            f"{data.n_done} of {count(data.n_tasks, 'task')} are done.",
        )


def _about_few_runs(choice: Choice) -> Iterator[Caveat]:
    if choice.n_runs < FEW_RUNS:
        runs = f"{choice.method} has {count(choice.n_runs, 'run')}"
        text = f"{runs}; precise intervals need {FEW_RUNS} or more."
        yield Caveat("The intervals are rough.", text)
