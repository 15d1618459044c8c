"""Which method finds the truth in a table like this one? Outcomes made from its own features.

The table stays as it is, with all its correlations. Only the outcomes change places: they follow
a score of features chosen at random, so that it is known which features there are to be found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, stats

from backstay._columns import STRONG, columns_of, numeric_columns, standardized
from backstay.stability import stability_score
from backstay.study._checks import check_missing_cells, preprocessing
from backstay.study._data import Dataset, checked_data
from backstay.study._known_truth import found_and_false, list_sizes, methods_of, ran, summarised
from backstay.study._predict import Prediction
from backstay.study._protocols import MAX_SEED, Split, Subsampling, draw_splits
from backstay.study._task import SharedInputs
from backstay.targets import Target

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
# Halvings of the share of noise; outcomes of a few hundred rows change places long before.
HALVINGS = 30


@dataclass(frozen=True)
class Plant:
    """Outcomes that follow some features: the features, and the effect that they came to have."""

    features: Ints
    target: Target
    effect: float

    def as_strong(self, table: Floats) -> float:
        """Return the share of the other columns that came to have at least the same effect."""
        effects = self.target.effects(np.delete(table, self.features, axis=1))
        assert effects is not None
        return float((np.abs(effects.effect) >= self.effect).mean()) if effects.effect.size else 0.0


def plant(
    table: Floats, features: Ints, target: Target, effect: float, rng: np.random.Generator
) -> Plant:
    """Give the rows of a table the outcomes there are, in the order of a score and noise.

    With a share a from 0 to 1 of the score they follow a·score + √(1 − a²)·noise, both of deviation
    1. a is the one at which the mean effect is nearest to `effect`; at 1 no more can be had.
    """
    columns = table[:, features]
    unit = standardized(columns) * np.sqrt(np.isfinite(columns).sum(axis=0))
    loadings = np.linalg.svd(unit, full_matrices=False)[2][0]
    signs = np.where(loadings * loadings[0] < 0, -1.0, 1.0)  # the first feature's is +
    score = standardized((unit @ signs)[:, None])[:, 0]
    noise = standardized(rng.standard_normal((len(table), 1)))[:, 0]
    sorted_rows = np.lexsort(target.ridge_aims()[1].T)

    def planted(a: float) -> Plant:
        order = np.argsort(a * score + math.sqrt(1 - a * a) * noise, kind="stable")
        made = target.take(sorted_rows[np.argsort(order)])
        effects = made.effects(columns * signs)
        assert effects is not None  # of a table they are always known
        return Plant(features, made, float(np.nanmean(effects.effect)))

    low, high = (0.0, planted(0.0)), (1.0, planted(1.0))
    if effect <= 0 or high[1].effect <= effect:
        return low[1] if effect <= 0 else high[1]
    for _ in range(HALVINGS):
        middle = (low[0] + high[0]) / 2
        made = planted(middle)
        low, high = ((middle, made), high) if made.effect < effect else (low, (middle, made))
    return min(low[1], high[1], key=lambda made: abs(made.effect - effect))


@dataclass(frozen=True)
class PlantedTruth:
    """What every method finds of planted features, see :func:`planted_truth`.

    Attributes
    ----------
    asked : float
        The effect that planted features should have.
    effects : tuple of float
        The mean effect that they came to have, plant by plant.
    as_strong : tuple of float
        Share of the other features that came to have at least the same effect, because they are
        correlated with planted ones. Where it is large, nothing can find the planted ones.
    features : tuple of tuple of int
        The planted columns, plant by plant.
    n_features : int
        Columns of the table.
    runs : DataFrame
        A row per plant, method and size.
    """

    asked: float
    effects: tuple[float, ...]
    as_strong: tuple[float, ...]
    features: tuple[tuple[int, ...], ...]
    n_features: int
    runs: pd.DataFrame

    CHANCE: ClassVar[str] = "by chance"
    MEASURES: ClassVar[tuple[str, ...]] = (
        "found", "false", "found_alike", "false_alike", "balance", "stability",
    )  # fmt: skip

    @property
    def n_true(self) -> int:
        """Features of a plant."""
        return len(self.features[0])

    @property
    def effect(self) -> float:
        """The effect that planted features came to have, on average over the plants."""
        return float(np.mean(self.effects))

    def frame(self) -> pd.DataFrame:
        """Return means over the plants, with the range of their middle four fifths."""
        return summarised(self.runs, ["method", "size"], self.MEASURES)

    def standings(self) -> pd.DataFrame:
        """Return every method at its best size, best balance first, and how far behind it is.

        ``behind`` is the mean difference to the first, with its 95 % interval over plants.
        """
        frame = self.frame().sort_values("balance", ascending=False, kind="stable")
        best = frame.drop_duplicates("method")[["method", "size", "balance"]]
        wide = self.runs.pivot(index="plant", columns=["method", "size"], values="balance")
        own = wide[list(zip(best["method"], best["size"], strict=True))].to_numpy()
        behind = own[:, :1] - own
        n = len(own)
        error = behind.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else math.nan
        half = stats.t.ppf(0.975, max(n - 1, 1)) * error
        mean = behind.mean(axis=0)
        columns = {"behind": mean, "behind_low": mean - half, "behind_high": mean + half}
        return best.assign(**columns).reset_index(drop=True)


def planted_truth(
    X: Any,
    y: ArrayLike | Target,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    *,
    n_true: int = 20,
    effect: float = 0.8,
    sizes: Iterable[int] | None = None,
    n_plants: int = 10,
    n_runs: int = 10,
    preprocess: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> PlantedTruth:
    """Plant a truth in one's own table, and see which method finds it.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The table. It is not changed.
    y : array-like of shape (n_samples,) or Target
        Outcomes, such as classes. They are used for their numbers only: planting gives them to
        other rows.
    methods, sizes, random_state, n_jobs
        As in :func:`plan_ahead`; sizes are `n_true`, half of it and twice as many if omitted.
    n_true : int, default=20
        Features of a plant, chosen at random among those that are numbers and not constant.
    effect : float, default=0.8
        Mean effect of planted features, in standard deviations: of classes, the difference of the
        means (Hedges' g). Features that are not correlated cannot all have a large effect;
        ``PlantedTruth.effects`` are those that they have.
    n_plants, n_runs : int, default=10
        How often features are planted, and subsamples of two thirds of the rows, for the
        stability on each plant.
    preprocess : transformer or list of transformers, default=None
        Fitted on training rows first, as in a :class:`Study`; missing cells need one.

    Returns
    -------
    PlantedTruth
        ``frame()`` has, for every method and size and for lists "by chance", means and ranges of

        - ``found``, the share of the planted features that the list from all rows holds, and
          ``false``, the share of the list that was not planted;
        - ``found_alike`` and ``false_alike``, the same if a feature with |r| ≥ 0.7 to a planted
          one counts as it;
        - ``balance``, the harmonic mean of ``found`` and 1 − ``false`` (F1), by which
          ``standings()`` puts methods in order;
        - ``stability``, the overlap of the lists from subsamples, corrected for chance.

    Notes
    -----
    The outcomes, sorted, are given to the rows in the order of a score plus noise. The score is the
    sum of the planted features in standard deviations, with the signs of their first principal
    component. The noise is as large as it takes for the mean effect.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.study import planted_truth
    >>> X = np.random.default_rng(0).normal(size=(200, 100))
    >>> y = np.repeat(["ill", "well"], 100)
    >>> truth = planted_truth(X, y, ["t", "relieff"], n_true=4, n_plants=3, random_state=0)
    >>> round(truth.effect, 2)
    0.8
    >>> truth.standings()["method"][0]
    't'
    """
    data = checked_data("the table", Dataset(X, y), "log")
    d, target = data.X.shape[1], data.target
    fitting = list_sizes(sizes, (max(n_true // 2, 1), n_true, 2 * n_true), d)
    panel, steps = methods_of(methods, d), preprocessing(preprocess)
    check_missing_cells(panel, {}, steps, data)
    columns = np.arange(d) if sparse.issparse(data.X) else numeric_columns(data.X)
    table = columns_of(data.X, columns)
    unit = standardized(table)
    possible = np.flatnonzero(unit.any(axis=0))
    if not 1 <= n_true <= len(possible):
        raise ValueError(
            f"n_true={n_true!r} features are to be planted among the {len(possible)} of {d} that "
            "are numbers and not constant."
        )
    runs, plants = [], []
    for number, child in enumerate(np.random.SeedSequence(random_state).spawn(n_plants)):
        rng = np.random.default_rng(child)
        made = plant(table, rng.choice(possible, n_true, replace=False), target, effect, rng)
        plants.append(made)
        exact, alike = np.zeros((2, n_true, d), dtype=bool)
        exact[np.arange(n_true), columns[made.features]] = True
        alike[:, columns] = np.abs(unit[:, made.features].T @ unit) >= STRONG
        alike |= exact
        whole = Split(np.arange(len(table)), np.arange(0), int(rng.integers(MAX_SEED)))
        splits = [whole, *draw_splits(Subsampling(n_runs), made.target, None, child)]
        records = ran(
            SharedInputs(data.X, made.target.values, Prediction({}, fitting, target), steps),
            panel, splits, n_jobs,
        )  # fmt: skip
        for method, size in product([*panel, PlantedTruth.CHANCE], fitting):
            if method == PlantedTruth.CHANCE:
                shares = [_by_chance(size, counts) for counts in (exact, alike)]
                stability = 0.0
            else:
                lists = [record.arrays["order"][:size] for record in records[method]]
                shares = [found_and_false(lists[0], counts) for counts in (exact, alike)]
                stability = stability_score(lists[1:], d).value
            values = (*shares[0], *shares[1], _balance(*shares[0]), stability)
            about = {"plant": number, "method": method, "size": size}
            runs.append(about | dict(zip(PlantedTruth.MEASURES, values, strict=True)))
    return PlantedTruth(
        asked=effect,
        effects=tuple(made.effect for made in plants),
        as_strong=tuple(made.as_strong(table) for made in plants),
        features=tuple(tuple(columns[made.features].tolist()) for made in plants),
        n_features=d,
        runs=pd.DataFrame(runs),
    )


def _by_chance(size: int, alike: NDArray[np.bool_]) -> tuple[float, float]:
    """Return what :func:`found_and_false` expects of lists of random features."""
    found = stats.hypergeom.sf(0, alike.shape[1], alike.sum(axis=1), size)
    return float(found.mean()), float(1 - alike.any(axis=0).mean())


def _balance(found: float, false: float) -> float:
    both = found + 1 - false
    return 2 * found * (1 - false) / both if both else 0.0
