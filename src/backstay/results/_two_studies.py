"""Do two studies of different samples find the same? Their signatures, rankings and effects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay.results._choice import Choice, choice_of
from backstay.results._parts import Table
from backstay.results._records import Records, mean_ranks
from backstay.stability import selection_frequency

if TYPE_CHECKING:
    from backstay.results._results import Results

Floats = NDArray[np.float64]
# A feature is replicated if the other study's test says so at this level, corrected for the
# number of features of the signature that were tested (Holm 1979).
LEVEL = 0.05


@dataclass(frozen=True)
class Level:
    """A figure beside what it would be with shuffled outcomes of both; nan if either ran none."""

    value: float
    null: float  # the mean over permutations
    high: float  # the level that 97.5 % of them do not exceed
    p_value: float  # share of the permutations that reach the figure, itself counted


@dataclass(frozen=True)
class StudiesCompared:
    """What two studies of different samples have in common."""

    choices: tuple[Choice, Choice]  # method and size of each study's signature
    n_shared: int  # features that both tables have
    sizes: tuple[int, int]  # of these, features in each signature
    both: list[str]  # features in both signatures
    at_random: float  # features that two such signatures share at random
    random_p_value: float  # of so many or more at random (hypergeometric)
    overlap: Level  # number of features in both signatures
    rank_correlation: Level  # Spearman's, of the mean ranks of all shared features
    _features: pd.DataFrame

    def features(self) -> Table:
        """Every feature of either signature that both tables have.

        ``signature`` says whose; of both studies there are ``effect`` in standard deviations
        (Hedges' g) and ``p_value``. ``replicated`` is the same direction, and significant in the
        study that did not select it, corrected for the features tested there. Effects are nan if a
        store does not know them.
        """
        return Table("replicated features", f"Holm's correction, {LEVEL:.0%}", self._features)


def compare_studies(first: Results, second: Results) -> StudiesCompared:
    """Compare the signatures of two studies of different samples, of one data set each.

    Features are the same if their names are; so are classes.
    """
    records = (first._one(), second._one())
    named = [[one.feature_name(j) for j in range(one.n_features)] for one in records]
    place = {name: j for j, name in enumerate(named[1])}
    shared = [(i, place[name]) for i, name in enumerate(named[0]) if name in place]
    if not shared:
        raise ValueError("the two tables have no feature of the same name.")
    if problem := records[0].target.unlike(records[1].target):
        raise ValueError(problem)
    columns = tuple(np.array(one) for one in zip(*shared, strict=True))
    choices = (choice_of(records[0]), choice_of(records[1]))
    sides = list(zip(records, choices, columns, strict=True))
    chosen = [np.isin(own, one.members(choice.method, choice.size)) for one, choice, own in sides]
    both, sizes = chosen[0] & chosen[1], (int(chosen[0].sum()), int(chosen[1].sum()))
    names = np.array([named[0][i] for i, _ in shared], dtype=object)
    (first_sets, first_ranks), (second_sets, second_ranks) = (_null(*side) for side in sides)
    ranks = [_centred(one.mean_ranks(choice.method)[own][None]) for one, choice, own in sides]
    n = len(shared)
    return StudiesCompared(
        choices=choices,
        n_shared=n,
        sizes=sizes,
        both=names[both].tolist(),
        at_random=sizes[0] * sizes[1] / n,
        random_p_value=float(stats.hypergeom.sf(int(both.sum()) - 1, n, *sizes)),
        overlap=_level(float(both.sum()), first_sets @ second_sets.T),
        rank_correlation=_level((ranks[0] @ ranks[1].T).item(), first_ranks @ second_ranks.T),
        _features=_replicated(records, columns, names, chosen),
    )


def _null(records: Records, choice: Choice, columns: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return, for every permutation of the labels, which features it selects, and their ranks."""
    runs = records.null_orders(choice.method)
    sets, ranks = np.zeros((len(runs), len(columns))), np.zeros((len(runs), len(columns)))
    for b, orders in enumerate(runs):
        mean = mean_ranks(orders, records.n_features)
        often = selection_frequency(orders[:, : choice.size], records.n_features)
        best = np.lexsort((mean, -often))[: choice.size]
        sets[b] = np.isin(columns, best)
        ranks[b] = mean[columns]
    return sets, _centred(ranks)


def _centred(values: Floats) -> Floats:
    """Return ranks of rows as vectors of length 1, whose products are Spearman's correlations."""
    if not len(values):
        return values
    ranks = stats.rankdata(values, axis=1)
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    return np.asarray(ranks / np.where(length > 0, length, 1))


def _level(value: float, null: Floats) -> Level:
    if not null.size:
        return Level(value, math.nan, math.nan, math.nan)
    p_value = (1 + int((null >= value - 1e-12).sum())) / (null.size + 1)
    return Level(value, float(null.mean()), float(np.quantile(null, 0.975)), p_value)


def _replicated(
    records: tuple[Records, Records],
    columns: tuple[NDArray[np.intp], ...],
    names: NDArray[np.object_],
    chosen: list[NDArray[np.bool_]],
) -> pd.DataFrame:
    n = len(names)
    sides = []
    for one, own in zip(records, columns, strict=True):
        effects = one.effects
        if effects is None:
            unknown = np.full(n, np.nan)
            sides.append((unknown, unknown, np.full(n, None)))
        else:
            sides.append((effects.effect[own], effects.p_value[own], effects.direction[own]))
    (effect_a, p_a, high_a), (effect_b, p_b, high_b) = sides
    same = (high_a == high_b) & (high_a != None)  # noqa: E711
    # Each signature is tested in the study that did not select it.
    tested = [_holm(p_b, chosen[0]), _holm(p_a, chosen[1])]
    replicated = same & ((tested[0] < LEVEL) | (tested[1] < LEVEL))
    whose = np.select([chosen[0] & chosen[1], *chosen], ["both", "first", "second"], "")
    frame = pd.DataFrame(
        {
            "name": names,
            "signature": whose,
            "first_effect": effect_a,
            "second_effect": effect_b,
            "first_p_value": p_a,
            "second_p_value": p_b,
            "same_direction": same,
            "replicated": replicated,
        }
    )
    return frame[whose != ""].sort_values("signature", kind="stable", ignore_index=True)


def _holm(p: Floats, tested: NDArray[np.bool_]) -> Floats:
    """Return Holm's adjusted p-values of the features tested; nan of the others."""
    adjusted = np.full(len(p), np.nan)
    places = np.flatnonzero(tested & np.isfinite(p))
    order = places[np.argsort(p[places])]
    steps = p[order] * (len(order) - np.arange(len(order)))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
