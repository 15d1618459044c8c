"""The estimator: frames, options, and errors that can be understood."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from backstay.wrappers import SequentialSelector
from backstay.wrappers._folds import bootstrap_folds


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_frames_and_names(wine):
    X, y = wine
    selector = SequentialSelector(random_state=0, n_features_to_select=3).set_output(
        transform="pandas"
    )
    kept = selector.fit_transform(X, y)
    assert list(kept.columns) == list(selector.get_feature_names_out())
    assert set(selector.path_["feature"][1:]) == set(kept.columns)
    by_number = SequentialSelector(random_state=0, n_features_to_select=3).fit(X.to_numpy(), y)
    assert np.array_equal(by_number.ranking_, selector.ranking_)
    from_polars = SequentialSelector(GaussianNB(), cv=2, n_features_to_select=2)
    from_pandas = clone(from_polars).fit(X, y)
    assert np.array_equal(from_polars.fit(pl.from_pandas(X), y).ranking_, from_pandas.ranking_)


def test_in_a_pipeline_and_pickled(wine):
    X, y = wine
    pipeline = make_pipeline(SequentialSelector("lda", cv=2), LinearDiscriminantAnalysis())
    assert cross_val_score(pipeline, X, y, cv=2).min() > 0.85
    fitted = pipeline.fit(X, y)[0]
    again = pickle.loads(pickle.dumps(fitted))
    assert again.path_.equals(fitted.path_)


def test_string_labels_do_not_show(wine):
    X, y = wine
    names = np.array(["c", "a", "b"])[y]
    for estimator in ("1nn", "lda", "svm_linear", GaussianNB()):
        a = SequentialSelector(estimator, cv=[(np.arange(0, 178, 2), np.arange(1, 178, 2))])
        a.set_params(n_features_to_select=3)
        b = clone(a)
        assert np.array_equal(a.fit(X, y).path_["score"], b.fit(X, names).path_["score"])


def test_seed_draws_the_folds(wine):
    X, y = wine
    runs = [SequentialSelector(random_state=s, n_features_to_select=2) for s in (0, 0, 1)]
    scores = [s.fit(X, y).scores_["score"].to_numpy() for s in runs]
    assert np.array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


def test_other_scores_go_through_scikit_learn(wine):
    X, y = wine
    options = {"cv": 2, "n_features_to_select": 2}
    named = SequentialSelector("lda", scoring="neg_log_loss", scaling=None, **options).fit(X, y)
    general = SequentialSelector(
        LinearDiscriminantAnalysis(), scoring="neg_log_loss", **options
    ).fit(X, y)
    assert named.scores_.equals(general.scores_)
    assert named.path_["score"][0] == pytest.approx(-1.086, abs=0.01)  # by class frequencies
    accuracy = SequentialSelector("lda", scoring="accuracy", **options).fit(X, y)
    assert accuracy.scores_.equals(SequentialSelector("lda", **options).fit(X, y).scores_)


def test_categories_gaps_and_sparse_tables_reach_the_estimator(wine):
    X, y = wine
    table = pd.DataFrame({"level": np.array(["lo", "mid", "hi"])[y], "noise": X["ash"]})
    table.loc[3, "noise"] = np.nan
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), lambda t: [c for c in t if c == "level"]),
        remainder="passthrough",
    )
    selector = SequentialSelector(make_pipeline(encode, DecisionTreeClassifier()), cv=2)
    assert selector.fit(table, y).get_feature_names_out().tolist() == ["level"]
    dense = SequentialSelector(MultinomialNB(), cv=2, n_features_to_select=2)
    counts = np.floor(X.to_numpy()[:, :6])
    thin = clone(dense).fit(sparse.csr_array(counts), y)
    assert np.array_equal(thin.ranking_, dense.fit(counts, y).ranking_)
    with_gaps = X.to_numpy()[:, :4].copy()
    with_gaps[0, 0] = np.nan
    SequentialSelector(DecisionTreeClassifier(random_state=0), cv=2).fit(with_gaps, y)
    with pytest.raises(ValueError, match="NaN"):
        SequentialSelector("1nn", cv=2).fit(with_gaps, y)


def test_workers_do_not_show(wine):
    X, y = wine
    one, two = (
        SequentialSelector(GaussianNB(), cv=2, n_jobs=n_jobs, n_features_to_select=2).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert one.scores_.equals(two.scores_)


def test_row_groups_reach_the_splitter(wine):
    X, y = wine
    groups = np.arange(len(y)) % 5
    selector = SequentialSelector(cv=GroupKFold(5), n_features_to_select=2).fit(X, y, groups=groups)
    folds = list(GroupKFold(5).split(X, y, groups))
    same = SequentialSelector(cv=folds, n_features_to_select=2).fit(X, y)
    assert selector.scores_.equals(same.scores_)


def test_progress_goes_to_stderr_on_request(wine, capsys):
    X, y = wine
    SequentialSelector(cv=2, n_features_to_select=2).fit(X, y)
    assert capsys.readouterr() == ("", "")
    fitted = SequentialSelector(cv=2, n_features_to_select=2, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) == 3
    assert f"+ {fitted.path_['feature'][1]}, 1 of 13 features" in lines[1]


def test_groups_and_fixed_features_by_name_or_number(wine):
    X, y = wine
    by_name = SequentialSelector(
        cv=2, feature_groups=[["hue", "ash"]], fixed_features=["proline"], direction="backward"
    ).fit(X, y)
    by_number = SequentialSelector(
        cv=2, feature_groups=[[10, 2]], fixed_features=[12], direction="backward"
    ).fit(X.to_numpy(), y)
    assert np.array_equal(by_name.ranking_, by_number.ranking_)
    assert by_name.ranking_[12] == 1
    assert by_name.path_["n_features"].iloc[-1] == 1
    together = [("hue" in s) == ("ash" in s) for s in by_name.path_["subset"]]
    assert all(together)
    assert all("proline" in s for s in by_name.path_["subset"])


class FailsOnPairs(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        if X.shape[1] == 2:
            raise ZeroDivisionError("pairs are beyond me")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_failing_estimator_names_the_subset(wine):
    X, y = wine
    message = r"FailsOnPairs failed on the subset \[alcohol, malic_acid\], fold 0: ZeroDivision"
    with pytest.raises(RuntimeError, match=message):
        SequentialSelector(FailsOnPairs(), cv=2).fit(X, y)
    with pytest.raises(RuntimeError, match=r"subset \[0, 1\]"):
        SequentialSelector(FailsOnPairs(), cv=2).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"failed on the subset \[\].*its score is nan"):
        SequentialSelector(GaussianNB(), cv=2, scoring=lambda e, X, y: np.nan).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": "2nn"}, "estimator='2nn' is not a built-in inducer; use '1nn', 'knn:K'"),
        ({"estimator": "knn:0"}, "estimator='knn:0' is not a built-in"),
        ({"estimator": "knn:90"}, "estimator='knn:90' needs 90 training rows; a fold of cv has 89"),
        ({"estimator": 3}, "estimator=3 must be the name of a built-in inducer or a scikit-learn"),
        ({"direction": "up"}, "'direction' parameter"),
        ({"n_features_to_select": 14}, "n_features_to_select=14 must lie between 1 and .* 13"),
        ({"n_features_to_select": 0}, "'n_features_to_select' parameter"),
        ({"n_features_to_select": 1.5}, "'n_features_to_select' parameter"),
        (
            {"n_features_to_select": 1, "fixed_features": [0, 1]},
            "n_features_to_select=1 must lie between 2 and",
        ),
        (
            {"n_features_to_select": 13, "feature_groups": [[0, 1]]},
            "must lie between 1 and the number of groups of features, 12",
        ),
        ({"moves": (1, 1)}, r"moves=\(1, 1\) must be .* 0 <= minus < plus"),
        ({"moves": (2, 1, 0)}, r"moves=\(2, 1, 0\) must be 'floating' or two whole numbers"),
        ({"moves": (2.5, 0)}, r"moves=\(2.5, 0\) must be"),
        ({"moves": "swimming"}, "'moves' parameter"),
        (
            {"criterion": "accumulated", "criterion_params": {"accumulation": 1.2}},
            "accumulation=1.2 must be one or two numbers 0–1",
        ),
        (
            {"criterion": "accumulated", "criterion_params": {"weight": "age"}},
            "weight='age' must be None, 'size' or 'score'",
        ),
        (
            {"criterion": "remainder", "criterion_params": {"weight": "size"}},
            "holds 'weight', which criterion='remainder' does not have; .* are weights",
        ),
        ({"criterion_params": {"weight": "size"}}, "its parameters are none"),
        ({"feature_groups": [[0, 1], [1, 2]]}, r"feature_groups\[1\] holds 1, which is listed"),
        ({"feature_groups": [[]]}, r"feature_groups\[0\] is empty"),
        ({"feature_groups": [[0, 99]]}, "holds 99; columns are 0 to 12"),
        ({"feature_groups": 3}, "'feature_groups' parameter"),
        ({"fixed_features": ["gold"]}, "names the feature 'gold', but X has alcohol, "),
        ({"fixed_features": [1.5]}, "fixed_features holds 1.5; columns are 0 to 12"),
        (
            {"feature_groups": [[0, 1]], "fixed_features": [0]},
            r"fixed_features holds a part of the group \[0, 1\]",
        ),
        (
            {"criterion": "accumulated", "criterion_params": {"accumulation": (0, 0.5, 1)}},
            r"accumulation=\(0, 0.5, 1\) must be one or two numbers 0–1",
        ),
        ({"cv": []}, "gives no folds"),
        (
            {"cv": [(np.arange(10), np.arange(10, 20))]},
            "fold 0 has 1 classes in 10 training rows",
        ),
    ],
)
def test_bad_input(wine, options, message):
    X, y = wine
    with pytest.raises(ValueError, match=message):
        SequentialSelector(**{"cv": 2, **options}).fit(X, y)


def test_names_need_a_frame(wine):
    X, y = wine
    with pytest.raises(ValueError, match="names the feature 'hue', but X has no feature names"):
        SequentialSelector(cv=2, fixed_features=["hue"]).fit(X.to_numpy(), y)


@pytest.mark.parametrize("cv", [None, 5])
def test_fewer_rows_in_a_class_than_folds(cv):
    y = np.array(["sick"] + ["well"] * 19)
    with pytest.raises(ValueError, match=r"y has 1 row\(s\) of class .*'sick'.*fewer than the"):
        SequentialSelector(cv=cv).fit(np.random.RandomState(0).normal(size=(20, 3)), y)


def test_one_feature():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(20, 1)), np.arange(20) % 2
    for direction in ("forward", "backward"):
        fitted = SequentialSelector(direction=direction, cv=2).fit(X, y)
        assert fitted.get_support().tolist() == [True]
        assert fitted.scores_.empty == (direction == "backward")
        fitted.path_.to_csv(io.StringIO())


def test_the_632_bootstrap_by_hand():
    # One feature that tells two classes apart but for row 3. 1-NN always knows its own rows.
    X, y = 1.3 ** np.arange(12.0)[:, None], np.arange(12) > 5
    y[3] = True
    folds = bootstrap_folds(y, np.random.RandomState(0))
    assert len(folds) == 21
    out = []
    for train, test in folds[:-1]:
        assert sorted(y[train]) == sorted(y)
        assert set(test) == set(range(12)) - set(train)
        nearest = [train[np.argmin(np.abs(X[train, 0] - x))] for x in X[test, 0]]
        out.append(np.mean(y[nearest] == y[test]))
    fitted = SequentialSelector("1nn", cv=".632", random_state=0).fit(X, y)
    assert fitted.score_ == pytest.approx(0.632 * np.mean(out) + 0.368)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_the_632_bootstrap_equals_a_loop(wine, scoring):
    X, y = wine[0].iloc[:, :4], wine[1].to_numpy()
    folds = bootstrap_folds(y, np.random.RandomState(3))
    fitted = SequentialSelector("lda", cv=".632", scoring=scoring, random_state=3).fit(X, y)
    score = get_scorer(scoring or "accuracy")
    for row in fitted.path_.iloc[1:].itertuples():
        table = X[list(row.subset)].to_numpy()
        found = []
        for train, test in folds:
            model = make_pipeline(MinMaxScaler(), LinearDiscriminantAnalysis())
            found.append(score(model.fit(table[train], y[train]), table[test], y[test]))
        assert row.score == pytest.approx(0.632 * np.mean(found[:-1]) + 0.368 * found[-1])
    if scoring:
        assert fitted.path_["score"].iloc[0] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r"cv='\.632' draws single rows"):
        SequentialSelector("lda", cv=".632").fit(X, y, groups=y)
