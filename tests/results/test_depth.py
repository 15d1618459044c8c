"""Rankings of wide tables are kept down to a depth: nothing before it changes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.study import Study, Subsampling, _ranking, merge_stores
from reference.study import contents

D, DEPTH = 30, 12
X, y, TRUTH = make_han_yu(40, n_features=D, n_relevant=5, block_size=5, random_state=0)


def study(**changes):
    options = {
        "methods": {"t": TTest(), "relieff": ReliefF(n_neighbors=3)},
        "resampling": Subsampling(5),
        "models": {"1nn": KNeighborsClassifier(1)},
        "sizes": [2, 6],
        "null": 2,
        "random_state": 0,
    }
    return Study(**{**options, **changes})


@pytest.fixture(scope="module")
def whole():
    return study().run(X, y, truth=TRUTH)


@pytest.fixture
def shallow(monkeypatch):
    monkeypatch.setattr(_ranking, "LEAST_DEPTH", DEPTH)
    monkeypatch.setattr(_ranking, "DEPTH_PER_SIZE", 1)


@pytest.fixture(scope="module")
def cut():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_ranking, "LEAST_DEPTH", DEPTH)
        patched.setattr(_ranking, "DEPTH_PER_SIZE", 1)
        return study().run(X, y, truth=TRUTH)


def test_the_depth_is_20_times_the_largest_size_and_at_least_5000():
    assert _ranking.kept_depth((1, 100)) == 5000
    assert _ranking.kept_depth((1, 251)) == 5020


def test_what_lies_before_the_cut_is_unchanged(whole, cut):
    for method in whole.methods:
        assert np.array_equal(cut.runs.orders(method), whole.runs.orders(method)[:, :DEPTH])
    for question in (
        lambda r: r.stability(),
        lambda r: r.stability("kalousis", sizes=[1, DEPTH]),
        lambda r: r.null(),
        lambda r: r.scores(),
        lambda r: r.selections.partners(),
        lambda r: r.selections.frequency(6),
    ):
        pd.testing.assert_frame_equal(question(cut).frame(), question(whole).frame())
    assert cut.recommend().considered == whole.recommend().considered
    assert cut.recommend().signature == whole.recommend().signature


def test_weights_and_ranks_behind_the_cut_are_their_means(whole, cut):
    weights, full = cut.runs.weights("t"), whole.runs.weights("t")
    ranks = np.empty((5, D))
    for run, order in enumerate(whole.runs.orders("t")):
        best, others = order[:DEPTH], order[DEPTH:]
        assert np.array_equal(weights[run, best], full[run, best])
        assert weights[run, others] == pytest.approx(full[run, others].mean())
        ranks[run, best] = np.arange(1, DEPTH + 1)
        ranks[run, others] = np.arange(DEPTH + 1, D + 1).mean()
    features = cut.features("t", 2).frame().set_index("feature")
    assert features["mean_rank"].to_numpy() == pytest.approx(ranks.mean(axis=0)[features.index])


def test_what_lies_behind_the_cut_is_refused_with_the_reason(cut):
    message = r"size 13 is out of reach: rankings of so many features \(30\) were kept down to pl"
    with pytest.raises(ValueError, match=message):
        cut.stability(sizes=[2, 13])
    with pytest.raises(ValueError, match=message):
        cut.selections.frequency(13)
    assert cut.stability(sizes="all").frame()["size"].max() == DEPTH


def test_a_study_that_kept_everything_goes_on(tmp_path, shallow, monkeypatch):
    path = tmp_path / "study.db"
    monkeypatch.setattr(_ranking, "LEAST_DEPTH", D)
    study(store=path, resampling=Subsampling(2)).run(X, y)
    monkeypatch.setattr(_ranking, "LEAST_DEPTH", DEPTH)
    found = study(store=path).run(X, y)
    expected = study().run(X, y)
    assert np.array_equal(found.runs.orders("t"), expected.runs.orders("t"))
    assert found.runs.weights("t").shape == (5, D)
    pd.testing.assert_frame_equal(found.stability().frame(), expected.stability().frame())


def test_shards_keep_as_much(tmp_path, shallow, cut):
    paths = [tmp_path / "1.db", tmp_path / "2.db"]
    for number, path in enumerate(paths, start=1):
        study(store=path).run(X, y, truth=TRUTH, shard=(number, 2))
    whole = study(store=merge_stores(paths, tmp_path / "study.db")).run(X, y, truth=TRUTH)
    assert contents(whole) == contents(cut)
