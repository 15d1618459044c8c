"""What a run will do: from the options to a study, its data, and the lines that describe them."""

from __future__ import annotations

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

    from backstay._suspicion import Suspicion
    from backstay.datasets import LabelledTable
    from backstay.study import Confounding, Study
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
    found: list[Suspicion]


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


def imputation(X: pd.DataFrame, how: str | None) -> tuple[Any, list[str]]:
    """Return what fills missing values on training rows, None if there are none, and a note."""
    from sklearn.impute import KNNImputer, SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from backstay._columns import missing_cells

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
    return fill, [f"{gaps} missing values are filled with the {words}, on every split anew."]


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
        lines.append(("batch", words) if of_batch else ("adjust", f"{one.name}: {words}"))
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


def _check(table: LabelledTable, options: StudyOptions, target: Target, paired: bool) -> None:
    """Refuse options that the table does not allow."""
    needed = ROWS_NEEDED[options.protocol] * target.rows_each
    hint = ": join it with another, or leave it out with --exclude-class or --min-class-size"
    for name, n in target.rarer_than(needed):
        raise WrongUse(
            f"{name} of {table.target!r} has {counted(n, 'row')}; protocol {options.protocol} "
            f"needs at least {needed}{hint if target.names else ''}."
        )
    if table.batch is None and (options.center_batches or options.protocol == "leave-batch-out"):
        raise WrongUse("--center-batches and --protocol leave-batch-out need --batch.")
    if options.decoys and table.groups is not None and not paired:
        raise WrongUse(
            f"--decoys {options.decoys} permutes rows, but --groups keeps rows together; use only "
            "one. Decoys change places within --pairs."
        )


def _tasks(n_methods: int, n_splits: int, others: dict[str, int]) -> str:
    """Say how many tasks there are, of every kind and in all."""
    said = f"{counted(n_methods, 'method')} × {counted(n_splits, 'split')} = {n_methods * n_splits}"
    for words, n_runs in others.items():
        if n_runs:
            said += f", and {n_methods} × {n_runs} {words} = {n_methods * n_runs}"
    n_others = sum(others.values())
    return f"{said}; {n_methods * (n_splits + n_others)} in all" if n_others else said


def plan_run(
    table: LabelledTable, options: StudyOptions, store: Path, *, verbose: int, paired: bool
) -> RunPlan:
    """Put a study together and describe it."""
    from joblib import cpu_count

    from backstay._units import complete_pairs
    from backstay.report import suspicion_words
    from backstay.study import Study, confounding, make_methods, suspicions
    from backstay.targets import as_target, find_metric

    target = as_target(table.y, table.kind, positive=table.positive, horizon=table.horizon)
    _check(table, options, target, paired)
    protocol, description = resampling(options)
    X, notes, warnings = table.numbers(options.categories)
    most = min(MAX_SIZE, target.most_features)
    sizes = options.sizes_given()
    if sizes is None:
        sizes = [size for size in Study.log_sizes(X.shape[1]) if size <= most]
    elif sizes[-1] > X.shape[1]:
        raise WrongUse(f"--sizes holds {sizes[-1]}; there are {X.shape[1]} features.")
    with options_named():
        panel = make_methods(options.names, n_features=X.shape[1], kind=target.kind)
        metric = find_metric(options.metric or target.default_metric(target.default_models()))
    if metric.name not in target.metrics:
        raise WrongUse(
            f"--metric {metric.name} does not judge {target.kind}; there are "
            f"{', '.join(target.metrics)}."
        )
    models, judged_by = target.models_for(metric)
    preprocess, filled = imputation(X, options.impute)
    n_jobs = options.jobs or cpu_count()
    with options_named():
        beside = confounding(X, target, table.covariates, table.batch)
    design_lines, beware = design_words(beside, options)
    n_deals, why_not = options.planning, "--planning 0"
    if n_deals is None:
        why_not = "--quick" if options.quick else Study.why_no_parts(target, table.groups)
        n_deals = 0 if why_not else DEALS
    planning = f"{counted(n_deals, 'deal')} of the rows into halves and into thirds"
    if not n_deals:
        planning = f"none ({why_not}), so nothing shows whether more rows would help"
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
    n_each = min(Study.NULL_RUNS, n_splits)
    n_null = options.permutations * n_each
    null = "none (--null 0), so nothing shows what the stability is worth"
    if n_null:
        permuted = counted(options.permutations, "permutation")
        null = f"{permuted} of the outcomes × {counted(n_each, 'run')}, without models"
    pair_lines = []
    if paired and table.groups is not None:
        with options_named():
            second = target.on_second_side(table.groups)
        n_pairs, n_both = len(set(table.groups)), len(complete_pairs(second, table.groups))
        words = f"{n_both} with both classes, {n_pairs - n_both} without, which are left out"
        pair_lines = [("pairs", words)]
    others = {
        "with shuffled outcomes": n_null,
        "on parts of the rows": n_deals * Study.DEAL_RUNS,
        "on single batches": Study.batch_runs(target, table.batch),
    }
    within = " that change places within pairs" if paired else ""
    decoys = f"{counted(options.decoys, 'draw')}{within}, for the method that the report is about"
    at_a_time = f"on {options.cluster}" if options.cluster else f"{n_jobs} at a time"
    together = f", whole {'pairs' if paired else 'groups'} together"
    lines = [
        ("splits", description + ("" if table.groups is None else together)),
        *pair_lines,
        *design_lines,
        ("methods", ", ".join(panel)),
        ("controls", ", ".join(added) or "none: no instance-weighted method"),
        ("sizes", f"{', '.join(map(str, sizes))} feature{'' if sizes == [1] else 's'}{cap}"),
        ("models", judged_by),
        ("metric", f"{metric.title} decides"),
        *target.remarks(),
        ("null", null),
        ("planning", planning),
        *([("decoys", decoys)] if options.decoys else []),
        ("tasks", f"{_tasks(len(everyone), n_splits, others)}, {at_a_time}, seed {options.seed}"),
        *([("shard", f"{options.shard} of these tasks")] if options.shard else []),
    ]
    if options.quick:
        lines.insert(0, ("preliminary", PRELIMINARY))
    found = suspicions(X, target, table.groups)
    every = by_severity([*table.suspicions, *found])
    suspected = [" ".join(suspicion_words(one, target)) for one in every]
    warnings = [*warnings, *beware]
    return RunPlan(study, X, target, lines, [*notes, *filled], warnings, suspected, found)
