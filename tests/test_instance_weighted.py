import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_random_state

from backstay import (
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    Relief,
    ReliefF,
    Simba,
    UniformWeighting,
)
from backstay.datasets import make_han_yu

X, y, _ = make_han_yu(n_samples=60, n_features=60, random_state=0)


@pytest.mark.parametrize("weighting", [MarginWeighting(), LogisticWeighting(n_neighbors=1)])
def test_native_passes_the_weights_on(weighting):
    ranker = InstanceWeighted(ReliefF(), weighting).fit(X, y)
    omega = weighting.fit_weight(X, y)
    assert_array_equal(ranker.sample_weight_, omega)
    expected = ReliefF().fit(X, y, sample_weight=omega)
    assert_array_equal(ranker.feature_importances_, expected.feature_importances_)


def test_sample_draws_rows_in_proportion():
    ranker = InstanceWeighted(Relief(), LogisticWeighting(), strategy="sample", random_state=4)
    ranker.fit(X, y)
    omega = LogisticWeighting().fit_weight(X, y)
    rows = check_random_state(4).choice(60, size=60, p=omega / omega.sum())
    expected = Relief().fit(X[rows], y[rows]).feature_importances_
    assert_array_equal(ranker.feature_importances_, expected)


def test_order_presents_the_heaviest_first():
    class Recorder(ReliefF):
        def fit(self, X, y, sample_weight=None):
            self.rows_ = X
            return super().fit(X, y)

    ranker = InstanceWeighted(Recorder(), MarginWeighting(), strategy="order").fit(X, y)
    omega = MarginWeighting().fit_weight(X, y)
    assert_array_equal(ranker.estimator_.rows_, X[np.argsort(-omega, kind="stable")])


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel="linear"),
        LinearSVC(),
        LogisticRegression(),
        RandomForestClassifier(n_estimators=5, random_state=0),
        Simba(delta=True, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("strategy", ["native", "sample", "order"])
def test_any_estimator_any_strategy(estimator, strategy):
    ranker = InstanceWeighted(
        estimator, MarginWeighting(), strategy=strategy, n_features_to_select=7, random_state=0
    ).fit(X, y)
    assert sorted(ranker.ranking_) == list(range(1, 61))
    assert ranker.transform(X).shape == (60, 7)


def test_coefficients_become_importances():
    ranker = InstanceWeighted(SVC(kernel="linear"), UniformWeighting()).fit(X, y)
    expected = np.abs(SVC(kernel="linear").fit(X, y).coef_[0])
    assert_allclose(ranker.feature_importances_, expected)
    three = np.arange(60) % 3
    ranker = InstanceWeighted(SVC(kernel="linear"), UniformWeighting()).fit(X, three)
    machines = SVC(kernel="linear").fit(X, three).coef_
    assert_allclose(ranker.feature_importances_, np.sqrt((machines**2).sum(axis=0)))


def test_rankings_of_other_selectors_count():
    inner = RFE(SVC(kernel="linear"), n_features_to_select=1, step=10)
    ranker = InstanceWeighted(inner, MarginWeighting(), strategy="order").fit(X, y)
    assert ranker.ranking_[np.argmin(ranker.estimator_.ranking_)] == 1


def test_native_needs_an_estimator_that_takes_weights():
    with pytest.raises(ValueError, match="KNeighborsClassifier does not"):
        InstanceWeighted(KNeighborsClassifier(), MarginWeighting()).fit(X, y)


def test_estimator_without_importances_is_named():
    with pytest.raises(ValueError, match="KNeighborsClassifier exposes none of"):
        InstanceWeighted(KNeighborsClassifier(), MarginWeighting(), strategy="order").fit(X, y)


def test_sample_of_one_class_is_refused():
    labels = np.r_[np.zeros(59, int), 1]
    omega = np.r_[np.ones(59), 1e-30]
    ranker = InstanceWeighted(Relief(), UniformWeighting(), strategy="sample", random_state=0)
    with pytest.raises(ValueError, match="rows of one class only"):
        ranker.fit(X, labels, sample_weight=omega)


def test_own_weights_multiply():
    own = np.random.default_rng(0).uniform(size=60)
    ranker = InstanceWeighted(ReliefF(), MarginWeighting()).fit(X, y, sample_weight=own)
    assert_allclose(ranker.sample_weight_, own * MarginWeighting().fit_weight(X, y))


def test_frames_keep_their_types_on_the_way_in():
    frame = pd.DataFrame(X[:, :4], columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(y == 1, "u", "v"))
    ranker = InstanceWeighted(ReliefF(n_features_to_select=1), UniformWeighting()).fit(frame, y)
    assert ranker.get_feature_names_out().tolist() == ["kind"]
    drawn = InstanceWeighted(ReliefF(), UniformWeighting(), strategy="sample", random_state=0)
    assert drawn.fit(frame, y).ranking_[4] == 1


def test_sparse_goes_through_where_both_take_it():
    ranker = InstanceWeighted(ReliefF(), UniformWeighting())
    got = ranker.fit(sparse.csr_array(X), y).feature_importances_
    assert_allclose(got, ReliefF().fit(X, y).feature_importances_, atol=1e-9)


def test_in_a_pipeline_with_names():
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(60)])
    ranker = InstanceWeighted(ReliefF(n_features_to_select=5), MarginWeighting())
    model = make_pipeline(ranker, SVC(kernel="linear")).set_output(transform="pandas")
    model.fit(frame, y)
    assert model[:-1].transform(frame).columns.tolist() == list(
        frame.columns[ranker.fit(frame, y).get_support()]
    )
