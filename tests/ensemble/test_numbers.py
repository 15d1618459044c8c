"""Rankers made of rankers take the numbers that their parts take."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier

from backstay import (
    BaggedRanker,
    DecoyControl,
    ForestImportance,
    InstanceWeighted,
    LassoPath,
    MarginWeighting,
    ModuleRanker,
    RepeatedSelector,
    RReliefF,
    SlopeTest,
    StabilitySelection,
    TTest,
    UniformWeighting,
)


def data(n=60, d=20):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n)


RANKERS = [
    BaggedRanker(SlopeTest(), 10, random_state=0),
    BaggedRanker(Ridge(), 10, resample="subsample", random_state=0),
    BaggedRanker(ForestImportance(50), 4, resample="complementary_pairs", random_state=0),
    RepeatedSelector(SlopeTest(n_features_to_select=4), 10, random_state=0),
    RepeatedSelector(RReliefF(n_features_to_select=4), 10, keep="grow", random_state=0),
    StabilitySelection(SlopeTest(), n_resamples=10, random_state=0),
    StabilitySelection(LassoPath(n_lambdas=20), n_resamples=10, path=True, random_state=0),
    DecoyControl(SlopeTest(), 5, n_resamples=4, random_state=0),
    ModuleRanker(SlopeTest()),
    InstanceWeighted(SlopeTest(), UniformWeighting()),
    InstanceWeighted(SlopeTest(), UniformWeighting(), strategy="sample", random_state=1),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda r: type(r).__name__)
def test_they_find_what_matters(ranker):
    X, y = data()
    assert "numbers" in ranker.outcomes
    ranker.fit(X, y)
    assert set(np.argsort(ranker.ranking_)[:2]) == {0, 1}
    assert not hasattr(ranker, "classes_")


def test_members_get_all_rows_alike():
    X, y = data()
    ranker = BaggedRanker(SlopeTest(), 6, resample="complementary_pairs", random_state=0).fit(X, y)
    for one, other in zip(*[iter(ranker.estimators_samples_)] * 2, strict=True):
        assert_array_equal(np.sort(np.concatenate([one, other])), np.arange(60))
    ranks = [SlopeTest().fit(X[r], y[r]).ranking_ for r in ranker.estimators_samples_]
    assert_array_equal(ranker.rankings_, ranks)


def test_a_member_may_see_whole_numbers_only():
    """Of 60 numbers one has a fraction, and most members lack it: they must not see classes."""
    X, y = data()
    y = y.round()
    y[7] = 0.5
    forest = ForestImportance(5, random_state=0)
    bagged = BaggedRanker(forest, 6, resample="subsample", random_state=0).fit(X, y)
    same = BaggedRanker(forest, 6, resample="subsample", random_state=0).fit(X, y / 64)
    assert any(7 not in rows for rows in bagged.estimators_samples_)
    assert_array_equal(bagged.rankings_, same.rankings_)


def test_what_a_part_does_not_take_is_refused():
    X, y = data()
    assert BaggedRanker(TTest()).outcomes == ("classes",)
    assert BaggedRanker(ForestImportance()).outcomes == ("classes", "numbers")
    grown = RepeatedSelector(ForestImportance(), keep="grow", classifier=KNeighborsClassifier())
    assert grown.outcomes == ("classes",)
    assert InstanceWeighted(SlopeTest(), MarginWeighting()).outcomes == ()
    with pytest.raises(ValueError, match="BaggedRanker takes classes as outcome, but y holds numb"):
        BaggedRanker(TTest()).fit(X, y)
    with pytest.raises(ValueError, match="drew rows with the same y only"):
        InstanceWeighted(SlopeTest(), UniformWeighting(), strategy="sample", random_state=0).fit(
            X[:2], [0.1, 0.2]
        )
