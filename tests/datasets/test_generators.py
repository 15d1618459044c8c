import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import f_oneway

from backstay.datasets import (
    make_decision_list,
    make_majority,
    make_modulo,
    make_non_monotonic,
    make_random_rbf,
)
from reference import decision_lists

GENERATORS = {
    "numeric list": make_decision_list,
    "boolean list": lambda *n, **rest: make_decision_list(*n, boolean=True, **rest),
    "rbf": make_random_rbf,
    "non-monotonic": make_non_monotonic,
    "majority": make_majority,
    "modulo": make_modulo,
}


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_shape_types_relevance_and_seed(make):
    X, y, relevance = make(37, n_features=7, n_relevant=4, random_state=3)
    assert (X.shape, X.dtype) == ((37, 7), np.float64)
    assert np.isfinite(X).all()
    assert (y.shape, y.dtype) == ((37,), np.intp)
    assert y.min() >= 0
    assert_array_equal(relevance, [0.25, 0.25, 0.25, 0.25, 0, 0, 0])
    for a, b in zip((X, y), make(37, n_features=7, n_relevant=4, random_state=3), strict=False):
        assert_array_equal(a, b)
    assert (make(37, n_features=7, n_relevant=4, random_state=4)[0] != X).any()
    assert make(20, n_features=4, n_relevant=4, random_state=0)[0].shape == (20, 4)


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_irrelevant_features_say_nothing(make):
    X, y, _ = make(4000, n_features=25, n_relevant=5, random_state=1)
    groups = [X[y == c, 5:] for c in np.unique(y)]
    assert len(groups) > 1
    assert f_oneway(*groups).pvalue.min() > 0.01 / 20


@pytest.mark.parametrize("boolean", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_decision_list_is_that_of_going_row_by_row(boolean, seed):
    X, y, _ = make_decision_list(
        60,
        n_features=6,
        n_relevant=5,
        boolean=boolean,
        n_classes=3,
        max_rule_size=3,
        random_state=seed,
    )
    rng = np.random.RandomState(seed)
    drawn = rng.randint(2, size=X.shape) if boolean else rng.uniform(size=X.shape)
    assert_array_equal(X, drawn)
    numbers, rules = decision_lists.label(X[:, :5], (1, 3), boolean, rng)
    assert_array_equal(y, np.array(numbers) % 3)
    assert {len(rule) for rule in rules} <= {1, 2, 3}


def test_decision_list_draws_features_evenly_and_rules_of_every_size():
    X, y, _ = make_decision_list(40, n_features=3, n_relevant=1, boolean=True, random_state=0)
    assert_array_equal(y, X[:, 0] != X[0, 0])  # one feature: two rules, the first row's first
    sizes = set()
    for seed in range(30):
        _, y, _ = make_decision_list(
            300, n_features=8, n_relevant=8, min_rule_size=2, max_rule_size=4, random_state=seed
        )
        assert set(np.unique(y)) <= {0, 1}
        rng = np.random.RandomState(seed)
        X = rng.uniform(size=(300, 8))
        sizes |= {len(r) for r in decision_lists.label(X, (2, 4), False, rng)[1]}
    assert sizes == {2, 3, 4}


def test_rbf_rows_lie_around_centres_of_their_class():
    X, y, _ = make_random_rbf(
        20000, n_features=12, n_relevant=10, n_centers=2, n_classes=2, random_state=6
    )
    rng = np.random.RandomState(6)
    classes = rng.permutation(np.arange(2) % 2)
    points = rng.uniform(size=(2, 10))
    weights, deviations = rng.uniform(size=(2, 2))
    share = weights / weights.sum()
    for centre in range(2):
        rows = X[y == classes[centre], :10]
        assert len(rows) / 20000 == pytest.approx(share[centre], abs=0.03)
        distances = np.linalg.norm(rows - points[centre], axis=1)
        # |N(0, σ)| has the second moment σ².
        assert np.sqrt((distances**2).mean()) == pytest.approx(deviations[centre], rel=0.06)
        assert_allclose(rows.mean(axis=0), points[centre], atol=0.03)


def test_rbf_has_every_class_among_its_centres():
    for seed in range(20):
        y = make_random_rbf(2000, n_classes=5, n_centers=7, random_state=seed)[1]
        assert y.max() <= 4
    assert len(np.unique(make_random_rbf(5000, n_classes=4, random_state=0)[1])) == 4


def test_non_monotonic_follows_its_formula():
    X, y, _ = make_non_monotonic(400, n_features=6, n_relevant=4, random_state=0)
    relevant = X[:, :4]
    ratio = relevant / relevant[:, :1]
    assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))  # multiples of one another
    factors = np.random.RandomState(0).uniform(size=4)
    hidden = relevant[:, 0] / factors[0]
    hidden[::2] **= 2  # even rows hold the root
    assert_array_equal(y, np.floor(hidden))
    assert hidden.max() == pytest.approx(4, abs=0.1)
    assert (np.bincount(y) > 60).all()
    X, again, _ = make_non_monotonic(
        400, n_features=6, n_relevant=4, alternate="features", random_state=0
    )
    assert_array_equal(again, y)
    assert_allclose(X[:, [1, 3]], hidden[:, None] * factors[[1, 3]])
    assert_allclose(X[:, [0, 2]], np.sqrt(hidden)[:, None] * factors[[0, 2]])


def test_majority_and_modulo_follow_their_formulas():
    X, y, _ = make_majority(500, n_features=9, n_relevant=4, random_state=0)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert_array_equal(y, [sum(row[:4]) > 2 for row in X.tolist()])  # two of four: a draw
    X, y, _ = make_modulo(500, n_features=5, n_relevant=2, p=4, random_state=0)
    assert set(np.unique(X)) == {0.0, 1.0, 2.0, 3.0}
    assert_array_equal(y, [int(a + b) % 4 for a, b in X[:, :2].tolist()])


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (make_decision_list, {"n_samples": 1}, "n_samples=1"),
        (make_decision_list, {"n_classes": 1}, "n_classes=1"),
        (make_decision_list, {"min_rule_size": 0}, "min_rule_size=0"),
        (make_decision_list, {"min_rule_size": 3, "n_relevant": 2}, "n_relevant=2"),
        (make_random_rbf, {"n_centers": 1}, "n_centers=1 is less than n_classes=2"),
        (make_random_rbf, {"n_classes": 1}, "n_classes=1"),
        (make_random_rbf, {"n_relevant": 21}, "n_relevant=21"),
        (make_non_monotonic, {"n_relevant": 1}, "n_relevant=1 must be at least 2"),
        (make_non_monotonic, {"alternate": "columns"}, "alternate='columns' must be"),
        (make_majority, {"n_relevant": 0}, "n_relevant=0"),
        (make_modulo, {"p": 1}, "p=1"),
    ],
)
def test_bad_parameters(make, parameters, message):
    with pytest.raises(ValueError, match=message):
        make(**parameters)
