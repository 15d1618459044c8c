"""Rows that belong to classes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from backstay._refusal import Refusal
from backstay._units import complete_pairs
from backstay._validation import encode_labels
from backstay.targets import _class_errors
from backstay.targets._class_effects import (
    HUGE,
    TIMES,
    association_with_classes,
    effects_of_classes,
    moments_of_classes,
    moments_of_pairs,
    separation_of_classes,
)
from backstay.targets._class_metrics import METRICS
from backstay.targets._class_models import class_models, class_outputs, shortcut_of
from backstay.targets._class_signature import ClassSignature
from backstay.targets._metric import Metric
from backstay.targets._target import (
    Arrays,
    Floats,
    Rows,
    TableRows,
    Target,
    Tested,
    Words,
    permuted_within,
)

# Pairs with both classes that a study needs.
LEAST_PAIRS = 4
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


class ClassTarget(ClassSignature):
    """The class of every row by its place in `classes`; of two, the second is the positive one."""

    kind: ClassVar[str] = "classes"
    example: ClassVar[NDArray[Any]] = np.arange(24) % 2
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    beside: ClassVar[tuple[str, ...]] = ("balanced_accuracy", "accuracy")
    row_column: ClassVar[str] = "class"
    training_needs: ClassVar[str] = "trains on one class only; training rows need two or more"
    sections: ClassVar[tuple[str, ...]] = ("confusion", "roc", "misclassified")
    tables: ClassVar[Mapping[str, Callable[[Any, Tested], TableRows]]] = {
        "confusion": _class_errors.confusion,
        "recalls": _class_errors.recalls,
        "misclassified": _class_errors.misclassified,
        "roc": partial(_class_errors.curves, kind="roc"),
        "precision_recall": partial(_class_errors.curves, kind="precision_recall"),
        "roc_points": _class_errors.roc_points,
        "bias_variance": _class_errors.bias_variance,
        "pair_order": _class_errors.pair_order,
    }
    cohort_tables: ClassVar[tuple[str, ...]] = ("confusion", "recalls", "roc_points")
    agreement: ClassVar[tuple[str, ...]] = ("agreement", "pooled_kappa")
    estimator_type: ClassVar[str | None] = "classifier"
    pair_words: ClassVar[Mapping[str, Any]] = {
        "effect": "mean differences in their own standard deviations, with Hedges' correction",
        "test": "the paired t test",
    }

    moments = moments_of_classes
    pair_moments = moments_of_pairs
    association = association_with_classes
    separation = separation_of_classes
    default_models = class_models
    outputs = class_outputs
    shortcut = shortcut_of
    _effects = effects_of_classes
    last_moment: ClassVar[str] = "class mean"
    models_described: ClassVar[str] = (
        "linear SVM, which weighs classes by their rarity, and 1-NN, on features scaled to [0, 1]"
    )
    slow_model: ClassVar[str] = "1-NN"
    nearly: ClassVar[float] = 0.95
    apart: ClassVar[float] = 1.0

    @classmethod
    def of(cls, y: NDArray[Any], positive: Any = None) -> Self:
        """Return the target of labels; `positive` is put second, where metrics look for it."""
        classes, codes = encode_labels("Study", y)
        if positive is None:
            target = cls(classes, codes, y)
            target.seen = classes  # travels to every task, which need not find it out again
            return target
        if len(classes) != 2 or positive not in classes.tolist():
            raise ValueError(
                f"positive={positive!r} must be one of two classes; y has {classes.tolist()}."
            )
        return cls(classes, codes) if classes[1] == positive else cls(classes[::-1], 1 - codes)

    @classmethod
    def from_store(cls, stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the target that a store holds; without an array of numbers it has no rows."""
        classes = np.array(stored["classes"], dtype=object)
        return cls(classes, np.asarray(arrays.get("codes", ())).astype(np.intp))

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Rows of every class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    def take(self, rows: Any) -> Self:
        return type(self)(self.classes, self.codes[rows], self.values[rows])

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "classes": self.classes.tolist()}

    def arrays(self) -> Arrays:
        return {"codes": self.codes.astype("<i4")}

    def row_labels(self) -> list[Any]:
        return [self.classes[code] for code in self.codes]

    def row_facts(self, row: int, said: Floats) -> dict[str, Any]:
        """Return the row's class and the predicted one, as places among the classes, and scores."""
        predicted, *scores = said.tolist()
        names = ["score"] if len(scores) == 1 else [f"score_{c}" for c in range(len(scores))]
        numbers = {"class": int(self.codes[row]), "predicted": int(predicted)}
        return numbers | dict(zip(names, scores, strict=True))

    def strata(self, n_dealt: int) -> NDArray[Any]:
        """Return the labels: every split has the same shares of the classes."""
        return self.values

    def rarer_than(self, n_rows: int) -> list[tuple[str, int]]:
        return [(f"class {name!r}", n) for name, n in self.summary() if n < n_rows]

    def can_train(self, rows: Rows) -> bool:
        """Return whether these rows hold two classes."""
        return len(np.unique(self.codes[rows])) > 1

    def _shuffled_groups(
        self, first: Rows, member: Rows, strata: NDArray[Any] | None, rng: np.random.Generator
    ) -> Self:
        """Shuffle groups of one class as a whole, and those that mix classes within."""
        mixed = np.unique(member[self.codes != self.codes[first][member]])
        pure = np.setdiff1d(np.arange(len(first)), mixed)
        by_group = first.copy()
        within = None if strata is None else strata[pure]
        by_group[pure] = first[permuted_within(pure, within, rng)]
        source = by_group[member]
        for group in mixed:
            rows = np.flatnonzero(member == group)
            source[rows] = rng.permutation(rows)
        return self.take(source)

    def default_metric(self, models: Mapping[str, Any]) -> str:
        """Return the area under the ROC curve where every model ranks rows."""
        ranks = ("decision_function", "predict_proba")
        ranked = all(any(hasattr(one, name) for name in ranks) for one in models.values())
        return "roc_auc" if ranked else "balanced_accuracy"

    def models_for(self, metric: Metric) -> tuple[dict[str, Any], str]:
        if metric.needs != "probabilities":
            return super().models_for(metric)
        model = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=1000))
        words = f"logistic regression on features scaled to [0, 1], as the {metric.title} needs "
        return {"logistic": model}, f"{words}probabilities"

    def n_columns(self, keep: str) -> int:
        """Return 1 for the predicted class number, and 1 or one per class for scores."""
        return 1 + (0 if keep == "predictions" else 1 if self.n_classes == 2 else self.n_classes)

    def coded(self, values: NDArray[Any]) -> tuple[Rows, Rows]:
        """Return the classes among training rows, as numbers, and each row's place among them."""
        present, codes = np.unique(values, return_inverse=True)
        return np.searchsorted(self.seen, present), codes

    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return weights that give every class the same mass, and an indicator of every class."""
        weights = 1 / self.sizes[self.codes] / (self.sizes > 0).sum()
        return weights, np.equal.outer(self.codes, np.arange(self.n_classes)).astype(np.float64)

    def from_leanings(self, leanings: Floats) -> Floats:
        """Return the class that is leaned to most, and the leanings as scores."""
        predicted = leanings.argmax(axis=-1)[..., None]
        scores = leanings[..., 1:] - leanings[..., :1] if self.n_classes == 2 else leanings
        return np.concatenate([predicted, scores], axis=-1)

    def on_second_side(self, pairs: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows are of the second class; refuse other than two, and too few pairs."""
        second = self.codes == 1
        n_pairs = len(complete_pairs(second, pairs))
        if self.n_classes == 2 and n_pairs >= LEAST_PAIRS:
            return second
        wrong = f"{n_pairs} of {len(np.unique(pairs))} have both, where {LEAST_PAIRS} should"
        if self.n_classes != 2:
            wrong = f"there are {self.n_classes} classes: leave all but two out"
        raise Refusal(
            f"pairs have rows of two classes, but {wrong}, or name what keeps rows together as "
            "groups.",
            parameter=("exclude_classes", "groups", "pairs"),
        )

    def summary(self) -> list[tuple[str, int]]:
        return [(str(name), int(n)) for name, n in zip(self.classes, self.sizes, strict=True)]

    def unlike(self, other: Target) -> str | None:
        """Say that another study has other classes; None if it has the same."""
        if other.kind != self.kind:
            return super().unlike(other)
        names = [sorted(name for name, _ in target.summary()) for target in (self, other)]
        if names[0] == names[1]:
            return None
        shown = " and ".join(", ".join(one) for one in names)
        return f"the two studies have different classes ({shown}); give them the same names."

    def remarks(self) -> list[tuple[str, str]]:
        """Return a text on classes of very different size, if they are."""
        ratio = self.sizes.max() / self.sizes.min()
        if ratio <= UNEQUAL:
            return []
        text = "accuracy would be misleading; AUC and balanced accuracy are not"
        return [("class ratio", f"{ratio:.3g}:1 of largest and smallest; {text}")]

    def words(self) -> Words:
        names = [str(name) for name in self.classes]
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
                "Hedges, L. V. and Olkin, I. (1985). Statistical Methods for Meta-Analysis. "
                "Academic Press."
            ),
            test="Welch's t test" if two else "the analysis of variance",
            columns={name: f"mean in {name}" for name in names},
            models=MODELS,
        )

    def concerns(self, metric: str | None) -> list[tuple[str, str]]:
        """Return what to keep in mind: unequal classes where models are judged, and small ones."""
        concerns = [] if metric is None else self._unequal(metric)
        small = [f"{name} ({n})" for name, n in self.summary() if n < FEW_ROWS]
        if small:
            text = f"Classes with fewer than {FEW_ROWS} rows: {', '.join(small)}."
            concerns.append(("Little can be said about small classes.", text))
        return concerns

    def _unequal(self, metric: str) -> list[tuple[str, str]]:
        """Warn of accuracy where one class is far larger than another."""
        sizes = sorted((n, name) for name, n in self.summary())
        (few, rare), (many, common) = sizes[0], sizes[-1]
        if many <= UNEQUAL * few:
            return []
        ratio = f"{many / few:.1f}".removesuffix(".0")
        guess = METRICS["accuracy"].chance(self)
        right = f"{100 * guess:.{1 if guess > 0.985 else 0}f}\u202f%"
        instead = f"This study decides by {METRICS[metric].title} instead."
        if metric == "accuracy":
            instead = (
                "This study decides by accuracy all the same; AUC or balanced accuracy suit it "
                "better."
            )
        text = (
            f"The classes are unequal: {many} rows of {common} to {few} of {rare}, {ratio}:1. "
            f"Always guessing {common} is right about {right} of the rows. {instead}"
        )
        return [("A high accuracy means little here.", text)]

    def _standing(
        self, share: Floats, size: Floats
    ) -> list[tuple[Floats, Callable[[float, float], bool]]]:
        """Return distances of two normal distributions with these AUCs, and Hedges' g."""
        distance = np.sqrt(2) * stats.norm.ppf(np.clip(share, 0.5, 1 - 0.5 / len(self)))
        return [
            (distance, lambda one, other: one - other >= self.apart),
            (size, lambda one, other: one >= max(HUGE, TIMES * other)),
        ]

    @property
    def names(self) -> list[Any]:
        """The classes, in their order."""
        return list(self.classes)

    @property
    def least_rows(self) -> float:
        """Rows of the smallest class times the number of classes, roughly."""
        return METRICS["balanced_accuracy"].rows_worth(self)
