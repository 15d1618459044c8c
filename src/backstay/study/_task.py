"""One task: one method on one resample, from training rows to predictions of test rows.

Everything is fitted on the training rows. The test rows come in at the end, without their
labels, to be predicted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from backstay._design import Design
from backstay._validation import seeded
from backstay.base import one_thread
from backstay.store import TaskRecord
from backstay.study._adjust import AdjustedRows, predict_without_features
from backstay.study._predict import Prediction, predict
from backstay.study._progress import Stage
from backstay.study._protocols import Split
from backstay.study._ranking import kept_depth, ranking_of, units_for
from backstay.study._rows import Rows, Sides, reads_numbers

OUT_OF_MEMORY = "MemoryError"


@dataclass(frozen=True)
class SharedInputs:
    """What all tasks on a data set share; the same object for every worker.

    ``numbers`` is X without its names, if that is all it is besides numbers; ``design`` is what is
    known of the rows beside it.
    """

    X: Any
    y: NDArray[Any]
    prediction: Prediction
    preprocess: Any = None
    numbers: NDArray[np.float64] | None = None
    design: Design = field(default_factory=Design)


def run_task(
    inputs: SharedInputs, name: str, method: Any, resample: int, split: Split
) -> TaskRecord:
    """Fit a method on the training rows and models on its best features; never raises.

    The error of a task that found too little memory begins with ``OUT_OF_MEMORY``.
    """
    record = TaskRecord(name, resample)
    start = time.perf_counter()
    try:
        with one_thread():
            _run(inputs, method, split, record)
    except Exception as error:
        record.arrays = {}
        kind = OUT_OF_MEMORY if isinstance(error, MemoryError) else type(error).__name__
        record.error = f"{kind}: {error}"
    record.seconds["total"] = time.perf_counter() - start
    return record


def _run(inputs: SharedInputs, method: Any, split: Split, record: TaskRecord) -> None:
    shuffled = split.shuffled is not None
    y = inputs.y if split.shuffled is None else split.shuffled.values
    train, y_train = Rows(inputs.X, inputs.numbers, split.train), y[split.train]
    n_features = inputs.X.shape[1]
    steps, columns = None, np.arange(n_features)
    if inputs.preprocess is not None:
        with Stage(record, "preprocess"):
            steps = seeded(inputs.preprocess, split.seed)
            train = Rows(steps.fit_transform(train.all_columns(), y_train))
            columns = surviving_columns(steps, n_features, train.table.shape[1])
    design, adjusted, beside = inputs.design.take(split.train), None, {}
    if design.adjusts:
        with Stage(record, "adjust"):
            adjusted = AdjustedRows.of(train, design)
        train, beside = adjusted.train, adjusted.known_to(method)
    with Stage(record, "method"):
        nameless = train.numbers is not None and reads_numbers(method)
        seen = inputs.prediction.target.values_for(method, y_train)
        target = inputs.prediction.target if split.shuffled is None else split.shuffled
        beside |= units_for(method, design, target.take(split.train))
        shared = nameless and not beside and getattr(method, "takes_shared_rows", False)
        table = train.shared() if shared else train.all_columns(as_numbers=nameless)
        fitted = seeded(method, split.seed).fit(table, seen, **beside)
        # With shuffled labels there is nothing to find, and to say so is right.
        ranking = ranking_of(fitted, len(columns), len(y_train), split.seed, shuffled)
    if (most := max(inputs.prediction.sizes)) > len(columns):
        raise ValueError(
            f"size {most} is more than the {len(columns)} features that preprocess left."
        )
    depth = kept_depth(inputs.prediction.sizes)
    record.arrays.update(ranking.arrays(columns, n_features, depth))
    # Shuffled labels are a control of the selection; nothing is to be predicted.
    if inputs.prediction.models and not shuffled:
        test = Rows(inputs.X, inputs.numbers, split.test)
        if steps is not None:
            with Stage(record, "preprocess"):
                test = Rows(steps.transform(test.all_columns()))
        how, seed, tested = inputs.prediction, split.seed, inputs.design.take(split.test)
        predict_without_features(how, y_train, design, tested, seed, record)
        if adjusted is not None:
            adjusted.predict(how, y_train, (test, tested), ranking, seed, record)
        else:
            sides = Sides(train, y_train, test)
            record.arrays["outputs"] = predict(how, sides, ranking, seed, record)


def surviving_columns(steps: Any, n_before: int, n_after: int) -> NDArray[np.intp]:
    """Return the data's columns that fitted preprocessing left, in their new order."""
    columns = np.arange(n_before)
    for step in dict(steps.steps).values() if isinstance(steps, Pipeline) else [steps]:
        if hasattr(step, "get_support"):
            columns = columns[step.get_support()]
    if len(columns) != n_after:
        raise ValueError(
            f"preprocess turns {n_before} columns into {n_after} that are not columns of the "
            "data; it may change values or select columns, not make new ones."
        )
    return columns
