"""How rows are split into training and test rows, again and again, and seeded."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from backstay._design import Design, Regression
from backstay._validation import check_random_state
from backstay.targets import Target

Rows = NDArray[np.intp]
MAX_SEED = 2**31 - 1
# A draw of whole groups may miss a class; after so many draws in vain it is an error.
GROUP_DRAWS = 200
# Runs on each permutation of the outcomes: a pair, as permutations tell more than further runs.
# Twenty pairs make a default run of 50 resamples 58 % longer; three runs each would take
# more than 60 % on top.
NULL_RUNS = 2
# Parts that rows are dealt into, to plan by: halves and thirds; runs that a deal gives; and the key
# of their seeds, which no other seed has.
PARTS = (2, 3)
DEAL_RUNS = sum(PARTS)
PARTS_KEY = 2**31
# Independent rows that parts need, and rows of every outcome such as a class: two in every third.
PARTS_UNITS, PARTS_ROWS = 20, 6
# Parts that a splitter which does not say deals rows out to, at most.
FOLDS = 10
# Permutations of the outcomes that are tried before splits that cannot be run are an error.
LABEL_DRAWS = 100
# Batches that leaving one out needs; rows of a kind, on average, to be shuffled within; parts of
# what covariates predict that are shuffled within.
LEAST_BATCHES, LEAST_KIND, FIFTHS = 3, 5, 5
# Rows, and rows of every outcome, of a batch that is trained on alone; what its runs have as deal.
BATCH_ROWS, BATCH_LEAST, BATCH_DEAL = 12, 3, -2


@dataclass(frozen=True)
class Split:
    """One resample: training rows, test rows and the seed of what is random on it.

    ``shuffled`` is the outcome of all rows in random order, for a run of the null; None for the
    true one. Training rows that are one of ``n_parts`` parts to plan by have the number of their
    deal.
    """

    train: Rows
    test: Rows
    seed: int
    shuffled: Target | None = None
    deal: int = -1
    n_parts: int = 0


@dataclass(frozen=True)
class _Blocked:
    """A target whose rows are dealt out within batches as well, where these are large enough."""

    target: Target
    batch: NDArray[Any]

    def __len__(self) -> int:
        return len(self.target)

    def strata(self, n_dealt: int) -> NDArray[Any]:
        strata, least = np.full(len(self), -1), max(n_dealt, 2)
        for name in np.unique(self.batch):
            self._number(strata, np.flatnonzero(self.batch == name), n_dealt, least)
        # Rows of a batch with too few of an outcome are dealt out with those of other batches.
        self._number(strata, np.flatnonzero(strata < 0), n_dealt, 0)
        return self.target.strata(n_dealt) if np.bincount(strata).min() < least else strata

    def _number(self, strata: Rows, rows: Rows, n_dealt: int, least: int) -> None:
        """Give strata of some rows the next numbers, unless they have too few rows."""
        if len(rows):
            own = np.unique(self.target.take(rows).strata(n_dealt), return_inverse=True)[1]
            for number in range(int(own.max()) + 1):
                if (own == number).sum() >= least:
                    strata[rows[own == number]] = strata.max() + 1


def _strata(y: Any, n_dealt: int) -> NDArray[Any]:
    """Return what rows are dealt out by: what a target says, or labels as they are."""
    return y.strata(n_dealt) if isinstance(y, Target | _Blocked) else np.asarray(y)


def whole_number(name: str, value: Any, minimum: int) -> int:
    """Return an integer, or refuse what is none or too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name}={value!r} must be an integer of at least {minimum}.")
    return int(value)


@dataclass(eq=False)
class Subsampling:
    """Random stratified splits, as in [Han 7.1]: 100 times two thirds for training.

    Parameters
    ----------
    n_splits : int, default=100
        Number of splits.
    train_size : float or int, default=2/3
        Share or number of the rows to train on; the others are test rows. With
        groups, the share or number of groups.
    random_state : int, RandomState instance or None, default=None
        Seed. None, in a :class:`Study`, draws one from the study's seed.

    Notes
    -----
    With groups, whole groups are drawn, and drawn again until the training and
    the test rows hold every class; the shares of the classes are left to chance.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.study import Subsampling
    >>> y = np.repeat([0, 1], [20, 10])
    >>> for train, test in Subsampling(2, train_size=0.5, random_state=0).split(y, y):
    ...     print(np.bincount(y[train]), np.bincount(y[test]))
    [10  5] [10  5]
    [10  5] [10  5]
    """

    n_splits: int = 100
    train_size: float | int = 2 / 3
    random_state: Any = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return whole_number("n_splits", self.n_splits, 1)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield training and test rows; `y` holds labels, or is a target."""
        n_splits = self.get_n_splits()
        share, count = isinstance(self.train_size, Real), isinstance(self.train_size, Integral)
        if not (share and ((count and self.train_size >= 1) or 0 < self.train_size < 1)):
            raise ValueError(
                f"train_size={self.train_size!r} must be a share between 0 and 1 or a number of "
                "rows of at least 1."
            )
        if groups is None:
            splitter = StratifiedShuffleSplit(
                n_splits, train_size=self.train_size, random_state=self.random_state
            )
            trained = self.train_size / len(y) if count else self.train_size
            # As many neighbours as hold one row of the smaller side; 1 - 0.9 is not quite 0.1.
            n_dealt = math.ceil(1 / max(min(trained, 1 - trained), 1 / len(y)) - 1e-9)
            yield from splitter.split(np.zeros((len(y), 1)), _strata(y, n_dealt))
            return
        strata = _strata(y, len(y))
        rng = check_random_state(self.random_state)
        names, member = np.unique(np.asarray(groups), return_inverse=True)
        n_train = int(self.train_size) if count else round(self.train_size * len(names))
        if not 1 <= n_train < len(names):
            raise ValueError(
                f"train_size={self.train_size!r} leaves {n_train} of {len(names)} groups for "
                "training; at least one group must be on each side."
            )
        for _ in range(n_splits):
            yield _whole_groups(strata, member, len(names), n_train, rng)


def _whole_groups(
    strata: NDArray[Any], member: Rows, n_groups: int, n_train: int, rng: np.random.RandomState
) -> tuple[Rows, Rows]:
    n_strata = len(np.unique(strata))
    for _ in range(GROUP_DRAWS):
        inside = np.zeros(n_groups, dtype=bool)
        inside[rng.permutation(n_groups)[:n_train]] = True
        train, test = np.flatnonzero(inside[member]), np.flatnonzero(~inside[member])
        if min(len(np.unique(strata[train])), len(np.unique(strata[test]))) == n_strata:
            return train, test
    raise ValueError(
        f"{GROUP_DRAWS} draws of {n_train} out of {n_groups} groups never had every class among "
        "both the training and the test rows; every class must be spread over more groups."
    )


@dataclass(eq=False)
class RepeatedStratifiedKFold:
    """Stratified k-fold cross-validation, repeated; groups, if given, stay together.

    Parameters
    ----------
    n_splits, n_repeats : int, default=10
        Number of folds, and how often they are drawn: 10×10 as in [Han 7.1].
    random_state : int, RandomState instance or None, default=None
        Seed. None, in a :class:`Study`, draws one from the study's seed.

    Examples
    --------
    >>> from backstay.study import RepeatedStratifiedKFold
    >>> y = [0, 1] * 10
    >>> len(list(RepeatedStratifiedKFold(5, 2, random_state=0).split(y, y)))
    10
    """

    n_splits: int = 10
    n_repeats: int = 10
    random_state: Any = None

    def _counts(self) -> tuple[int, int]:
        return whole_number("n_splits", self.n_splits, 2), whole_number(
            "n_repeats", self.n_repeats, 1
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits: folds × repeats."""
        n_splits, n_repeats = self._counts()
        return n_splits * n_repeats

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield training and test rows, fold by fold; `y` holds labels, or is a target."""
        n_splits, n_repeats = self._counts()
        rng = check_random_state(self.random_state)
        strata = _strata(y, n_splits)
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        for seed in rng.randint(MAX_SEED, size=n_repeats):
            folds = kind(n_splits, shuffle=True, random_state=int(seed))
            yield from folds.split(np.zeros((len(strata), 1)), strata, groups)


@dataclass(eq=False)
class FiveByTwo(RepeatedStratifiedKFold):
    """Five times two halves; each is trained on and tested with the other [Prat 3.2].

    Splits 2i and 2i + 1 are the two directions of repeat i, as two tests of
    :func:`backstay.comparison.compare_scores` expect (Dietterich 1998).

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed. None, in a :class:`Study`, draws one from the study's seed.

    Examples
    --------
    >>> from backstay.study import FiveByTwo
    >>> y = [0, 1] * 10
    >>> splits = list(FiveByTwo(random_state=0).split(y, y))
    >>> len(splits), bool((splits[0][0] == splits[1][1]).all())
    (10, True)
    """

    n_splits: int = field(default=2, init=False, repr=False)
    n_repeats: int = field(default=5, init=False, repr=False)


@dataclass(eq=False)
class LeaveBatchOut:
    """Every batch is tested once, by what was trained on the others.

    What a signature is worth at a site that had no part in finding it. ``Study.run`` must be given
    ``batch=``.

    Examples
    --------
    >>> from backstay.study import LeaveBatchOut
    >>> batch = ["a", "a", "b", "b", "c", "c"]
    >>> [test.tolist() for train, test in LeaveBatchOut().split(batch, batch, batch)]
    [[0, 1], [2, 3], [4, 5]]
    """

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield training and test rows; `groups` are the batches."""
        batch = np.asarray(groups)
        for name in np.unique(batch):
            yield np.flatnonzero(batch != name), np.flatnonzero(batch == name)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of batches."""
        return len(np.unique(np.asarray(groups)))


def draw_splits(
    resampling: Any, target: Target, design: Design | None, seeds: np.random.SeedSequence
) -> list[Split]:
    """Draw every split, and every seed: chance is the same for all methods on a resample."""
    own, others = seeds.spawn(2)
    design = design or Design()
    groups, batch = design.groups, design.batch
    splitter = check_cv(resampling, target.strata(2), classifier=True)
    if getattr(splitter, "random_state", 0) is None and getattr(splitter, "shuffle", True):
        splitter = copy.copy(splitter)
        splitter.random_state = int(own.generate_state(1)[0] % MAX_SEED)
    own_way = isinstance(splitter, Subsampling | RepeatedStratifiedKFold)
    if isinstance(splitter, LeaveBatchOut):
        if batch is None or len(np.unique(batch)) < LEAST_BATCHES:
            raise ValueError(
                f"LeaveBatchOut needs batch= with {LEAST_BATCHES} batches or more; without them "
                "use Subsampling."
            )
        pairs = list(splitter.split(target, target, batch))
    else:
        dealt: Any = target if batch is None or groups is not None else _Blocked(target, batch)
        y = dealt if own_way else dealt.strata(getattr(splitter, "n_splits", FOLDS))
        pairs = list(splitter.split(np.zeros((len(target), 1)), y, groups))
    if not pairs:
        raise ValueError(f"resampling={resampling!r} gives no splits; at least 1 is needed.")
    drawn = np.random.default_rng(others).integers(MAX_SEED, size=len(pairs))
    splits = [
        Split(np.asarray(train, np.intp), np.asarray(test, np.intp), int(seed))
        for (train, test), seed in zip(pairs, drawn, strict=True)
    ]
    for number, split in enumerate(splits):
        _check_split(resampling, number, split, target, groups)
    if why := target.why_not_test([split.test for split in splits]):
        raise ValueError(f"resampling={resampling!r} cannot be judged: {why}.")
    return splits


def null_strata(target: Target, design: Design) -> NDArray[np.intp] | None:
    """Return within what outcomes are shuffled, so that covariates and batches still tell them.

    Kinds of rows that categories make, or fifths of what the covariates predict of the outcome;
    within batches.
    """
    parts = []
    if design.batch is not None:
        parts.append(np.unique(design.batch, return_inverse=True)[1])
    if (covariates := design.covariates) is not None:
        kinds = np.unique(covariates.Z, axis=0, return_inverse=True)[1].ravel()
        if None in covariates.levels.values() or len(kinds) < LEAST_KIND * (kinds.max() + 1):
            weights, aims = target.ridge_aims()
            said = Regression.fit(covariates.Z, aims, weights * len(aims)).explained(covariates.Z)
            first = np.linalg.svd(said - said.mean(axis=0), full_matrices=False)[2][0]
            places = np.argsort(np.argsort(said @ first, kind="stable"), kind="stable")
            kinds = places * FIFTHS // len(places)
        parts.append(kinds)
    if not parts:
        return None
    both = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1]
    return np.asarray(both, np.intp).ravel()


def draw_batches(target: Target, design: Design, seeds: np.random.SeedSequence) -> list[Split]:
    """Return runs on every batch alone that can be trained on, to see whether they agree."""
    if design.batch is None:
        return []
    own = np.random.SeedSequence(seeds.entropy, spawn_key=(PARTS_KEY + 1,))
    rng, drawn = np.random.default_rng(own), []
    for number, name in enumerate(np.unique(design.batch)):
        rows = np.flatnonzero(design.batch == name)
        others, seed = np.flatnonzero(design.batch != name), int(rng.integers(MAX_SEED))
        if len(rows) >= BATCH_ROWS and not target.take(rows).rarer_than(BATCH_LEAST):
            drawn.append(Split(rows, others, seed, deal=BATCH_DEAL, n_parts=number))
    return drawn if len(drawn) > 1 else []


def batch_runs(target: Target, batch: Any) -> int:
    """Return how many batches every method is run on alone: those large enough."""
    batch = None if batch is None else np.asarray(batch)
    return len(draw_batches(target, Design(batch=batch), np.random.SeedSequence(0)))


def draw_null_splits(
    resampling: Any,
    target: Target,
    design: Design | None,
    n_permutations: int,
    seeds: np.random.SeedSequence,
) -> list[Split]:
    """Draw resamples with shuffled outcomes, so many permutations with a few resamples each.

    The protocol is the study's, drawn anew on every permutation, with as few repeats as will do, so
    that a study of more repeats has the same runs. Of the splits some are taken at random, for the
    first ones of a protocol may be special, such as two halves.
    """
    if isinstance(resampling, Subsampling):
        resampling = replace(resampling, n_splits=min(resampling.get_n_splits(), NULL_RUNS))
    elif isinstance(resampling, RepeatedStratifiedKFold) and not isinstance(resampling, FiveByTwo):
        resampling = replace(resampling, n_repeats=1)
    drawn = []
    for child in seeds.spawn(n_permutations):
        rng = np.random.default_rng(child)
        shuffled, splits = _shuffled(resampling, target, design or Design(), child, rng)
        n_runs = min(NULL_RUNS, len(splits))
        for place in sorted(rng.choice(len(splits), n_runs, replace=False)):
            drawn.append(replace(splits[place], shuffled=shuffled))
    return drawn


def _shuffled(
    resampling: Any,
    target: Target,
    design: Design,
    seeds: np.random.SeedSequence,
    rng: np.random.Generator,
) -> tuple[Target, list[Split]]:
    """Shuffle the outcome and split the rows; again if some split cannot be trained on."""
    problem: ValueError | None = None
    strata = null_strata(target, design)
    for _ in range(LABEL_DRAWS):
        shuffled = target.shuffled(design.groups, rng, strata)
        try:
            return shuffled, draw_splits(resampling, shuffled, design, seeds)
        except ValueError as error:
            problem = error
    raise ValueError(
        f"{LABEL_DRAWS} permutations of the outcomes, for the runs with shuffled ones, never left "
        f"splits that can be run (in the last one {problem}); null=0 does without such runs."
    ) from problem


def draw_parts(
    target: Target, groups: NDArray[Any] | None, n_deals: int, seeds: np.random.SeedSequence
) -> list[Split]:
    """Deal the rows into halves and into thirds, so many times; the other rows are tested."""
    if n_deals and (why := why_no_parts(target, groups)):
        raise ValueError(
            f"planning={n_deals} deals the rows into halves and thirds, but {why}; planning=0 does "
            "without."
        )
    own = np.random.SeedSequence(seeds.entropy, spawn_key=(PARTS_KEY,))
    drawn: list[Split] = []
    for deal, child in enumerate(own.spawn(n_deals)):
        rng = np.random.default_rng(child)
        for n_parts in PARTS:
            parts = _dealt(n_parts, target, groups, rng)
            drawn += [replace(part, deal=deal, n_parts=n_parts) for part in parts]
    return drawn


def why_no_parts(target: Target, groups: NDArray[Any] | None = None) -> str:
    """Return why rows cannot be dealt into halves and thirds, to plan by; empty if they can."""
    n_units = len(target) if groups is None else len(np.unique(groups))
    if n_units < PARTS_UNITS:
        return f"there are {n_units} independent rows or groups, and parts need {PARTS_UNITS}"
    needed = PARTS_ROWS * target.rows_each
    for name, n_rows in target.rarer_than(needed):
        return f"{name} has {n_rows} rows, and parts need {needed}"
    try:
        for n_parts in PARTS:
            _dealt(n_parts, target, groups, np.random.default_rng(0))
    except ValueError as error:
        return str(error)
    return ""


def _dealt(
    n_parts: int, target: Target, groups: NDArray[Any] | None, rng: np.random.Generator
) -> list[Split]:
    """Deal the rows into parts that can be trained on; whole groups may take several tries."""
    for _ in range(GROUP_DRAWS):
        deal = RepeatedStratifiedKFold(n_parts, 1, random_state=int(rng.integers(MAX_SEED)))
        folds = [*deal.split(target.values, target, groups)]
        if all(len(part) and target.can_train(part) for _, part in folds):
            return [Split(part, others, int(rng.integers(MAX_SEED))) for others, part in folds]
    raise ValueError(f"{GROUP_DRAWS} deals never gave parts that can all be trained on")


def _check_split(
    resampling: Any, number: int, split: Split, target: Target, groups: NDArray[Any] | None
) -> None:
    """Refuse splits that leak rows or groups into the test side, or cannot be trained on."""
    where = f"split {number} of resampling={resampling!r}"
    if not len(split.train) or not len(split.test):
        raise ValueError(f"{where} has no training rows or no test rows.")
    shared = np.intersect1d(split.train, split.test)
    if len(shared):
        raise ValueError(f"{where} has row {shared[0]} among its training and its test rows.")
    if not target.can_train(split.train):
        raise ValueError(f"{where} {target.training_needs}.")
    if groups is not None:
        both = np.intersect1d(groups[split.train], groups[split.test])
        if len(both):
            raise ValueError(
                f"{where} puts group {both.tolist()[0]!r} on both sides; use a splitter that "
                "respects groups, such as Subsampling, FiveByTwo or StratifiedGroupKFold."
            )
