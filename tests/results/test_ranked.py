"""Methods that leave features out: no subset is filled up at random without a word."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from backstay import BaggedRanker, ForestImportance, LassoPath, Study, TTest
from backstay.base import n_ranked_of
from backstay.datasets import make_han_yu
from backstay.report import Report

METHODS = {"lasso": LassoPath(), "t": TTest(), "forest": ForestImportance(20, random_state=0)}
SIZES = [2, 20, 60]


@pytest.fixture(scope="module")
def data():
    return make_han_yu(40, n_features=100, n_relevant=10, random_state=0)[:2]


@pytest.fixture(scope="module")
def results(data):
    splits = StratifiedKFold(4, shuffle=True, random_state=0)
    return Study(METHODS, splits, sizes=SIZES, random_state=0, verbose=0).run(*data)


def test_a_study_counts_what_is_ranked(data, results):
    X, y = data
    part = results._parts["data"]
    counts = [LassoPath().fit(X[part.train(i)], y[part.train(i)]).n_ranked_ for i in range(4)]
    assert part.ranked_counts("lasso") == counts
    assert part.ranked_counts("t") == [100] * 4
    assert max(part.ranked_counts("forest")) < 100
    frame = results.selections.ranked().frame().set_index(["method", "size"])
    assert frame.loc[("lasso", 2), "filled"] == 0
    assert frame.loc[("lasso", 60), "filled"] == 1
    assert frame.loc[("lasso", 20), "filled"] == np.mean([count < 20 for count in counts])
    assert frame.loc[("lasso", 20), ["least", "median"]].tolist() == sorted(counts)[:2]
    assert (frame.loc["t", "filled"] == 0).all()


def test_what_is_not_ranked_comes_last_and_at_random(results):
    part = results._parts["data"]
    _, orders = part.orders("lasso")
    _, weights = part.weights("lasso")
    for count, order, weight in zip(part.ranked_counts("lasso"), orders, weights, strict=True):
        assert (weight[order[:count]] > 0).all()
        assert (weight[order[count:]] == 0).all()
        assert (np.diff(order[count:]) < 0).any()  # not by column


def test_curves_end_with_the_ranking(results):
    last = results.stability(sizes="all").frame().groupby("method")["size"].max()
    part = results._parts["data"]
    assert last["lasso"] == part.n_ranked("lasso")
    assert last["t"] == 100


def test_report_and_command_line_warn_of_random_features(data, call, tmp_path):
    study = Study(METHODS, StratifiedKFold(4), sizes=[60], random_state=0, verbose=0)
    results = study.run(*data)
    (part,) = Report(results).parts
    (caveat,) = [c for c in part.answer.caveats if "at random" in c.text]
    assert caveat.title == "lasso and forest did not find 60 features in every run."
    assert "filled up at random: lasso in 100\u202f% of its runs, which rank" in caveat.text
    results.save(tmp_path / "study.db")
    code, out, err = call("compare", tmp_path / "study.db", "--size", 60)
    assert code == 0, err
    assert "filled at random" in out


def test_a_bag_does_not_prefer_the_first_columns(data):
    X, y = data
    options = {"n_resamples": 3, "random_state": 0}
    bag = BaggedRanker(LassoPath(), **options).fit(X, y)
    turned = BaggedRanker(LassoPath(), **options).fit(X[:, ::-1], y)
    assert bag.n_ranked_ == turned.n_ranked_ < 100
    ever = bag.weights_.any(axis=0)
    assert bag.n_ranked_ == ever.sum()
    assert (bag.ranking_[ever] <= bag.n_ranked_).all()
    assert np.array_equal(bag.feature_importances_, turned.feature_importances_[::-1])


def test_a_model_of_scikit_learn_leaves_zeros_out(data):
    sparse = LogisticRegression(l1_ratio=1, solver="liblinear", C=0.1).fit(*data)
    weights = np.abs(sparse.coef_[0])
    assert 0 < n_ranked_of(sparse, weights) == np.count_nonzero(weights) < 100
    assert n_ranked_of(sparse, weights - 0.1) == 100  # 0 means nothing among negative ones
    forest = clone(METHODS["forest"]).fit(*data)
    assert forest.n_ranked_ == np.count_nonzero(forest.feature_importances_)
    assert forest.get_support().sum() == min(50, forest.n_ranked_)
