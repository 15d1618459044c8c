"""Decoys in a study: kept draw by draw, the same after a stop, and what is made of them."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer

from backstay.datasets import make_han_yu
from backstay.ensemble import DecoyControl, DecoyScores
from backstay.feature_weighting import TTest
from backstay.results import Records, Results
from backstay.store import Store
from backstay.study import Study, Subsampling
from backstay.study import _decoys as module

X, y, _ = make_han_yu(40, n_features=30, n_relevant=5, block_size=5, random_state=0)


def small(**options):
    defaults = {
        "resampling": Subsampling(4), "sizes": [3, 5], "models": {}, "random_state": 0,
        "verbose": 0, "decoys": 6,
    }  # fmt: skip
    return Study({"t": TTest()}, **{**defaults, **options})


@pytest.fixture(scope="module")
def results():
    return small().run(X, y)


def test_every_feature_gets_a_q_value(results):
    frame = results.features("t", 5).frame().set_index("feature").sort_index()
    store = results._store
    draws = [store.dataset_arrays("data")[Records.decoy_key("t", b)] for b in range(6)]
    assert all(draw.shape == (2, 30) for draw in draws)
    expected = DecoyScores([d[0] for d in draws], [d[1] for d in draws]).qvalues()
    assert frame["decoy_q_value"].to_numpy() == pytest.approx(expected)
    assert frame["decoy_q_value"][:5].max() < frame["decoy_q_value"][5:].median()
    # Decoys of different draws differ, and are those of the estimator.
    assert not (draws[0] == draws[1]).all()
    seed = np.random.SeedSequence(0, spawn_key=(module.DRAWS, 3)).generate_state(1)[0]
    again = DecoyControl(TTest(), 1, random_state=int(seed % module.MAX_SEED)).fit(X, y)
    assert (again.decoy_scores_ == draws[3][1]).all()


def test_expected_false_is_that_of_the_signature(results):
    found = results.selections.expected_false("t", 5)
    assert 0 < found.value < 3
    assert found.low <= found.value
    assert results.selections.expected_false() == results.selections.expected_false(
        results.choice().method, results.choice().size
    )


def test_without_decoys_nothing_is_said():
    results = small(decoys=0).run(X, y)
    assert results.selections.expected_false() is None
    assert "decoy_q_value" not in results.features("t", 5).frame()


def test_a_study_that_was_stopped_goes_on_with_the_same_draws(tmp_path, monkeypatch, results):
    path, kept = tmp_path / "study.db", []
    draw = module._one_draw

    def stops(*given):
        if len(kept) == 3:
            raise KeyboardInterrupt
        kept.append(given[-1])
        return draw(*given)

    monkeypatch.setattr(module, "_one_draw", stops)
    with pytest.raises(KeyboardInterrupt):
        small(store=path).run(X, y)
    monkeypatch.setattr(module, "_one_draw", draw)
    with Store(path, write=False) as store:
        n_kept = sum(key.startswith("decoys") for key in store.dataset_arrays("data"))
    assert 0 < n_kept < 6
    small(store=path, n_jobs=2).run(X, y)
    expected = results.features("t", 5).frame()["decoy_q_value"]
    assert (Results.load(path).features("t", 5).frame()["decoy_q_value"] == expected).all()
    # More draws extend it; fewer, or none, leave it as it is.
    small(store=path, decoys=7).run(X, y)
    more = Results.load(path)
    assert (
        len(
            module.Records(more._store, "data", more._store.datasets()["data"]).numbered(
                lambda b: Records.decoy_key("t", b)
            )
        )
        == 7
    )
    assert small(store=path, decoys=0).run(X, y).selections.expected_false() is not None


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="decoys=-1 must be an integer"):
        small(decoys=-1).run(X, y)
    with pytest.raises(ValueError, match="belong together in groups"):
        small().run(X, y, groups=np.arange(40) // 2)
    with pytest.warns(UserWarning, match="preprocess leaves 10 of 30 features"):
        results = small(preprocess=SelectKBest(k=10)).run(X, y)
    assert results.selections.expected_false() is None


def test_missing_values_are_filled_first():
    gaps = X.copy()
    gaps[::7, 3] = np.nan
    results = small(preprocess=SimpleImputer(), decoys=2).run(gaps, y)
    assert results.selections.expected_false() is not None


def test_the_report_says_it_beside_the_list(results, tmp_path):
    page = results.report(tmp_path / "report.html").read_text("utf-8")
    found = results.selections.expected_false()
    assert f"Expected false among these {results.choice().size}: {found}." in page
    assert "q, decoys" in page
    assert "False means independent of the outcome" in page
