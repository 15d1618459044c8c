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
    from backstay.study import Study


MAX_SIZE = 100
REPEATS = {"subsample": 50, "10x10": 10, "5x2": 5}
# Rows a class needs, so that every training part has two of it and every test part one.
ROWS_NEEDED = {"subsample": 3, "10x10": 10, "5x2": 4}


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
    study = Study(
        panel,
        protocol,
        sizes=sizes,
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
    lines = [
        ("splits", description + (", whole groups together" if table.groups is not None else "")),
        ("methods", ", ".join(panel)),
        ("controls", ", ".join(added) or "none: no instance-weighted method"),
        ("sizes", ", ".join(map(str, sizes)) + " features" + cap),
        ("classifiers", "linear SVM and 1-NN on features scaled to [0, 1]"),
        ("tasks", f"{len(everyone)} methods × {n_splits} splits = {len(everyone) * n_splits}, "
         f"{n_jobs} at a time, seed {options.seed}"),
    ]  # fmt: skip
    return RunPlan(study, X, lines, notes, warnings)
