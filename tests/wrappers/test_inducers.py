"""Built-in inducers against the scikit-learn estimators they stand for."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay._libsvm import matches_svc, train_machines
from backstay.wrappers import SequentialSelector
from backstay.wrappers._evaluator import FastInducer
from reference.wrappers import ReferenceSearch, cross_validated_accuracy

NAMES = ("1nn", "knn:2", "knn:3", "knn:5", "lda", "svm_linear", "svm_rbf")


def equivalent(name, scaling):
    """The scikit-learn estimator that a built-in inducer stands for."""
    if name == "lda":
        classifier = LinearDiscriminantAnalysis()
    elif name.startswith("svm_"):
        classifier = SVC(kernel=name.removeprefix("svm_"))
    else:
        k = 1 if name == "1nn" else int(name.removeprefix("knn:"))
        # All rows in one leaf: of equal distances, the first row counts.
        classifier = KNeighborsClassifier(k, algorithm="kd_tree", leaf_size=2**31 - 1)
    scalers = {"minmax": [MinMaxScaler()], "standard": [StandardScaler()], None: []}[scaling]
    return make_pipeline(*scalers, classifier) if scalers else classifier


@st.composite
def problems(draw):
    """Few rows, several classes; integers with many ties, or continuous with duplicate rows."""
    n_classes, d = draw(st.integers(2, 3)), draw(st.integers(1, 5))
    n = draw(st.integers(12, 30))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    y = rng.permutation(np.arange(n) % n_classes)
    kind = draw(st.sampled_from(["integers", "continuous", "mixed"]))
    X = rng.randint(0, draw(st.integers(2, 5)), size=(n, d)).astype(float)
    if kind != "integers":
        X[:, : (d if kind == "continuous" else d // 2)] += rng.normal(
            y[:, None], size=(n, d if kind == "continuous" else d // 2)
        )
        X[rng.randint(n, size=3)] = X[rng.randint(n, size=3)]
    # StandardScaler rounds by which columns stand beside: ties come out at random behind it.
    scaling = draw(st.sampled_from(["minmax", None, *["standard"] * (kind == "continuous")]))
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=rng).split(X, y))
    return X, y, folds, scaling


@st.composite
def steps(draw):
    """A subset and units that are added to it or removed from it."""
    X, y, folds, scaling = draw(problems())
    d = X.shape[1]
    order = draw(st.permutations(range(d)))
    adding = draw(st.booleans())
    size = draw(st.integers(0, d - 1)) if adding else draw(st.integers(min(2, d), d))
    assume(adding or size > 1)
    subset = np.sort(np.array(order[:size], dtype=np.intp))
    pool = [c for c in range(d) if (c in subset) != adding]
    units = [np.array([c], dtype=np.intp) for c in pool]
    if len(pool) > 2:
        units.append(np.array(sorted(pool[:2]), dtype=np.intp))
    return X, y, folds, scaling, subset, units, adding


def columns_of(subset, unit, adding):
    return sorted(set(subset) | set(unit)) if adding else sorted(set(subset) - set(unit))


@pytest.mark.parametrize("name", ["1nn", "knn:2", "knn:3", "knn:5", "lda"])
@settings(max_examples=30)
@given(step=steps())
def test_scores_are_those_of_scikit_learn(name, step):
    X, y, folds, scaling, subset, units, adding = step
    fast = FastInducer(name, X, y, folds, scaling)
    scores = fast.scores(subset, units, adding).mean(axis=1)
    estimator = equivalent(name, scaling)
    for score, unit in zip(scores, units, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # LDA divides 0/0 for equal means
            try:
                expected = cross_validated_accuracy(
                    estimator, X, y, folds, columns_of(subset, unit, adding)
                )
            except IndexError:  # LDA has no answer without spread within classes
                continue
        assert score == expected


@pytest.mark.parametrize("name", ["svm_linear", "svm_rbf"])
@settings(max_examples=20)
@given(step=steps())
def test_machines_differ_only_within_the_tolerance(name, step):
    X, y, folds, scaling, subset, units, adding = step
    fast = FastInducer(name, X, y, folds, scaling)
    scores = fast.scores(subset, units, adding)
    estimator = equivalent(name, scaling)
    estimator.set_params(
        **{("" if scaling is None else "svc__") + "decision_function_shape": "ovo"}
    )
    for u, unit in enumerate(units):
        columns = columns_of(subset, unit, adding)
        for f, (train, test) in enumerate(folds):
            fitted = clone(estimator).fit(X[train][:, columns], y[train])
            right = (fitted.predict(X[test][:, columns]) == y[test]).sum()
            decisions = fitted.decision_function(X[test][:, columns]).reshape(len(test), -1)
            undecided = (np.abs(decisions).min(axis=1) < 5e-3).sum()
            assert abs(scores[u, f] * len(test) - right) <= undecided + 1e-9


def test_single_score_and_empty_unit():
    X, y = load_wine(return_X_y=True)
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0).split(X, y))
    for name in NAMES:
        fast = FastInducer(name, X, y, folds, "minmax")
        nothing, subset = np.empty(0, np.intp), np.array([0, 6, 9])
        alone = fast.scores(subset, [nothing], True)
        assert alone.shape == (1, 2)
        assert np.array_equal(alone[0], fast.scores(subset[:2], [subset[2:]], True)[0])


@pytest.mark.parametrize(
    ("name", "direction"),
    [("1nn", "backward"), ("knn:3", "forward"), ("lda", "backward"), ("svm_linear", "backward"),
     ("svm_rbf", "forward")],
)  # fmt: skip
def test_same_path_on_wine(name, direction):
    X, y = load_wine(return_X_y=True)
    size = 4 if direction == "forward" else 10
    assert_same_path(name, X, y, direction=direction, n_features_to_select=size)


@pytest.mark.parametrize("name", ["1nn", "lda", "svm_linear", "svm_rbf"])
def test_same_path_on_breast_cancer(name):
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.arange(len(y)) % 3 == 0
    X, y = X[rows, ::2], y[rows]
    assert_same_path(name, X, y, n_features_to_select=3)
    assert_same_path(name, X, y, direction="backward", n_features_to_select=13)


@pytest.mark.parametrize("name", ["1nn", "knn:5", "lda", "svm_linear", "svm_rbf"])
def test_same_path_on_digits(name):
    """Seventeen grey levels, so many distances tie; scikit-learn's LDA needs pixels that vary."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:240, X.std(axis=0) > 4.5][:, ::2], y[:240]
    atol = 2.1 / 240 if name.startswith("svm") else 0.0  # rows within libsvm's tolerance
    assert_same_path(name, X, y, atol, n_features_to_select=2)
    assert_same_path(name, X, y, atol, direction="backward", n_features_to_select=13)


def assert_same_path(name, X, y, atol=0.0, **options):
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    fast = SequentialSelector(name, cv=cv, **options).fit(X, y)
    slow = SequentialSelector(equivalent(name, "minmax"), cv=cv, **options).fit(X, y)
    assert fast.path_["subset"].tolist() == slow.path_["subset"].tolist()
    assert fast.scores_["feature"].tolist() == slow.scores_["feature"].tolist()
    np.testing.assert_allclose(fast.scores_["score"], slow.scores_["score"], rtol=0, atol=atol)
    assert np.array_equal(fast.get_support(), slow.get_support())


@settings(max_examples=15)
@given(
    problem=problems(),
    name=st.sampled_from(["1nn", "knn:3"]),
    direction=st.sampled_from(["forward", "backward"]),
    criterion=st.sampled_from(["plain", "remainder", "accumulated"]),
)
def test_same_path_as_the_slow_search(problem, name, direction, criterion):
    X, y, folds, scaling = problem
    estimator = equivalent(name, scaling)
    known = {}

    def score(subset):
        if subset not in known:
            known[subset] = cross_validated_accuracy(estimator, X, y, folds, subset)
        return known[subset]

    options = {"direction": direction, "criterion": criterion}
    slow = ReferenceSearch(score, X.shape[1], **options)
    fast = SequentialSelector(name, cv=folds, scaling=scaling, **options).fit(X, y)
    assert [frozenset(s) for s in fast.path_["subset"]] == [s for _, s, _ in slow.path]
    assert frozenset(fast.get_support(indices=True)) == slow.selected


def test_collinear_features_are_left_to_scikit_learn():
    rng = np.random.RandomState(0)
    y = np.arange(60) % 3
    X = rng.normal(y[:, None], size=(60, 6))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], X[:, 3] + 1e-9 * rng.normal(size=60)])
    X[:, 5] = y == 1  # constant within every class
    for direction in ("forward", "backward"):
        assert_same_path("lda", X[:, [0, 1, 2, 3, 4, 6, 7, 8]], y, direction=direction)
    columns = np.arange(9)
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0).split(X, y))
    fast = FastInducer("lda", X, y, folds, "minmax")
    whole = fast.scores(columns, [np.empty(0, np.intp)], True).mean()
    assert whole == cross_validated_accuracy(equivalent("lda", "minmax"), X, y, folds, columns)
    alone = fast.scores(np.empty(0, np.intp), [columns[5:6]], True).mean()
    assert alone == pytest.approx(1 / 3)  # no spread within classes: the priors decide


def test_more_features_than_rows():
    rng = np.random.RandomState(1)
    y = np.arange(24) % 2
    X = rng.normal(0.5 * y[:, None], size=(24, 30))
    for name in ("1nn", "lda"):
        assert_same_path(name, X, y, direction="backward", n_features_to_select=26)


def test_class_missing_from_a_training_fold():
    rng = np.random.RandomState(2)
    y = np.repeat([0, 1, 2], [10, 10, 4])
    X = rng.normal(y[:, None], size=(24, 4))
    folds = [(np.arange(20), np.arange(20, 24)), (np.arange(6, 24), np.arange(6))]
    for name in ("1nn", "knn:3", "lda", "svm_linear", "svm_rbf"):
        fast = SequentialSelector(name, cv=folds).fit(X, y)
        slow = SequentialSelector(equivalent(name, "minmax"), cv=folds).fit(X, y)
        assert fast.scores_.equals(slow.scores_)


@pytest.mark.parametrize("name", ["1nn", "knn:3", "lda", "svm_rbf"])
def test_threads_do_not_show(name):
    X, y = load_wine(return_X_y=True)
    one, two, many = (
        SequentialSelector(name, cv=2, n_jobs=n_jobs, n_features_to_select=4).fit(X, y)
        for n_jobs in (None, 2, 5)
    )
    assert one.scores_.equals(two.scores_)
    assert one.scores_.equals(many.scores_)


def test_libsvm_is_called_directly():
    """The short cut holds for the scikit-learn installed; without it, all is well but slow."""
    assert matches_svc()
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(40, 3)), (np.arange(40) % 2).astype(float)
    machine = SVC(kernel="precomputed").fit(X @ X.T, y)
    support, _, coefficients, intercepts = train_machines(np.ascontiguousarray(X @ X.T), y)
    assert np.array_equal(support, machine.support_)
    assert np.array_equal(coefficients, -machine.dual_coef_)
    assert np.array_equal(intercepts, -machine.intercept_)
