"""Which method, at which size? Three answers, and a score that pays for having chosen.

The best of many scores is too good to be true. So the whole choice is repeated inside a bootstrap
over the rows, from predictions of rows that were not trained on, and judged on the rows left out
of it (bias-corrected cross-validation, Tsamardinos, Greasidou & Borboudakis 2018).
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._notebook import as_html
from backstay.comparison import DifferenceTest
from backstay.results._choosing import (
    RULES,
    Grounds,
    Rule,
    effective_rows,
    gather_grounds,
    pooled_scores,
)
from backstay.results._comparisons import score_difference, stability_difference
from backstay.results._designs import Added, added_to_covariates
from backstay.results._facts import Configuration, Configured, Estimate
from backstay.results._features import core_of, signature_rows
from backstay.results._gate import LEAST_ROWS, corrected, passage
from backstay.results._null import null_p_value, null_stability
from backstay.results._records import Records, computed_once
from backstay.results._replication import around, replication_error, replication_of
from backstay.results._runs import RunCount, judged_methods, left_out, run_counts
from backstay.results._stability import curve_rows
from backstay.results._weights import WeightingVerdict, weighting_verdict
from backstay.targets import Metric

Floats = NDArray[np.float64]
# A choice whose stability is so likely with shuffled outcomes is not recommended.
NULL_LEVEL = 0.2


@dataclass(frozen=True)
class Finalist(Configured):
    """One of the three answers to "which method, at which size?".

    Of the good configurations "trusted" is the one that another sample would most surely choose
    again, "short" has the fewest features, and "accurate" the best score.
    """

    name: str
    configuration: Configuration
    score: Estimate  # bias-corrected, for the rule that made this choice
    apparent: float  # pooled score, before correction
    # Overlap expected with what an independent sample of as many rows would choose, corrected for
    # the choice; None where rows or runs are too few.
    replication: Estimate | None
    share: float  # of the draws, of rows and of modules of features, on which the rule chooses it
    stability: Estimate  # Nogueira's; the interval is for more resamples of these rows
    null: float  # mean stability with shuffled outcomes; nan if that was not run
    # Difference of score and of stability from each other answer, by name.
    costs: dict[str, tuple[DifferenceTest, DifferenceTest]] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """Name of the model."""
        assert self.configuration.model is not None
        return self.configuration.model

    @property
    def toss_up(self) -> bool:
        """Whether the rule chooses something else on half of the draws or more."""
        return self.share <= 0.5


@dataclass(frozen=True)
class Considered:
    """What a recommendation was chosen from."""

    n_configurations: int  # that were judged
    n_candidates: int  # above chance, and within one standard error of the best score
    runs: RunCount | None  # of the method that is recommended
    not_judged: dict[str, RunCount]  # methods with too few runs to be compared
    weighting: WeightingVerdict | None  # whether weights of the recommended method add stability
    # For every answer, the share of draws on which its rule chooses each configuration.
    shares: dict[str, list[tuple[Configuration, float]]]
    max_features: int | None = None  # answers may have no more, if that was asked for


@dataclass(frozen=True, repr=False)
class Recommendation:
    """What to use, and why.

    Attributes
    ----------
    metric : str
        The metric that decided.
    answers : dict of str to Finalist
        "trusted", which is the one recommended, "short" and "accurate"; empty if nothing is
        recommended.
    refused : {"", "chance", "null", "rows", "covariates"}
        Why nothing is recommended: no configuration is shown to be above chance, the choice is
        not shown to be stabler than with shuffled outcomes, there are too few independent
        rows to say, or features are not shown to add to covariates and batch.
    score : Estimate
        Bias-corrected for the whole procedure, choice and recommendation included: trained on the
        training part of a split, tested on the rest.
    beside : dict of str to Estimate
        The same by the study's other metrics, for the same choices.
    apparent : float
        Pooled score of the chosen configuration, or of the best where none is, before correction.
    chance : float
        What guessing reaches.
    signature, core : list of str
        Features of the trusted answer, most frequent first; those that most runs selected.
    features : list of int
        The signature as column numbers.
    considered : Considered
        What the choice was made from.
    added : Added or None
        What the features add to covariates; None without covariates.
    """

    # Independent rows, or groups of rows, that a recommendation needs.
    LEAST_ROWS: ClassVar[int] = LEAST_ROWS

    metric: str
    answers: dict[str, Finalist]
    refused: str
    score: Estimate
    beside: dict[str, Estimate]
    apparent: float
    chance: float
    signature: list[str]
    core: list[str]
    features: list[int]
    considered: Considered
    added: Added | None = None

    @property
    def trusted(self) -> Finalist | None:
        """The answer that is recommended; None if there is none."""
        return self.answers.get("trusted")

    @property
    def method(self) -> str | None:
        """Name of the method; None if nothing is recommended."""
        return None if self.trusted is None else self.trusted.method

    @property
    def model(self) -> str | None:
        """Name of the model; None if nothing is recommended."""
        return None if self.trusted is None else self.trusted.model

    @property
    def size(self) -> int | None:
        """Number of features; None if nothing is recommended."""
        return None if self.trusted is None else self.trusted.size

    @property
    def stability(self) -> float:
        """Stability of the trusted answer; nan if nothing is recommended."""
        return math.nan if self.trusted is None else self.trusted.stability.value

    @property
    def replication(self) -> Estimate | None:
        """What another sample would share with the trusted answer; None if not known."""
        return None if self.trusted is None else self.trusted.replication

    def __repr__(self) -> str:
        score = f"{self.metric}={self.score.value:.3f}, chance={self.chance:.3f}"
        if self.trusted is None:
            return f"Recommendation(None, {score})"
        return (
            f"Recommendation({self.method!r}, size={self.size}, model={self.model!r}, "
            f"stability={self.stability:.2f}, {score})"
        )

    def _repr_html_(self) -> str:
        columns = ["answer", "method", "size", "model", "replication", "stability", "score"]
        shown = self.frame()[[*columns, "low", "high"]] if self.answers else pd.DataFrame()
        signature = ", ".join(self.signature)
        said = f"signature: {signature}" if signature else "nothing is recommended"
        names = {"score": self.metric, **{end: f"{self.metric}, {end}" for end in ("low", "high")}}
        return as_html(f"{self!r}; {said}.", shown.rename(columns=names))

    def frame(self) -> pd.DataFrame:
        """Return a row per answer."""
        rows = [
            {
                "answer": answer.name,
                "method": answer.method,
                "size": answer.size,
                "model": answer.model,
                "share": answer.share,
                **_estimate_columns("replication", answer.replication),
                **_estimate_columns("stability", answer.stability),
                "null": answer.null,
                "metric": self.metric,
                "score": answer.score.value,
                "low": answer.score.low,
                "high": answer.score.high,
                "apparent": answer.apparent,
                "chance": self.chance,
            }
            for answer in self.answers.values()
        ]
        return pd.DataFrame(rows)


def _estimate_columns(name: str, one: Estimate | None) -> dict[str, float]:
    value, low, high = (math.nan,) * 3 if one is None else (one.value, one.low, one.high)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def stability_of(records: Records, configuration: Configuration) -> Estimate:
    """Return Nogueira's measure of a configuration."""
    method, size = configuration.method, configuration.size
    assert size is not None
    (row,) = curve_rows(records, method, sizes=[size])
    return Estimate(row["value"], row["low"], row["high"])


def null_of(records: Records, configuration: Configuration) -> float:
    null = null_stability(records, configuration.method)
    assert configuration.size is not None
    return float(null[:, records.check_size(configuration.size)].mean()) if len(null) else math.nan


def recommended(
    records: Records, metric: str | None = None, n_bootstrap: int = 1000, random_state: int = 0
) -> Recommendation:
    """Return the recommendation."""
    records.check_model(None)
    if n_bootstrap < 10:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be at least 10.")
    return _recommend(records, records.check_metric(metric), n_bootstrap, random_state)


@computed_once
def _recommend(
    records: Records, metric_name: str, n_bootstrap: int, random_state: Any
) -> Recommendation:
    metric, methods = records.metric(metric_name), judged_methods(records)
    copies = row_draws(records, n_bootstrap, random_state)
    rows_left_out = (copies == 0).astype(np.float64)
    everyone = np.ones((1, records.n_samples))
    # In one pass: the order of every two rows is the same on all draws.
    drawings = np.concatenate([copies, rows_left_out, everyone])
    every = pooled_scores(records, metric, drawings, methods)
    inside = metric.gain(every[: len(copies)])
    grounds = gather_grounds(records, metric, inside, metric.gain(every[-1]))
    few = grounds.sizes <= (records.max_features or records.n_features)
    grounds, inside = grounds.only(few), inside[:, few]
    drawn = {name: _repeated(rule, grounds, inside) for name, rule in RULES.items()}
    others = [name for name in records.facts.scoring if name != metric.name]
    outside = {metric.name: every[len(copies) : -1, few]} | {
        name: pooled_scores(records, records.metric(name), rows_left_out, methods)[:, few]
        for name in others
    }

    value, steady = grounds.value[None], grounds.steady[None]
    places = {name: int(rule(value, steady, grounds)[0]) for name, rule in RULES.items()}
    first = _quoted(records, metric, outside[metric.name], drawn["trusted"])
    chance = metric.chance(records.target)
    place = places["trusted"]
    chosen = None if place < 0 else grounds.configurations[place]
    choices = drawn["trusted"], outside[metric.name]
    added = added_to_covariates(records, metric, methods, rows_left_out, choices, few)
    refused = _refused(records, metric, first, chance, chosen)
    if not refused and added is not None and not added.shown:
        refused = "covariates"
    found = None if refused else passage(first, chance, metric)

    def quoted(name: str, rule: str) -> Estimate:
        by = records.metric(name)
        score = _quoted(records, by, outside[name], drawn[rule])
        return score if found is None else corrected(score, found, by)

    answers: dict[str, Finalist] = {}
    shares: dict[str, list[tuple[Configuration, float]]] = {}
    if not refused:
        for name, place in places.items():
            shares[name] = _shares(name, grounds, inside)
            answers[name] = _answer(
                records, metric, name, grounds, place, quoted(metric.name, name), shares[name]
            )
        answers = _one_figure_each(answers)
        answers = _with_costs(records, answers)
    apparent = grounds.value[places["trusted"]] if answers else np.nanmax(grounds.value)
    rows = []
    if answers:
        trusted = answers["trusted"]
        rows = signature_rows(records, trusted.method, trusted.size)
    return Recommendation(
        metric=metric.name,
        answers=answers,
        refused=refused,
        score=quoted(metric.name, "trusted"),
        beside={name: quoted(name, "trusted") for name in others},
        apparent=float(metric.gain(apparent)),
        chance=chance,
        signature=[row["name"] for row in rows],
        core=core_of(rows),
        features=[row["feature"] for row in rows],
        considered=_considered(records, grounds, answers, shares),
        added=added,
    )


def _refused(
    records: Records,
    metric: Metric,
    score: Estimate,
    chance: float,
    chosen: Configuration | None,
) -> str:
    """Return why nothing is recommended; empty if something is."""
    if records.n_units < LEAST_ROWS:
        return "rows"
    worst = metric.gain(score.low if metric.higher_is_better else score.high)
    if chosen is None or not worst > metric.gain(chance):
        return "chance"
    assert chosen.size is not None
    return "null" if null_p_value(records, chosen.method, chosen.size) > NULL_LEVEL else ""


def row_draws(records: Records, n_bootstrap: int, random_state: Any) -> Floats:
    """Return how often each row is drawn, whole groups at a time, in every bootstrap sample."""
    rng = np.random.default_rng(random_state)
    units, n_units = records.units, records.n_units
    return np.array(
        [
            np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)[units]
            for _ in range(n_bootstrap)
        ],
        dtype=np.float64,
    )


def _repeated(rule: Rule, grounds: Grounds, inside: Floats) -> NDArray[np.intp]:
    """Return the configuration that a rule chooses on every draw; −1 where none has a score."""
    chosen = rule(inside, np.broadcast_to(grounds.steady, inside.shape), grounds)
    known = np.isfinite(inside)
    # Where nothing beats chance the best is what one would have looked at.
    best = np.argmax(np.where(known, inside, -np.inf), axis=1)
    return np.where(chosen >= 0, chosen, np.where(known.any(axis=1), best, -1))


def _quoted(records: Records, metric: Metric, outside: Floats, drawn: NDArray[np.intp]) -> Estimate:
    """Return the mean and interval of what the choices made on draws reach on the rows left out."""
    known = drawn >= 0
    values = outside[known, drawn[known]]
    values = values[np.isfinite(values)]
    if not len(values):
        raise ValueError("too few rows were tested for a bootstrap over them.")
    value = float(values.mean())
    low, high = (float(end) for end in np.quantile(values, [0.025, 0.975]))
    if metric.is_bounded:
        # Predictions that are nearly all right have no spread to show; Wilson's interval
        # knows that so many rows can hide a few errors.
        bounds = metric.least_interval(value, effective_rows(records, metric))
        low, high = min(low, bounds[0]), max(high, bounds[1])
    return Estimate(value, max(low, metric.low), min(high, metric.high))


def _answer(
    records: Records,
    metric: Metric,
    name: str,
    grounds: Grounds,
    place: int,
    score: Estimate,
    shares: list[tuple[Configuration, float]],
) -> Finalist:
    configuration = grounds.configurations[place]
    return Finalist(
        name=name,
        configuration=configuration,
        score=score,
        apparent=float(metric.gain(grounds.value[place])),
        replication=_corrected_replication(records, name, grounds, configuration),
        share=dict(shares).get(configuration, 0.0),
        stability=stability_of(records, configuration),
        null=null_of(records, configuration),
    )


def _shares(name: str, grounds: Grounds, inside: Floats) -> list[tuple[Configuration, float]]:
    """Return the share of draws on which a rule chooses each configuration, largest first."""
    steady = grounds.steady_draws
    chosen = RULES[name](inside, steady[np.arange(len(inside)) % len(steady)], grounds)
    places, counts = np.unique(chosen[chosen >= 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [(grounds.configurations[places[i]], float(counts[i] / len(chosen))) for i in order]


def _corrected_replication(
    records: Records, name: str, grounds: Grounds, configuration: Configuration
) -> Estimate | None:
    """Return what an independent sample would share, corrected for having been chosen.

    What is chosen for a high estimate has one that is too high. So the choice is repeated on
    draws of modules of features: by how much is the estimate of what it chooses there above
    that of the same configuration here?
    """
    method, size = configuration.method, configuration.size
    assert size is not None
    found = replication_of(records, method, size)
    if found is None:
        return None
    draws = grounds.steady_draws
    value = np.broadcast_to(grounds.value, draws.shape)
    chosen = RULES[name](value, draws, grounds)
    known = np.flatnonzero(chosen >= 0)
    # Steadiness is the overlap expected less a constant of the configuration.
    excess = draws[known, chosen[known]] - grounds.steady[chosen[known]]
    return around(found.value - float(excess.mean()), replication_error(records, method, size))


def _one_figure_each(answers: dict[str, Finalist]) -> dict[str, Finalist]:
    """Give answers with the same configuration the same figures: those of the first."""
    first: dict[Configuration, Finalist] = {}
    for answer in answers.values():
        first.setdefault(answer.configuration, answer)
    return {
        name: replace(
            answer,
            score=first[answer.configuration].score,
            replication=first[answer.configuration].replication,
        )
        for name, answer in answers.items()
    }


def _with_costs(records: Records, answers: dict[str, Finalist]) -> dict[str, Finalist]:
    """Add to every answer what it costs, or gains, against the others."""
    complete = {}
    for name, answer in answers.items():
        costs = {
            other: (
                score_difference(records, answer.configuration, against.configuration),
                stability_difference(records, answer.configuration, against.configuration),
            )
            for other, against in answers.items()
            if against.configuration != answer.configuration
        }
        complete[name] = replace(answer, costs=costs)
    return complete


def _considered(
    records: Records,
    grounds: Grounds,
    answers: dict[str, Finalist],
    shares: dict[str, list[tuple[Configuration, float]]],
) -> Considered:
    """Return what the choice was made from."""
    trusted = answers.get("trusted")
    return Considered(
        n_configurations=len(grounds.value),
        n_candidates=grounds.n_candidates,
        runs=None if trusted is None else run_counts(records)[trusted.method],
        not_judged=left_out(records),
        weighting=None
        if trusted is None
        else weighting_verdict(records, trusted.method, trusted.size),
        shares=shares,
        max_features=records.max_features,
    )
