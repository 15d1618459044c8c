"""Rows with a number each."""

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
    MOMENTS,
    association_with_numbers,
    concordance,
    effects_on_numbers,
    moments_with_numbers,
)
from backstay.targets._number_metrics import METRICS
from backstay.targets._number_models import number_models, shortcut_of
from backstay.targets._number_signature import NumberSignature
from backstay.targets._target import (
    Arrays,
    Beside,
    Floats,
    Rows,
    TableRows,
    Tested,
    Words,
    mean_row,
    neighbours,
    permuted_within,
)

# Rows that a study of numbers needs, and rows to train on.
LEAST_ROWS = 12
# A row with this share of the outcome's variance, or this share of rows with one value.
ONE_ROW, TIED = 0.25, 0.3
MODELS = {
    "ridge": (
        "ridge regression",
        ("RidgeCV(",),
        "linear regression with small coefficients; training rows decide how small, by "
        "leave-one-out cross-validation",
    ),
    "5nn": (
        "five nearest neighbours",
        ("KNeighborsRegressor(", "n_neighbors=5"),
        "the mean of the five nearest training rows",
    ),
}


def predicted_rows(target: "NumberTarget", tested: Tested) -> TableRows:
    """Return tested rows: outcome, mean and spread of predictions, root mean square error."""
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


def residual_rows(target: "NumberTarget", tested: Tested) -> TableRows:
    """Return the same rows, the largest errors first."""
    return sorted(predicted_rows(target, tested), key=lambda row: -row["error"])


def bias_variance(target: "NumberTarget", tested: Tested) -> TableRows:
    """Split the squared error into bias² and variance."""
    rows = [row for row in predicted_rows(target, tested) if row["n_runs"] > 1]
    names = ("error", "residual", "spread", "spread")
    return mean_row(*(np.square([row[name] for row in rows]) for name in names))


class NumberTarget(NumberSignature):
    """The number of every row."""

    kind: ClassVar[str] = "numbers"
    example: ClassVar[NDArray[Any]] = np.linspace(0.0, 1.0, 24)
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
    separation = concordance
    default_models = number_models
    shortcut = shortcut_of
    _effects = effects_on_numbers
    last_moment: ClassVar[str] = MOMENTS[-1]
    models_described: ClassVar[str] = (
        "ridge regression, its penalty by leave-one-out on training rows, and 5-NN, on features of "
        "mean 0 and deviation 1"
    )
    slow_model: ClassVar[str] = "5-NN"

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

    def _shuffled_groups(
        self, first: Rows, member: Rows, strata: NDArray[Any] | None, rng: np.random.Generator
    ) -> Self:
        """Let groups exchange their means, and rows of a group their deviations from its mean.

        So groups of one number exchange it as a whole, and groups that differ within, such as
        visits of a patient, go with no feature between patients or within one, but stay as alike.
        """
        # Deviations from the first row of a group are exactly 0 where all are equal.
        apart = self.values - self.values[first][member]
        middle = np.bincount(member, apart) / np.bincount(member)
        level, apart = self.values[first] + middle, apart - middle[member]
        values = level[permuted_within(np.arange(len(first)), strata, rng)][member]
        for group in range(len(first)):
            rows = np.flatnonzero(member == group)
            values[rows] += apart[rng.permutation(rows)]
        return type(self)(values)

    def values_for(self, method: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers that no ranker of ours takes for classes."""
        return as_numbers(method, values) if hasattr(method, "outcomes") else values

    def default_metric(self, models: Mapping[str, Any]) -> str:
        return "r2"

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

    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return equal weights, and the numbers."""
        return np.full(len(self), 1 / len(self)), self.values[:, None]

    def from_leanings(self, leanings: Floats) -> Floats:
        """Return predictions around the mean of the training rows, and that mean."""
        mean = self.values.mean()
        return np.concatenate([leanings + mean, np.full_like(leanings, mean)], axis=-1)

    def by_group(self, groups: NDArray[Any]) -> Self:
        """Return the mean of every group."""
        return type(self)(group_means(self.values[:, None], groups)[:, 0])

    def summary(self) -> list[tuple[str, int]]:
        return [("rows", len(self))]

    def words(self) -> Words:
        described = "numbers"
        if len(self):  # a target without rows has no range
            low, high = (f"{end:.4g}" for end in (self.values.min(), self.values.max()))
            described += f" from {low} to {high}".replace("-", "−")
        return Words(
            outcome="the outcome",
            described=described,
            task="Regression of a number",
            errors="Predicted and observed",
            separation="concordance",
            direction="with the outcome",
            directed="{} with it",
            difference=(
                "change of the feature with one standard deviation of the outcome (slope per SD: "
                "change of the outcome with one of the feature)"
            ),
            effect="Pearson's r",
            effect_source=(
                "Fisher, R. A. (1921). On the probable error of a coefficient of correlation "
                "deduced from a small sample. Metron 1, 3-32."
            ),
            test="the t test of a slope",
            columns={"outcome": "slope per SD"},
            models=MODELS,
        )

    def concerns(self, metric: str | None) -> list[tuple[str, str]]:
        """Return what to keep in mind: one row that decides, and many rows of one value."""
        concerns, y = [], self.values
        squares = (y - y.mean()) ** 2
        share = float(squares.max() / squares.sum())
        if share > ONE_ROW and metric in ("r2", "rmse"):
            text = (
                f"One row, with the outcome {y[squares.argmax()]:g}, has {share:.0%} of the "
                "variance of all rows, so R² depends on whether it is predicted. The Spearman "
                "correlation does not. The logarithm of a skewed outcome may suit R² better."
            )
            concerns.append(("A single row decides.", text))
        values, counts = np.unique(y, return_counts=True)
        if counts.max() > TIED * len(y):
            text = (
                f"{counts.max()} of {len(y)} rows have the outcome {values[counts.argmax()]:g}. "
                "Whether a row has it may be another question than how high the others are."
            )
            concerns.append(("Many rows have the same outcome.", text))
        return concerns

    def remarks(self) -> list[tuple[str, str]]:
        y = self.values
        return [("outcome", f"mean {y.mean():.4g}, standard deviation {y.std(ddof=1):.4g}")]
