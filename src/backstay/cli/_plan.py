"""What a run will do: from options to a protocol, sizes, methods and numbers."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer

from backstay.cli._guard import WrongUse
from backstay.datasets import LabelledTable
from backstay.study import FiveByTwo, RepeatedStratifiedKFold, Study, Subsampling
from backstay.study._controls import with_controls
from backstay.study._methods import make_methods

__all__ = ["Plan", "check_classes", "make_plan", "names_in", "protocol"]

MAX_SIZE = 100
REPEATS = {"subsample": 50, "10x10": 10, "5x2": 5}
# Rows a class needs, so that every training part has two of it and every test part one.
ROWS_NEEDED = {"subsample": 3, "10x10": 10, "5x2": 4}


@dataclass(frozen=True)
class Plan:
    """A study and its data, ready to run, and what to say about it."""

    study: Study
    X: pd.DataFrame
    lines: list[tuple[str, str]]
    notes: list[str]
    warnings: list[str]


def names_in(given: list[str] | None) -> list[str]:
    """Split names at commas, so that they may be given at once or one by one."""
    return [part.strip() for text in given or () for part in text.split(",") if part.strip()]


def protocol(name: str, repeats: int | None) -> tuple[Any, str]:
    """Return a way to split and how to say it."""
    if name not in REPEATS:
        raise WrongUse(f"--protocol {name} is unknown; there are {', '.join(REPEATS)}.")
    if repeats is not None and repeats < (2 if name == "subsample" else 1):
        raise WrongUse(f"--repeats {repeats} is too few; stability needs two runs at least.")
    times = REPEATS[name] if repeats is None else repeats
    if name == "subsample":
        return Subsampling(times), f"{times} random splits, 2/3 of the rows for training"
    if name == "10x10":
        return RepeatedStratifiedKFold(10, times), f"{times} times 10-fold cross-validation"
    if times != 5:
        raise WrongUse("--protocol 5x2 has 5 repeats; use subsample for another number.")
    return FiveByTwo(), "5 times two halves"


def check_classes(table: LabelledTable, protocol_name: str) -> None:
    """Refuse classes too small to be split."""
    needed = ROWS_NEEDED[protocol_name]
    small = {name: n for name, n in table.classes.items() if n < needed}
    if small:
        name, n = next(iter(small.items()))
        raise WrongUse(
            f"class {name!r} of {table.target!r} has {n} row{'s' if n > 1 else ''}; protocol "
            f"{protocol_name} needs at least {needed} of every class: join it with another, or "
            "leave its rows out of the file."
        )


def sizes_of(text: str | None, n_features: int) -> list[int]:
    """Return subset sizes: as given, or 1, 2, 5, 10, … up to 100, below the number of features."""
    if text is None:
        steps = [digit * 10**power for power in range(3) for digit in (1, 2, 5)]
        return [size for size in steps if size <= MAX_SIZE and size < n_features] or [1]
    parts = [part for part in re.split(r"[,\s]+", text) if part]
    if not parts or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise WrongUse(f"--sizes {text!r} must be whole numbers, such as 5,10,20.")
    sizes = sorted({int(part) for part in parts})
    if sizes[-1] > n_features:
        raise WrongUse(f"--sizes holds {sizes[-1]}; there are {n_features} features.")
    return sizes


def n_jobs_of(jobs: int | None) -> int:
    """Return how many tasks run at once: all cores, unless said otherwise."""
    if jobs is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    return jobs


def make_plan(
    table: LabelledTable,
    *,
    methods: list[str],
    protocol_name: str,
    repeats: int | None,
    sizes: str | None,
    categories: str,
    jobs: int | None,
    seed: int,
    quiet: bool,
    store: Any,
) -> Plan:
    """Put a study together and say what it will do."""
    resampling, how = protocol(protocol_name, repeats)
    check_classes(table, protocol_name)
    X, notes, warnings = table.numbers(categories)
    chosen = sizes_of(sizes, X.shape[1])
    try:
        panel = make_methods(methods or None, n_features=X.shape[1])
    except ValueError as error:
        raise WrongUse(str(error)) from error
    everyone, roles = with_controls(panel)
    added = [name for name in everyone if roles[name].added]
    gaps = int(np.isnan(X.to_numpy()).sum())
    preprocess = None
    if gaps:
        preprocess = SimpleImputer(strategy="median", keep_empty_features=True)
        notes.append(
            f"{gaps} missing values are filled with the median of the training rows, on every "
            "split anew."
        )
    n_jobs = n_jobs_of(jobs)
    study = Study(
        panel,
        resampling,
        sizes=chosen,
        preprocess=preprocess,
        store=store,
        n_jobs=n_jobs,
        random_state=seed,
        verbose=0 if quiet else 1,
    )
    n_splits = resampling.get_n_splits()
    lines = [
        ("splits", how + (", whole groups together" if table.groups is not None else "")),
        ("methods", ", ".join(panel)),
        ("controls", ", ".join(added) or "none: no instance-weighted method"),
        ("sizes", ", ".join(map(str, chosen)) + " features" + _cap(sizes, X.shape[1])),
        ("classifiers", "linear SVM and 1-NN on features scaled to [0, 1]"),
        ("tasks", f"{len(everyone)} methods × {n_splits} splits = {len(everyone) * n_splits}, "
         f"{n_jobs} at a time, seed {seed}"),
    ]  # fmt: skip
    return Plan(study, X, lines, notes, warnings)


def _cap(sizes: str | None, n_features: int) -> str:
    return (
        f" (up to {MAX_SIZE}; --sizes for others)"
        if sizes is None and n_features > MAX_SIZE
        else ""
    )
