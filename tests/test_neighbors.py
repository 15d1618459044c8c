import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import (
    DoublyWeighted,
    DoublyWeightedKNeighborsClassifier,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    Simba,
    SlopeTest,
    TTest,
)
from backstay.datasets import make_han_yu, make_xor
from backstay.study import Study, Subsampling
from reference.instance_weighting import minmax
from reference.knn import vote_shares
from strategies import instance_weights, tables


def test_reference_by_hand():
    # From 0.4: rows 0, 1, 2 at 0.4, 0.6, 1.6; votes of the two nearest 1 and 3.
    X, y, omega = [[0.0], [1.0], [2.0]], ["a", "b", "b"], [1.0, 3.0, 5.0]
    assert vote_shares(X, y, omega, [1.0], 2, 2, [0.4]) == [0.25, 0.75]
    # A weight 0 row is passed over: rows 0 and 2 vote.
    assert vote_shares(X, y, [1.0, 0.0, 3.0], [1.0], 2, 2, [0.4]) == [0.25, 0.75]


@given(st.data(), tables(), st.integers(1, 5), st.sampled_from([1, 2]))
def test_equals_reference(data, table, k, power):
    X, y = table
    omega = data.draw(instance_weights(len(y)))
    # Powers of two keep weighted distances exact, so that ties are ties.
    weights = np.array(
        data.draw(
            st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=X.shape[1], max_size=X.shape[1])
        )
    )
    weights[0] = 1.0
    knn = DoublyWeightedKNeighborsClassifier(k, feature_weights=weights, power=power)
    knn.fit(X, y, sample_weight=omega)
    scaled = minmax(X.tolist())
    expected = [
        vote_shares(scaled, y.tolist(), omega.tolist(), weights.tolist(), power, k, q)
        for q in scaled
    ]
    got = knn.predict_proba(X)
    assert_allclose(got, expected, atol=1e-12)
    assert_array_equal(knn.predict(X), knn.classes_[np.argmax(got, axis=1)])


@pytest.mark.parametrize("k", [1, 5])
def test_without_weights_it_is_k_nn(k):
    X, y, _ = make_xor(n_samples=300, random_state=0)
    ours = DoublyWeightedKNeighborsClassifier(k, scaling=None).fit(X[:200], y[:200])
    theirs = KNeighborsClassifier(k).fit(X[:200], y[:200])
    assert_allclose(ours.predict_proba(X[200:]), theirs.predict_proba(X[200:]))


def test_ranker_inside_uses_the_training_rows_and_their_weights():
    X, y, _ = make_xor(n_samples=120, random_state=0)
    omega = np.random.default_rng(0).uniform(size=120)
    knn = DoublyWeightedKNeighborsClassifier(3, feature_weights=ReliefF()).fit(X, y, omega)
    expected = np.maximum(ReliefF().fit(X, y, omega).feature_importances_, 0)
    assert_allclose(knn.feature_weights_, expected / expected.max())


def test_threads_do_not_change_the_result(monkeypatch):
    X, y, _ = make_xor(n_samples=200, random_state=0)
    knn = DoublyWeightedKNeighborsClassifier(7, feature_weights=Simba(random_state=0)).fit(X, y)
    one = knn.predict_proba(X)
    monkeypatch.setattr("backstay.neighbors.BLOCK_BYTES", 8 * 200 * 16)
    for n_jobs in (1, 2):
        assert_array_equal(knn.set_params(n_jobs=n_jobs).predict_proba(X), one)


def test_an_infinite_importance_outweighs_the_rest():
    y = np.arange(20) % 2
    X = np.column_stack([np.random.default_rng(0).normal(size=20), y])
    knn = DoublyWeightedKNeighborsClassifier(feature_weights=TTest()).fit(X, y)
    assert knn.feature_weights_.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "shape \\(2,\\); X has 3 features"),
        ([1.0, -1.0, 0.0], "0 or more"),
        ([0.0, 0.0, 0.0], "not all zero"),
        ([1.0, np.nan, 0.0], "finite"),
    ],
)
def test_bad_feature_weights(weights, message):
    X, y = np.eye(3)[[0, 1, 2, 0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=message):
        DoublyWeightedKNeighborsClassifier(feature_weights=weights).fit(X, y)


def test_string_labels():
    knn = DoublyWeightedKNeighborsClassifier().fit([[0.0], [1.0]], ["healthy", "ill"])
    assert knn.predict([[0.2], [0.9]]).tolist() == ["healthy", "ill"]


def test_both_weights_around_any_model():
    X, y, _ = make_han_yu(80, n_features=20, n_relevant=4, block_size=2, random_state=0)
    ranker, weighting = ReliefF(), LogisticWeighting()
    found = DoublyWeighted(SVC(kernel="linear"), ranker, weighting).fit(X, y)
    # The same by hand.
    omega = weighting.fit_weight(X, y)
    scores = ReliefF().fit(X, y, sample_weight=omega).feature_importances_
    w = np.maximum(scores, 0) / scores.max()
    low, width = X.min(axis=0), np.ptp(X, axis=0)
    by_hand = SVC(kernel="linear").fit((X - low) / width * w, y, sample_weight=omega)
    assert_allclose(found.feature_weights_, w)
    assert_allclose(found.sample_weight_, omega)
    values = by_hand.decision_function((X - low) / width * w)
    assert_allclose(found.decision_function(X), values, atol=1e-8)
    assert found.score(X, y) == (found.predict(X) == y).mean()
    assert not hasattr(found, "predict_proba")
    assert is_classifier(found)
    plain = DoublyWeighted(LogisticRegression(), TTest()).fit(X, y)
    assert plain.sample_weight_ is None
    assert plain.predict_proba(X).shape == (80, 2)
    assert plain.classes_.tolist() == [0, 1]
    assert not is_classifier(DoublyWeighted(Ridge(), SlopeTest()))


def test_both_weights_in_a_study_and_frozen():
    X, y, _ = make_han_yu(80, n_features=20, n_relevant=4, block_size=2, random_state=0)
    model = DoublyWeighted(LogisticRegression(), TTest(), MarginWeighting())
    study = Study(
        {"t": TTest()}, Subsampling(5), models={"both": model}, sizes=[2, 4], random_state=0
    )
    results = study.run(X, y)
    signature = results.freeze(X, y, ("t", 4, "both"))
    assert signature.document["model"]["kind"] == "linear"
    columns = [feature["column"] for feature in signature.document["features"]]
    alone = clone(model).fit(X[:, columns], y)
    assert_array_equal(signature.predict(X[:, columns]), alone.predict(X[:, columns]))
