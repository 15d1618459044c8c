"""Parts of a study in stores of their own, merged: to the last bit one run."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import FStatistic, TTest
from backstay.results import Results
from backstay.store import StoreError, check_store
from backstay.study import Study, StudyError, Subsampling, merge_stores
from backstay.study._partners import strongest_partners
from backstay.study._shards import Shard
from reference.study import contents

# Blocks of correlated features have partners.
X, y, _ = make_han_yu(40, n_features=30, n_relevant=10, block_size=5, random_state=0)
METHODS = {"t": TTest(), "w": InstanceWeighted(ReliefF(n_neighbors=3), MarginWeighting())}


def study(store=None, **changes):
    options = {
        "methods": METHODS,
        "resampling": Subsampling(4),
        "models": {"1nn": KNeighborsClassifier(1)},
        "sizes": [2, 5],
        "null": 2,
        "random_state": 0,
    }
    return Study(**{**options, "store": store, **changes})


@pytest.fixture(scope="module")
def at_once():
    return contents(study().run(X, y))


def run_shards(folder, total, **changes):
    paths = [folder / f"{number}.db" for number in range(1, total + 1)]
    for number, path in enumerate(paths, start=1):
        study(path, **changes).run(X, y, shard=(number, total))
    return paths


@pytest.mark.parametrize("total", [1, 3])
def test_merged_shards_are_one_run(tmp_path, at_once, total):
    assert any(key[-1] == "partner of" and value for key, value in at_once.items())
    paths = run_shards(tmp_path, total)
    whole = merge_stores(paths[::-1], tmp_path / "study.db")
    assert contents(Results.load(whole)) == at_once
    assert check_store(whole).sound
    assert contents(study(whole).run(X, y)) == at_once
    # A shard's own store goes on to be the whole study, too.
    assert contents(study(paths[0]).run(X, y)) == at_once


def test_every_task_is_in_one_part_and_methods_are_spread():
    methods = list("abcde")
    tasks = [(m, i) for i in [*range(20), *range(-1, -11, -1)] for m in methods]
    for total in (1, 2, 5, 7):
        parts = [Shard(number, total).part(tasks, methods) for number in range(1, total + 1)]
        assert sorted(task for part in parts for task in part) == sorted(tasks)
        for method in methods:
            counts = [sum(name == method for name, _ in part) for part in parts]
            assert max(counts) - min(counts) <= 2


def test_missing_tasks_are_refused(tmp_path):
    paths = run_shards(tmp_path, 3)[:2]
    with pytest.raises(StoreError, match=r"on 'data' are in none of the 2 stores, .* no 3"):
        merge_stores(paths, tmp_path / "study.db")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1.db", "2.db", "3.db"]


@pytest.mark.parametrize(
    "changes", [{"random_state": 1}, {"resampling": Subsampling(5)}, {"methods": {"t": TTest()}}]
)
def test_shards_of_another_study_are_refused(tmp_path, changes):
    study(tmp_path / "1.db").run(X, y, shard=(1, 2))
    study(tmp_path / "2.db", **changes).run(X, y, shard=(2, 2))
    with pytest.raises(StoreError, match=r"2\.db is not of the same study as .*1\.db: "):
        merge_stores([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "study.db")


def test_other_data_are_refused(tmp_path):
    study(tmp_path / "1.db").run(X, y, shard=(1, 2))
    study(tmp_path / "2.db").run(X + 1, y, shard=(2, 2))
    with pytest.raises(StoreError, match=r"data\.data\.X is not the same as in"):
        merge_stores([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "study.db")


def test_a_task_that_went_well_elsewhere_counts(tmp_path):
    class Fails(FStatistic):
        """Fails, until it is told not to."""

        broken = True

        def _score(self, X, y, sample_weight):
            if Fails.broken:
                raise RuntimeError("no")
            return super()._score(X, y, sample_weight)

    options = {"methods": {"m": Fails()}, "null": 0, "resampling": Subsampling(2)}
    with pytest.raises(StudyError):
        study(tmp_path / "1.db", **options).run(X, y, shard=(1, 2))
    Fails.broken = False
    study(tmp_path / "2.db", **options).run(X, y)
    whole = merge_stores([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "study.db")
    assert len(Results.load(whole).runs.errors()) == 0


@pytest.mark.parametrize("shard", [(0, 2), (3, 2), (1.0, 2), "1/2", (1, 2, 3)])
def test_wrong_shards(shard):
    with pytest.raises(ValueError, match=r"shard=.* must be two integers"):
        study().run(X, y, shard=shard)


def test_a_shard_needs_a_seed():
    with pytest.raises(ValueError, match="shard needs random_state"):
        study(random_state=None).run(X, y, shard=(1, 2))


def test_an_existing_file_is_left_alone(tmp_path):
    paths = run_shards(tmp_path, 1, methods={"t": TTest()})
    with pytest.raises(StoreError, match="exists already"):
        merge_stores(paths, paths[0])
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        merge_stores(paths, tmp_path / "none" / "study.db")


def test_partners_do_not_depend_on_which_features_are_asked_for():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(np.repeat(rng.normal(size=(30, 12)), 4, axis=1))
    table += 0.3 * rng.normal(size=table.shape)
    everything = strongest_partners(table, np.arange(48))
    for few in (np.array([7]), np.array([3, 20, 41])):
        found = strongest_partners(table, few)
        kept = np.isin(everything["partner of"], few)
        for name, array in found.items():
            assert array.tobytes() == everything[name][kept].tobytes()
    assert len(everything["partner"]) > 100
