"""What ``backstay plan`` says without a study: of assumed rows, and of planted features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from backstay.cli._show import figure, listing, say, table

if TYPE_CHECKING:
    from backstay.study import PlanAhead, PlantedTruth

# Half of another list is found again; a score this near to the best there can be is near enough.
REPLICATION, NEAR = 0.5, 0.05


def print_ahead(plan: PlanAhead) -> None:
    """Show what samples of an assumed population find, and how many rows are enough."""
    population, n_sets = plan.population, plan.runs["set"].nunique()
    listing([
        ("assumed", f"{population.n_features} features, {population.n_true} of them with an effect "
         f"of {population.effect:g} standard deviations"),
        ("correlation", f"{population.correlation:g} within blocks of {population.BLOCK} features; "
         f"those with an effect fill the first {math.ceil(population.n_true / population.BLOCK)}"),
        ("limit", f"{plan.metric} {population.limit:.2f}, by the best rule that knows them all"),
        ("simulated", f"{n_sets} times two samples and fresh rows"),
    ])  # fmt: skip
    rows = [
        [row["method"], row["rows"], row["size"], *_figures(row, plan.MEASURES)]
        for row in plan.frame().to_dict("records")
    ]
    heads = ["method", "rows", "size", plan.metric, "replication", "found", "false"]
    table(heads, rows, "Mean [middle four fifths of the simulations]")
    _say_rows(plan, f"a replication of {REPLICATION:g}", "replication", REPLICATION)
    near = population.limit - NEAR
    what = f"{plan.metric} {near:.2f}, {NEAR:g} below the limit"
    _say_rows(plan, what, "score", near)
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
