"""What a report says of classes: what they are called, and what to keep in mind about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backstay.targets._class_metrics import METRICS
from backstay.targets._target import Words

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget

# Classes further apart in size make accuracy misleading.
UNEQUAL = 3
# Fewer rows of a class say little about it.
FEW_ROWS = 10
MODELS = {
    "svm": (
        "linear SVM",
        ("SVC(", "kernel='linear'"),
        "support vector machine with a linear kernel: the widest gap between the classes",
    ),
    "1nn": (
        "nearest neighbour",
        ("KNeighborsClassifier(", "n_neighbors=1,"),
        "the class of the nearest training row",
    ),
    "pam": (
        "nearest shrunken centroids",
        ("NearestShrunkenCentroids(",),
        "the class with the nearest mean, after small differences between means are removed",
    ),
}

PAIR_WORDS = {
    "effect": "mean differences in their own standard deviations, with Hedges' correction",
    "test": "the paired t test",
}


def class_words(target: ClassTarget) -> Words:
    """Return what a report calls classes and their effects."""
    names = [str(name) for name in target.classes]
    two = len(names) == 2
    number = f"{len(names)} class{'' if len(names) == 1 else 'es'}"
    return Words(
        outcome="the classes",
        described=number,
        task=f"Classification into {number}",
        errors="Errors by class",
        separation="AUC" if two else "AUC of two classes, on average",
        direction="high in" if two else "direction",
        directed="high in {}" if two else "{}",
        difference=f"{names[1]} minus {names[0]}"
        if two
        else "the class furthest from the others minus all other rows",
        effect="Hedges' g",
        effect_source=(
            "Hedges, L. V. and Olkin, I. (1985). Statistical Methods for Meta-Analysis. Academic "
            "Press."
        ),
        test="Welch's t test" if two else "the analysis of variance",
        columns={name: f"mean in {name}" for name in names},
        models=MODELS,
    )


def class_concerns(target: ClassTarget, metric: str | None) -> list[tuple[str, str]]:
    """Return what to keep in mind: unequal classes where models are judged, and small ones."""
    concerns = [] if metric is None else _unequal(target, metric)
    small = [f"{name} ({n})" for name, n in target.summary() if n < FEW_ROWS]
    if small:
        text = f"Classes with fewer than {FEW_ROWS} rows: {', '.join(small)}."
        concerns.append(("Little can be said about small classes.", text))
    return concerns


def _unequal(target: ClassTarget, metric: str) -> list[tuple[str, str]]:
    """Warn of accuracy where one class is far larger than another."""
    sizes = sorted((n, name) for name, n in target.summary())
    (few, rare), (many, common) = sizes[0], sizes[-1]
    if many <= UNEQUAL * few:
        return []
    ratio = f"{many / few:.1f}".removesuffix(".0")
    guess = METRICS["accuracy"].chance(target)
    right = f"{100 * guess:.{1 if guess > 0.985 else 0}f}\u202f%"
    instead = (
        f"This study decides by {METRICS[metric].title} instead."
        if metric != "accuracy"
        else "This study decides by accuracy all the same; AUC or balanced accuracy suit it better."
    )
    text = (
        f"The classes are unequal: {many} rows of {common} to {few} of {rare}, {ratio}:1. Always "
        f"guessing {common} is right about {right} of the rows. {instead}"
    )
    return [("A high accuracy means little here.", text)]
