"""Splits: as many as asked for, stratified, whole groups, the same for the same seed."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedShuffleSplit

from backstay._design import Design
from backstay.study import FiveByTwo, RepeatedStratifiedKFold, Subsampling
from backstay.study._protocols import draw_splits
from backstay.targets import as_target

Y = np.repeat([0, 1, 2], [30, 20, 10])
TARGET = as_target(Y)
PROTOCOLS = [Subsampling(7, 0.5), FiveByTwo(), RepeatedStratifiedKFold(5, 2)]


def seeds(number=0):
    return np.random.SeedSequence(number)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_every_split_is_a_stratified_partition(protocol):
    splits = draw_splits(protocol, TARGET, None, seeds())
    assert len(splits) == protocol.get_n_splits()
    for split in splits:
        assert np.array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(60))
        share = np.bincount(Y[split.train]) / np.bincount(Y)
        assert np.ptp(share) < 0.05


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_groups_stay_together(protocol):
    groups = np.arange(60) % 15
    for split in draw_splits(protocol, TARGET, Design(groups=groups), seeds()):
        assert not set(groups[split.train]) & set(groups[split.test])
        assert len(np.unique(Y[split.train])) == 3


def test_five_by_two_halves_follow_each_other():
    splits = draw_splits(FiveByTwo(), TARGET, None, seeds())
    assert len(splits) == 10
    for one, two in zip(splits[::2], splits[1::2], strict=True):
        assert np.array_equal(one.train, two.test)
        assert np.array_equal(one.test, two.train)
    assert len({tuple(split.train) for split in splits}) == 10


def test_the_seed_decides_and_a_splitter_of_its_own_seed_keeps_it():
    def rows(resampling, number):
        return [s.train.tolist() for s in draw_splits(resampling, TARGET, None, seeds(number))]

    assert rows(Subsampling(5), 0) == rows(Subsampling(5), 0)
    assert rows(Subsampling(5), 0) != rows(Subsampling(5), 1)
    assert rows(StratifiedShuffleSplit(5), 0) == rows(StratifiedShuffleSplit(5), 0)
    assert rows(Subsampling(5, random_state=4), 0) == rows(Subsampling(5, random_state=4), 1)
    unseeded = StratifiedShuffleSplit(5)
    rows(unseeded, 0)
    assert unseeded.random_state is None


def test_seeds_of_resamples_do_not_depend_on_how_rows_are_split():
    one = draw_splits(Subsampling(5), TARGET, None, seeds())
    two = draw_splits(KFold(5, shuffle=True), TARGET, None, seeds())
    assert [s.seed for s in one] == [s.seed for s in two]
    assert len({s.seed for s in one}) == 5


def test_pairs_of_rows_are_a_resampling_too():
    pairs = [(np.arange(0, 60, 2), np.arange(1, 60, 2))]
    (split,) = draw_splits(pairs, TARGET, None, seeds())
    assert np.array_equal(split.train, pairs[0][0])


@pytest.mark.parametrize(
    ("resampling", "message"),
    [
        (Subsampling(0), "n_splits=0 must be an integer of at least 1"),
        (Subsampling(3, train_size=1.5), "train_size=1.5 must be a share"),
        (RepeatedStratifiedKFold(1), "n_splits=1 must be an integer of at least 2"),
        (RepeatedStratifiedKFold(5, n_repeats="x"), "n_repeats='x'"),
        ([(np.arange(20), np.arange(20, 60))], "trains on one class only"),
        ([(np.arange(60), np.arange(5))], "row 0 among its training and its test rows"),
        ([], "gives no splits"),
    ],
)
def test_bad_splits_are_refused(resampling, message):
    with pytest.raises(ValueError, match=message):
        draw_splits(resampling, TARGET, None, seeds())


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_a_splitter_that_breaks_groups_is_refused():
    groups = np.arange(60) // 2
    with pytest.raises(ValueError, match=r"puts group .* on both sides"):
        draw_splits(ShuffleSplit(3), TARGET, Design(groups=groups), seeds())


def test_groups_that_cannot_be_split_are_refused():
    with pytest.raises(ValueError, match="never had every class"):
        draw_splits(Subsampling(2, 0.5), TARGET, Design(groups=Y), seeds())
    with pytest.raises(ValueError, match="leaves 0 of 3 groups"):
        draw_splits(Subsampling(2, 0.1), TARGET, Design(groups=np.arange(60) % 3), seeds())
