"""Rows that belong to classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._units import complete_pairs
from backstay._validation import encode_labels
from backstay.targets import _class_errors
from backstay.targets._class_effects import (
    effects_of_classes,
    moments_of_classes,
    moments_of_pairs,
)
from backstay.targets._class_metrics import METRICS
from backstay.targets._class_models import (
    class_outputs,
    default_models,
    models_for,
    shortcut_of,
)
from backstay.targets._class_separation import (
    association_with_classes,
    giveaways_of_classes,
    separation_of_classes,
)
from backstay.targets._class_signature import ClassSignature
from backstay.targets._class_words import PAIR_WORDS, UNEQUAL, class_concerns, class_words
from backstay.targets._metric import Metric
from backstay.targets._target import (
    Arrays,
    Effects,
    Floats,
    Rows,
    Shortcut,
    TableRows,
    Target,
    Tested,
    permuted_within,
)

# Pairs with both classes that a study needs.
LEAST_PAIRS = 4


class ClassTarget(ClassSignature):
    """The class of every row.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        Labels of the classes; of two, the second is the positive one.
    codes : array of shape (n_rows,)
        Number of every row's class, its place in `classes`.
    values : array of shape (n_rows,), default=None
        What methods see, if not the class numbers: the labels themselves.
    """

    kind: ClassVar[str] = "classes"
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
    pair_words: ClassVar[Mapping[str, Any]] = PAIR_WORDS

    moments = moments_of_classes
    pair_moments = moments_of_pairs
    association = association_with_classes
    giveaways = giveaways_of_classes
    words = class_words
    concerns = class_concerns

    @classmethod
    def of(cls, y: NDArray[Any], positive: Any = None) -> Self:
        """Return the target of labels, or refuse what are none.

        Where `positive` names one of two classes, that class is put second, where metrics look
        for it, and methods see class numbers.
        """
        classes, codes = encode_labels("Study", y)
        if positive is None:
            target = cls(classes, codes, y)
            target._seen = classes  # travels to every task, which need not find it out again
            return target
        if len(classes) != 2 or positive not in classes.tolist():
            raise ValueError(
                f"positive={positive!r} must be one of two classes; y has {classes.tolist()}."
            )
        return cls(classes, codes) if classes[1] == positive else cls(classes[::-1], 1 - codes)

    @classmethod
    def from_store(cls, stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the target that a store holds; labels that JSON cannot hold are text there.

        Without an array of class numbers it has no rows.
        """
        classes = np.array(stored["classes"], dtype=object)
        return cls(classes, np.asarray(arrays.get("codes", ())).astype(np.intp))

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Rows of every class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @cached_property
    def _seen(self) -> NDArray[Any]:
        """The classes as methods see them, in order."""
        return np.unique(self.values)

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

    def shuffled(
        self,
        groups: NDArray[Any] | None,
        rng: np.random.Generator,
        strata: NDArray[Any] | None = None,
    ) -> Self:
        """Return the labels in random order; with groups, what could have been otherwise.

        Groups of one class exchange their labels as a whole, so that the number of groups in each
        class stays; groups that mix classes, such as pairs, keep their labels in another order.
        """
        if groups is None:
            return self.take(permuted_within(np.arange(len(self)), strata, rng))
        names, first, member = np.unique(groups, return_index=True, return_inverse=True)
        mixed = np.unique(member[self.codes != self.codes[first][member]])
        pure = np.setdiff1d(np.arange(len(names)), mixed)
        by_group = first.copy()
        within = None if strata is None else strata[first[pure]]
        by_group[pure] = first[permuted_within(pure, within, rng)]
        source = by_group[member]
        for group in mixed:
            rows = np.flatnonzero(member == group)
            source[rows] = rng.permutation(rows)
        return self.take(source)

    def default_models(self) -> dict[str, Any]:
        return default_models(len(self))

    def default_metric(self, models: Mapping[str, Any]) -> str:
        """Return the area under the ROC curve where every model ranks rows."""
        ranks = ("decision_function", "predict_proba")
        ranked = all(any(hasattr(one, name) for name in ranks) for one in models.values())
        return "roc_auc" if ranked else "balanced_accuracy"

    def models_for(self, metric: Metric) -> tuple[dict[str, Any], str]:
        return models_for(metric, len(self))

    def n_columns(self, keep: str) -> int:
        """Return 1 for the predicted class number, and 1 or one per class for scores."""
        return 1 + (0 if keep == "predictions" else 1 if self.n_classes == 2 else self.n_classes)

    def outputs(self, model: Any, X: Any, keep: str, learned: NDArray[Any]) -> Floats:
        return class_outputs(model, X, self._seen, keep)

    def coded(self, values: NDArray[Any]) -> tuple[Rows, Rows]:
        """Return the classes among training rows, as numbers, and each row's place among them."""
        present, codes = np.unique(values, return_inverse=True)
        return np.searchsorted(self._seen, present), codes

    def shortcut(self, model: Any, keep: str) -> Shortcut | None:
        return None if keep == "probabilities" else shortcut_of(model, self.n_classes, keep)

    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return weights that give every class the same mass, and an indicator of every class."""
        weights = 1 / self.sizes[self.codes] / (self.sizes > 0).sum()
        return weights, np.equal.outer(self.codes, np.arange(self.n_classes)).astype(np.float64)

    def from_leanings(self, leanings: Floats) -> Floats:
        """Return the class that is leaned to most, and the leanings as scores."""
        predicted = leanings.argmax(axis=-1)[..., None]
        scores = leanings[..., 1:] - leanings[..., :1] if self.n_classes == 2 else leanings
        return np.concatenate([predicted, scores], axis=-1)

    def effects(self, X: Any) -> Effects | None:
        moments = X if isinstance(X, Mapping) else self.moments(X)
        return effects_of_classes(moments, list(map(str, self.classes)))

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

    def separation(self, values: Floats) -> Floats:
        return separation_of_classes(values, self.codes, self.n_classes)

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

    @property
    def names(self) -> list[Any]:
        """The classes, in their order."""
        return list(self.classes)

    @property
    def least_rows(self) -> float:
        """Rows of the smallest class times the number of classes, roughly."""
        return METRICS["balanced_accuracy"].rows_worth(self)
