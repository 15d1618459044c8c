"""The questions that a target answers, for rows of any kind of outcome."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.pipeline import Pipeline

from backstay._columns import column_chunks, columns_of, numeric_columns
from backstay._refusal import Refusal
from backstay._units import group_means
from backstay.targets._metric import Metric

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Arrays = dict[str, NDArray[Any]]
# Scaled training rows, what they are to predict, and scaled test rows, to outputs: row × column.
Shortcut = Callable[[Floats, Any, Floats], Floats]
TableRows = list[dict[str, Any]]
# Deviation of covariates in a penalised model: a penalty of 1/100 of a feature's of deviation 1.
WIDE = 10.0
# Of so many features with the smallest p-values the values are looked at, of more classes none; a
# few may stand out, and by chance one may on few rows: above this corrected p none does.
CANDIDATES, MOST_CLASSES, MOST, CHANCE = 60, 20, 5, 0.001
# Beyond so many rows the default models are those whose time grows with the rows, not their square.
MANY_ROWS = 5_000


@dataclass(frozen=True)
class Tested:
    """Outputs of one configuration on the rows that it was tested on, run by run."""

    runs: list[tuple[Rows, Floats]]  # rows tested, and outputs row × column
    independent: float = 1.0  # share of the rows that are independent: groups over rows
    test_share: float = 0.0  # n_test/n_train, for the correction of intervals over runs
    pairs: Rows | None = None  # number of every row's pair, where rows are paired


@dataclass(frozen=True)
class Beside:
    """How covariates enter models, unpenalised."""

    train: Floats  # columns of mean 0 and deviation 1 that join the features of training rows,
    test: Floats  # and of test rows
    values: NDArray[Any]  # what is left of the training rows' outcome for models to predict
    offset: Floats | None = None  # what covariates alone say of test rows, to be added
    alone: Any = None  # what predicts from no column at all, where covariates are no columns

    @staticmethod
    def last_step(model: Any) -> Any:
        """Return what of a pipeline decides."""
        return model.steps[-1][1] if isinstance(model, Pipeline) else model

    def joined(self, model: Any, train: Floats, test: Floats) -> tuple[Floats, Floats]:
        """Return both tables, ready for the last step of a model, with the covariates' columns.

        A penalised linear model gets columns of deviation 10, so that the penalty on them is next
        to nothing; others, such as a k-NN, get columns as wide as a feature.
        """
        last = self.last_step(model)
        linear = getattr(last, "kernel", "linear") == "linear"
        penalised = linear and any(hasattr(last, name) for name in ("C", "alpha", "penalty"))
        width = WIDE if penalised else float(train.std(axis=0).mean()) if train.shape[1] else 1.0
        return np.hstack([train, width * self.train]), np.hstack([test, width * self.test])


@dataclass(frozen=True)
class Alike:
    """Training rows of one kind, by their moments of one feature, and a cohort's rows like them."""

    n: int
    mean: float
    sd: float
    values: Floats
    kurtosis: float = 3.0

    @property
    def sides(self) -> tuple[tuple[int, float, float], tuple[int, float, float]]:
        """Number, mean and standard deviation of both."""
        x = self.values
        return (self.n, self.mean, self.sd), (len(x), float(x.mean()), float(x.std(ddof=1)))


@dataclass(frozen=True)
class Calibration:
    """Whether probabilities mean what they say.

    Slope and intercept are those of the observed log odds as a function of the predicted ones; 1
    and 0 are right. A slope below 1 means probabilities that are too sure.
    """

    name: str  # the outcome that the probabilities are of
    slope: float
    intercept: float
    bins: pd.DataFrame  # mean predicted probability and observed share, with low, high and n


@dataclass(frozen=True)
class Effects:
    """How every feature goes with the outcome, over all rows; nan where undefined.

    Attributes
    ----------
    columns : dict of str to array
        Descriptions of the kind of outcome, such as the mean of every class, by column name.
    direction : array of shape (n_features,)
        In words, where a feature is high; None where unknown.
    difference, effect, effect_low, effect_high : array of shape (n_features,)
        Size of the effect in units of the feature, and in standard deviations with its 95 %
        interval.
    p_value : array of shape (n_features,)
        Of a plain test.
    """

    columns: dict[str, NDArray[Any]]
    direction: NDArray[Any]
    difference: Floats
    effect: Floats
    effect_low: Floats
    effect_high: Floats
    p_value: Floats

    @cached_property
    def q_value(self) -> Floats:
        """P-values after Benjamini and Hochberg's correction, of those that are defined."""
        p, known = self.p_value, np.isfinite(self.p_value)
        q = np.full(len(p), np.nan)
        if known.any():
            q[known] = stats.false_discovery_control(p[known])
        return q

    def described_only(self) -> Self:
        """Return the effects without sizes in standard deviations and tests, all nan."""
        none = np.full(len(self.effect), np.nan)
        return replace(self, effect=none, effect_low=none, effect_high=none, p_value=none)


@dataclass(frozen=True)
class Association:
    """How a column that is no feature goes with the outcome."""

    measure: str  # name of a figure,
    value: float  # and the figure
    p_value: float
    strong: bool  # whether the column nearly gives the outcome away


@dataclass(frozen=True)
class Words:
    """What a report calls things that depend on the kind of outcome."""

    outcome: str  # what is predicted, to follow "predict"
    described: str  # the outcome in brief, such as "2 classes"
    task: str  # what a model does
    errors: str  # title of the section on predictions
    separation: str  # what `Target.separation` is called
    direction: str  # how a table names `Effects.direction`, such as "high in"
    directed: str  # a phrase with {} for its value, such as "high in {}"
    difference: str  # what `Effects.difference` is
    effect: str  # what `Effects.effect` is called,
    effect_source: str  # and the work that defines it
    test: str  # that p-values are of
    columns: dict[str, str]  # columns of `Effects.columns`, by what they are about
    # Models by their short names: titles, what the code of such a model contains, what they do.
    models: dict[str, tuple[str, tuple[str, ...], str]]


class Target(ABC):
    """The outcome of every row, of one kind."""

    kind: ClassVar[str]  # "classes", "numbers" or "survival"
    values: NDArray[Any]  # what methods and models are fitted to
    metrics: ClassVar[Mapping[str, Metric]]  # what this kind of outcome can be judged by
    beside: ClassVar[tuple[str, ...]]  # metrics quoted beside the one that decides
    row_column: ClassVar[str]  # how a table names the column with the outcome of a row
    rows_each: ClassVar[int] = 1  # rows with an outcome that count as much as one row of a class
    training_needs: ClassVar[str]  # what rows that cannot be trained on lack, after "this split"
    sections: ClassVar[tuple[str, ...]]  # what a report shows of predictions, by name, in order
    tables: ClassVar[Mapping[str, Callable[[Any, Tested], TableRows]]]  # of predictions
    cohort_tables: ClassVar[tuple[str, ...]]  # those of them that a validation shows
    agreement: ClassVar[tuple[str, ...]]  # measures of `prediction_stability` that suit it
    estimator_type: ClassVar[str | None]  # as scikit-learn says; None if it has no name for it
    models_described: ClassVar[str]  # the default models in words,
    slow_model: ClassVar[str] = ""  # and which of them is left out if rows are many
    shortcuts_scale: ClassVar[bool] = False  # whether they scale all columns, also covariates
    last_moment: ClassVar[str]  # what of `moments` effects cannot do without
    pair_words: ClassVar[Mapping[str, Any]] = {}  # what `words` become for differences in pairs
    # A feature gives the outcome away above this separation, if the next one is this much behind.
    nearly: ClassVar[float] = 0.9  # of two numbers, a correlation of about 0.95
    apart: ClassVar[float] = 0.7
    example: ClassVar[NDArray[Any]]  # a few outcomes of this kind, to try an estimator on

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        held = ", ".join(f"{name}: {n}" for name, n in self.summary())
        return f"{type(self).__name__}({held})"

    # Rows, and what a file holds of them.

    @abstractmethod
    def take(self, rows: Any) -> Self:
        """Return the target of some rows."""

    def to_json(self) -> dict[str, Any]:
        """Return what a store says of the target beside its rows."""
        return {"kind": self.kind}

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return what a store holds of the rows; ``from_store`` makes a target of both again."""

    def row_labels(self) -> list[Any]:
        """Return the outcome of every row as a table shows it."""
        return list(self.values.tolist())

    def row_order(self) -> dict[str, NDArray[Any]]:
        """Return columns that put rows in order where their labels are no numbers."""
        return {}

    @abstractmethod
    def row_facts(self, row: int, said: Floats) -> dict[str, Any]:
        """Return the outcome of a row and what one model said of it, as columns of a table."""

    # Splits.

    @abstractmethod
    def strata(self, n_dealt: int) -> NDArray[Any]:
        """Return what rows are dealt out to splits by, such as `n_dealt` neighbours each."""

    @abstractmethod
    def rarer_than(self, n_rows: int) -> list[tuple[str, int]]:
        """Return, in words, outcomes that fewer rows have, and how many rows each has."""

    @abstractmethod
    def can_train(self, rows: Rows) -> bool:
        """Return whether a method can be trained on these rows."""

    def why_not_test(self, parts: list[Rows]) -> str:
        """Return why a study cannot be judged on these test parts; empty if it can."""
        return ""

    def shuffled(
        self,
        groups: NDArray[Any] | None,
        rng: np.random.Generator,
        strata: NDArray[Any] | None = None,
    ) -> Self:
        """Return the outcomes in random order, within what groups of rows allow, and strata."""
        if groups is None:
            return self.take(permuted_within(np.arange(len(self)), strata, rng))
        _, first, member = np.unique(groups, return_index=True, return_inverse=True)
        return self._shuffled_groups(first, member, None if strata is None else strata[first], rng)

    @abstractmethod
    def _shuffled_groups(
        self, first: Rows, member: Rows, strata: NDArray[Any] | None, rng: np.random.Generator
    ) -> Self:
        """Return outcomes as groups, with a first row and a stratum each, could have had them."""

    def values_for(self, method: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of some rows as a method is to see them."""
        return values

    # Models and their outputs.

    @abstractmethod
    def default_models(self) -> dict[str, Any]:
        """Return the models that a study fits unless it is given others."""

    @abstractmethod
    def default_metric(self, models: Mapping[str, Any]) -> str:
        """Return the metric that decides unless the study names one."""

    def models_for(self, metric: Metric) -> tuple[dict[str, Any], str]:
        """Return the models that the command line judges by a metric, and a description of them."""
        words = self.models_described
        if len(self) > MANY_ROWS:
            left_out = f"; as there are more than {MANY_ROWS:,} rows, without {self.slow_model};"
            words = words.replace(f", and {self.slow_model},", left_out)
        return self.default_models(), words

    @abstractmethod
    def n_columns(self, keep: str) -> int:
        """Return the number of columns that outputs of predictions, or also of scores, have."""

    @abstractmethod
    def outputs(self, model: Any, X: Any, keep: str, learned: NDArray[Any]) -> Floats:
        """Return what a model, fitted to rows with the values `learned`, says: row × column."""

    def with_covariates(self, values: NDArray[Any], Z: Floats, new: Floats) -> Beside:
        """Return how covariates enter models: as columns without correlation, of deviation 1."""
        mean, sd = Z.mean(axis=0), Z.std(axis=0)
        sd = np.where(sd > 0, sd, np.inf)
        _, spread, turn = np.linalg.svd((Z - mean) / sd, full_matrices=False)
        kept = spread > 1e-8 * np.sqrt(len(Z))
        unit = turn[kept].T / sd[:, None] / spread[kept] * np.sqrt(len(Z))
        return Beside((Z - mean) @ unit, (new - mean) @ unit, values)

    def effects_beside(self, table: Floats, Z: Floats) -> tuple[Floats, ...] | None:
        """Return what `adjusted_moments` keeps, if not from a regression on the outcome."""
        return None

    def with_offset(self, outputs: Floats, offset: Floats) -> Floats:
        """Return outputs with what covariates alone say of the rows."""
        return outputs

    def coded(self, values: NDArray[Any]) -> Any:
        """Return what training rows are to predict as shortcuts want it."""
        return values

    def shortcut(self, model: Any, keep: str) -> Shortcut | None:
        """Return a faster way to a pipeline's :meth:`outputs`, from features in [0, 1], if any."""
        return None

    # What a ridge regression needs, to try features in each other's place.

    @abstractmethod
    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return weights of the rows that sum to 1, and what to regress on: row × column."""

    @abstractmethod
    def from_leanings(self, leanings: Floats) -> Floats:
        """Return outputs from such a regression's deviations from its weighted mean."""

    # What the data say.

    @abstractmethod
    def moments(self, X: Any) -> Arrays:
        """Return what a store keeps of every feature to compute effects from."""

    def effects(self, X: Any) -> Effects | None:
        """Return how features go with the outcome, from a table or moments; None without these."""
        moments = X if isinstance(X, Mapping) else self.moments(X)
        return self._effects(moments) if self.last_moment in moments else None

    @abstractmethod
    def _effects(self, moments: Mapping[str, NDArray[Any]]) -> Effects: ...

    def by_group(self, groups: NDArray[Any]) -> Self | None:
        """Return the outcome of every group, in their sorted order; None where one has several."""
        _, first, member = np.unique(groups, return_index=True, return_inverse=True)
        same = bool((self.values == self.values[first][member]).all())
        return self.take(first) if same else None

    def compared(
        self, X: Any, groups: NDArray[Any] | None, paired: bool = False
    ) -> tuple[str, Self, Any]:
        """Return what effects are over, as ``EffectUnits.kind``, and outcomes and table of it."""
        means = None if groups is None or paired else self.by_group(groups)
        if groups is None or means is None:
            return "pairs" if paired else "rows" if groups is None else "mixed", self, X
        return "groups", means, group_means(X, groups)

    def on_second_side(self, pairs: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows are on the second side of their pair; refuse outcomes without sides."""
        raise Refusal(
            f"pairs have rows of two classes, and this is an outcome of {self.kind}; name what "
            "keeps rows together as groups instead.",
            parameter=("groups", "pairs"),
        )

    def pair_moments(self, X: Any, pairs: NDArray[Any]) -> Arrays:
        """Return moments of both sides of complete pairs, and of the differences within them."""
        raise NotImplementedError

    @abstractmethod
    def separation(self, values: Floats) -> Floats:
        """Return how well columns alone tell outcomes apart: from 0.5, not at all, to 1."""

    def giveaways(self, X: Any, moments: Mapping[str, Any]) -> dict[int, float]:
        """Return features that alone nearly give the outcome away, with their separation."""
        effects = self.effects(moments)
        if effects is None or len(self.names) > MOST_CLASSES:
            return {}
        p = effects.p_value
        # Classes without any spread differ by infinitely many standard deviations.
        size = np.where(
            np.isfinite(effects.effect), np.abs(effects.effect), np.where(p == 0, np.inf, 0)
        )
        order = np.lexsort((-size, np.where(np.isnan(p), 2.0, p)))[:CANDIDATES]
        order = order[np.isfinite(p[order])]
        share = self.separation(columns_of(X, order))
        sure = (share >= self.nearly) & (p[order] * np.isfinite(p).sum() < CHANCE)
        found: set[int] = set()
        for scale, stands_out in self._standing(share, size[order]):
            ranked = np.argsort(-scale, kind="stable")
            steps = [*scale[ranked], 0.0]
            for k in range(1, min(MOST, len(ranked)) + 1):
                if sure[ranked[:k]].all() and stands_out(steps[k - 1], steps[k]):
                    found |= set(ranked[:k].tolist())
        return {int(order[j]): float(share[j]) for j in sorted(found)}

    def _standing(
        self, share: Floats, size: Floats
    ) -> list[tuple[Floats, Callable[[float, float], bool]]]:
        """Return figures of features, and whether one of them stands out from the next."""
        # Kendall's τ = 2·share − 1, of normal distributions r = sin(π τ/2), and Fisher's z of it.
        r = np.sin(np.pi / 2 * (2 * share - 1))
        z = np.arctanh(np.clip(r, 0, 1 - 1e-6))
        return [(z, lambda one, other: one - other >= self.apart)]

    @abstractmethod
    def association(self, column: NDArray[Any]) -> Association:
        """Return how a column of numbers or texts that is no feature goes with the outcome."""

    def table(self, name: str, runs: list[tuple[Rows, Floats]], *tested: Any) -> TableRows:
        """Return a table of predictions of rows not trained on, from what ``Tested`` holds."""
        if name not in self.tables:
            there = ", ".join(self.tables)
            raise ValueError(f"an outcome of {self.kind} has no table {name!r}; it has {there}.")
        return self.tables[name](self, Tested(runs, *tested))

    # What a frozen signature remembers of its training rows, and asks of a cohort.

    @abstractmethod
    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return the ways in which a study with this target may have been given the outcomes."""

    @abstractmethod
    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return what is remembered of the features, row × column, beside their own moments."""

    @abstractmethod
    def drawn_like(
        self, moments: Mapping[str, Any], sizes: list[int], n_rows: int, rng: np.random.Generator
    ) -> tuple[Self, Floats]:
        """Return outcomes and features of rows drawn from moments of rows in such numbers."""

    @staticmethod
    def _noise(moments: Mapping[str, Any], n_rows: int, rng: np.random.Generator) -> Floats:
        """Return rows drawn from a normal distribution around 0 with the moments' covariance."""
        values, axes = np.linalg.eigh(np.asarray(moments["covariance"]))
        root = axes * np.sqrt(np.maximum(values, 0))
        return rng.normal(size=(n_rows, len(root))) @ root.T

    @abstractmethod
    def of_cohort(self, y: Any, mapping: Mapping[str, str]) -> Self:
        """Return the outcomes of a cohort; `mapping` turns its names into those of this target."""

    def _without_gaps(self, y: Any) -> NDArray[Any]:
        """Return the outcomes of a cohort as an array; refuse missing ones."""
        given = np.asarray(y)
        missing = np.flatnonzero(pd.isna(given))
        if len(missing):
            raise Refusal(
                f"{len(missing)} rows have no {self.row_column}, first row {missing[0]}; leave "
                "them out."
            )
        return given

    @abstractmethod
    def alike(self, moments: Mapping[str, Any], column: int, x: Floats) -> list[Alike]:
        """Return which values of one feature should be like which training rows."""

    @abstractmethod
    def residuals(self, x: Floats) -> Floats:
        """Return values of one feature without what goes with the outcome."""

    def said(self, predicted: NDArray[Any]) -> NDArray[Any]:
        """Return the first column of outputs as the outcomes that it means."""
        return predicted

    @abstractmethod
    def in_brief(self, predicted: NDArray[Any]) -> str:
        """Return predicted outcomes in a few words."""

    def frozen_outputs(
        self, predicted: NDArray[Any], scores: Floats, moments: Mapping[str, Any]
    ) -> Floats:
        """Return what a frozen model says of rows as :meth:`outputs` does: row × column."""
        return np.column_stack([predicted, scores])

    def prediction_columns(
        self, scores: Floats, chances: Floats | None, interval: Floats | None
    ) -> dict[str, Any]:
        """Return scores, probabilities and ends of intervals as named columns of a table."""
        return {}

    @abstractmethod
    def calibrated(self, tested: pd.DataFrame) -> tuple[dict[str, Any] | None, str]:
        """Return how sure predictions are: how scores become probabilities, or how wide intervals.

        None if it is not known; and where probabilities come from, or why there are none.
        `tested` has the rows of :meth:`row_facts`, with the number of the row as ``row``, and that
        of its group as ``group`` if there are groups.
        """

    def probabilities(self, calibration: dict[str, Any], scores: Floats) -> Floats:
        """Return probabilities from scores by such a calibration."""
        raise ValueError(f"an outcome of {self.kind} has no probabilities.")

    def interval(
        self, calibration: Mapping[str, Any] | None, predicted: Floats, level: float = 0.9
    ) -> Floats | None:
        """Return the ends of every row's prediction interval, if this kind of outcome has one."""
        return None

    def cohort_figures(self, outputs: Floats, interval: Floats | None, draws: Rows) -> TableRows:
        """Return more figures of a cohort, with 95 % intervals: key, figure, value, low, high."""
        return []

    def cohort_concerns(
        self, moments: Mapping[str, Any], sizes: list[int]
    ) -> list[tuple[str, str]]:
        """Return what sets outcomes apart from the training rows': headings and sentences."""
        return []

    def outcome_alike(self, moments: Mapping[str, Any], sizes: list[int]) -> Alike | None:
        """Compare the mean of the outcomes with that of the training rows, if they have one."""
        return None

    def calibration(self, chances: Floats) -> Calibration | None:
        """Compare probabilities of these rows with their outcomes, if there is a way to do it."""
        return None

    def draws(self, n_draws: int, rng: np.random.Generator) -> Rows:
        """Return rows drawn with replacement: draw × row."""
        return rng.integers(len(self), size=(n_draws, len(self)))

    def scores_of_draws(self, metric: Metric, outputs: Floats, draws: Rows) -> Floats:
        """Return a metric of every draw of rows."""
        return np.array([metric.score(self.take(rows), outputs[rows]) for rows in draws])

    # Words.

    @abstractmethod
    def words(self) -> Words:
        """Return what a report calls the outcome, its effects and its errors."""

    @abstractmethod
    def concerns(self, metric: str | None) -> list[tuple[str, str]]:
        """Return what to keep in mind: headings and sentences. `metric` decides, if any does."""

    def unlike(self, other: Target) -> str | None:
        """Say how the outcome differs from that of another study; None if it does not."""
        if other.kind == self.kind:
            return None
        return f"one study has an outcome of {self.kind}, the other one of {other.kind}."

    @abstractmethod
    def summary(self) -> list[tuple[str, int]]:
        """Return what the rows hold, in words, and how many rows of each there are."""

    @abstractmethod
    def remarks(self) -> list[tuple[str, str]]:
        """Return what to know of the outcome before a study: a heading and a text each."""

    @property
    def names(self) -> list[Any]:
        """Kinds of rows that figures tell apart, such as the classes; empty if there are none."""
        return []

    @property
    def most_features(self) -> int:
        """How many features a study tries at most, unless it is asked for more."""
        return sys.maxsize

    @property
    def least_rows(self) -> float:
        """How many rows a score without a fault rests on; the rarest outcome limits it."""
        return float(len(self))


def permuted_within(
    items: NDArray[Any], strata: NDArray[Any] | None, rng: np.random.Generator
) -> NDArray[Any]:
    """Return items in random order; those of one stratum only change places with each other."""
    if strata is None:
        return rng.permutation(items)
    out = items.copy()
    for stratum in np.unique(strata):
        out[strata == stratum] = rng.permutation(items[strata == stratum])
    return out


def by_column(
    X: Any, names: Sequence[str], figures: Callable[[Floats], Iterable[Floats]]
) -> Arrays:
    """Return figures of every column that holds numbers, by name; nan for the others."""
    found = {name: np.full(X.shape[1], np.nan) for name in names}
    numeric = np.arange(X.shape[1]) if sparse.issparse(X) else numeric_columns(X)
    for columns, table in column_chunks(X, numeric):
        for name, values in zip(names, figures(table), strict=True):
            found[name][columns] = values
    return found


def filled_in(values: Floats) -> Floats:
    """Return columns with gaps in the middle of their values."""
    with np.errstate(all="ignore"):
        known = np.isfinite(values)
        return np.where(known, values, np.nanmedian(np.where(known, values, np.nan), axis=0))


def directions(sign: Floats, falls: str, rises: str) -> NDArray[Any]:
    """Return one of two words for every sign, and None where it is nan."""
    words = np.where(sign < 0, falls, rises).astype(object)
    words[np.isnan(sign)] = None
    return words


def mean_row(error: Any, bias: Any, variance: Any, net_variance: Any) -> TableRows:
    """Return the means over rows that were tested more than once, as a table; none without them."""
    parts = {"error": error, "bias": bias, "variance": variance, "net_variance": net_variance}
    means = {name: float(np.mean(part)) for name, part in parts.items() if len(part)}
    return [means | {"rows": len(error)}] if means else []


def neighbours(values: Floats, n_dealt: int) -> Rows:
    """Return numbers of neighbours: rows sorted by value, so many or a few more together."""
    place = np.empty(len(values), dtype=np.intp)
    parts = np.array_split(
        np.argsort(values, kind="stable"), max(len(values) // max(n_dealt, 1), 1)
    )
    for number, rows in enumerate(parts):
        place[rows] = number
    return place
