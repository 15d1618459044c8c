"""A study that grows in its store is, to the last bit, the study that was large at once."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay._design import Design
from backstay.datasets import make_xor
from backstay.feature_weighting import FStatistic, TTest
from backstay.store import Store, StoreError, check_store
from backstay.study import (
    FiveByTwo,
    RepeatedStratifiedKFold,
    Study,
    Subsampling,
)
from backstay.study._protocols import draw_null_splits, draw_splits
from backstay.targets import as_target
from reference.study import contents

X, y, _ = make_xor(40, random_state=0)
GROUPS = np.arange(40) % 13
WEIGHTED = InstanceWeighted(ReliefF(n_neighbors=3), MarginWeighting())


def study(store=None, **changes):
    options = {
        "methods": {"t": TTest()},
        "resampling": Subsampling(3),
        "models": {"1nn": KNeighborsClassifier(1)},
        "sizes": [2],
        "null": 2,
        "random_state": 0,
    }
    return Study(**{**options, "store": store, **changes})


STEPS = {
    "splits": ({}, {"resampling": Subsampling(6)}),
    "folds": (
        {"resampling": RepeatedStratifiedKFold(3, 1)},
        {"resampling": RepeatedStratifiedKFold(3, 3)},
    ),
    "method": ({}, {"methods": {"f": FStatistic(), "t": TTest(), "w": WEIGHTED}}),
    "permutations": ({"null": 0}, {"null": 3}),
    "everything": (
        {"null": 1, "methods": {"w": WEIGHTED}},
        {"resampling": Subsampling(5), "methods": {"w": WEIGHTED, "t": TTest()}},
    ),
    "plain by its own name": (
        {"methods": {"w": WEIGHTED}},
        {"methods": {"w": WEIGHTED, "relieff": ReliefF(n_neighbors=3)}},
    ),
}


CASES = [(step, None) for step in STEPS] + [("splits", GROUPS), ("folds", GROUPS)]


@pytest.mark.parametrize(("step", "groups"), CASES, ids=lambda value: str(value)[:12])
def test_two_steps_are_one(tmp_path, step, groups):
    first, then = STEPS[step]
    path = tmp_path / "study.db"
    study(path, **first).run(X, y, groups)
    large = study(path, **{**first, **then}).run(X, y, groups)
    at_once = study(tmp_path / "large.db", **{**first, **then}).run(X, y, groups)
    assert contents(large) == contents(at_once)
    assert large.methods == at_once.methods
    assert large.data.n_done == large.data.n_tasks
    assert check_store(path).sound


def test_only_what_is_new_runs(tmp_path, monkeypatch):
    path, ran = tmp_path / "study.db", []
    study(path).run(X, y)
    module = "backstay.study._study.finished_tasks"
    monkeypatch.setattr(module, lambda *a, **k: iter_nothing(ran, a))
    with pytest.warns(UserWarning, match="nothing"):
        study(path, resampling=Subsampling(4), methods={"t": TTest(), "f": FStatistic()}).run(X, y)
    assert sorted(ran) == [*(("f", i) for i in range(-4, 4)), ("t", 3)]


def iter_nothing(ran, arguments):
    ran.extend(arguments[3])
    warnings.warn("nothing", stacklevel=1)
    yield from ()


def test_a_step_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "study.db"
    study(path).run(X, y)
    original, written = Store.write, []

    def write(self, dataset, outcome):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(outcome)
        original(self, dataset, outcome)

    larger = {"resampling": Subsampling(6)}
    monkeypatch.setattr(Store, "write", write)
    with pytest.raises(KeyboardInterrupt):
        study(path, **larger).run(X, y)
    monkeypatch.undo()
    assert contents(study(path, **larger).run(X, y)) == contents(study(**larger).run(X, y))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"resampling": Subsampling(2)}, "holds 3 splits of 'data', and now there are 2"),
        ({"null": 1}, "null is 2 in the store and 1 now"),
        ({"methods": {"f": FStatistic()}}, "methods.t is in the store only. It has t"),
    ],
)
def test_less_is_refused_and_leaves_the_store_alone(tmp_path, changes, said):
    path = tmp_path / "study.db"
    study(path).run(X, y)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"{said}. A study can grow, not shrink"):
        study(path, **changes).run(X, y)
    assert path.read_bytes() == before


def test_other_splitters_grow_if_their_first_splits_stay(tmp_path):
    path = tmp_path / "study.db"
    few, more = (StratifiedShuffleSplit(n, test_size=0.3) for n in (3, 5))
    study(path, resampling=few, null=0).run(X, y)
    grown = study(path, resampling=more, null=0).run(X, y)
    assert contents(grown) == contents(study(resampling=more, null=0).run(X, y))
    second = tmp_path / "null.db"
    study(second, resampling=few).run(X, y)
    with pytest.raises(StoreError, match="drawn from all splits of this protocol"):
        study(second, resampling=more).run(X, y)


PROTOCOLS = [
    (Subsampling(3), Subsampling(8)),
    (Subsampling(2, 0.5), Subsampling(20, 0.5)),
    (RepeatedStratifiedKFold(4, 1), RepeatedStratifiedKFold(4, 5)),
    (FiveByTwo(), FiveByTwo()),
]


@pytest.mark.parametrize(("short", "long"), PROTOCOLS, ids=repr)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_splits_and_seeds_are_the_first_of_more(short, long, groups):
    def rows(protocol, draw, *more):
        found = draw(
            protocol, as_target(y), Design(groups=groups), *more, np.random.SeedSequence(3)
        )
        return [(s.train.tolist(), s.test.tolist(), s.seed) for s in found]

    few, many = rows(short, draw_splits), rows(long, draw_splits)
    assert few == many[: len(few)]
    few, many = rows(short, draw_null_splits, 2), rows(long, draw_null_splits, 4)
    assert few == many[: len(few)]
