"""What a run will do: from the options to a study, its data, and the lines that describe them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstay.cli._guard import WrongUse

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import LabelledTable
    from backstay.study import SmallerStudyError, Study


MAX_SIZE = 100
REPEATS = {"subsample": 50, "10x10": 10, "5x2": 5}
# Rows a class needs, so that every training part has two of it and every test part one.
ROWS_NEEDED = {"subsample": 3, "10x10": 10, "5x2": 4}
# A largest class of more times the smallest is said, and what it means for accuracy.
UNEQUAL = 3


@dataclass(frozen=True)
class StudyOptions:
    """The options of ``backstay run`` that shape the study; wrong ones are refused at once.

    What can be judged without the table is judged here, before anything heavy is loaded.
    """

    methods: list[str]
    protocol: str = "subsample"
    repeats: int | None = None
    sizes: str | None = None
    categories: str = "code"
    jobs: int | None = None
    seed: int = 0
    metric: str | None = None
    null: int = 20
    shard: str | None = None

    def __post_init__(self) -> None:
        if self.categories not in ("code", "drop"):
            raise WrongUse(f"--categories {self.categories} must be code or drop.")
        if self.protocol not in REPEATS:
            raise WrongUse(
                f"--protocol {self.protocol} is unknown; there are {', '.join(REPEATS)}."
            )
        if self.repeats is not None:
            if self.repeats < (2 if self.protocol == "subsample" else 1):
                raise WrongUse(
                    f"--repeats {self.repeats} is too few; stability needs two runs at least."
                )
            if self.protocol == "5x2" and self.repeats != 5:
                raise WrongUse("--protocol 5x2 has 5 repeats; use subsample for another number.")
        self.sizes_given()
        self.shard_given()

    def shard_given(self) -> tuple[int, int] | None:
        """Return which part of the tasks to run, and of how many; None for all."""
        if self.shard is None:
            return None
        found = re.fullmatch(r"(\d+)/(\d+)", self.shard.strip())
        pair = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= pair[0] <= pair[1]:
            raise WrongUse(
                f"--shard {self.shard} must be a part and the number of parts, such as 3/10."
            )
        return pair

    def store_name(self) -> str:
        """Return the name of the file that keeps the study."""
        pair = self.shard_given()
        return "study.db" if pair is None else f"shard-{pair[0]}-of-{pair[1]}.db"

    def sizes_given(self) -> list[int] | None:
        """Return the subset sizes that were typed, in order; None if there are none."""
        if self.sizes is None:
            return None
        parts = [part for part in re.split(r"[,\s]+", self.sizes) if part]
        if not parts or not all(part.isdigit() and int(part) > 0 for part in parts):
            raise WrongUse(f"--sizes {self.sizes!r} must be whole numbers, such as 5,10,20.")
        return sorted({int(part) for part in parts})


@dataclass(frozen=True)
class RunPlan:
    """A study and its data, ready to run, and what to say about them."""

    study: Study
    X: pd.DataFrame
    lines: list[tuple[str, str]]
    notes: list[str]
    warnings: list[str]


def resampling(options: StudyOptions) -> tuple[Any, str]:
    """Return the protocol of the study, and a description of it."""
    from backstay.study import FiveByTwo, RepeatedStratifiedKFold, Subsampling

    times = REPEATS[options.protocol] if options.repeats is None else options.repeats
    if options.protocol == "subsample":
        return Subsampling(times), f"{times} random splits, 2/3 of the rows for training"
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
                "leave its rows out of the file."
            )


def sizes_of(options: StudyOptions, n_features: int) -> list[int]:
    """Return subset sizes: as typed, or 1, 2, 5, 10, … up to 100, below the number of features."""
    sizes = options.sizes_given()
    if sizes is None:
        steps = [digit * 10**power for power in range(3) for digit in (1, 2, 5)]
        return [size for size in steps if size <= MAX_SIZE and size < n_features] or [1]
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
    """Return the metric that decides, the classifiers to judge by it, and a description of them.

    None stands for the study's own classifiers.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    from backstay.results import METRICS

    if name is not None and name not in METRICS:
        raise WrongUse(f"--metric {name} is unknown; there are {', '.join(METRICS)}.")
    metric = METRICS[name or "roc_auc"]
    if metric.needs != "probabilities":
        words = "linear SVM, which weighs classes by their rarity, and 1-NN, on features scaled"
        return metric.title, None, f"{words} to [0, 1]"
    model = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=1000))
    words = f"logistic regression on features scaled to [0, 1], as the {metric.title} needs"
    return metric.title, {"logistic": model}, f"{words} probabilities"


def describe_null(n_permutations: int, n_splits: int) -> tuple[int, str]:
    """Return the number of runs with shuffled labels, and a description of them."""
    from backstay.study import NULL_RUNS

    n_each = min(NULL_RUNS, n_splits)
    if not n_permutations:
        return 0, "none (--null 0), so what stability is worth stays unknown"
    many = "s" if n_permutations > 1 else ""
    words = f"{n_permutations} permutation{many} of the labels × {n_each} runs, without classifiers"
    return n_permutations * n_each, words


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
    import numpy as np
    from sklearn.impute import SimpleImputer

    from backstay.study import Study, make_methods

    check_classes(table, options.protocol)
    protocol, description = resampling(options)
    X, notes, warnings = table.numbers(options.categories)
    sizes = sizes_of(options, X.shape[1])
    try:
        panel = make_methods(options.methods or None, n_features=X.shape[1])
    except ValueError as error:
        raise WrongUse(str(error)) from error
    gaps = int(np.isnan(X.to_numpy()).sum())
    preprocess = None
    if gaps:
        preprocess = SimpleImputer(strategy="median", keep_empty_features=True)
        notes.append(
            f"{gaps} missing values are filled with the median of the training rows, on every "
            "split anew."
        )
    n_jobs = n_jobs_of(options.jobs)
    title, classifiers, judged_by = describe_metric(options.metric)
    study = Study(
        panel,
        protocol,
        classifiers=classifiers,
        sizes=sizes,
        metric=options.metric,
        null=options.null,
        preprocess=preprocess,
        store=store,
        n_jobs=n_jobs,
        random_state=options.seed,
        verbose=verbose,
    )
    everyone, n_splits = list(study.all_methods()), protocol.get_n_splits()
    added = [name for name in everyone if name not in panel]
    capped = options.sizes is None and X.shape[1] > MAX_SIZE
    cap = f" (up to {MAX_SIZE}; --sizes for others)" if capped else ""
    n_null, null = describe_null(options.null, n_splits)
    n_methods = len(everyone)
    tasks = f"{n_methods} methods × {n_splits} splits = {n_methods * n_splits}"
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
        ("classifiers", judged_by),
        ("metric", f"{title} decides"),
        *describe_classes(table),
        ("null", null),
        ("tasks", f"{tasks}, {n_jobs} at a time, seed {options.seed}"),
        *([("shard", f"{options.shard} of these tasks")] if options.shard else []),
    ]
    return RunPlan(study, X, lines, notes, warnings)
