"""What ``backstay plan`` says without a study: of assumed rows, and of planted features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from backstay._words import counted
from backstay.cli._guard import WrongUse
from backstay.cli._options import option, options_named
from backstay.cli._read import TableOptions
from backstay.cli._run_plan import imputation
from backstay.cli._show import figure, listing, say, table, warn

if TYPE_CHECKING:
    from backstay.study import PlanAhead, PlantedTruth

# Half of another list is found again; a score this near to the best there can be is near enough.
REPLICATION, NEAR = 0.5, 0.05

of_truth = partial(option, "Without a study")


@dataclass(frozen=True)
class PlanSource(TableOptions):
    """What ``backstay plan`` starts from: a store, a table, or nothing."""

    data: Path = field(
        default=None,  # type: ignore[assignment] # None if rows are simulated
        metadata={
            "typer": typer.Argument(
                metavar="STORE|DATA", help="study.db file or its folder; a table of --planted."
            )
        },
    )


@dataclass(frozen=True)
class KnownTruth:
    """The options of ``backstay plan`` for rows whose truth is known."""

    features: int | None = of_truth("Simulate rows of so many features.", min=2, metavar="N")
    planted: bool = of_truth(
        "Plant features in a table: outcomes follow some of its own.", "--planted", default=False
    )
    true: int | None = of_truth(
        "Features that the outcome follows; 50 with --features, 20 with --planted if omitted.",
        min=1,
        metavar="N",
    )
    effect: float | None = of_truth(
        "Difference of the class means of each, in standard deviations; 0.8 if omitted.", min=0.0
    )
    correlation: float | None = of_truth("Of features in blocks of ten; 0.5 if omitted.", min=0.0)
    share: float | None = of_truth("Of rows in the second class; 0.5 if omitted.", min=0.01)
    seed: int = of_truth("Seed of everything random.", default=0, min=0)
    jobs: int | None = of_truth("Fits at a time; all cores if omitted.", "--jobs", "-j", min=1)

    def _given(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def wanted(self, source: PlanSource, model: str | None) -> bool:
        """Return whether truth is to be made; refuse options that do not go together."""
        simulated = self._given("correlation", "share")
        if self.planted == (self.features is not None):  # both or none
            if self.planted:
                raise WrongUse("--features simulates rows, --planted needs a table; use only one.")
            for name in [*simulated, *self._given("true", "effect")]:
                raise WrongUse(f"--{name} needs --features N, or a table and --planted.")
            if source.data is None:
                raise WrongUse("name the study.db of a study, or simulate rows with --features N.")
            return False
        if self.planted == (source.data is None):
            lack = "--planted needs a table" if self.planted else "--features needs no file"
            raise WrongUse(f"{lack}; backstay plan --help has examples.")
        for name in simulated if self.planted else ():
            raise WrongUse(f"--{name} is for simulated rows, not for a table.")
        if model is not None:
            raise WrongUse("--model is for a study that was run.")
        return True

    def show(self, source: PlanSource, names: list[str], size: int | None) -> None:
        """Make rows or outcomes whose truth is known, and show what methods find."""
        from joblib import cpu_count

        from backstay.study import Population, plan_ahead, planted_truth

        common: dict[str, Any] = {"sizes": None if size is None else [size]}
        common |= {"random_state": self.seed, "n_jobs": self.jobs or cpu_count()}
        assumed = self._given("effect", "correlation", "share")
        with options_named():
            if self.features is not None:
                n_true = self.true or min(50, self.features // 2)
                population = Population(self.features, n_true, **assumed)
                print_ahead(plan_ahead(population, names or None, **common))
                return
            held = source.read()
            X, notes, warnings = held.numbers("code")
            fill, filled = imputation(X, None)
            for note in [*held.notes, *notes, *filled]:
                say(f"  {note}")
            for warning in [*held.warnings, *warnings]:
                warn(warning)
            common |= {"n_true": self.true or min(20, X.shape[1] // 2), **assumed}
            print_planted(planted_truth(X, held.y, names or None, preprocess=fill, **common))


def print_ahead(plan: PlanAhead) -> None:
    """Show what samples of an assumed population find, and how many rows are enough."""
    population, n_sets = plan.population, plan.runs["set"].nunique()
    listing([
        ("assumed", f"{population.n_features} features, {population.n_true} of them with an effect "
         f"of {population.effect:g} standard deviations"),
        ("correlation", f"{population.correlation:g} within blocks of {population.BLOCK} features; "
         f"{counted(math.ceil(population.n_true / population.BLOCK), 'block')} with an effect"),
        ("limit", f"{plan.metric} {population.limit:.2f}, by the best rule that knows them all"),
        ("simulated", f"{counted(n_sets, 'time')} two samples and fresh rows"),
    ])  # fmt: skip
    rows = [
        [row["method"], row["rows"], row["size"], *_figures(row, plan.MEASURES)]
        for row in plan.frame().to_dict("records")
    ]
    heads = ["method", "rows", "size", plan.metric, "replication", "found", "false"]
    table(heads, rows, "Mean [middle four fifths of the simulations]")
    _say_rows(plan, f"a replication of {REPLICATION:g}", "replication", REPLICATION)
    near = population.limit - NEAR
    _say_rows(plan, f"{plan.metric} {near:.2f}, {NEAR:g} below the limit", "score", near)
    say("Replication: overlap of the lists of two independent samples; chance is 0, all is 1.")


def _say_rows(plan: PlanAhead, what: str, measure: str, level: float) -> None:
    tried = plan.runs["rows"]
    several = plan.runs["size"].nunique() > 1
    said = []
    for row in plan.rows_for(measure, level).to_dict("records"):
        name = f"{row['method']} at {row['size']}" if several else row["method"]
        said.append(f"{name} {_rows_in_words(row['rows'], tried.min(), tried.max())}")
    say(f"Rows for {what}: {'; '.join(said)}.")


def _rows_in_words(rows: float, fewest: int, most: int) -> str:
    """Say a number of rows, as exactly as a simulation knows it.

    >>> [_rows_in_words(rows, 20, 320) for rows in (20.0, 137.2, float("nan"))]
    ['20 or fewer', 'about 140', 'more than 320']
    """
    if math.isnan(rows):
        return f"more than {most}"
    return f"{fewest} or fewer" if rows <= fewest else f"about {float(f'{rows:.2g}'):.0f}"


def print_planted(truth: PlantedTruth) -> None:
    """Show what methods find of features planted in a table, and which finds most."""
    low, high = min(truth.effects), max(truth.effects)
    strong = sum(truth.as_strong) / len(truth.as_strong)
    listing([
        ("planted", f"{len(truth.effects)} times {truth.n_true} of {truth.n_features} features"),
        ("effect", f"{truth.effect:.2f} standard deviations on average ({low:.2f} to {high:.2f}); "
         f"{truth.asked:g} was asked for"),
        ("as strong", f"{strong:.0%} of the other features, as they are correlated with these"),
    ])  # fmt: skip
    if truth.effect < 0.9 * truth.asked:
        say(
            f"No outcome of these rows gives {truth.n_true} of these features at once a larger "
            "effect; fewer features (--true) can have one."
        )
    measures = ("found", "false", "found_alike", "false_alike", "stability")
    rows = [
        [row["method"], row["size"], *_figures(row, measures)]
        for row in truth.frame().to_dict("records")
    ]
    heads = ["method", "size", "found", "false", "found, alike", "false, alike", "stability"]
    table(heads, rows, "Mean [middle four fifths of the plants]")
    say("Alike: a feature with |r| of 0.7 or more to a planted one counts as it.")
    first, *others = truth.standings().to_dict("records")
    chance = next((row for row in others if row["method"] == truth.CHANCE), first)
    if not chance["behind_low"] > 0:
        say("No method finds clearly more of the planted features than random lists do.")
        return
    say(
        f"{first['method']} with {first['size']} features finds most at the smallest false share. "
        "Behind it, of a balance (F1) of at most 1:"
    )
    for row in others:
        apart = figure(row["behind"], row["behind_low"], row["behind_high"])
        doubt = "" if row["behind_low"] > 0 else ", which may be luck"
        say(f"  {row['method']} with {row['size']}: {apart}{doubt}")


def _figures(row: Mapping[Any, Any], measures: tuple[str, ...]) -> list[str]:
    return [figure(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in measures]
