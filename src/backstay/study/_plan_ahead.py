"""How many rows will be enough, before there are any? Simulated rows of an assumed population."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay.datasets import make_han_yu
from backstay.stability import stability_score
from backstay.study._known_truth import found_and_false, list_sizes, methods_of, ran, summarised
from backstay.study._predict import Prediction
from backstay.study._protocols import MAX_SEED, Split
from backstay.study._task import SharedInputs
from backstay.targets import as_target

# Rows that no sample holds, to predict; and the longest list unless sizes are given.
FRESH_ROWS, LONGEST = 400, 100


@dataclass(frozen=True)
class Population:
    """Where simulated rows come from: two classes, and features in correlated blocks of ten.

    Parameters
    ----------
    n_features, n_true : int
        Number of features, and of those that differ between the classes. The true ones fill the
        first blocks, as the genes of a pathway change together.
    effect : float, default=0.8
        Difference of the class means of every true feature, in standard deviations of a class.
    correlation : float, default=0.5
        Correlation of two features of a block, within a class.
    share : float, default=0.5
        Share of the rows that are in the second class.

    Examples
    --------
    >>> from backstay.study import Population
    >>> round(Population(10_000, 50, effect=0.8, correlation=0.5).limit, 3)
    0.956
    """

    BLOCK: ClassVar[int] = 10

    n_features: int
    n_true: int
    effect: float = 0.8
    correlation: float = 0.5
    share: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.n_true < self.n_features:
            raise ValueError(
                f"n_true={self.n_true!r} must lie between 1 and n_features={self.n_features!r}, "
                "the latter excluded."
            )
        if not 0 < self.share < 1:
            raise ValueError(f"share={self.share!r} must lie between 0 and 1, both excluded.")

    @property
    def limit(self) -> float:
        """AUC of the best rule that knows all true features: no number of rows reaches more.

        Φ(Δ/√2), Δ² = effect² Σ t/(1 + (t − 1)·correlation) over blocks with t true features each.
        """
        full, rest = divmod(self.n_true, self.BLOCK)
        blocks = np.array([self.BLOCK] * full + [rest])
        squared = self.effect**2 * (blocks / (1 + (blocks - 1) * self.correlation)).sum()
        return float(stats.norm.cdf(math.sqrt(squared / 2)))

    def draw(self, n_rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return rows and their classes, 0 and 1; any first rows have the shares of all."""
        n_blocks = math.ceil(self.n_features / self.BLOCK)
        X = make_han_yu(
            n_rows,
            n_features=n_blocks * self.BLOCK,
            n_relevant=self.n_true,
            block_size=self.BLOCK,
            correlation=self.correlation,
            shift=0.0,
            random_state=seed,
        )[0][:, : self.n_features]
        y = np.diff(np.floor(np.arange(n_rows + 1) * self.share + 1e-9)).astype(np.intp)
        X[y == 1, : self.n_true] += self.effect
        return X, y


@dataclass(frozen=True)
class PlanAhead:
    """What samples of an assumed population would find, see :func:`plan_ahead`.

    Attributes
    ----------
    population : Population
        What was assumed.
    runs : DataFrame
        A row per simulated data set, number of rows, method and size.
    metric : str
        What ``score`` is.
    """

    population: Population
    runs: pd.DataFrame
    metric: str

    MEASURES: ClassVar[tuple[str, ...]] = ("score", "replication", "found", "false")

    def frame(self) -> pd.DataFrame:
        """Return means over the data sets, with the range of their middle four fifths."""
        return summarised(self.runs, ["method", "size", "rows"], self.MEASURES)

    def rows_for(self, measure: str, level: float) -> pd.DataFrame:
        """Return from how many rows on the mean of a measure reaches a level.

        Interpolated on the logarithm of the rows. The smallest number that was tried if that
        reaches it, nan if none does.
        """
        frame = self.frame()
        return pd.DataFrame(
            {"method": method, "size": size, "rows": _crossing(part, measure, level)}
            for (method, size), part in frame.groupby(["method", "size"], sort=False)
        )


def _crossing(part: pd.DataFrame, measure: str, level: float) -> float:
    rows, values = np.log(part["rows"].to_numpy(float)), part[measure].to_numpy()
    reached = np.flatnonzero(values >= level)
    if not len(reached):
        return math.nan
    first = int(reached[0])
    if not first:
        return float(part["rows"].iloc[0])
    step = (level - values[first - 1]) / (values[first] - values[first - 1])
    return float(np.exp(rows[first - 1] + step * (rows[first] - rows[first - 1])))


def plan_ahead(
    population: Population,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    *,
    rows: Iterable[int] = (20, 40, 80, 160, 320),
    sizes: Iterable[int] | None = None,
    n_sets: int = 10,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> PlanAhead:
    """Simulate what samples of some numbers of rows would find: planning without a pilot.

    Parameters
    ----------
    population : Population
        What is assumed: number of features, how many are true, their effect and correlation.
    methods : iterable of str or dict of str to ranker, default=None
        Short names as in :func:`make_methods`, or methods; None is a fast panel of "t", "relieff"
        and "svm-rfe".
    rows : iterable of int, default=(20, 40, 80, 160, 320)
        Rows of a sample, both classes together.
    sizes : iterable of int, default=None
        Lengths of the list; None is as many as there are true features, up to 100.
    n_sets : int, default=10
        How often everything is simulated. Each time two independent samples are drawn, of which
        smaller ones are the first rows, and 400 fresh rows.
    random_state, n_jobs : int, default=None
        Seed, and fits at once; results do not depend on the latter.

    Returns
    -------
    PlanAhead
        ``frame()`` has, for every number of rows, method and size, means and ranges of ``score``
        (of the study's default model and metric, on fresh rows), ``replication`` (overlap of the
        lists of two independent samples, corrected for chance), ``found`` (share of the true
        features in the list) and ``false`` (share of the list that is not true).

    Examples
    --------
    >>> from backstay.study import Population, plan_ahead
    >>> plan = plan_ahead(Population(200, 10, effect=1.0), ["t"], n_sets=3, random_state=0)
    >>> plan.frame()[["rows", "score", "replication", "found"]].round(2)
       rows  score  replication  found
    0    20   0.69         0.19   0.37
    1    40   0.81         0.61   0.82
    2    80   0.82         0.75   0.88
    3   160   0.83         1.00   1.00
    4   320   0.83         1.00   1.00
    """
    panel = methods_of(methods, population.n_features)
    tried = sorted({int(n) for n in rows})
    if not tried or int(tried[0] * min(population.share, 1 - population.share) + 1e-9) < 2:
        raise ValueError(f"rows={tried} must leave two rows or more in the rarer class.")
    wanted = list_sizes(sizes, [min(population.n_true, LONGEST)], population.n_features)
    parts = np.split(np.arange(2 * tried[-1] + FRESH_ROWS), [tried[-1], 2 * tried[-1]])
    true = np.eye(population.n_true, population.n_features, dtype=bool)
    runs: list[dict[str, Any]] = []
    for number, child in enumerate(np.random.SeedSequence(random_state).spawn(n_sets)):
        *seeds, seed = (int(state % MAX_SEED) for state in child.generate_state(4))
        drawn = [population.draw(len(part), one) for part, one in zip(parts, seeds, strict=True)]
        X, y = (np.concatenate(every) for every in zip(*drawn, strict=True))
        target = as_target(y)
        model = dict(islice(target.take(parts[0]).default_models().items(), 1))
        metric = target.metrics[target.default_metric(model)]
        # The two samples of the i-th number of rows are splits 2i and 2i + 1.
        splits = [Split(part[:n], parts[2], seed) for n in tried for part in parts[:2]]
        prediction = Prediction(model, wanted, target, metric.needs)
        records = ran(SharedInputs(X, y, prediction), panel, splits, n_jobs)
        for method, (i, n), (j, size) in product(panel, enumerate(tried), enumerate(wanted)):
            two = [record.arrays for record in records[method][2 * i : 2 * i + 2]]
            outputs = np.array([arrays["outputs"][0, j] for arrays in two])
            score = float(metric.score(target.take(parts[2]), outputs).mean())
            lists = [arrays["order"][:size] for arrays in two]
            again = stability_score(lists, population.n_features, "kuncheva").value
            shares = np.mean([found_and_false(chosen, true) for chosen in lists], axis=0)
            about = {"set": number, "rows": n, "method": method, "size": size}
            measured = zip(PlanAhead.MEASURES, (score, again, *shares.tolist()), strict=True)
            runs.append(about | dict(measured))
    return PlanAhead(population, pd.DataFrame(runs), metric.title)
