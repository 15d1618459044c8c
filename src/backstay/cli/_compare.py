"""``backstay compare``: methods over data sets, or the signatures of two studies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay._words import counted
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._options import options_named
from backstay.cli._outputs import metric_title, show_methods
from backstay.cli._show import fixed, say, table
from backstay.cli._stores import Stores, load

if TYPE_CHECKING:
    from backstay.results import Results


USUAL_SIZE = 50
SHOWN_FEATURES = 30


@guarded
def compare(
    stores: Stores,
    size: Annotated[
        int | None,
        typer.Option(min=1, help="Number of features; up to 50, as all studies share, if omitted."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the scores; the studies' own if omitted.")
    ] = None,
    signatures: Annotated[
        bool,
        typer.Option(
            "--signatures", help="Compare the signatures of two studies on different rows."
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Compare methods over the data sets of one or several studies, at one number of features.

    Differences are first minus second. With --signatures, two studies of the same question on
    different samples are compared: what their signatures have in common, and what is replicated.

    For example:

    [bold]backstay compare colon-backstay/study.db leukemia-backstay/study.db[/bold]

    [bold]backstay compare hospital-a hospital-b --signatures[/bold]
    """
    results = load(stores)
    if signatures:
        _shared_signatures(results)
        return
    parts = {name: results[name] for name in results.datasets}
    common = set.intersection(*(set(part.data.sizes) for part in parts.values()))
    if not common:
        raise WrongUse("the studies have no subset size in common.")
    if size is not None and size not in common:
        shown = ", ".join(map(str, sorted(common)))
        raise WrongUse(f"--size {size} is not in all studies; they share {shown}.")
    usual = max((s for s in common if s <= USUAL_SIZE), default=min(common))
    at = usual if size is None else size
    metric = _metric(parts, metric)
    models = all(part.data.models for part in parts.values())
    for name, part in parts.items():
        done, planned = part.data.n_done, part.data.n_tasks
        if done < planned:
            say(f"Unfinished: {done} of {counted(planned, 'task')} on {name!r}; run it again.")
    _summary(results, at, metric)
    _friedman(results, at, metric, models)
    for name, part in parts.items():
        say(name, "bold")
        show_methods(part, at, part.data.models[0] if models else None, metric)
    hint = "" if size else "; choose another number with --size"
    say(f"All tables are about {counted(at, 'feature')}{hint}.")


def _metric(parts: dict[str, Results], metric: str | None) -> str:
    """Return the metric to compare by, in every study the same."""
    if metric is not None:
        with options_named():
            for part in parts.values():
                part.predictions.chance(metric)
        return metric
    names = {part.data.metric for part in parts.values()}
    if len(names) > 1:
        shown = " and ".join(sorted(names))
        raise WrongUse(f"the studies were judged by {shown}; choose one with --metric.")
    return names.pop()


def _summary(results: Results, size: int, metric: str) -> None:
    frame = results.comparisons.summary(size=size, metric=metric).frame()
    if frame.empty:
        say("No two methods have enough runs on the same data set, so there is nothing to compare.")
        return
    names = ["first", "second", "data sets"]
    titles = {"stability": "stability", "accuracy": metric_title(metric)}
    kinds = [k for k in titles if f"{k}_better" in frame]
    for kind in kinds:
        names += [titles[kind]]
    rows = []
    for line in frame.to_dict("records"):
        row = [line["first"], line["second"], line["n_datasets"]]
        for kind in kinds:
            counts = (str(int(line[f"{kind}_{how}"])) for how in ("better", "equal", "worse"))
            row += [f"{' / '.join(counts)}, {fixed(line[f'{kind}_difference'], 3, '+')}"]
        rows.append(row)
    table(
        names,
        rows,
        "Data sets where the first is better / equal / worse at 5 %, paired by split; behind the "
        f"comma, first minus second; {counted(size, 'feature')}; stability on these rows",
    )


def _friedman(results: Results, size: int, metric: str, models: bool) -> None:
    if len(results.datasets) < 3:
        say("Friedman's test needs three data sets or more.")
        return
    for quantity in ["stability"] + (["accuracy"] if models else []):
        name = metric_title(metric) if quantity == "accuracy" else quantity
        try:
            test = results.comparisons.friedman(quantity, size=size, metric=metric)
        except ValueError as error:
            say(f"Friedman's test of {name} cannot be done: {error}")
            continue
        ranks = sorted(test.mean_ranks.items(), key=lambda pair: pair[1])
        table(
            ["method", "mean rank"],
            [[name, f"{rank:.2f}"] for name, rank in ranks],
            f"Friedman's test of {name}, corrected for ties, at {counted(size, 'feature')}: "
            f"p = {test.p_value:.3g}; mean ranks further apart than "
            f"{test.critical_difference:.2f} differ (Nemenyi, 5 %)",
        )


def _shared_signatures(results: Results) -> None:
    """Write what the signatures of two studies have in common, and what is replicated."""
    if len(results.datasets) != 2:
        raise WrongUse(
            f"--signatures compares two data sets; got {len(results.datasets)} "
            f"({', '.join(results.datasets)})."
        )
    from backstay.report import units_text
    from backstay.results import compare_studies

    with options_named():
        shared = compare_studies(*(results[name] for name in results.datasets))
    for name, choice, size in zip(results.datasets, shared.choices, shared.sizes, strict=True):
        say(name, "bold")
        say(
            f"{choice.method}, {counted(choice.size, 'feature')}, {size} of them in both tables"
            + ("" if choice.kind == "recommended" else "; nothing is recommended here")
            + f"; effects are over {units_text(results[name].data)}"
        )
    say()
    rows = [
        ["features in both signatures", *_level(shared.overlap, 0), fixed(shared.at_random, 1)],
        ["rank correlation of all features", *_level(shared.rank_correlation, 2), "0.00"],
    ]
    table(
        ["in common", "found", "shuffled outcomes", "97.5 % of these", "p", "at random"],
        rows,
        f"{counted(shared.n_shared, 'feature')} in both tables",
    )
    p = shared.random_p_value
    shown = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    say(f"p of as many features in both if they were chosen at random: {shown}.")
    frame = shared.features().frame()
    if frame[["first_effect", "second_effect"]].isna().all(axis=None):
        say("These stores hold no effects with tests; run the studies again to see them.")
        return
    lines = [
        [
            row["name"],
            row["signature"],
            fixed(row["first_effect"], 2, "+"),
            fixed(row["second_effect"], 2, "+"),
            bool(row["same_direction"]),
            bool(row["replicated"]),
        ]
        for row in frame.head(SHOWN_FEATURES).to_dict("records")
    ]
    more = f"; the first {SHOWN_FEATURES} of {len(frame)}" if len(frame) > SHOWN_FEATURES else ""
    table(
        ["feature", "signature", "first effect", "second effect", "same direction", "replicated"],
        lines,
        "Effects in standard deviations; replicated: same direction, and significant where it was "
        f"not selected (5 %, Holm){more}",
    )
    n = int(frame["replicated"].sum())
    say(f"{n} of {counted(len(frame), 'feature')} replicated in direction and significance.")


def _level(level: Any, digits: int) -> list[str]:
    if math.isnan(level.null):
        return [fixed(level.value, digits), "not run", "", ""]
    return [
        fixed(level.value, digits),
        fixed(level.null, max(digits, 1)),
        fixed(level.high, max(digits, 1)),
        f"{level.p_value:.3f}",
    ]
