"""The questions that a target answers, for rows of any kind of outcome."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.pipeline import Pipeline

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
# Beyond so many rows the default models are those whose time grows with the rows, not their square.
MANY_ROWS = 5_000
LEFT_OUT = f"; as there are more than {MANY_ROWS:,} rows, without"


@dataclass(frozen=True)
class Tested:
    """Outputs of one configuration on the rows that it was tested on, run by run.

    Attributes
    ----------
    runs : list of (rows, outputs)
        Rows tested, and outputs row × column.
    independent : float
        Share of the rows that are independent: groups over rows.
    test_share : float
        n_test/n_train, for the correction of intervals over runs.
    pairs : array or None
        Number of every row's pair, where rows are paired.
    """

    runs: list[tuple[Rows, Floats]]
    independent: float
    test_share: float
    pairs: Rows | None = None


@dataclass(frozen=True)
class Beside:
    """How covariates enter models, unpenalised.

    Attributes
    ----------
    train, test : array of shape (n_rows, n_columns)
        Columns of mean 0 and deviation 1 that join the features of training and test rows.
    values : array
        What is left of the training rows' outcome for models to predict.
    offset : array or None
        What the covariates alone say of test rows, to be added to predictions.
    alone : model or None
        What predicts from no column at all, where covariates are no columns.
    """

    train: Floats
    test: Floats
    values: NDArray[Any]
    offset: Floats | None = None
    alone: Any = None

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


@dataclass(frozen=True)
class Calibration:
    """Whether probabilities mean what they say.

    Attributes
    ----------
    name : str
        The outcome that the probabilities are of.
    slope, intercept : float
        Of the observed log odds as a function of the predicted ones; 1 and 0 are right. A slope
        below 1 means probabilities that are too sure.
    bins : DataFrame
        Mean ``predicted`` probability and ``observed`` share, with ``low``, ``high`` and ``n``.
    """

    name: str
    slope: float
    intercept: float
    bins: pd.DataFrame


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
    p_value, q_value : array of shape (n_features,)
        Of a plain test, and after Benjamini and Hochberg's correction.
    """

    columns: dict[str, NDArray[Any]]
    direction: NDArray[Any]
    difference: Floats
    effect: Floats
    effect_low: Floats
    effect_high: Floats
    p_value: Floats
    q_value: Floats

    def described_only(self) -> Self:
        """Return the effects without sizes in standard deviations and tests, all nan."""
        none = np.full(len(self.effect), np.nan)
        return replace(
            self, effect=none, effect_low=none, effect_high=none, p_value=none, q_value=none
        )


@dataclass(frozen=True)
class Association:
    """How a column that is no feature goes with the outcome.

    Attributes
    ----------
    measure, value : str, float
        Name of a figure, and the figure.
    p_value : float
        Of a test.
    strong : bool
        Whether the column nearly gives the outcome away.
    """

    measure: str
    value: float
    p_value: float
    strong: bool


@dataclass(frozen=True)
class Words:
    """What a report calls things that depend on the kind of outcome.

    Attributes
    ----------
    outcome : str
        What is predicted, to follow "predict".
    described : str
        The outcome in brief, such as "2 classes".
    task : str
        What a model does.
    errors : str
        Title of the section on predictions.
    separation : str
        What ``Target.separation`` is called.
    direction, directed : str
        How a table names ``Effects.direction``, such as "high in", and a phrase with {} for its
        value, such as "high in {}".
    difference, effect, effect_source, test : str
        What ``Effects.difference`` is, what ``Effects.effect`` is called and the work that
        defines it, and the test that p-values are of.
    columns : dict of str to str
        Columns of ``Effects.columns``, by what they are about.
    models : dict of str to (str, tuple of str, str)
        Models by their short names: their titles, what the code of such a model contains, and
        what they do.
    """

    outcome: str
    described: str
    task: str
    errors: str
    separation: str
    direction: str
    directed: str
    difference: str
    effect: str
    effect_source: str
    test: str
    columns: dict[str, str]
    models: dict[str, tuple[str, tuple[str, ...], str]]


class Target(ABC):
    """The outcome of every row, of one kind.

    Attributes
    ----------
    kind : str
        "classes", "numbers" or "survival".
    values : array of shape (n_rows,)
        What methods and models are fitted to.
    metrics : dict of str to Metric
        What this kind of outcome can be judged by.
    beside : tuple of str
        Metrics quoted beside the one that decides.
    row_column : str
        How a table names the column with the outcome of a row.
    rows_each : int
        Rows with an outcome that count as much as one row of a class.
    training_needs : str
        What rows that cannot be trained on lack, to follow "this split".
    sections : tuple of str
        What a report shows of predictions, by name, in order.
    tables : dict of str to function
        Tables of predictions that this kind of outcome has.
    cohort_tables : tuple of str
        Those of them that a validation shows.
    agreement : tuple of str
        Measures of :func:`backstay.stability.prediction_stability` that suit what is predicted.
    estimator_type : str or None
        What scikit-learn calls a model of this kind of outcome; None if it has no name for it.
    pair_words : dict of str to str
        What :meth:`words` become where effects are differences within pairs.
    """

    kind: ClassVar[str]
    metrics: ClassVar[Mapping[str, Metric]]
    beside: ClassVar[tuple[str, ...]]
    row_column: ClassVar[str]
    rows_each: ClassVar[int] = 1
    training_needs: ClassVar[str]
    sections: ClassVar[tuple[str, ...]]
    tables: ClassVar[Mapping[str, Callable[[Any, Tested], TableRows]]]
    cohort_tables: ClassVar[tuple[str, ...]]
    agreement: ClassVar[tuple[str, ...]]
    # Whether shortcuts scale all columns themselves, covariates included.
    shortcuts_scale: ClassVar[bool] = False
    estimator_type: ClassVar[str | None]
    pair_words: ClassVar[Mapping[str, Any]] = {}
    values: NDArray[Any]

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
        """Return columns that put rows in order where their labels are no numbers.

        ``followed``, and whether rows have the ``event``.
        """
        return {}

    @abstractmethod
    def row_facts(self, row: int, said: Floats) -> dict[str, Any]:
        """Return the outcome of a row and what one model said of it, as columns of a table."""

    # Splits.

    @abstractmethod
    def strata(self, n_dealt: int) -> NDArray[Any]:
        """Return what rows are dealt out to splits by.

        Outcomes that have an order make strata of neighbours, `n_dealt` rows or a few more each:
        one for every part that rows are dealt out to.
        """

    @abstractmethod
    def rarer_than(self, n_rows: int) -> list[tuple[str, int]]:
        """Return, in words, outcomes that fewer rows have, and how many rows each has."""

    @abstractmethod
    def can_train(self, rows: Rows) -> bool:
        """Return whether a method can be trained on these rows."""

    def why_not_test(self, parts: list[Rows]) -> str:
        """Return why a study cannot be judged on these test parts; empty if it can."""
        return ""

    @abstractmethod
    def shuffled(
        self,
        groups: NDArray[Any] | None,
        rng: np.random.Generator,
        strata: NDArray[Any] | None = None,
    ) -> Self:
        """Return the outcomes in random order, within what groups of rows allow, and strata."""

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

    @abstractmethod
    def models_for(self, metric: Metric) -> tuple[dict[str, Any], str]:
        """Return the models that the command line judges by a metric, and a description of them."""

    @abstractmethod
    def n_columns(self, keep: str) -> int:
        """Return the number of columns of outputs that keep predictions, scores or probabilities.

        The first column is what is predicted.
        """

    @abstractmethod
    def outputs(self, model: Any, X: Any, keep: str, learned: NDArray[Any]) -> Floats:
        """Return what a fitted model says of rows: row × column.

        `learned` are the values of the rows that it was fitted to.
        """

    def with_covariates(self, values: NDArray[Any], Z: Floats, new: Floats) -> Beside:
        """Return how covariates of training rows and of new rows enter models: as columns.

        They are turned so that they do not correlate and have deviation 1 in the training rows.
        """
        mean, sd = Z.mean(axis=0), Z.std(axis=0)
        sd = np.where(sd > 0, sd, np.inf)
        _, spread, turn = np.linalg.svd((Z - mean) / sd, full_matrices=False)
        kept = spread > 1e-8 * np.sqrt(len(Z))
        unit = turn[kept].T / sd[:, None] / spread[kept] * np.sqrt(len(Z))
        return Beside((Z - mean) @ unit, (new - mean) @ unit, values)

    def effects_beside(self, table: Floats, Z: Floats) -> tuple[Floats, ...] | None:
        """Return difference, effect, its ends, p and direction of columns beside covariates.

        None where a regression of the column on the outcome says it.
        """
        return None

    def with_offset(self, outputs: Floats, offset: Floats) -> Floats:
        """Return outputs with what covariates alone say of the rows."""
        return outputs

    def coded(self, values: NDArray[Any]) -> Any:
        """Return what training rows are to predict as shortcuts want it."""
        return values

    def shortcut(self, model: Any, keep: str) -> Shortcut | None:
        """Return a faster way to a model's outputs on features scaled to [0, 1], if there is one.

        It gives the same outputs as :meth:`outputs` of a scikit-learn pipeline.
        """
        return None

    # What a ridge regression needs, to try features in each other's place.

    @abstractmethod
    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return weights of the rows that sum to 1, and what to regress on: row × column."""

    @abstractmethod
    def from_leanings(self, leanings: Floats) -> Floats:
        """Return outputs from such a regression's predictions: … × row × column.

        These are deviations from the weighted mean; the target is that of the training rows.
        """

    # What the data say.

    @abstractmethod
    def moments(self, X: Any) -> Arrays:
        """Return what a store keeps of every feature to compute effects from."""

    @abstractmethod
    def effects(self, X: Any) -> Effects | None:
        """Return how every feature goes with the outcome, from a table or from its moments.

        None where the moments are not known.
        """

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
        """Return how well every column alone tells the outcomes apart.

        0.5 is not at all, 1 without an error; ``words().separation`` names the figure.
        """

    @abstractmethod
    def giveaways(self, X: Any, moments: Mapping[str, Any]) -> dict[int, float]:
        """Return features that alone nearly give the outcome away, as no other does.

        With their :meth:`separation`; `moments` are those of X.
        """

    @abstractmethod
    def association(self, column: NDArray[Any]) -> Association:
        """Return how a column of numbers or texts that is no feature goes with the outcome."""

    def table(
        self,
        name: str,
        runs: list[tuple[Rows, Floats]],
        independent: float = 1.0,
        test_share: float = 0.0,
        pairs: Rows | None = None,
    ) -> TableRows:
        """Return a table of predictions of rows that were not trained on.

        Parameters
        ----------
        name : str
            One of `tables`.
        runs, independent, test_share, pairs
            As in :class:`Tested`.
        """
        if name not in self.tables:
            there = ", ".join(self.tables)
            raise ValueError(f"an outcome of {self.kind} has no table {name!r}; it has {there}.")
        return self.tables[name](self, Tested(runs, independent, test_share, pairs))

    # What a frozen signature remembers of its training rows, and asks of a cohort.

    @abstractmethod
    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return the ways in which a study with this target may have been given the outcomes."""

    @abstractmethod
    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return what is remembered of the features, row × column, beside their own moments."""

    @abstractmethod
    def moment_shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes that the lists of :meth:`frozen_moments` have."""

    @abstractmethod
    def drawn_like(
        self, moments: Mapping[str, Any], sizes: list[int], n_rows: int, rng: np.random.Generator
    ) -> tuple[Self, Floats]:
        """Return outcomes and features of about `n_rows` rows drawn from such moments.

        `sizes` are the numbers in the :meth:`summary` of the rows that the moments are of.
        """

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

    def prediction_columns(self, scores: Floats, chances: Floats | None) -> dict[str, Floats]:
        """Return scores and probabilities of rows as named columns of a table."""
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

    def interval_columns(self, interval: Floats) -> dict[str, Floats]:
        """Return these ends as named columns of a table."""
        return {}

    def cohort_figures(self, outputs: Floats, interval: Floats | None, draws: Rows) -> TableRows:
        """Return more figures of a cohort, with 95 % intervals: key, figure, value, low, high."""
        return []

    def cohort_concerns(
        self, moments: Mapping[str, Any], sizes: list[int]
    ) -> list[tuple[str, str]]:
        """Return what sets a cohort's outcomes apart: a heading and a sentence or two each.

        Apart from those of the training rows, by `moments` and `sizes` as in :meth:`drawn_like`.
        """
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
        """Return what to keep in mind about these outcomes: a heading and a sentence or two each.

        `metric` is the one that decides; None if no model was judged.
        """

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


def corrected_for_many(p: Floats) -> Floats:
    """Return Benjamini and Hochberg's q-values of the p-values that are defined."""
    q, known = np.full(len(p), np.nan), np.isfinite(p)
    if known.any():
        q[known] = stats.false_discovery_control(p[known])
    return q


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
