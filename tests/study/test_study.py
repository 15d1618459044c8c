"""What a task may see, which controls there are, and what happens when something fails."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay import (
    DoublyWeightedKNeighborsClassifier,
    FeatureRanker,
    InstanceWeighted,
    InstanceWeighter,
    MarginWeighting,
    ReliefF,
    Simba,
)
from backstay.datasets import make_han_yu
from backstay.feature_weighting import InformationGain, TTest
from backstay.results import Results
from backstay.study import Study, StudyError, Subsampling
from reference.study import contents

X, y, TRUTH = make_han_yu(40, n_features=30, n_relevant=5, block_size=5, random_state=0)
ONE = {"1nn": KNeighborsClassifier(1)}


def small(methods=None, **options):
    defaults = {"resampling": Subsampling(4), "models": ONE, "sizes": [3], "random_state": 0}
    return Study({"t": TTest()} if methods is None else methods, **{**defaults, **options})


# Leaks. The last column numbers the rows, so that every estimator can say what it saw.

SEEN = []


def note(who, X, y):
    rows = np.asarray(X)[:, -1].astype(int)
    if y is not None:
        assert np.array_equal(NUMBERED_Y[rows], y)
    SEEN.append((who, frozenset(rows.tolist())))


class SpyScaler(TransformerMixin, BaseEstimator):
    def fit(self, X, y):
        note("preprocess", X, y)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X


class SpyWeighting(InstanceWeighter):
    def __init__(self, scale="mean"):
        self.scale = scale

    def _weigh(self, X, y):
        note("weighting", X, None)
        return np.ones(len(y))


class SpyRanker(FeatureRanker):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        note("method", X, y)
        return np.arange(X.shape[1])  # the numbers always come first


class SpyClassifier(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        note("model", X, y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        note("predict", X, None)
        return np.zeros(len(X), dtype=int)


rng = np.random.default_rng(0)
NUMBERED = np.column_stack([rng.normal(size=(40, 6)), np.arange(40)])
NUMBERED_Y = np.tile([0, 1], 20)


def test_everything_is_fitted_on_training_rows_only():
    SEEN.clear()
    study = Study(
        {"spy": InstanceWeighted(SpyRanker(), SpyWeighting())},
        Subsampling(3),
        models={"spy": SpyClassifier()},
        preprocess=[SpyScaler()],
        sizes=[2, 4],
        random_state=0,
    )
    results = study.run(NUMBERED, NUMBERED_Y)
    arrays = results._store.dataset_arrays("data")
    train = [frozenset(arrays[f"train {i}"].tolist()) for i in range(3)]
    test = [frozenset(arrays[f"test {i}"].tolist()) for i in range(3)]
    assert {who for who, _ in SEEN} == {
        "preprocess",
        "weighting",
        "method",
        "model",
        "predict",
    }
    for who, rows in SEEN:
        assert rows in (test if who == "predict" else train), who


def test_selection_on_noise_gives_chance_and_on_all_rows_it_would_not():
    rng = np.random.default_rng(1)
    noise, labels = rng.normal(size=(60, 1000)), np.tile([0, 1], 30)
    honest = small(resampling=Subsampling(20), sizes=[10]).run(noise, labels)
    value = honest.scores("accuracy").frame()["value"].item()
    assert abs(value - 0.5) < 0.1
    best = np.argsort(TTest().fit(noise, labels).ranking_)[:10]
    leaked = small(resampling=Subsampling(20), sizes=[10]).run(noise[:, best], labels)
    assert leaked.scores("accuracy").frame()["value"].item() > 0.65


# Ties and chance.


class Given(BaseEstimator):
    """Importances that are known beforehand."""

    def __init__(self, importances):
        self.importances = importances

    def fit(self, X, y):
        self.feature_importances_ = self.importances
        return self


def test_ties_are_broken_by_chance_and_alike_for_all_methods():
    importances = np.zeros(30)
    importances[[1, 3]] = 3.0, 5.0
    methods = {"one": Given(importances), "two": Given(2 * importances)}
    orders, others = (small(methods).run(X, y).runs.orders(name) for name in methods)
    for order in orders:
        assert order[:2].tolist() == [3, 1]
        assert sorted(order) == list(range(30))
    assert len({tuple(order) for order in orders}) == 4  # by the resample's seed
    np.testing.assert_array_equal(orders, others)


def test_a_method_that_finds_nothing_is_not_stable():
    noise = np.random.default_rng(0).normal(size=(40, 200))
    study = small({"ig": InformationGain()}, sizes=[100], resampling=Subsampling(10))
    with pytest.warns(UserWarning, match="gives all 200 features the importance 0"):
        results = study.run(noise, np.tile([0, 1], 20))
    assert abs(results.stability("kuncheva").frame()["value"].item()) < 0.2


def test_seeds_reach_methods_and_their_parts():
    methods = {
        "simba": Simba(),
        "fixed": Simba(random_state=7),
        "mbiw": InstanceWeighted(Simba(delta=True), MarginWeighting()),
    }
    first = contents(small(methods).run(X, y))
    assert first == contents(small(methods).run(X, y))
    other = contents(small(methods, random_state=1).run(X, y))
    place = ("data", "simba", 0, "order")
    assert first[place] != other[place]


def test_uniform_weights_of_mean_one_give_the_plain_method():
    results = small({"w": InstanceWeighted(ReliefF(), MarginWeighting())}).run(X, y)
    _, plain = results._parts["data"].orders("ReliefF")
    _, control = results._parts["data"].orders("ReliefF (control, mean 1)")
    assert np.array_equal(plain, control)


# Inputs of many kinds.


def test_frames_sparse_tables_strings_and_preselection():
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)])
    labels = np.where(y == 1, "sick", "well")
    steps = [StandardScaler(), SelectKBest(f_classif, k=12)]
    results = small(preprocess=steps, scoring=["accuracy", "roc_auc"]).run(frame, labels)
    part = results._parts["data"]
    assert part.target.names == ["sick", "well"]
    assert part.n_ranked("t") == 12
    _, weights = part.weights("t")
    assert ((weights != 0).sum(axis=1) <= 12).all()
    assert results.stability(sizes="all").frame()["size"].max() == 12
    names = results.signature("t", 3).frame()["name"]
    assert names.str.startswith("g").all()
    plain = small(preprocess=steps).run(X, labels)
    assert plain.runs.scores("accuracy").frame().equals(results.runs.scores("accuracy").frame())
    wide = sparse.csr_array(np.where(X > 0.5, X, 0))
    small({"logit": LogisticRegression()}, models={"svm": SVC()}).run(wide, y)


def test_three_classes_with_scores():
    labels = np.digitize(X[:, 0], np.quantile(X[:, 0], [0.33, 0.66]))
    results = small(
        models={"svm": SVC(), "1nn": KNeighborsClassifier(1)},
        scoring=["balanced_accuracy", "roc_auc"],
        sizes=[1, 5],
    ).run(X, labels)
    frame = results.scores().frame()
    assert set(frame["metric"]) == {"balanced_accuracy", "roc_auc"}
    assert frame["value"].between(0, 1).all()


class Fixed(FeatureRanker):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        return np.array([9.0, -1.0, 4.0])


def test_the_doubly_weighted_knn_gets_the_methods_weights(monkeypatch):
    given = []
    original = DoublyWeightedKNeighborsClassifier.fit

    def fit(self, X, y, sample_weight=None):
        given.append((self.feature_weights, sample_weight))
        return original(self, X, y, sample_weight)

    monkeypatch.setattr(DoublyWeightedKNeighborsClassifier, "fit", fit)
    knn = {"weighted-knn": DoublyWeightedKNeighborsClassifier()}
    method = {"m": InstanceWeighted(Fixed(), MarginWeighting())}
    small(method, models=knn, sizes=[2], resampling=Subsampling(1), controls=False).run(X[:, :3], y)
    ((weights, omega),) = given
    assert weights.tolist() == [1.0, 4 / 9]
    assert omega.mean() == pytest.approx(1)


def test_many_data_sets_go_into_one_store(tmp_path):
    path = tmp_path / "many.db"
    data = {"a": (X, y), "b": (X[:, ::-1], y, None, TRUTH[::-1])}
    results = small(store=path).run_many(data)
    assert results.datasets == ["a", "b"]
    assert results["b"].datasets == ["b"]
    assert set(results.stability().frame()["dataset"]) == {"a", "b"}
    with pytest.raises(KeyError, match="no data set 'c'; there are a, b"):
        results["c"]
    again = small(store=path).run_many({"c": (X, 1 - y)})
    assert again.datasets == ["a", "b", "c"]


# Failures.


class Fails(FeatureRanker):
    """Raises where the first training row is not row 0."""

    def __init__(self, always=False, n_features_to_select=None):
        self.always = always
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        if self.always or X[:, -1].min() > 0:
            raise FloatingPointError("no such luck")
        return X.mean(axis=0)


def test_a_failure_is_recorded_and_the_rest_goes_on(tmp_path):
    study = small(
        {"fails": Fails(), "t": TTest()}, resampling=Subsampling(6), store=tmp_path / "s.db"
    )
    with pytest.warns(
        UserWarning, match=r"of 12 tasks on 'data' failed, see results.runs.errors\(\)"
    ):
        results = study.run(NUMBERED, NUMBERED_Y)
    errors = results.runs.errors().frame()
    assert 0 < len(errors) < 6
    assert set(errors["method"]) == {"fails"}
    assert set(errors["stage"]) == {"method"}
    assert set(errors["error"]) == {"FloatingPointError: no such luck"}
    ok = results.runs.scores("accuracy").frame().groupby("method")["resample"].nunique()
    assert ok.to_dict() == {"fails": 6 - len(errors), "t": 6}
    frame = results.scores("accuracy").frame()
    assert (frame.loc[frame["method"] == "fails", "n_runs"] == 6 - len(errors)).all()


def test_failed_tasks_are_run_again_on_request(tmp_path, monkeypatch):
    study = small(
        {"fails": Fails(), "t": TTest()}, resampling=Subsampling(6), store=tmp_path / "s.db"
    )
    with pytest.warns(UserWarning, match="failed"):
        study.run(NUMBERED, NUMBERED_Y)
    monkeypatch.setattr(Fails, "_score", lambda self, X, y, w: X.mean(axis=0))
    with pytest.warns(UserWarning, match="failed"):
        study.run(NUMBERED, NUMBERED_Y)
    assert len(study.run(NUMBERED, NUMBERED_Y, retry_failed=True).runs.errors()) == 0


def test_everything_failing_is_an_error():
    with pytest.raises(StudyError, match="all 4 tasks on 'data' failed; 'f' on resample 0: Float"):
        small({"f": Fails(always=True)}).run(X, y)


def test_a_failing_classifier_and_new_columns_are_named():
    broken = {"svm": SVC(kernel="nonsense")}
    with pytest.raises(StudyError, match="InvalidParameterError"):
        small(models=broken).run(X, y)
    twice = FunctionTransformer(_doubled)
    with pytest.raises(StudyError, match="turns 30 columns into 60 that are not columns"):
        small(preprocess=twice).run(X, y)
    with pytest.raises(StudyError, match="size 3 is more than the 2 features that preprocess left"):
        small(preprocess=SelectKBest(k=2)).run(X, y)


def _doubled(X):
    return np.hstack([X, X])


# Bad input.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": []}, r"methods must map names to estimators, got \[\]"),
        ({"methods": {}}, "methods is empty"),
        ({"methods": {"t": TTest}}, r"methods\['t'\]=.* has no fit; give an estimator"),
        ({"methods": {1: TTest()}}, "methods has the key 1"),
        ({"models": {"x": TTest()}}, r"models\['x'\]=TTest\(\) has no predict"),
        ({"sizes": [0]}, "sizes holds 0; sizes are integers from 1 to the number of features, 30"),
        ({"sizes": [2.5]}, r"sizes holds 2\.5"),
        ({"sizes": [31]}, "sizes holds 31"),
        ({"sizes": []}, "sizes is empty"),
        ({"sizes": "lin"}, "sizes='lin' must be 'log'"),
        ({"scoring": ["acc"]}, "scoring='acc' is unknown; there are accuracy"),
        ({"scoring": []}, "scoring is empty"),
        ({"random_state": np.random.RandomState(0)}, "random_state=.* must be an integer of"),
        ({"random_state": -1}, "random_state=-1"),
        ({"preprocess": 3}, "preprocess=3 must be a transformer"),
        ({"resampling": "cv"}, "[Cc]v|resampling"),
        (
            {"models": {"x": SpyClassifier()}, "scoring": ["roc_auc"]},
            r"scoring='roc_auc' needs decision_function or predict_proba; models\['x'\]",
        ),
        (
            {"methods": {"s": Simba(random_state=np.random.RandomState(0))}},
            r"methods\.s\.random_state=.* cannot be written down.* Give random_state an integer",
        ),
        (
            {"preprocess": FunctionTransformer(lambda X: X)},
            r"preprocess\.func=.* Give a function that can be imported by name",
        ),
    ],
)
def test_bad_parameters_are_named(options, message):
    options = {"methods": {"t": TTest()}, **options}
    with pytest.raises(ValueError, match=message):
        small(**options).run(X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": y[:-1]}, r"y has shape \(39,\); X has 40 rows"),
        ({"y": np.zeros(40)}, "y has 1 class"),
        ({"y": X[:, 0]}, "y holds numbers"),
        ({"X": X[0]}, r"X must be a table of rows × features, got shape \(30,\)"),
        ({"groups": [1, 2]}, r"groups has shape \(2,\)"),
        ({"truth": [1.0]}, "truth must be one finite relevance per feature"),
    ],
)
def test_bad_data_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        small().run(**{"X": X, "y": y, **change})


def test_bad_data_sets_are_named():
    with pytest.raises(ValueError, match="must map names"):
        small().run_many([])
    with pytest.raises(ValueError, match=r"datasets\['a'\] must be a Dataset, or \(X, y\)"):
        small().run_many({"a": X})


def test_log_sizes_and_defaults():
    study = Study({"t": TTest()}, Subsampling(2), random_state=0)
    results = study.run(X, y)
    assert results._parts["data"].sizes == [1, 2, 5, 10, 20]
    assert results._parts["data"].models == ["svm", "1nn"]
    assert repr(study).startswith("Study(1 methods, Subsampling(n_splits=2")
    assert repr(results) == "Results(1 data set, 1 methods, 2 resamples, sizes [1, 2, 5, 10, 20])"


def test_groups_are_kept_together_and_remembered(tmp_path):
    groups = np.repeat(np.arange(20), 2)
    results = small(store=tmp_path / "g.db").run(X, y, groups)
    part = Results.load(tmp_path / "g.db")._parts["data"]
    assert np.array_equal(part.units, groups)
    for i in range(4):
        assert not set(groups[part.train(i)]) & set(groups[part.test(i)])
    assert results.methods == ["t"]


def test_steps_by_name_and_pipelines():
    named = small(preprocess=[("scale", MinMaxScaler())]).run(X, y)
    bare = small(preprocess=MinMaxScaler()).run(X, y)
    assert named.runs.scores().frame().equals(bare.runs.scores().frame())
