"""Runs on halves and thirds of the rows, to plan by: what is drawn, what runs, what stays."""

import numpy as np
import pytest
from joblib import parallel_config

from backstay.datasets import make_han_yu
from backstay.feature_weighting import FStatistic, TTest
from backstay.results import Results
from backstay.store import FIRST_PART, StoreError, check_store
from backstay.study import Study, Subsampling, _protocols, merge_stores
from backstay.study._protocols import draw_parts
from backstay.targets import as_target
from reference.study import contents

X, y, _ = make_han_yu(42, n_features=30, n_relevant=5, block_size=5, random_state=0)
TARGET = as_target(y)


def seeds(number=0):
    return np.random.SeedSequence(number)


def small(methods=None, **options):
    defaults = {"resampling": Subsampling(3), "sizes": [3], "models": None, "random_state": 0}
    methods = {"t": TTest()} if methods is None else methods
    return Study(methods, **{**defaults, "planning": 2, "verbose": 0, **options})


def test_parts_of_a_deal_share_no_row_and_leave_none_out():
    parts = draw_parts(TARGET, None, 3, seeds())
    assert len(parts) == 3 * Study.DEAL_RUNS
    for deal in range(3):
        for n_parts in (2, 3):
            some = [p for p in parts if (p.deal, p.n_parts) == (deal, n_parts)]
            assert len(some) == n_parts
            assert sorted(np.concatenate([p.train for p in some])) == list(range(42))
    shares = np.bincount(TARGET.codes) / 42
    for part in parts:
        assert sorted([*part.train, *part.test]) == list(range(42))
        own = np.bincount(TARGET.codes[part.train], minlength=2) / len(part.train)
        assert np.abs(own - shares).max() < 1 / len(part.train) + 1e-9
    assert len({part.seed for part in parts}) == len(parts)


def test_the_seed_decides_and_more_deals_begin_with_the_same():
    def drawn(number, n_deals):
        parts = draw_parts(TARGET, None, n_deals, seeds(number))
        return [(part.train.tolist(), part.seed) for part in parts]

    assert drawn(0, 2) == drawn(0, 4)[: 2 * Study.DEAL_RUNS]
    assert drawn(0, 2) != drawn(1, 2)


def test_groups_stay_whole():
    groups = np.arange(42) // 2
    for part in draw_parts(as_target(np.repeat([0, 1, 0], 14)), groups, 2, seeds()):
        assert not set(groups[part.train]) & set(groups[part.test])


def test_rows_that_cannot_be_dealt_are_named(monkeypatch):
    monkeypatch.setattr(_protocols, "GROUP_DRAWS", 20)
    assert Study.why_no_parts(TARGET) == ""
    with pytest.raises(ValueError, match=r"planning=2 .* there are 10 independent rows or groups"):
        draw_parts(TARGET, np.arange(42) % 10, 2, seeds())
    rare = as_target(np.repeat(["a", "b"], [38, 4]))
    with pytest.raises(ValueError, match="class 'b' has 4 rows, and parts need 6; planning=0"):
        draw_parts(rare, None, 1, seeds())
    # The second class is in two groups, so one third is always without it.
    groups = np.where(np.arange(42) < 30, np.arange(42) // 1, 30 + np.arange(42) % 2)
    one_sided = as_target(np.repeat([0, 1], [30, 12]))
    assert "never gave parts that can all be trained on" in Study.why_no_parts(one_sided, groups)
    assert draw_parts(rare, None, 0, seeds()) == []
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match=r"planning=.* must be an integer"):
            small(planning=wrong).run(X, y)


def test_the_study_itself_is_as_without_parts():
    without, beside = small(planning=0, null=2).run(X, y), small(null=2).run(X, y)
    one, two = contents(without), contents(beside)
    assert (without.data.part_runs, beside.data.part_runs) == (0, 10)
    assert (beside.data.n_done, beside.data.n_tasks) == (17, 17)
    for key, value in one.items():
        if key not in ("study", "datasets"):
            assert two[key] == value, key
    assert one["study"] == {k: v for k, v in two["study"].items() if k != "planning"}
    for name, table in {
        "null": lambda r: r.null(),
        "times": lambda r: r.runs.times(),
        "counts": lambda r: r.runs.counts(),
        "replication": lambda r: r.replication(),
    }.items():
        frames = (table(r).frame().drop(columns="method") for r in (without, beside))
        first, second = (f.loc[:, [c for c in f if "seconds" not in c]] for f in frames)
        assert first.equals(second), name
    assert without.recommend().score == beside.recommend().score


def test_neither_jobs_nor_growth_nor_shards_change_it(tmp_path):
    methods = {"t": TTest(), "f": FStatistic()}
    expected = contents(small(methods).run(X, y))
    with parallel_config(backend="threading"):
        assert contents(small(methods, n_jobs=2).run(X, y)) == expected
    path = tmp_path / "s.db"
    small(planning=0, store=path).run(X, y)
    small(planning=1, store=path).run(X, y)
    grown = contents(small(methods, store=path).run(X, y))
    assert grown == expected
    shards = [tmp_path / f"{k}.db" for k in (1, 2, 3)]
    for number, shard in enumerate(shards, start=1):
        small(methods, store=shard).run(X, y, shard=(number, 3))
    with pytest.raises(StoreError, match="of 26 tasks on 'data' are in none of the 1 stores"):
        merge_stores(shards[:1], tmp_path / "some.db")
    merged = merge_stores(shards, tmp_path / "all.db")
    assert check_store(merged).missing == {"data": 0}
    assert contents(Results.load(merged))["datasets"] == expected["datasets"]
    plans = [Results.load(one).plan("t", 3).frame() for one in (merged, path)]
    assert plans[0].equals(plans[1])


def test_fewer_deals_are_another_study(tmp_path):
    small(store=tmp_path / "s.db").run(X, y)
    with pytest.raises(StoreError, match="planning is 2 in the store and 1 now"):
        small(planning=1, store=tmp_path / "s.db").run(X, y)


class FailsOnParts(TTest):
    def _score(self, X, y, sample_weight):
        if len(X) <= 21:
            raise FloatingPointError("too few")
        return super()._score(X, y, sample_weight)


def test_failures_on_parts_are_told_apart():
    with pytest.warns(UserWarning, match="10 of 10 runs on parts of the rows on 'data' failed"):
        results = small({"f": FailsOnParts()}).run(X, y)
    assert len(results.runs.errors()) == 0
    with pytest.raises(ValueError, match="too few runs of 'f' on halves and thirds"):
        results.plan("f", 3)
    tasks = [task["resample"] for task in results._store.tasks("data")]
    assert sorted(tasks) == [*range(FIRST_PART - 9, FIRST_PART + 1), 0, 1, 2]
