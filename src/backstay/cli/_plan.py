"""What a run will do: from the options to a study, its data, and the lines that describe them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstay.cli._guard import WrongUse
from backstay.cli._show import counted
from backstay.cli._study_options import StudyOptions

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import LabelledTable
    from backstay.study import SmallerStudyError, Study


MAX_SIZE = 100
# Rows a class needs, so that every training part has two of it and every test part one.
ROWS_NEEDED = {"subsample": 3, "10x10": 10, "5x2": 4}
# A largest class of more times the smallest is said, and what it means for accuracy.
UNEQUAL = 3
PRELIMINARY = "a quick look (--quick); run it without before you rely on it"


@dataclass(frozen=True)
class RunPlan:
    """A study and its data, ready to run, and what to say about them."""

    study: Study
    X: pd.DataFrame
    lines: list[tuple[str, str]]
    notes: list[str]
    warnings: list[str]
    preliminary: str | None = None


def resampling(options: StudyOptions) -> tuple[Any, str]:
    """Return the protocol of the study, and a description of it."""
    from backstay.study import FiveByTwo, RepeatedStratifiedKFold, Subsampling

    times = options.times
    if options.protocol == "subsample":
        return Subsampling(times), f"{counted(times, 'random split')}, 2/3 of the rows for training"
    if options.protocol == "10x10":
        return RepeatedStratifiedKFold(10, times), f"{times} times 10-fold cross-validation"
    return FiveByTwo(), "5 times two halves"


def smaller_than_stored(error: SmallerStudyError, options: StudyOptions, store: Any) -> WrongUse:
    """Say in the words of the command line that a run was made with more than is asked for."""
    stored, given = error.stored, error.given
    if error.what == "methods":
        lacking = ", ".join(name for name in stored if name not in given)
        wrong = f"--methods leaves out {lacking}, which {store} holds"
        right = f"--methods {','.join(dict.fromkeys([*stored, *given]))}"
    else:
        option = "--null" if error.what == "permutations" else "--repeats"
        each = 10 if option == "--repeats" and options.protocol == "10x10" else 1
        stored, given = stored // each, given // each
        omitted = option == "--repeats" and options.repeats is None
        shown = f"{option} is {given} if omitted," if omitted else f"{option} {given} is"
        wrong, right = f"{shown} fewer than the {stored} in {store}", f"{option} {stored} or more"
    return WrongUse(
        f"{wrong}. A run can be extended, not shortened: give {right}, or another folder with "
        "--out."
    )


def check_classes(table: LabelledTable, protocol: str) -> None:
    """Refuse classes too small to be split."""
    needed = ROWS_NEEDED[protocol]
    for name, n in table.classes.items():
        if n < needed:
            raise WrongUse(
                f"class {name!r} of {table.target!r} has {n} row{'s' if n > 1 else ''}; protocol "
                f"{protocol} needs at least {needed} of every class: join it with another, or "
                "leave it out with --exclude-class or --min-class-size."
            )


def sizes_of(options: StudyOptions, n_features: int) -> list[int]:
    """Return subset sizes: as typed, or 1, 2, 5, 10, … up to 100, below the number of features."""
    from backstay.study import Study

    sizes = options.sizes_given()
    if sizes is None:
        return [size for size in Study.log_sizes(n_features) if size <= MAX_SIZE]
    if sizes[-1] > n_features:
        raise WrongUse(f"--sizes holds {sizes[-1]}; there are {n_features} features.")
    return sizes


def n_jobs_of(jobs: int | None) -> int:
    """Return how many tasks run at once: as many as there are cores, unless given."""
    if jobs is not None:
        return jobs
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def describe_metric(name: str | None) -> tuple[str, dict[str, Any] | None, str]:
    """Return the metric that decides, the models to judge by it, and a description of them.

    None stands for the study's own models.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    from backstay.targets import find_metric

    try:
        metric = find_metric(name or "roc_auc")
    except ValueError as error:
        raise WrongUse(str(error).replace(f"metric={name!r}", f"--metric {name}")) from error
    if metric.needs != "probabilities":
        words = "linear SVM, which weighs classes by their rarity, and 1-NN, on features scaled"
        return metric.title, None, f"{words} to [0, 1]"
    model = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=1000))
    words = f"logistic regression on features scaled to [0, 1], as the {metric.title} needs"
    return metric.title, {"logistic": model}, f"{words} probabilities"


def imputation(X: pd.DataFrame, how: str | None, methods: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return what fills missing values on training rows, None if there are none, and a note."""
    from sklearn.impute import KNNImputer, SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from backstay._columns import missing_cells
    from backstay.study import takes_missing

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
    able = [name for name, method in methods.items() if takes_missing(method)]
    if able:
        note += f"; {', '.join(able)} could take them as they are, and see the same filled values"
    return fill, [f"{note}."]


def describe_null(n_permutations: int, n_splits: int) -> tuple[int, str]:
    """Return the number of runs with shuffled labels, and a description of them."""
    from backstay.study import NULL_RUNS

    n_each = min(NULL_RUNS, n_splits)
    if not n_permutations:
        return 0, "none (--null 0), so what stability is worth stays unknown"
    words = f"{counted(n_permutations, 'permutation')} of the labels × {counted(n_each, 'run')}"
    words += ", without models"
    return n_permutations * n_each, words


def describe_decoys(n_draws: int, table: LabelledTable) -> list[tuple[str, str]]:
    """Return a line on decoys, if there are to be any."""
    if n_draws and table.groups is not None:
        raise WrongUse(
            f"--decoys {n_draws} permutes rows, and --groups keeps some together; leave one out."
        )
    words = f"{counted(n_draws, 'draw')}, for the method that the report is about"
    return [("decoys", words)] if n_draws else []


def describe_classes(table: LabelledTable) -> list[tuple[str, str]]:
    """Return a line on classes of very different size, if they are."""
    sizes = table.classes.values()
    ratio = max(sizes) / min(sizes)
    if ratio <= UNEQUAL:
        return []
    words = "accuracy would be misleading; AUC and balanced accuracy are not"
    return [("class ratio", f"{ratio:.3g}:1 of largest and smallest; {words}")]


def make_plan(table: LabelledTable, options: StudyOptions, store: Path, *, verbose: int) -> RunPlan:
    """Put a study together and describe it."""
    from backstay.study import Study, make_methods

    check_classes(table, options.protocol)
    protocol, description = resampling(options)
    X, notes, warnings = table.numbers(options.categories)
    sizes = sizes_of(options, X.shape[1])
    try:
        panel = make_methods(options.names, n_features=X.shape[1])
    except ValueError as error:
        raise WrongUse(str(error)) from error
    preprocess, filled = imputation(X, options.impute, panel)
    notes += filled
    n_jobs = n_jobs_of(options.jobs)
    title, models, judged_by = describe_metric(options.metric)
    study = Study(
        panel,
        protocol,
        models=models,
        sizes=sizes,
        metric=options.metric,
        null=options.permutations,
        decoys=options.decoys,
        preprocess=preprocess,
        store=store,
        n_jobs=n_jobs,
        random_state=options.seed,
        verbose=verbose,
    )
    at_a_time = f"on {options.cluster}" if options.cluster else f"{n_jobs} at a time"
    everyone, n_splits = list(study.all_methods()), protocol.get_n_splits()
    added = [name for name in everyone if name not in panel]
    capped = options.sizes is None and X.shape[1] > MAX_SIZE
    cap = f" (up to {MAX_SIZE}; --sizes for others)" if capped else ""
    n_null, null = describe_null(options.permutations, n_splits)
    n_methods = len(everyone)
    product = f"{counted(n_methods, 'method')} × {counted(n_splits, 'split')}"
    tasks = f"{product} = {n_methods * n_splits}"
    if n_null:
        tasks += (
            f", and {n_methods} × {n_null} with shuffled labels = {n_methods * n_null}; "
            f"{n_methods * (n_splits + n_null)} in all"
        )
    lines = [
        ("splits", description + (", whole groups together" if table.groups is not None else "")),
        ("methods", ", ".join(panel)),
        ("controls", ", ".join(added) or "none: no instance-weighted method"),
        ("sizes", f"{', '.join(map(str, sizes))} feature{'' if sizes == [1] else 's'}{cap}"),
        ("models", judged_by),
        ("metric", f"{title} decides"),
        *describe_classes(table),
        ("null", null),
        *describe_decoys(options.decoys, table),
        ("tasks", f"{tasks}, {at_a_time}, seed {options.seed}"),
        *([("shard", f"{options.shard} of these tasks")] if options.shard else []),
    ]
    if options.quick:
        lines.insert(0, ("preliminary", PRELIMINARY))
    return RunPlan(study, X, lines, notes, warnings, PRELIMINARY if options.quick else None)
