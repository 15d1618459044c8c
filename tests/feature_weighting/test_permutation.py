"""Importances of models on rows they have not seen, and gains of boosted trees."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

from backstay import BoostingImportance, PermutationImportance, TTest
from backstay.datasets import make_han_yu
from backstay.feature_weighting._permutation import minus_brier, out_of_bag_losses, used_features
from tests.reference import permutation as reference


@pytest.fixture(scope="module")
def rows():
    X, y, relevance = make_han_yu(40, n_features=20, n_relevant=10, shift=1.5, random_state=0)
    return X, y, np.asarray(relevance, dtype=bool)


class ByFirst:
    """Predicts the class by the first feature alone."""

    def fit(self, X, y):
        return self

    def get_params(self, deep=True):
        return {}

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


def test_losses_by_hand():
    X, y = np.array([[-1.0, 5], [1, 6]] * 2), np.array([0, 1] * 2)
    folds = [(np.arange(4), np.arange(2))]
    # Swapped, both answers about the first two rows are wrong; the second feature is not read.
    swapped = reference.losses_on_folds(
        ByFirst(), X, y, folds, lambda m, a, b: np.mean(m.predict(a) == b), [[[1, 0]]]
    )
    assert swapped.tolist() == [1.0, 0.0]


def test_folds_are_those_of_the_definition(rows):
    X, y, _ = rows
    folds = list(StratifiedKFold(2).split(X, y))
    model = make_pipeline(StandardScaler(), LogisticRegression())
    ranker = PermutationImportance(model, cv=folds, n_repeats=2, random_state=3).fit(X, y)
    rng, orders = np.random.RandomState(3), []
    rng.randint(2**31 - 1)  # of the folds, had they been drawn
    for _, test in folds:
        # scikit-learn shuffles every feature from the same seed, drawn of the seed given, and
        # shuffles again what is shuffled.
        given = np.random.RandomState(rng.randint(2**31 - 1))
        shuffle = np.random.RandomState(given.randint(np.iinfo(np.int32).max + 1))
        order, place, both = np.arange(len(test)), np.arange(len(test)), []
        for _ in range(2):
            shuffle.shuffle(order)
            place = place[order]
            both.append(place)
        orders.append(both)
    expected = reference.losses_on_folds(model, X, y, folds, minus_brier, orders)
    assert ranker.feature_importances_ == pytest.approx(np.maximum(expected, 0))


def test_trees_are_asked_about_rows_outside_their_bootstrap(rows):
    X, y, _ = rows
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    found = out_of_bag_losses(forest, X, y, np.ones(40), 1, np.random.RandomState(5))
    expected = reference.tree_losses(forest, X, y, np.random.RandomState(5).permutation)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_forest_finds_what_is_relevant_and_leaves_the_unused_at_zero(rows):
    X, y, relevant = rows
    X = np.column_stack([X, np.zeros(40)])
    ranker = PermutationImportance(n_estimators=60, n_features_to_select=5, random_state=0).fit(
        X, y
    )
    assert relevant[ranker.get_support(indices=True)].all()
    assert ranker.feature_importances_[-1] == 0
    assert ranker.n_ranked_ == np.count_nonzero(ranker.feature_importances_) <= 20
    again = PermutationImportance(n_estimators=60, random_state=0, n_jobs=2).fit(X, y)
    assert (again.feature_importances_ == ranker.feature_importances_).all()


def test_only_used_features_are_shuffled(rows):
    X, y, _ = rows
    lasso = LinearSVC(penalty="l1", C=0.1)
    for model in (lasso, make_pipeline(StandardScaler(), lasso)):
        used = used_features(model.fit(X, y), 20)
        coef = (model if model is lasso else model[-1]).coef_[0]
        assert used.tolist() == np.flatnonzero(coef).tolist()
        assert 0 < len(used) < 20
        # The features that scikit-learn finds to matter are among them.
        theirs = permutation_importance(model, X, y, n_repeats=2, random_state=0)
        assert np.isin(np.flatnonzero(theirs.importances_mean), used).all()
    behind = make_pipeline(TTest(n_features_to_select=5), LogisticRegression()).fit(X, y)
    assert used_features(behind, 20).tolist() == behind[0].get_support(indices=True).tolist()
    mixed = make_pipeline(PolynomialFeatures(2), LogisticRegression()).fit(X, y)
    silent = KNeighborsClassifier().fit(X, y)
    assert len(used_features(mixed, 20)) == len(used_features(silent, 20)) == 20


def test_estimators_without_probabilities_and_other_scores(rows):
    X, y, relevant = rows
    for options in ({}, {"scoring": "roc_auc"}):
        ranker = PermutationImportance(LinearSVC(), cv=2, random_state=0, **options).fit(X, y)
        assert (ranker.feature_importances_ >= 0).all()
        assert relevant[ranker.ranking_.argmin()]
    weighted = PermutationImportance(LogisticRegression(), cv=2, random_state=0)
    omega = np.where(np.arange(40) % 5, 1.0, 0.0)
    assert np.isfinite(weighted.fit(X, y, sample_weight=omega).feature_importances_).all()


def test_the_best_split_by_hand():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1])
    # Gradients ±1/2, hessians 1/4: each side has G² / H = 1 / (1/2) = 2, and together they have 0.
    assert reference.best_first_split(X, y, 1) == (0, 4.0)


@pytest.mark.parametrize("seed", range(5))
def test_gain_of_the_first_split(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 3 // 2
    feature, gain = reference.best_first_split(X, y, 5)
    ranker = BoostingImportance(1, max_features=1.0, max_depth=1, min_samples_leaf=5).fit(X, y)
    assert ranker.feature_importances_.tolist() == np.eye(6)[feature].tolist()
    inner = ranker.model_._predictors[0][0].nodes[0]
    assert inner["gain"] == pytest.approx(gain, rel=1e-5)


def test_boosting_is_scikit_learns(rows):
    X, y = load_iris(return_X_y=True)
    options = {
        "learning_rate": 0.2,
        "max_leaf_nodes": 5,
        "min_samples_leaf": 9,
        "max_features": 0.5,
    }
    ours = BoostingImportance(5, random_state=1, **options).fit(X, y)
    theirs = HistGradientBoostingClassifier(
        max_iter=5, early_stopping=False, random_state=1, **options
    ).fit(X, y)
    assert (ours.model_.predict_proba(X) == theirs.predict_proba(X)).all()
    gains = np.zeros(4)
    for trees in theirs._predictors:
        for tree in trees:
            for node in tree.nodes:
                gains[node["feature_idx"]] += 0 if node["is_leaf"] else node["gain"]
    assert ours.feature_importances_ == pytest.approx(gains / gains.sum())


def test_boosting_finds_what_is_relevant_and_leaves_the_unused_at_zero(rows):
    X, y, relevant = rows
    X = np.column_stack([X, np.zeros((40, 3))])
    ranker = BoostingImportance(20, random_state=0, n_features_to_select=4).fit(X, y)
    assert relevant[ranker.get_support(indices=True)].mean() >= 0.75
    assert (ranker.feature_importances_[-3:] == 0).all()
    assert ranker.n_ranked_ == np.count_nonzero(ranker.feature_importances_) <= 20
    assert ranker.feature_importances_.sum() == pytest.approx(1)
