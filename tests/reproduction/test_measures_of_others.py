"""Measures of others that the documents cite: agreement on artificial rows, the F-measure."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from backstay.stability import prediction_stability
from reference import concept_agreement as turney
from reference import ensemble as reference
from reproduction._concept_agreement import concept_agreement
from reproduction._han_consensus import frequency_curve
from reproduction._tradeoff import stability_performance


def test_stability_performance_by_hand():
    assert stability_performance(0.5, 1.0) == pytest.approx(2 / 3)
    # β = 2: 5 · 0.5 / (4 · 0.5 + 1)
    assert stability_performance(0.5, 1.0, beta=2.0) == pytest.approx(2.5 / 3)
    assert stability_performance(0.0, 0.0) == 0.0
    assert stability_performance(-0.1, 0.9) == 0.0
    both = stability_performance([0.2, 0.8], [0.9, 0.9])
    assert both.tolist() == pytest.approx([0.36 / 1.1, 1.44 / 1.7])
    # A larger β leans towards the performance, a smaller one towards the stability.
    curve = [stability_performance(0.4, 0.8, beta=b) for b in (1e-6, 1.0, 1e6)]
    assert curve[0] == pytest.approx(0.4)
    assert curve == sorted(curve)
    assert curve[-1] == pytest.approx(0.8)
    assert np.isnan(stability_performance(np.nan, 0.8))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((0.5, -0.1), "performance holds"), ((1.5, 0.5), "stability holds")],
)
def test_stability_performance_refuses_what_is_no_rate(arguments, words):
    with pytest.raises(ValueError, match=words):
        stability_performance(*arguments)
    with pytest.raises(ValueError, match="beta=0"):
        stability_performance(0.5, 0.5, beta=0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, "b", "a")


class Learner:
    """A learner of the reference in scikit-learn's clothes."""

    def __init__(self, learn):
        self.learn = learn

    def fit(self, X, y):
        self.one = self.learn(X.tolist(), y.tolist())
        return self

    def predict(self, X):
        return np.array([self.one(x) for x in X.tolist()])


class Watched:
    """A classifier of which every fit, and what it is asked to predict, is kept."""

    seen = ()

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.given = X, y
        self.model.fit(X, y)
        return self

    def predict(self, X):
        Watched.seen.append((*self.given, X))
        return self.model.predict(X)


def majority(rows, labels):
    """The most frequent label, the lowest of those."""
    common = max(sorted(set(labels)), key=labels.count)
    return lambda x: common


def test_reference_of_agreement_by_hand():
    # Rows 0, 3 | 4, 9. Trained on 0 | 4 and 3 | 9, models agree on 0 and 9, but neither on 3, which
    # is nearer to 4 than to 0, nor on 4, nearer to 3 than to 9: ½. Trained on 0 | 9 and 3 | 4, they
    # disagree on 4 only, nearer to 0 than to 9: ¾.
    X, y = [[0], [3], [4], [9]], ["a", "a", "b", "b"]
    for first, share in (([0, 2], Fraction(1, 2)), ([0, 3], Fraction(3, 4))):
        assert turney.share_of_equal_predictions(turney.nearest, X, y, first, X) == share
    assert turney.expected_agreement(turney.nearest, X, y) == Fraction(5, 8)
    # Three rows of one class: in half of the halvings each model has seen a single one of them.
    X, y = [[0], [1], [8], [9], [9]], [0, 0, 1, 1, 1]
    assert turney.expected_agreement(turney.nearest, X, y) == 1
    # The majority of 2, 1 and 1, 1 rows is 1 in the first, by one row, and 0 by the lower label.
    assert turney.expected_agreement(majority, X, y) == 0
    assert turney.expected_agreement(majority, X[:4], y[:4]) == 1


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 4), st.integers(1, 12), st.integers(0, 10**6))
def test_agreement_equals_the_oracle(data, n_repeats, n_rows, seed):
    y = data.draw(st.permutations(["a", "a", "b", "b", *data.draw(st.text("abccc", max_size=4))]))
    y = ["b" if c == "c" and y.count("c") == 1 else c for c in y]  # a lonely class is refused
    n_features = data.draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 6), min_size=n_features, max_size=n_features)
    X = data.draw(st.lists(cells, min_size=len(y), max_size=len(y)))
    learn = data.draw(st.sampled_from([turney.nearest, majority]))
    found = concept_agreement(
        Learner(learn), X, y, n_repeats=n_repeats, n_rows=n_rows, random_state=seed
    )
    rng = np.random.default_rng(seed)
    mean, variance = turney.agreement(learn, X, y, n_repeats, n_rows, rng)
    assert found.value == pytest.approx(float(mean), abs=1e-12)
    assert found.variance == pytest.approx(float(variance), abs=1e-12)
    assert (found.n_runs, found.n_items) == (n_repeats, n_rows)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_agreement_is_that_of_all_halvings_and_rows_on_average(seed):
    """No random number is shared with the oracle, which goes through all cases."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, size=(7, 2)).tolist(), [0, 0, 0, 0, 1, 1, 1]
    expected = float(turney.expected_agreement(turney.nearest, X, y))
    found = concept_agreement(
        Learner(turney.nearest), X, y, n_repeats=300, n_rows=30, random_state=seed
    )
    assert abs(found.value - expected) <= 5 * np.sqrt(found.variance)


def test_agreement_is_the_stability_of_predictions_of_two_halves(rows):
    X, y = rows
    model = DecisionTreeClassifier(random_state=0)
    found = concept_agreement(model, X, y, n_repeats=3, n_rows=50, random_state=4)
    seen = Watched.seen = []
    again = concept_agreement(Watched(model), X, y, n_repeats=3, n_rows=50, random_state=4)
    shares = []
    for (rows_1, labels_1, drawn_1), (rows_2, labels_2, drawn_2) in zip(
        seen[::2], seen[1::2], strict=True
    ):
        assert sorted(np.r_[rows_1, rows_2].tolist()) == sorted(X.tolist())
        np.testing.assert_array_equal(drawn_1, drawn_2)
        assert drawn_1.shape == (50, X.shape[1])
        one = model.fit(rows_1, labels_1).predict(drawn_1)
        other = model.fit(rows_2, labels_2).predict(drawn_1)
        shares.append(prediction_stability([one, other]).value)
    assert len(shares) == 3
    assert found.value == again.value == pytest.approx(np.mean(shares))


def test_learning_noise_agrees_half_of_the_time_and_a_constant_always(rows):
    X, y = rows
    tree = DecisionTreeClassifier(random_state=0)
    noise = np.random.default_rng(1).permutation(y)
    assert 0.4 < concept_agreement(tree, X, noise, random_state=0).value < 0.65
    assert concept_agreement(tree, X, y, random_state=0).value > 0.8
    constant = DummyClassifier(strategy="most_frequent")
    assert concept_agreement(constant, X, y, random_state=0).value == 1.0


def test_a_known_distribution_is_drawn_from(rows):
    seen = []

    def draw(rng, n_rows):
        seen.append(rng.uniform(-5, 5, size=(n_rows, 3)))
        return seen[-1]

    result = concept_agreement(LogisticRegression(), *rows, n_repeats=2, n_rows=7, draw=draw)
    assert [part.shape for part in seen] == [(7, 3)] * 2
    assert result.n_items == 7


def test_halves_and_artificial_rows():
    labels = np.repeat([0, 1, 2], [10, 4, 5])
    X = np.column_stack([np.arange(19), 10 * np.arange(19)])
    seen = Watched.seen = []
    concept_agreement(
        Watched(DummyClassifier()), X, labels, n_repeats=9, n_rows=400, random_state=0
    )
    assert {tuple(np.bincount(half)) for _, half, _ in seen} == {(5, 2, 2), (5, 2, 3)}
    for _, _, drawn in seen:
        assert set(drawn[:, 1].tolist()) == set(range(0, 190, 10))
        assert (drawn[:, 1] != 10 * drawn[:, 0]).any()  # columns are drawn apart


def test_what_cannot_be_halved_is_refused(rows):
    X, y = rows
    lonely = y.copy()
    lonely[0] = "c"
    for labels, options, words in (
        (lonely, {}, "class 'c' has one row; every class needs two"),
        (y, {"n_repeats": 1}, "n_repeats=1 must be at least 2"),
        (y, {"n_rows": 0}, "n_rows=0"),
        (y[:-1], {}, "one label per row"),
    ):
        with pytest.raises(ValueError, match=words):
            concept_agreement(LogisticRegression(), X, labels, **options)


@given(st.lists(st.sets(st.integers(0, 7)), min_size=2, max_size=6))
def test_frequency_curve(subsets):
    curve = frequency_curve([sorted(s) for s in subsets], 8)
    assert curve["n_features"].tolist() == reference.frequency_curve(subsets, 8)
    assert curve["n_runs"].tolist() == list(range(1, len(subsets) + 1))
    np.testing.assert_allclose(curve["frequency"], curve["n_runs"] / len(subsets))
    assert curve["n_features"].sum() == sum(len(s) for s in subsets)
