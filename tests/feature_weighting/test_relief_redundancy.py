"""What copies and noise do to Relief's weights: lemmas 5.1 and 5.2 of [Prat 5.2], and eq. 5.7-5.12.

A noisy copy changes each value with probability p to one of the |V| − 1 others, chosen uniformly.
Two rows that differ then agree with probability D, and two that agree differ with probability E:

    D = 2p(1 − p)/(|V| − 1) + p²(|V| − 2)/(|V| − 1)²,   E = 2p(1 − p) + p²(|V| − 2)/(|V| − 1)

so that for given neighbours a weight W becomes (1 − D − E) W on average. With two values D = E =
2p(1 − p) and the factor is (1 − 2p)². The thesis concludes from D = E that noise leaves weights
of binary features alone; that does not follow, and its own figures say otherwise.
"""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from backstay import DoubleReliefF, MyopicReliefF, Relief, ReliefF
from backstay.redundancy import feature_relevance, redundancy_level

RELIEFS = [Relief(), ReliefF(3), DoubleReliefF(n_neighbors=3, random_state=0)]


def nominal(columns):
    return pd.DataFrame({str(j): pd.Categorical(c) for j, c in enumerate(columns)})


@pytest.mark.parametrize("ranker", RELIEFS)
@pytest.mark.parametrize("n_values", [2, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_lemma_5_1_completely_redundant_features_get_the_same_weight(ranker, n_values, n_classes):
    """A2 is A1 under other names: binary or not, two classes or more."""
    rng = np.random.default_rng(n_values)
    y = np.arange(60) % n_classes
    first = np.where(rng.random(60) < 0.7, y % n_values, rng.integers(0, n_values, 60))
    renamed = rng.permutation(n_values)[first]
    other = rng.integers(0, n_values, 60)
    weights = ranker.fit(nominal([first, renamed, other]), y).feature_importances_
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]
    mirrored = np.column_stack([first, n_values - 1 - first, other]).astype(float)
    weights = ranker.fit(mirrored, y).feature_importances_  # numbers, the other way round
    assert weights[0] == pytest.approx(weights[1], abs=1e-12)


@pytest.mark.parametrize("n_features", [2, 3])
def test_lemma_5_2_the_same_weight_does_not_mean_redundant(n_features):
    """Parity: all features are alike to Relief, and none can be spared."""
    X = np.array(list(product([0, 1], repeat=n_features)))
    y = X.sum(axis=1) % 2
    weights = ReliefF(len(X)).fit(nominal(X.T), y).feature_importances_
    assert_allclose(weights, weights[0])
    if n_features == 2:  # one neighbour, and ties broken in every way
        orders = [list(order) for order in permutations(range(4))]
        fits = [Relief().fit(nominal(X[rows].T), y[rows]) for rows in orders]
        weights = np.mean([fit.feature_importances_ for fit in fits], axis=0)
        assert weights[0] == pytest.approx(weights[1])
    assert feature_relevance(X, y).tolist() == ["strong"] * n_features
    assert (redundancy_level(X, y).levels < 1).all()


def chances(p, n_values):
    """D and E by going through all pairs of changes."""
    values = range(n_values)

    def to(v, w):
        return 1 - p if v == w else p / (n_values - 1)

    agree = sum(to(0, a) * to(1, b) for a in values for b in values if a == b)
    differ = sum(to(0, a) * to(0, b) for a in values for b in values if a != b)
    return agree, differ


@pytest.mark.parametrize("n_values", [2, 3, 5])
@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)])
def test_chances_of_a_change_are_those_of_eq_5_9(n_values, p):
    D, E = chances(p, n_values)
    others = n_values - 1
    assert 2 * p * (1 - p) / others + p**2 * Fraction(n_values - 2, others**2) == D
    assert 2 * p * (1 - p) + p**2 * Fraction(n_values - 2, others) == E
    if n_values == 2:
        assert D == E == 2 * p - 2 * p**2  # eq. 5.10
        assert (1 - 2 * p) ** 2 == 1 - D - E


@pytest.mark.parametrize("n_values", [2, 3, 5])
@pytest.mark.parametrize("p", [0.1, 0.4])
def test_noise_draws_every_weight_towards_zero(n_values, p):
    """W becomes (1 − D − E) W exactly, where every row is a neighbour and none is sampled."""
    rng = np.random.default_rng(n_values)
    given_class = rng.dirichlet(np.ones(n_values), size=2)
    noisy = (1 - p) * given_class + p / (n_values - 1) * (1 - given_class)
    y, values = np.repeat([0, 1], n_values), np.tile(np.arange(n_values), 2)[:, None]

    def weight(probabilities):
        ranker = MyopicReliefF(discretizer=None)
        # Mass above the number of rows, so that it is not raised to it.
        return ranker.fit(values, y, 1000 * probabilities.ravel()).feature_importances_[0]

    D, E = chances(p, n_values)
    assert weight(noisy) == pytest.approx((1 - D - E) * weight(given_class), rel=1e-9)
    assert abs(weight(noisy)) < abs(weight(given_class))


@pytest.fixture(scope="module")
def sample():
    """A binary feature right for 85 % of 400 rows, its class, and six that mean nothing."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    good = np.where(rng.random(400) < 0.85, y, 1 - y)
    return good, rng.normal(size=(400, 6)), y


def test_a_noisy_copy_of_a_good_feature_weighs_less_the_more_noise(sample):
    good, context, y = sample
    rng = np.random.default_rng(1)
    shares = []
    for p in (0.0, 0.1, 0.25, 0.5):
        noisy = np.where(rng.random(400) < p, 1 - good, good)
        X = np.column_stack([good, noisy, context])
        weights = ReliefF(150).fit(X, y).feature_importances_
        shares.append(weights[1] / weights[0])
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.2


@pytest.mark.parametrize("k", [50, 100])
def test_a_copy_takes_weight_from_a_good_feature(sample, k):
    """Near misses that share its value come nearer, and the others fall behind [Prat 5.2]."""
    good, context, y = sample
    alone = ReliefF(k).fit(np.column_stack([good, context]), y).feature_importances_[0]
    copied = ReliefF(k).fit(np.column_stack([good, good, context]), y).feature_importances_
    assert copied[0] == copied[1] < alone
