"""A task on rows with covariates, or centred within batches: training rows say by how much.

Methods and models see what covariates leave of the features. Filters that test the outcome beside
covariates get these, too, and so does every model. Beside the predictions from both, those from
features alone are kept, and those from what is known beside features: covariates and batch.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from backstay._design import Adjustment, Design
from backstay.store import TaskRecord
from backstay.study._predict import Array, Prediction, predict, predict_beside
from backstay.study._progress import Stage
from backstay.study._ranking import Ranking
from backstay.study._rows import Rows, Sides


@dataclass(frozen=True)
class AdjustedRows:
    """Training rows of a task: adjusted, and ``plain``, which are centred at most."""

    adjustment: Adjustment
    design: Design
    plain: Rows
    train: Rows

    @classmethod
    def of(cls, train: Rows, design: Design) -> Self:
        """Adjust training rows; all estimates are of these rows."""
        values = train.values()
        adjustment = Adjustment.fit(values, design)
        centred = adjustment.centered(values, design)
        adjusted = train.of(adjustment.adjusted(centred, design))
        return cls(adjustment, design, train.of(centred), adjusted)

    def known_to(self, method: Any) -> dict[str, Array]:
        """Return covariates for a method that has a form of its own with them."""
        own_form = getattr(method, "tests_beside_covariates", False)
        covariates = self.design.covariates if own_form else None
        return {} if covariates is None else {"covariates": covariates.Z}

    def predict(
        self, how: Prediction, y_train: Any, test: tuple[Rows, Design], ranking: Ranking, seed: int,
        record: TaskRecord,
    ) -> None:  # fmt: skip
        """Predict test rows, from features alone, too."""
        rows, tested = test
        with Stage(record, "adjust"):
            centred = self.adjustment.centered(rows.values(), tested)
            adjusted = rows.of(self.adjustment.adjusted(centred, tested))
        if self.design.covariates is None or tested.covariates is None:
            sides = Sides(self.train, y_train, adjusted)
            record.arrays["outputs"] = predict(how, sides, ranking, seed, record)
            return
        Z, new = self.design.covariates.Z, tested.covariates.Z
        beside = how.target.with_covariates(y_train, Z, new)
        sides = Sides(self.train, y_train, adjusted, beside)
        record.arrays["outputs"] = predict(how, sides, ranking, seed, record)
        sides = Sides(self.plain, y_train, rows.of(centred))
        record.arrays["outputs of features"] = predict(how, sides, ranking, seed, record)


def predict_without_features(
    how: Prediction, y_train: Any, train: Design, test: Design, seed: int, record: TaskRecord
) -> None:
    """Predict test rows from covariates and batch alone: what features have to exceed.

    Features that tell the batch also tell the outcome wherever its shares differ between batches.
    A batch without training rows says nothing.
    """
    columns: list[list[Array]] = [[], []]
    for known, side in zip(columns, (train, test), strict=True):
        if side.covariates is not None:
            known.append(side.covariates.Z)
        if train.batch is not None and side.batch is not None:
            batches = np.equal.outer(side.batch, np.unique(train.batch))
            known.append(batches.astype(np.float64))
    if columns[0]:
        beside = how.target.with_covariates(y_train, *map(np.hstack, columns))
        record.arrays["outputs of covariates"] = predict_beside(how, beside, seed, record)
