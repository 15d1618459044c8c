"""Rows with a number each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyRegressor

from backstay._design import Regression
from backstay._units import group_means
from backstay._validation import as_numbers
from backstay.targets._metric import Metric, row_means
from backstay.targets._number_effects import (
    association_with_numbers,
    concordance,
    effects_on_numbers,
    giveaways_of_numbers,
    moments_with_numbers,
)
from backstay.targets._number_metrics import METRICS
from backstay.targets._number_models import DESCRIBED, default_models, shortcut_of
from backstay.targets._number_signature import NumberSignature
from backstay.targets._number_words import number_concerns, number_remarks, number_words
from backstay.targets._target import (
    LEFT_OUT,
    MANY_ROWS,
    Arrays,
    Beside,
    Effects,
    Floats,
    Rows,
    Shortcut,
    TableRows,
    Tested,
    mean_row,
    neighbours,
    permuted_within,
)

# Rows that a study of numbers needs, and rows to train on.
LEAST_ROWS = 12


def predicted_rows(target: NumberTarget, tested: Tested) -> TableRows:
    """Return every tested row: its outcome, and the mean and spread of its predictions.

    The residual is the outcome less the mean; the error is the root mean square over the runs.
    """
    figures = []
    for rows, outputs in tested.runs:
        said = outputs[:, 0]
        figures.append((rows, np.stack([said, said**2, (target.values[rows] - said) ** 2])))
    means, times = row_means(target, figures, (3,))
    return [
        {
            "row": row,
            "outcome": float(target.values[row]),
            "predicted": float(mean),
            "spread": float(np.sqrt(max(square - mean**2, 0))),
            "residual": float(target.values[row] - mean),
            "error": float(np.sqrt(error)),
            "n_runs": int(times[row]),
        }
        for row, (mean, square, error) in enumerate(means)
        if times[row]
    ]


def residual_rows(target: NumberTarget, tested: Tested) -> TableRows:
    """Return the same rows, the largest errors first."""
    return sorted(predicted_rows(target, tested), key=lambda row: -row["error"])


def bias_variance(target: NumberTarget, tested: Tested) -> TableRows:
    """Split the squared error into bias² and variance."""
    rows = [row for row in predicted_rows(target, tested) if row["n_runs"] > 1]
    names = ("error", "residual", "spread", "spread")
    return mean_row(*(np.square([row[name] for row in rows]) for name in names))


class NumberTarget(NumberSignature):
    """The number of every row.

    Parameters
    ----------
    values : array of shape (n_rows,)
        Finite numbers.
    """

    kind: ClassVar[str] = "numbers"
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    beside: ClassVar[tuple[str, ...]] = ("spearman", "mae", "rmse")
    row_column: ClassVar[str] = "outcome"
    training_needs: ClassVar[str] = (
        f"trains on fewer than {LEAST_ROWS} rows, or on rows that all have the same outcome"
    )
    sections: ClassVar[tuple[str, ...]] = ("predicted", "residuals")
    tables: ClassVar[Mapping[str, Callable[[Any, Tested], TableRows]]] = {
        "predicted": predicted_rows,
        "residuals": residual_rows,
        "bias_variance": bias_variance,
    }
    cohort_tables: ClassVar[tuple[str, ...]] = ()
    agreement: ClassVar[tuple[str, ...]] = ("alpha",)
    estimator_type: ClassVar[str | None] = "regressor"

    moments = moments_with_numbers
    association = association_with_numbers
    giveaways = giveaways_of_numbers
    words = number_words
    concerns = number_concerns
    remarks = number_remarks

    @classmethod
    def of(cls, y: NDArray[Any], positive: Any = None) -> Self:
        """Return the target of numbers, or refuse what are none."""
        if positive is not None:
            raise ValueError(f"positive={positive!r} is for two classes; y holds numbers.")
        try:
            values = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("y must hold numbers; some are text or something else.") from None
        infinite = np.flatnonzero(~np.isfinite(values))
        if len(infinite):
            raise ValueError(
                f"y is infinite in {len(infinite)} of {len(values)} rows, first in row "
                f"{infinite[0]}; leave these rows out or say how large it is."
            )
        if len(values) < LEAST_ROWS:
            raise ValueError(f"y has {len(values)} rows; numbers need {LEAST_ROWS} or more.")
        if (values == values[0]).all():
            raise ValueError(f"y is {values.flat[0]:g} in all rows, so nothing can be predicted.")
        return cls(values)

    @classmethod
    def from_store(cls, stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the target that a store holds; without an array of numbers it has no rows."""
        return cls(np.asarray(arrays.get("numbers", ()), dtype=np.float64))

    def take(self, rows: Any) -> Self:
        return type(self)(self.values[rows])

    def arrays(self) -> Arrays:
        return {"numbers": self.values.astype("<f8")}

    def row_facts(self, row: int, said: Floats) -> dict[str, Any]:
        """Return the row's number, the predicted one, and the mean of the training rows."""
        names = ("outcome", "predicted", "training_mean")
        return dict(zip(names, [float(self.values[row]), *said.tolist()], strict=True))

    def strata(self, n_dealt: int) -> NDArray[Any]:
        """Return numbers of neighbours: rows sorted by outcome, so many or a few more together."""
        return neighbours(self.values, n_dealt)

    def rarer_than(self, n_rows: int) -> list[tuple[str, int]]:
        """Return all rows, if they are fewer."""
        return [("the outcome", len(self))] if len(self) < max(n_rows, LEAST_ROWS) else []

    def can_train(self, rows: Rows) -> bool:
        """Return whether these are enough rows, with more than one number."""
        return len(rows) >= LEAST_ROWS and bool(np.ptp(self.values[rows]) > 0)

    def shuffled(
        self,
        groups: NDArray[Any] | None,
        rng: np.random.Generator,
        strata: NDArray[Any] | None = None,
    ) -> Self:
        """Return the numbers in random order; with groups, what could have been otherwise.

        Groups exchange their means, and the rows of a group their deviations from its mean. So
        groups of one number exchange it as a whole, and groups that differ within, such as visits
        of a patient, go with no feature between patients or within one, but stay as alike.
        """
        if groups is None:
            return self.take(permuted_within(np.arange(len(self)), strata, rng))
        names, first, member = np.unique(groups, return_index=True, return_inverse=True)
        # Deviations from the first row of a group are exactly 0 where all are equal.
        apart = self.values - self.values[first][member]
        middle = np.bincount(member, apart) / np.bincount(member)
        level, apart = self.values[first] + middle, apart - middle[member]
        within = None if strata is None else strata[first]
        values = level[permuted_within(np.arange(len(names)), within, rng)][member]
        for group in range(len(names)):
            rows = np.flatnonzero(member == group)
            values[rows] += apart[rng.permutation(rows)]
        return type(self)(values)

    def values_for(self, method: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers that no method takes for classes; rankers of backstay scale them anyway.

        Methods of others get them as they are.
        """
        return as_numbers(method, values) if hasattr(method, "outcomes") else values

    def default_models(self) -> dict[str, Any]:
        return default_models(len(self))

    def default_metric(self, models: Mapping[str, Any]) -> str:
        return "r2"

    def models_for(self, metric: Metric) -> tuple[dict[str, Any], str]:
        """Return the default models; all metrics suit them."""
        words = DESCRIBED
        if len(self) > MANY_ROWS:
            words = words.replace(", and 5-NN,", f"{LEFT_OUT} 5-NN;")
        return default_models(len(self)), words

    def n_columns(self, keep: str) -> int:
        """Return 2: the predicted number, and the mean of the training rows."""
        return 2

    def outputs(self, model: Any, X: Any, keep: str, learned: NDArray[Any]) -> Floats:
        """Return the prediction of every row beside the mean of what the model was fitted to."""
        predicted = np.asarray(model.predict(X), dtype=np.float64).ravel()
        return np.column_stack([predicted, np.full(len(predicted), learned.mean())])

    def with_covariates(self, values: NDArray[Any], Z: Floats, new: Floats) -> Beside:
        """Return what covariates leave of the numbers; models predict that, on features likewise.

        By Frisch, Waugh and Lovell's theorem these are linear models with unpenalised covariates.
        """
        fitted = Regression.fit(Z, values[:, None])
        return Beside(
            np.empty((len(Z), 0)),
            np.empty((len(new), 0)),
            values - fitted.explained(Z)[:, 0],
            fitted.explained(new)[:, 0],
            DummyRegressor(),
        )

    def with_offset(self, outputs: Floats, offset: Floats) -> Floats:
        """Return predictions plus what covariates alone say; the training mean stays."""
        return np.concatenate([outputs[..., :1] + offset[:, None], outputs[..., 1:]], axis=-1)

    def shortcut(self, model: Any, keep: str) -> Shortcut | None:
        return shortcut_of(model)

    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return equal weights, and the numbers."""
        return np.full(len(self), 1 / len(self)), self.values[:, None]

    def from_leanings(self, leanings: Floats) -> Floats:
        """Return predictions around the mean of the training rows, and that mean."""
        mean = self.values.mean()
        return np.concatenate([leanings + mean, np.full_like(leanings, mean)], axis=-1)

    def effects(self, X: Any) -> Effects | None:
        return effects_on_numbers(X if isinstance(X, Mapping) else self.moments(X))

    def by_group(self, groups: NDArray[Any]) -> Self:
        """Return the mean of every group."""
        return type(self)(group_means(self.values[:, None], groups)[:, 0])

    def separation(self, values: Floats) -> Floats:
        return concordance(values, self.values)

    def summary(self) -> list[tuple[str, int]]:
        return [("rows", len(self))]
