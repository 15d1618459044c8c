"""What a run will do: from the options to a study, its data, and the lines that describe them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstay._suspicion import by_severity
from backstay._words import counted
from backstay.cli._guard import WrongUse
from backstay.cli._options import options_named
from backstay.cli._study_options import DEALS, StudyOptions

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import LabelledTable
    from backstay.study import Confounding, SmallerStudyError, Study
    from backstay.targets import Target


MAX_SIZE = 100
# Rows that an outcome such as a class needs: two in every training part, one in every test part.
ROWS_NEEDED = {"subsample": 3, "10x10": 10, "5x2": 4, "leave-batch-out": 3}
# A column beside the features goes with the outcome below this p-value.
GOES_WITH = 0.01
PRELIMINARY = "a quick look (--quick); run the study without it before you rely on the result"


@dataclass(frozen=True)
class RunPlan:
    """A study and its data, ready to run, and what to say about them."""

    study: Study
    X: pd.DataFrame
    target: Target
    lines: list[tuple[str, str]]
    notes: list[str]
    warnings: list[str]
    suspected: list[str]


def resampling(options: StudyOptions) -> tuple[Any, str]:
    """Return the protocol of the study, and a description of it."""
    from backstay.study import FiveByTwo, LeaveBatchOut, RepeatedStratifiedKFold, Subsampling

    times = options.times
    if options.protocol == "subsample":
        return Subsampling(times), f"{counted(times, 'random split')}, 2/3 of the rows for training"
    if options.protocol == "10x10":
        return RepeatedStratifiedKFold(10, times), f"{times} times 10-fold cross-validation"
    if options.protocol == "leave-batch-out":
        return LeaveBatchOut(), "every batch is tested once, by what the others trained"
    return FiveByTwo(), "5 times two halves"


def smaller_than_stored(error: SmallerStudyError, options: StudyOptions, store: Any) -> WrongUse:
    """Say, in terms of options, that the stored run has more than this one asks for."""
    stored, given = error.stored, error.given
    if error.what == "methods":
        lacking = ", ".join(name for name in stored if name not in given)
        wrong = f"--methods leaves out {lacking}, which {store} holds"
        right = f"--methods {','.join(dict.fromkeys([*stored, *given]))}"
    else:
        option = {"permutations": "--null", "planning": "--planning"}.get(error.what, "--repeats")
        each = 10 if option == "--repeats" and options.protocol == "10x10" else 1
        stored, given = stored // each, given // each
        omitted = getattr(options, option.removeprefix("--")) is None
        shown = f"{option} is {given} if omitted," if omitted else f"{option} {given} is"
        wrong, right = f"{shown} fewer than the {stored} in {store}", f"{option} {stored} or more"
    return WrongUse(
        f"{wrong}. A run can be extended, not shortened: give {right}, or another folder with "
        "--out."
    )


def check_rows(target: Target, column: str, protocol: str) -> None:
    """Refuse outcomes of too few rows to be split."""
    needed = ROWS_NEEDED[protocol] * target.rows_each
    hint = ": join it with another, or leave it out with --exclude-class or --min-class-size"
    for name, n in target.rarer_than(needed):
        raise WrongUse(
            f"{name} of {column!r} has {counted(n, 'row')}; protocol {protocol} needs at least "
            f"{needed}{hint if target.names else ''}."
        )


def sizes_of(options: StudyOptions, n_features: int, most: int) -> list[int]:
    """Return subset sizes: as typed, or 1, 2, 5, 10, … up to `most`, below that of features."""
    from backstay.study import Study

    sizes = options.sizes_given()
    if sizes is None:
        return [size for size in Study.log_sizes(n_features) if size <= most]
    if sizes[-1] > n_features:
        raise WrongUse(f"--sizes holds {sizes[-1]}; there are {n_features} features.")
    return sizes


def n_jobs_of(jobs: int | None) -> int:
    """Return how many tasks run at once: as many as there are cores, unless given."""
    if jobs is not None:
        return jobs
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def imputation(X: pd.DataFrame, how: str | None, methods: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return what fills missing values on training rows, None if there are none, and a note."""
    from sklearn.impute import KNNImputer, SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from backstay._columns import missing_cells
    from backstay.study import Study

    gaps, _ = missing_cells(X)
    if not gaps:
        return None, []
    if how == "knn":
        # Rows are similar on a common scale; means and spreads ignore what is missing.
        fill = make_pipeline(StandardScaler(), KNNImputer(keep_empty_features=True))
        words = "mean of the 5 most similar training rows, on features of mean 0 and spread 1"
    else:
        fill = SimpleImputer(strategy="median", keep_empty_features=True)
        words = "median of the training rows"
    note = f"{gaps} missing values are filled with the {words}, on every split anew"
    able = [name for name, method in methods.items() if Study.takes_missing(method)]
    if able:
        note += f"; {', '.join(able)} could take gaps as they are, but get the same filled values"
    return fill, [f"{note}."]


def describe_null(n_permutations: int, n_splits: int) -> tuple[int, str]:
    """Return the number of runs with shuffled outcomes, and a description of them."""
    from backstay.study import Study

    n_each = min(Study.NULL_RUNS, n_splits)
    if not n_permutations:
        return 0, "none (--null 0), so nothing shows what the stability is worth"
    words = f"{counted(n_permutations, 'permutation')} of the outcomes × {counted(n_each, 'run')}"
    return n_permutations * n_each, f"{words}, without models"


def deals_of(options: StudyOptions, target: Target, groups: Any) -> tuple[int, str]:
    """Return how often the rows are dealt into parts, to plan by, and a description."""
    from backstay.study import Study

    n_deals, why_not = options.planning, "--planning 0"
    if n_deals is None:
        why_not = "--quick" if options.quick else Study.why_no_parts(target, groups)
        n_deals = 0 if why_not else DEALS
    if not n_deals:
        return 0, f"none ({why_not}), so nothing shows whether more rows would help"
    return n_deals, f"{counted(n_deals, 'deal')} of the rows into halves and into thirds"


def describe_decoys(n_draws: int, grouped: bool, paired: bool) -> list[tuple[str, str]]:
    """Return a line on decoys, if the study makes any."""
    if n_draws and grouped and not paired:
        raise WrongUse(
            f"--decoys {n_draws} permutes rows, but --groups keeps rows together; use only one. "
            "Decoys change places within --pairs."
        )
    within = " that change places within pairs" if paired else ""
    words = f"{counted(n_draws, 'draw')}{within}, for the method that the report is about"
    return [("decoys", words)] if n_draws else []


def design_words(
    found: list[Confounding], options: StudyOptions
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return lines on covariates and batches, and what to beware of."""
    lines, beware = [], []
    for one in found:
        of_batch = one.name == "batch"
        kind = f"{one.levels} {'batches' if of_batch else 'levels'}" if one.levels else "a number"
        shares = ", ".join(f"{share:.0%}" for share in one.components)
        said = f"{one.outcome.measure} {one.outcome.value:.2f}, p {one.outcome.p_value:.2g}"
        centred = "; features are centred within" if of_batch and options.center_batches else ""
        words = f"{kind}; with the outcome {said}; of the first components {shares}{centred}"
        lines.append(
            ("batch" if of_batch else "adjust", words if of_batch else f"{one.name}: {words}")
        )
        if of_batch and one.outcome.p_value < GOES_WITH:
            beware.append(
                f"Batches and the outcome go together ({said}). What features say of the batch "
                "looks like what they say of the outcome, and no adjustment repairs that wholly. "
                "See --protocol leave-batch-out, and --adjust with the column of the batch."
            )
        elif one.outcome.p_value < GOES_WITH:
            beware.append(
                f"{one.name!r} goes with the outcome ({said}). If the outcome may change it, as an "
                "illness changes weight or cell counts, adjusting takes away what you look for: "
                "adjust for what was there before the outcome."
            )
    return lines, beware


def describe_pairs(target: Target, pairs: Any) -> list[tuple[str, str]]:
    """Return a line on pairs, or refuse what are none."""
    with options_named():
        second = target.on_second_side(pairs)
    n = len(set(pairs[second]) & set(pairs[~second]))
    return [("pairs", f"{n} with both classes, {len(set(pairs)) - n} without, which are left out")]


def plan_run(
    table: LabelledTable, options: StudyOptions, store: Path, *, verbose: int, paired: bool
) -> RunPlan:
    """Put a study together and describe it."""
    from backstay.report import suspicion_words
    from backstay.study import Study, confounding, make_methods, suspicions
    from backstay.targets import as_target, find_metric

    target = as_target(table.y, table.kind, positive=table.positive, horizon=table.horizon)
    check_rows(target, table.target, options.protocol)
    if table.batch is None and (options.center_batches or options.protocol == "leave-batch-out"):
        raise WrongUse("--center-batches and --protocol leave-batch-out need --batch.")
    protocol, description = resampling(options)
    X, notes, warnings = table.numbers(options.categories)
    most = min(MAX_SIZE, target.most_features)
    sizes = sizes_of(options, X.shape[1], most)
    with options_named():
        panel = make_methods(options.names, n_features=X.shape[1], kind=target.kind)
        metric = find_metric(options.metric or target.default_metric(target.default_models()))
    if metric.name not in target.metrics:
        raise WrongUse(
            f"--metric {metric.name} does not judge {target.kind}; there are "
            f"{', '.join(target.metrics)}."
        )
    models, judged_by = target.models_for(metric)
    preprocess, filled = imputation(X, options.impute, panel)
    n_jobs = n_jobs_of(options.jobs)
    with options_named():
        beside = confounding(X, target, table.covariates, table.batch)
    design_lines, beware = design_words(beside, options)
    n_deals, planning = deals_of(options, target, table.groups)
    study = Study(
        panel,
        protocol,
        models=models,
        sizes=sizes,
        metric=options.metric,
        null=options.permutations,
        decoys=options.decoys,
        planning=n_deals,
        preprocess=preprocess,
        keep_samples=not options.no_samples,
        store=store,
        n_jobs=n_jobs,
        random_state=options.seed,
        verbose=verbose,
    )
    everyone, n_splits = list(study.all_methods()), protocol.get_n_splits(groups=table.batch)
    added = [name for name in everyone if name not in panel]
    capped = options.sizes is None and X.shape[1] > most
    cap = f" (up to {most}; --sizes for others)" if capped else ""
    n_null, null = describe_null(options.permutations, n_splits)
    n_methods = len(everyone)
    product = f"{counted(n_methods, 'method')} × {counted(n_splits, 'split')}"
    tasks = f"{product} = {n_methods * n_splits}"
    n_parts = n_deals * Study.DEAL_RUNS
    n_batches = Study.batch_runs(target, table.batch)
    for n_runs, words in (
        (n_null, "with shuffled outcomes"),
        (n_parts, "on parts of the rows"),
        (n_batches, "on single batches"),
    ):
        if n_runs:
            tasks += f", and {n_methods} × {n_runs} {words} = {n_methods * n_runs}"
    if n_null or n_parts or n_batches:
        tasks += f"; {n_methods * (n_splits + n_null + n_parts + n_batches)} in all"
    at_a_time = f"on {options.cluster}" if options.cluster else f"{n_jobs} at a time"
    together = f", whole {'pairs' if paired else 'groups'} together"
    lines = [
        ("splits", description + ("" if table.groups is None else together)),
        *(describe_pairs(target, table.groups) if paired else []),
        *design_lines,
        ("methods", ", ".join(panel)),
        ("controls", ", ".join(added) or "none: no instance-weighted method"),
        ("sizes", f"{', '.join(map(str, sizes))} feature{'' if sizes == [1] else 's'}{cap}"),
        ("models", judged_by),
        ("metric", f"{metric.title} decides"),
        *target.remarks(),
        ("null", null),
        ("planning", planning),
        *describe_decoys(options.decoys, table.groups is not None, paired),
        ("tasks", f"{tasks}, {at_a_time}, seed {options.seed}"),
        *([("shard", f"{options.shard} of these tasks")] if options.shard else []),
    ]
    if options.quick:
        lines.insert(0, ("preliminary", PRELIMINARY))
    found = by_severity([*table.suspicions, *suspicions(X, target, table.groups)])
    suspected = [" ".join(suspicion_words(one, target)) for one in found]
    warnings = [*warnings, *beware]
    return RunPlan(study, X, target, lines, [*notes, *filled], warnings, suspected)
