"""Runs with shuffled outcomes: what is drawn, what runs, and what is made of them."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold

from backstay import FeatureRanker
from backstay._design import Design
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import Store
from backstay.study import (
    FiveByTwo,
    RepeatedStratifiedKFold,
    Study,
    StudyError,
    Subsampling,
)
from backstay.study import _study as module
from backstay.study._protocols import LABEL_DRAWS, draw_null_splits, draw_splits
from backstay.targets import as_target
from reference.study import beside_null, contents

X, y, _ = make_han_yu(40, n_features=30, n_relevant=5, block_size=5, random_state=0)
TARGET = as_target(y)


def seeds(number=0):
    return np.random.SeedSequence(number)


def small(methods=None, **options):
    defaults = {"resampling": Subsampling(7), "sizes": [3, 5], "random_state": 0, "verbose": 0}
    return Study({"t": TTest()} if methods is None else methods, **{**defaults, **options})


# What is drawn.


@pytest.mark.parametrize(
    "protocol", [Subsampling(9), FiveByTwo(), RepeatedStratifiedKFold(5, 2), KFold(5)], ids=repr
)
def test_the_protocol_is_the_studys(protocol):
    splits = draw_null_splits(protocol, TARGET, None, 4, seeds())
    assert len(splits) == 4 * Study.NULL_RUNS
    sizes = {len(split.train) for split in draw_splits(protocol, TARGET, None, seeds())}
    assert {len(split.train) for split in splits} <= sizes
    first, second = splits[0].shuffled, splits[Study.NULL_RUNS].shuffled
    assert splits[Study.NULL_RUNS - 1].shuffled is first
    assert (first.values != second.values).any()
    assert len({split.seed for split in splits}) == len(splits)


def test_the_seed_decides_and_more_permutations_begin_with_the_same():
    def drawn(number, n_permutations):
        splits = draw_null_splits(Subsampling(9), TARGET, None, n_permutations, seeds(number))
        return [(s.train.tolist(), s.shuffled.values.tolist(), s.seed) for s in splits]

    assert drawn(0, 5) == drawn(0, 5)
    assert drawn(0, 5) == drawn(0, 8)[: 5 * Study.NULL_RUNS]
    assert drawn(0, 5) != drawn(1, 5)


def test_groups_stay_on_one_side():
    groups = np.repeat(np.arange(20), 2)
    for split in draw_null_splits(Subsampling(5), TARGET, Design(groups=groups), 5, seeds()):
        assert not set(groups[split.train]) & set(groups[split.test])


def test_labels_that_leave_one_class_to_train_on_are_shuffled_again():
    labels = np.repeat([0, 1], [36, 4])
    few = [(np.array([0, 1, 2, 36]), np.arange(3, 36)), (np.array([3, 4, 37]), np.arange(5, 36))]
    splits = draw_null_splits(few, as_target(labels), None, 6, seeds())
    assert len(splits) == 12
    for split in splits:
        assert len(np.unique(split.shuffled.values[split.train])) == 2
        assert split.shuffled.values.sum() == 4


def test_labels_that_cannot_be_shuffled_are_named():
    labels = as_target(np.repeat([0, 1], [39, 1]))
    # Only the one row of class 1 is in all of them, and hardly ever gets its label back.
    splits = [(np.array([i, 39]), np.array([38])) for i in range(30)]
    assert len(draw_splits(splits, labels, None, seeds())) == 30
    with pytest.raises(ValueError, match=rf"{LABEL_DRAWS} permutations .* null=0 does without"):
        draw_null_splits(splits, labels, None, 20, seeds())


# What runs.

SEEN = []


class Spy(FeatureRanker):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        SEEN.append((X[:, -1].astype(int), y))
        return np.arange(X.shape[1])


class NeverOnShuffled(ClassifierMixin, BaseEstimator):
    """Raises unless every label is the row's own."""

    def fit(self, X, y):
        assert np.array_equal(ROW_LABELS[X[:, -1].astype(int)], y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


NUMBERED = np.column_stack([X[:, :5], np.arange(40)])
ROW_LABELS = np.tile([0, 1], 20)


def test_no_classifier_runs_and_methods_see_training_rows_only():
    SEEN.clear()
    study = small({"spy": Spy()}, models={"c": NeverOnShuffled()}, null=3, sizes=[2])
    results = study.run(NUMBERED, ROW_LABELS)
    assert len(results.runs.errors()) == 0
    assert len(SEEN) == 7 + 3 * Study.NULL_RUNS
    true = [np.array_equal(ROW_LABELS[rows], labels) for rows, labels in SEEN]
    assert sum(true) == 7
    target = as_target(ROW_LABELS)
    drawn = draw_splits(Subsampling(7), target, None, sequence := seeds())
    null = draw_null_splits(Subsampling(7), target, None, 3, sequence)
    for (rows, labels), split in zip(SEEN, [*drawn, *null], strict=True):
        assert np.array_equal(rows, split.train)
        given = ROW_LABELS if split.shuffled is None else split.shuffled.values
        assert np.array_equal(labels, given[split.train])
    for task in results._store.tasks("data"):
        assert ("model" in task["seconds"]) == (task["resample"] >= 0)


def test_the_test_labels_of_shuffled_runs_are_never_used(monkeypatch):
    study = small(null=3, models={})
    expected = contents(study.run(X, y))

    def spoilt(*arguments):
        splits = draw_null_splits(*arguments)
        for split in splits:
            labels = split.shuffled.values.copy()
            labels[split.test] = -1
            yield replace(split, shuffled=as_target(labels))

    monkeypatch.setattr(module, "draw_null_splits", lambda *a: list(spoilt(*a)))
    assert contents(study.run(X, y)) == expected


def test_the_study_itself_is_as_without_shuffled_labels():
    without, beside = small().run(X, y), small(null=4).run(X, y)
    tables = {
        "stability": lambda r: r.stability(),
        "scores": lambda r: r.scores(),
        "gains": lambda r: r.weights.gains(),
        "scores of runs": lambda r: r.runs.scores(),
        "variance": lambda r: r.weights.variance(),
        "errors": lambda r: r.runs.errors(),
        "frequency": lambda r: r.selections.frequency(3),
    }
    for name, table in tables.items():
        one, two = (table(results).frame() for results in (without, beside))
        assert one.equals(two), name
    assert beside.runs.times().frame()["n_tasks"].tolist() == [7]
    assert len(without.null()) == 0
    assert (without.data.null, beside.data.null) == (0, 4)


def test_neither_jobs_nor_a_stop_midway_change_it(tmp_path, monkeypatch):
    expected = contents(small(null=4).run(X, y))
    assert contents(small(null=4, n_jobs=2).run(X, y)) == expected
    path, write = tmp_path / "s.db", Store.write

    def stop_in_the_null(self, dataset, outcome):
        if outcome.resample == -4:
            raise KeyboardInterrupt
        write(self, dataset, outcome)

    monkeypatch.setattr(Store, "write", stop_in_the_null)
    with pytest.raises(KeyboardInterrupt):
        small(null=4, store=path).run(X, y)
    monkeypatch.setattr(Store, "write", write)
    midway = Results.load(path)
    assert len(midway.null()) == 2  # sizes; of the permutations that have two runs or more
    assert midway.null().frame()["n_permutations"].max() < 4
    assert contents(small(null=4, store=path).run(X, y)) == expected


def test_fewer_permutations_are_another_study(tmp_path):
    small(null=2, store=tmp_path / "s.db").run(X, y)
    with pytest.raises(RuntimeError, match="null is 2 in the store and 1 now"):
        small(null=1, store=tmp_path / "s.db").run(X, y)


class FailsOnShuffled(FeatureRanker):
    def __init__(self, turned=False, n_features_to_select=None):
        self.turned = turned
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        true = np.array_equal(ROW_LABELS[X[:, -1].astype(int)], y)
        if true == self.turned:
            raise FloatingPointError("no such luck")
        return np.arange(X.shape[1])


def test_failures_with_shuffled_labels_are_told_apart():
    count = 2 * Study.NULL_RUNS
    with pytest.warns(
        UserWarning, match=rf"{count} of {count} runs with shuffled outcomes on 'data'"
    ):
        results = small({"f": FailsOnShuffled()}, null=2, sizes=[2]).run(NUMBERED, ROW_LABELS)
    assert len(results.runs.errors()) == 0
    assert len(results.null()) == 0
    with pytest.raises(StudyError, match="all 7 tasks on 'data' failed; 'f' on resample 0"):
        small({"f": FailsOnShuffled(turned=True)}, null=2, sizes=[2]).run(NUMBERED, ROW_LABELS)


# What is made of them.


def orders_by_hand(splits, labels):
    found = []
    for split in splits:
        given = labels if split.shuffled is None else split.shuffled.values
        fitted = TTest().fit(X[split.train], given[split.train])
        found.append(np.argsort(fitted.ranking_).tolist())  # no two features are tied
    return found


@pytest.mark.parametrize("permuted", [False, True])
def test_the_table_is_what_it_is_by_hand(permuted):
    labels = y[np.random.default_rng(1).permutation(40)] if permuted else y
    results = small(models={}, null=6).run(X, labels)
    target = as_target(labels)
    drawn = draw_splits(Subsampling(7), target, None, sequence := seeds())
    null = draw_null_splits(Subsampling(7), target, None, 6, sequence)
    real, every = orders_by_hand(drawn, labels), orders_by_hand(null, labels)
    shuffled = [every[i : i + Study.NULL_RUNS] for i in range(0, len(every), Study.NULL_RUNS)]
    frame = results.null().frame()
    assert frame["size"].tolist() == [3, 5]
    for row in frame.to_dict("records"):
        wanted = beside_null(real, shuffled, row["size"], 30, Study.NULL_RUNS)
        assert {key: row[key] for key in wanted} == pytest.approx(wanted)
        assert row["low"] <= row["null"] <= row["high"]
        # Kuncheva's index of the best k, as elsewhere.
        assert row["stability"] == pytest.approx(
            results.stability("kuncheva", sizes=[row["size"]]).frame()["value"].item()
        )


def test_a_protocol_of_fewer_splits_than_runs_on_a_permutation():
    halves = [
        (np.arange(0, 40, 2), np.arange(1, 40, 2)),
        (np.arange(1, 40, 2), np.arange(0, 40, 2)),
    ]
    results = small(resampling=halves, null=5).run(X, np.repeat([0, 1], 20))
    assert results.data.null_runs == 2
    assert results.null().frame()["n_permutations"].tolist() == [5, 5]
    single = small(resampling=halves[:1], null=5).run(X, np.repeat([0, 1], 20))
    assert single.data.null_runs == 1
    assert len(single.null()) == 0  # no two runs to compare


def test_signal_is_above_its_null_and_noise_is_not():
    def row(table):
        study = small(models={}, null=19, sizes=[5])
        return study.run(table, y).null().frame().iloc[0]

    noise = np.random.default_rng(0).normal(size=(40, 100))
    none = row(noise)
    assert none["null"] > 0.1  # training sets share rows
    assert none["p_value"] > 0.02
    noise[:, :5] += 3 * (y == y.max())[:, None]
    real = row(noise)
    assert real["p_value"] < 1e-4
    assert real["above"] > 0.5
