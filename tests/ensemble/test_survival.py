"""Rankers made of rankers take the times until an event that their parts take."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from backstay import (
    BaggedRanker,
    CoxPath,
    CoxScore,
    DecoyControl,
    InstanceWeighted,
    ModuleRanker,
    OnResiduals,
    RepeatedSelector,
    RidgeRFE,
    RReliefF,
    StabilitySelection,
    UniformWeighting,
)
from estimators import survival


def data(n=80, d=20):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    time, last = rng.exponential(np.exp(1.5 * (X[:, 1] - X[:, 0]))), rng.exponential(3.0, n)
    return X, survival(np.minimum(time, last), time <= last)


RANKERS = [
    BaggedRanker(CoxScore(), 10, random_state=0),
    BaggedRanker(OnResiduals(RidgeRFE()), 6, resample="subsample", random_state=0),
    BaggedRanker(CoxPath(n_lambdas=20), 6, resample="complementary_pairs", random_state=0),
    RepeatedSelector(CoxScore(n_features_to_select=4), 10, random_state=0),
    StabilitySelection(CoxScore(), n_resamples=10, random_state=0),
    StabilitySelection(CoxPath(n_lambdas=20), n_resamples=10, path=True, random_state=0),
    StabilitySelection(CoxPath(n_lambdas=20, weakness=0.8), n_resamples=10, random_state=0),
    DecoyControl(CoxScore(), 5, n_resamples=4, random_state=0),
    DecoyControl(OnResiduals(RReliefF()), 3, n_resamples=2, random_state=0),
    ModuleRanker(CoxScore()),
    ModuleRanker(OnResiduals(RidgeRFE())),
    InstanceWeighted(CoxScore(), UniformWeighting()),
    InstanceWeighted(CoxScore(), UniformWeighting(), strategy="sample", random_state=1),
    OnResiduals(BaggedRanker(RidgeRFE(), 4, random_state=0)),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda r: type(r).__name__)
def test_they_find_what_matters(ranker):
    X, y = data()
    assert ranker.outcomes == ("survival",)
    ranker.fit(X, y)
    assert set(np.argsort(ranker.ranking_)[:2]) == {0, 1}
    assert not hasattr(ranker, "classes_")


@pytest.mark.parametrize("resample", ["bootstrap", "subsample", "complementary_pairs"])
def test_every_member_gets_its_share_of_events(resample):
    X, y = data()
    y["event"][6:] = False  # few: drawn from all rows, some members would get none
    y["event"][:6] = True
    ranker = BaggedRanker(CoxScore(), 20, resample=resample, random_state=0).fit(X, y)
    n_events = [y["event"][rows].sum() for rows in ranker.estimators_samples_]
    assert set(n_events) == {6 if resample == "bootstrap" else 3}
    ranks = [CoxScore().fit(X[r], y[r]).ranking_ for r in ranker.estimators_samples_]
    assert_array_equal(ranker.rankings_, ranks)


def test_without_censoring_all_rows_are_drawn_alike():
    X, y = data()
    y["event"] = True
    ranker = BaggedRanker(CoxScore(), 4, resample="subsample", random_state=0).fit(X, y)
    assert all(len(rows) == 40 for rows in ranker.estimators_samples_)


def test_growing_needs_a_judge_of_the_same_outcome():
    X, y = data()
    grown = RepeatedSelector(CoxScore(), keep="grow")
    assert grown.outcomes == ()
    with pytest.raises(ValueError, match="takes nothing"):
        grown.fit(X, y)
