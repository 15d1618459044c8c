"""Boruta's decisions from hits, and its loop, against their definition."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from backstay.datasets import make_han_yu
from backstay.feature_weighting import BorutaRanker
from backstay.feature_weighting._boruta import LARGEST_SEED, decisions
from tests.reference import boruta as reference


def test_tails_by_hand():
    # Of four throws, 1 of 16 has four heads, 5 of 16 at least three.
    assert reference.share_of_tails(4, 4) == (1 / 16, 1.0)
    assert reference.share_of_tails(3, 4) == (5 / 16, 15 / 16)
    assert reference.decide(4, 4, 2, 0.13) == "confirmed"
    assert reference.decide(4, 4, 3, 0.13) == "tentative"
    assert reference.decide(0, 4, 2, 0.13) == "rejected"


@pytest.mark.parametrize("alpha", [0.01, 0.3])
@pytest.mark.parametrize("n_rounds", [1, 7, 20, 99])
def test_decisions_are_those_of_the_definition(n_rounds, alpha):
    hits = np.arange(n_rounds + 1)
    more, less = decisions(hits, n_rounds, alpha)
    words = np.where(more, "confirmed", np.where(less, "rejected", "tentative")).tolist()
    assert words == [reference.decide(h, n_rounds, len(hits), alpha) for h in hits.tolist()]


@pytest.mark.parametrize("n_features", [3, 20])
def test_the_loop_is_that_of_the_definition(n_features):
    X, y, _ = make_han_yu(30, n_features=20, n_relevant=10, shift=1.5, random_state=1)
    X = X[:, -n_features:]
    rng = np.random.RandomState(4)

    def grow(left):
        copies = X[:, left]
        while copies.shape[1] < 5:
            copies = np.column_stack([copies, copies])
        shadows = np.random.default_rng(rng.randint(LARGEST_SEED)).permuted(
            copies.astype(np.float32), axis=0
        )
        forest = RandomForestClassifier(10, random_state=rng.randint(LARGEST_SEED))
        found = forest.fit(np.column_stack([X[:, left], shadows]), y).feature_importances_.tolist()
        return found[: len(left)], found[len(left) :]

    hits, decision, means = reference.boruta(n_features, grow, max, 0.05, 15)
    ranker = BorutaRanker(10, alpha=0.05, max_iter=15, random_state=4).fit(X, y)
    assert ranker.hits_.tolist() == hits
    assert ranker.decision_.tolist() == decision
    assert ranker.feature_importances_ == pytest.approx(np.add(hits, means))
    assert len(set(decision)) > 1


@pytest.fixture(scope="module")
def fitted():
    X, y, relevance = make_han_yu(60, n_features=30, n_relevant=10, shift=2.0, random_state=0)
    X[:, -1] = 0.0
    ranker = BorutaRanker(30, max_iter=25, random_state=0, n_jobs=2)
    return ranker.fit(X, y), X, y, np.asarray(relevance, dtype=bool)


def test_relevant_features_are_confirmed_and_selected(fitted):
    ranker, _, _, relevant = fitted
    confirmed = ranker.decision_ == "confirmed"
    assert confirmed[relevant].mean() >= 0.8
    assert not confirmed[~relevant].any()
    assert (ranker.get_support() == confirmed).all()
    assert ranker.ranking_[confirmed].max() == confirmed.sum()


def test_hits_come_first_then_mean_importance(fitted):
    ranker, _, _, _ = fitted
    others = np.flatnonzero(ranker.decision_ != "confirmed")
    order = others[np.argsort(ranker.ranking_[others])]
    assert (np.diff(ranker.hits_[order]) <= 0).all()
    assert (np.floor(ranker.feature_importances_) == ranker.hits_).all()
    assert ranker.ranking_[-1] == 30
    assert ranker.n_ranked_ < 30


def test_a_number_of_features_may_be_asked_for(fitted):
    ranker, X, y, _ = fitted
    four = BorutaRanker(30, max_iter=25, n_features_to_select=4, random_state=0).fit(X, y)
    assert (four.ranking_ == ranker.ranking_).all()
    assert four.get_support().tolist() == (ranker.ranking_ <= 4).tolist()


def test_on_noise_nothing_is_selected():
    rng = np.random.default_rng(0)
    ranker = BorutaRanker(20, max_iter=20, random_state=0)
    ranker.fit(rng.normal(size=(30, 15)), np.arange(30) % 2)
    assert not ranker.get_support().any()
