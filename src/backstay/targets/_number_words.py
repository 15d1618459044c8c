"""What a report calls numbers and their effects, and what to keep in mind about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backstay.targets._target import Words

if TYPE_CHECKING:
    from backstay.targets._numbers import NumberTarget

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


def number_words(target: NumberTarget) -> Words:
    """Return what a report calls numbers and their effects."""
    return Words(
        outcome="the outcome",
        described=_range(target),
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
            "Fisher, R. A. (1921). On the probable error of a coefficient of correlation deduced "
            "from a small sample. Metron 1, 3-32."
        ),
        test="the t test of a slope",
        columns={"outcome": "slope per SD"},
        models=MODELS,
    )


def _range(target: NumberTarget) -> str:
    """Say where the numbers lie; a target without rows has none."""
    if not len(target):
        return "numbers"
    ends = (f"{end:.4g}".replace("-", "−") for end in (target.values.min(), target.values.max()))
    return f"numbers from {' to '.join(ends)}"


def number_concerns(target: NumberTarget, metric: str | None) -> list[tuple[str, str]]:
    """Return what to keep in mind: one row that decides, and many rows of one value."""
    concerns, y = [], target.values
    squares = (y - y.mean()) ** 2
    share = float(squares.max() / squares.sum())
    if share > ONE_ROW and metric in ("r2", "rmse"):
        text = (
            f"One row, with the outcome {y[squares.argmax()]:g}, has {share:.0%} of the variance "
            "of all rows, so R² depends on whether it is predicted. The Spearman correlation "
            "does not. The logarithm of a skewed outcome may suit R² better."
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


def number_remarks(target: NumberTarget) -> list[tuple[str, str]]:
    """Return mean and deviation."""
    y = target.values
    return [("outcome", f"mean {y.mean():.4g}, standard deviation {y.std(ddof=1):.4g}")]
