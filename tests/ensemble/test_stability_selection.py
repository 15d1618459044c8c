"""StabilitySelection: frequencies, thresholds, and the bounds in simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from backstay import LassoPath, ReliefF
from backstay.base import FeatureRanker
from backstay.datasets import make_han_yu
from backstay.ensemble import StabilitySelection
from backstay.ensemble._stability_selection import cut_path
from backstay.feature_weighting import SVMRFE
from tests.reference import ensemble as reference


class MeanDifference(FeatureRanker):
    """A fast ranker for simulations."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        return np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(50, n_features=80, n_relevant=10, random_state=0)
    return X, y


@pytest.mark.parametrize("resample", ["complementary_pairs", "subsample"])
def test_frequencies_by_a_plain_loop(resample, data):
    X, y = data
    q = 7
    selection = StabilitySelection(
        ReliefF(5),
        threshold=0.6,
        n_features_per_run=q,
        n_resamples=6,
        resample=resample,
        random_state=0,
    ).fit(X, y)
    counts = np.zeros(X.shape[1])
    for rows in selection.estimators_samples_:
        counts[np.argsort(ReliefF(5).fit(X[rows], y[rows]).ranking_)[:q]] += 1
    n_runs = 12 if resample == "complementary_pairs" else 6
    assert len(selection.estimators_samples_) == n_runs
    assert_array_equal(selection.selection_frequency_, counts / n_runs)
    assert_array_equal(selection.feature_importances_, counts / n_runs)
    assert_array_equal(selection.supports_.sum(axis=1), q)
    assert_array_equal(selection.get_support(), counts / n_runs >= 0.6)
    assert sorted(selection.ranking_) == list(range(1, X.shape[1] + 1))
    for rows in selection.estimators_samples_:
        assert_array_equal(np.bincount(y[rows]), np.bincount(y) // 2)


def test_threshold_is_met_with_equality():
    """Selected in 6 of 10 runs counts as 0.6, whatever 6/10 and 0.6 are as floats."""
    X = np.random.default_rng(0).normal(size=(40, 30))
    y = np.repeat([0, 1], 20)
    for threshold in (0.6, 0.7, 0.8):
        selection = StabilitySelection(
            MeanDifference(),
            threshold=threshold,
            n_features_per_run=8,
            n_resamples=5,
            random_state=0,
        ).fit(X, y)
        counts = selection.supports_.sum(axis=0)
        assert_array_equal(selection.get_support(), counts >= round(10 * threshold))


@pytest.mark.parametrize(
    ("q", "threshold", "resample"),
    [
        (20, 0.6, "complementary_pairs"),
        (30, 0.75, "complementary_pairs"),
        (10, 0.56, "complementary_pairs"),
        (20, 0.6, "subsample"),
    ],
)
def test_bounds_hold_for_noise(q, threshold, resample):
    """Every selected feature is false: their mean number stays within each bound."""
    falsely_selected = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 100))
        y = rng.permutation(np.repeat([0, 1], 30))
        selection = StabilitySelection(
            MeanDifference(),
            threshold=threshold,
            n_features_per_run=q,
            n_resamples=25 if resample == "complementary_pairs" else 50,
            resample=resample,
            random_state=seed,
        ).fit(X, y)
        falsely_selected.append(selection.n_features_)
    mean = np.mean(falsely_selected)
    bounds = selection.error_bound_
    assert 0 < mean < bounds["meinshausen_buhlmann"]
    if resample == "complementary_pairs":
        assert mean < bounds["unimodal"] < bounds["meinshausen_buhlmann"]
        assert mean < bounds["r_concave"] < bounds["unimodal"]
    else:
        assert np.isnan(bounds["unimodal"])
        assert np.isnan(bounds["r_concave"])


def test_bound_holds_next_to_signal():
    """With pfer=1, at most one false feature per data set in the mean, and all true ones."""
    false, true = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.repeat([0, 1], 30))
        X = rng.normal(size=(60, 150))
        X[:, :4] += 2.0 * y[:, None]
        selection = StabilitySelection(
            MeanDifference(),
            threshold=0.6,
            pfer=1,
            assumption="unimodal",
            n_resamples=25,
            random_state=seed,
        ).fit(X, y)
        chosen = selection.get_support(indices=True)
        false.append((chosen >= 4).sum())
        true.append((chosen < 4).sum())
        assert selection.error_bound_["unimodal"] <= 1
    assert np.mean(false) <= 1
    assert np.mean(true) == 4


def test_two_of_three_give_the_third(data):
    X, y = data
    d = X.shape[1]
    base = StabilitySelection(
        ReliefF(5), threshold=0.6, assumption="none", n_resamples=5, random_state=0
    )
    by_pfer = clone(base).set_params(pfer=2.0, threshold=0.9).fit(X, y)
    assert by_pfer.n_features_per_run_ == 11  # 11² / (0.8 · 80) = 1.89, 12² gives 2.25
    assert by_pfer.error_bound_["meinshausen_buhlmann"] <= 2.0
    by_q = clone(base).set_params(pfer=2.0, threshold=None, n_features_per_run=9).fit(X, y)
    assert by_q.threshold_ == 0.8  # 81/(80(2τ − 1)) ≤ 2 from τ = 0.753 on, runs come in tenths
    neither = clone(base).set_params(threshold=0.9, pfer=1).fit(X, y)
    assert neither.n_features_per_run_ == 8  # 64/64 = 1
    for assumption in ("unimodal", "r_concave"):
        fitted = clone(base).set_params(pfer=1.0, assumption=assumption).fit(X, y)
        q, bounds = fitted.n_features_per_run_, fitted.error_bound_
        assert bounds[assumption] <= 1.0
        more = clone(base).set_params(n_features_per_run=q + 1).fit(X, y)
        assert more.error_bound_[assumption] > 1.0
        assert_allclose(bounds["unimodal"], reference.unimodal(q, d, 0.6, 5))
        assert bounds["r_concave"] <= bounds["unimodal"] * (1 + 1e-9)


def test_defaults_suit_the_way_rows_are_drawn(data):
    X, y = data
    pairs = StabilitySelection(MeanDifference(), random_state=0).fit(X, y)
    assert pairs.threshold_ == 0.9
    assert pairs.error_bound_["r_concave"] <= 0.5
    q = pairs.n_features_per_run_
    assert q > 8
    more = StabilitySelection(
        MeanDifference(), threshold=0.9, n_features_per_run=q + 1, random_state=0
    )
    assert more.fit(X, y).error_bound_["r_concave"] > 0.5
    halves = StabilitySelection(MeanDifference(), resample="subsample", random_state=0).fit(X, y)
    assert halves.n_features_per_run_ == 5  # 25/(0.8 · 80) = 0.39, and 6² gives 0.56


def test_models_that_leave_features_out(data):
    """Zeros of a sparse model are not selected: q is the mean number that are."""
    X, y = data
    lasso = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.1)
    selection = StabilitySelection(
        lasso, threshold=0.6, n_features_per_run=20, n_resamples=5, random_state=0
    ).fit(X, y)
    sizes = selection.supports_.sum(axis=1)
    assert sizes.max() < 20
    assert_allclose(selection.n_features_per_run_, sizes.mean())
    assert_allclose(selection.error_bound_["meinshausen_buhlmann"], sizes.mean() ** 2 / (0.2 * 80))


def test_same_result_with_two_jobs(data):
    X, y = data
    selection = StabilitySelection(SVMRFE(), n_features_per_run=8, n_resamples=3, random_state=0)
    alone = clone(selection).fit(X, y)
    together = clone(selection).set_params(n_jobs=2).fit(X, y)
    assert_array_equal(alone.supports_, together.supports_)
    assert alone.error_bound_ == together.error_bound_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 0.5}, "threshold"),
        ({"threshold": 1.1}, "threshold"),
        ({"pfer": 0}, "pfer"),
        ({"pfer": 1e-9}, "pfer=1e-09 cannot be kept at threshold=0.9 with 80 features"),
        ({"n_features_per_run": 81}, "n_features_per_run=81 must lie between 1 and"),
        ({"n_features_per_run": 5, "pfer": 1}, "two of them must be given"),
        ({"threshold": None}, "two of them must be given"),
        (
            {"threshold": None, "n_features_per_run": 70, "pfer": 1},
            "pfer=1 cannot be kept with n_features_per_run=70 of 80 features",
        ),
        ({"resample": "bootstrap"}, "resample"),
        ({"assumption": "normal"}, "assumption"),
        ({"assumption": "unimodal", "resample": "subsample"}, "needs resample='complementary_pai"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"estimator": KNeighborsClassifier()}, "exposes none of feature_importances_, coef_"),
    ],
)
def test_bad_parameters(parameters, message, data):
    with pytest.raises(ValueError, match=message):
        StabilitySelection(ReliefF(), n_resamples=2).set_params(**parameters).fit(*data)


# Along a path.


def test_a_path_by_hand():
    # Two runs, three λ. At the second, runs have selected 1.5 features on average: within 2. At the
    # third 2.5, which is too many. Feature 0 is in both runs at the second λ, 1 in one of them.
    paths = [[{0}, {0, 1}, {2}], [set(), {0}, {3, 4}]]
    assert reference.path_frequencies(paths, 2) == ({0: 1.0, 1: 0.5}, 2)
    assert found_by_cutting(paths, 2, 5) == ({0: 1.0, 1: 0.5}, 2)


def found_by_cutting(paths, q, n_features):
    tables = []
    for path in paths:
        table = np.zeros((len(path), n_features), dtype=bool)
        for step, features in enumerate(path):
            table[step, sorted(features)] = True
        tables.append(sparse.csr_array(table))
    shares, supports = cut_path(tables, max(map(len, paths)), q)
    largest = shares.max(axis=0)
    assert_array_equal(supports.any(axis=0), largest > 0)
    return {j: s for j, s in enumerate(largest.tolist()) if s}, len(shares)


@given(
    st.lists(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(1, 4),
)
@settings(max_examples=25)
def test_paths_are_cut_as_published(paths, q):
    expected = reference.path_frequencies(paths, q)
    if expected[1] == 0:
        with pytest.raises(ValueError, match="let lambdas begin higher, or raise pfer"):
            found_by_cutting(paths, q, 6)
        return
    largest, left = found_by_cutting(paths, q, 6)
    assert left == expected[1]
    assert largest == pytest.approx({j: s for j, s in expected[0].items() if s})


@pytest.mark.parametrize("resample", ["complementary_pairs", "subsample"])
def test_selection_along_the_lassos_path(resample, data):
    X, y = data
    selection = StabilitySelection(
        LassoPath(n_lambdas=30),
        threshold=0.6,
        n_features_per_run=6,
        n_resamples=8,
        resample=resample,
        path=True,
        random_state=0,
    ).fit(X, y)
    top = LassoPath(n_lambdas=30).fit(X, y).lambdas_
    assert selection.lambdas_[0] >= 2 * top[0]
    paths = []
    for rows in selection.estimators_samples_:
        ranker = LassoPath(lambdas=np.r_[selection.lambdas_, top[-1] / 2]).fit(X[rows], y[rows])
        paths.append([set(np.flatnonzero(step)) for step in ranker.selection_path_])
    kept = [path[: len(selection.lambdas_)] for path in paths]
    largest, left = reference.path_frequencies(kept, 6)
    assert left == len(selection.lambdas_)
    expected = [largest.get(j, 0) for j in range(X.shape[1])]
    assert_allclose(selection.selection_frequency_, expected)
    sizes = [len(set().union(*path)) for path in kept]
    assert selection.n_features_per_run_ == pytest.approx(np.mean(sizes))
    assert 3 < np.mean(sizes) <= 6
    assert_array_equal(selection.supports_.sum(axis=1), sizes)
    assert (selection.selection_frequency_ <= selection.supports_.mean(axis=0) + 1e-12).all()
    bound = reference.meinshausen_buhlmann(selection.n_features_per_run_, 80, 0.6)
    assert selection.error_bound_["meinshausen_buhlmann"] == pytest.approx(bound)


def test_only_estimators_with_a_path_select_along_it(data):
    X, y = data
    with pytest.raises(ValueError, match="such as LassoPath; ReliefF has no such parameter"):
        StabilitySelection(ReliefF(), path=True).fit(X, y)
    with pytest.raises(ValueError, match="no feature enters that of LassoPath"):
        StabilitySelection(LassoPath(), path=True).fit(np.ones(X.shape), y)


def test_the_randomised_lasso_draws_between_equal_features(data):
    X, y = data
    entered = [
        LassoPath(weakness=0.5, random_state=seed).fit(X[:, [0, 0]], y).feature_importances_ > 0
        for seed in range(20)
    ]
    # Where one of the two is penalised more, the other enters alone.
    assert {tuple(pair.tolist()) for pair in entered} >= {(True, False), (False, True)}
    options = {"n_features_per_run": 6, "n_resamples": 4, "path": True, "random_state": 0}
    both = [StabilitySelection(LassoPath(weakness=0.5), **options).fit(X, y) for _ in range(2)]
    assert_array_equal(both[0].selection_frequency_, both[1].selection_frequency_)
