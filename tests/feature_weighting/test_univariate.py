"""Filters against loops, and against scikit-learn and scipy where these define the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import polygamma
from scipy.stats.contingency import chi2_contingency
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder

from backstay import InstanceWeighted, LogisticWeighting, MarginWeighting, UniformWeighting
from backstay import feature_weighting as fw
from backstay.datasets import make_han_yu
from backstay.feature_weighting._moments import inverse_trigamma, prior_variance
from backstay.study import Study, Subsampling
from reference import univariate as reference

VALUE_FILTERS = {
    fw.InformationGain: reference.information_gain,
    fw.GainRatio: reference.gain_ratio,
    fw.SymmetricalUncertainty: reference.symmetrical_uncertainty,
    fw.MantarasDistance: reference.mantaras,
    fw.EntropicDistance: reference.entropic,
    fw.GiniGain: reference.gini_gain,
    fw.DistributionDifference: reference.distribution_difference,
    fw.ChiSquared: reference.chi_squared,
    fw.OneR: reference.one_rule,
    fw.ValueDifference: reference.value_difference,
    fw.CategoryImportance: reference.ccf,
}
MOMENT_FILTERS = [fw.BetweenWithinRatio, fw.FStatistic, fw.TTest]
T_TESTS = [fw.TTest(moderation="shrunken"), fw.TTest(moderation="moderated")]
ALL = [kind() for kind in [*VALUE_FILTERS, *MOMENT_FILTERS]]


def hand_worked():
    """Four values by two classes: N = [[3, 1], [0, 4]], so P(x) = ½, ½ and P(c) = ⅜, ⅝."""
    x = [0, 0, 0, 0, 1, 1, 1, 1]
    y = [0, 0, 0, 1, 1, 1, 1, 1]
    return x, y


def test_reference_on_a_hand_worked_case():
    x, y = hand_worked()
    t = reference.Table(x, y, [1.0] * 8)
    h_c = -(3 / 8) * np.log2(3 / 8) - (5 / 8) * np.log2(5 / 8)  # 0.9544
    h_c_given_x = 0.5 * (-(3 / 4) * np.log2(3 / 4) - (1 / 4) * np.log2(1 / 4))  # 0.4056
    gain = h_c - h_c_given_x
    expected = {
        "information_gain": gain,
        "gain_ratio": gain,  # H(X) = 1
        "symmetrical_uncertainty": 2 * gain / (1 + h_c),
        "mantaras": gain / (1 + h_c_given_x),
        "entropic": gain - (1 + h_c_given_x),
        "gini_gain": 0.5 * (9 + 1) / 16 + 0.5 - (9 + 25) / 64,  # 0.28125
        "distribution_difference": 4 * 3 / 16,
        "chi_squared": 1.5**2 / 1.5 * 2 + 1.5**2 / 2.5 * 2,  # E = 1.5, 2.5 in each row: 4.8
        "one_rule": 7 / 8,
        # lifts: (3/8)/(3/16) = 2, (1/8)/(5/16) = 0.4; 0, (1/2)/(5/16) = 1.6
        "value_difference": 0.5 * np.sqrt(2**2 + 0.4**2) + 0.5 * 1.6,
        "ccf": 1.0,
        "pcf": 1.0,
    }
    for name, value in expected.items():
        assert getattr(reference, name)(t) == pytest.approx(value), name
    # Exchanged, the positive value is the mixed one.
    swapped = reference.Table([1 - v for v in x], y, [1.0] * 8)
    assert reference.ccf(swapped) == pytest.approx((9 + 1) / 16)
    assert reference.pcf(swapped) == pytest.approx(3 / 4)


def test_reference_moments_on_a_hand_worked_case():
    # Classes (1, 3) and (5, 7, 9): means 2 and 7, squares 2 and 8, grand mean 5.
    x, y, omega = [1.0, 3.0, 5.0, 7.0, 9.0], [0, 0, 1, 1, 1], [1.0] * 5
    between = 2 * 9 + 3 * 4
    assert reference.between_within(x, y, omega) == pytest.approx(between / 10)
    assert reference.f_statistic(x, y, omega) == pytest.approx(between / (10 / 3))
    assert reference.t_test([x], y, omega)[0] == pytest.approx(
        5 / np.sqrt(10 / 3 * (1 / 2 + 1 / 3))
    )


@st.composite
def nominal_tables(draw):
    n_classes, n_values = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    n, d = draw(st.integers(4, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, n_values, size=(n, d)).astype(float)
    y = rng.integers(0, n_classes, size=n)
    y[:2] = [0, 1]
    if draw(st.booleans()):
        X[:, 0] = y
    omega = draw(st.sampled_from(["none", "fractions", "counts"]))
    if omega == "none":
        return X, y, None
    if omega == "counts":
        weights = rng.integers(0, 4, size=n).astype(float)
    else:
        weights = rng.exponential(size=n)
    weights[:2] = 1.0
    return X, y, weights


def counted(y, omega):
    """Rows that count and for how many; mass not below the number of rows."""
    omega = np.ones(len(y)) if omega is None else omega
    rows = np.flatnonzero(omega)
    return rows, omega[rows] * max(1.0, len(rows) / omega[rows].sum())


@settings(max_examples=30, deadline=None)
@given(data=nominal_tables())
def test_value_filters_equal_loops(data):
    X, y, omega = data
    rows, counts = counted(y, omega)
    rankers = [(kind(discretizer=None), loop) for kind, loop in VALUE_FILTERS.items()]
    rankers.append((fw.CategoryImportance(kind="pcf", discretizer=None), reference.pcf))
    for ranker, loop in rankers:
        found = ranker.fit(X, y, omega).feature_importances_
        expected = [loop(reference.Table(x, y[rows], counts)) for x in X[rows].T.tolist()]
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=str(ranker))


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(8, 30),
    d=st.integers(2, 8),
    n_classes=st.integers(2, 4),
    weighted=st.booleans(),
    rounded=st.booleans(),
)
def test_moment_filters_equal_loops(seed, n, d, n_classes, weighted, rounded):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, d) + rng.normal(size=d)
    if rounded:
        X = np.round(X)
    X[:, 0] += y
    omega = rng.uniform(0.8, 3.0, size=n) if weighted else None
    rows, counts = counted(y, omega)
    columns, counts = X[rows].T.tolist(), counts.tolist()
    for kind, loop in (
        (fw.BetweenWithinRatio, reference.between_within),
        (fw.FStatistic, reference.f_statistic),
    ):
        found = kind().fit(X, y, omega).feature_importances_
        np.testing.assert_allclose(
            found, [loop(x, y[rows].tolist(), counts) for x in columns], rtol=1e-9, atol=1e-12
        )
    for moderation in (None, "shrunken", "moderated"):
        ranker = fw.TTest(moderation=moderation).fit(X, y, omega)
        expected = reference.t_test(columns, y[rows].tolist(), counts, moderation)
        np.testing.assert_allclose(ranker.feature_importances_, expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_agreement_with_scikit_learn_and_scipy(n_classes):
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, size=80)
    X = rng.normal(size=(80, 12)) + 0.5 * y[:, None] * (np.arange(12) < 4)
    nominal = np.clip(np.round(X), -2, 2)
    tables = [
        np.array([[((x == v) & (y == c)).sum() for c in range(n_classes)] for v in np.unique(x)])
        for x in nominal.T
    ]
    chi = fw.ChiSquared(discretizer=None).fit(nominal, y).feature_importances_
    np.testing.assert_allclose(chi, [chi2_contingency(t, correction=False)[0] for t in tables])
    bits = fw.InformationGain(discretizer=None).fit(nominal, y).feature_importances_
    nats = mutual_info_classif(nominal, y, discrete_features=True)
    np.testing.assert_allclose(bits * np.log(2), nats, atol=1e-12)
    np.testing.assert_allclose(fw.FStatistic().fit(X, y).feature_importances_, f_classif(X, y)[0])
    if n_classes == 2:
        t = fw.TTest().fit(X, y).feature_importances_
        np.testing.assert_allclose(t, np.abs(stats.ttest_ind(X[y == 0], X[y == 1]).statistic))
        np.testing.assert_allclose(t**2, f_classif(X, y)[0])


def test_prior_of_the_moderated_t_is_recovered():
    rng = np.random.default_rng(0)
    df, prior, prior_df = 8.0, 0.7, 5.0
    true = prior * prior_df / rng.chisquare(prior_df, size=200_000)
    found = prior_variance(true * rng.chisquare(df, size=len(true)) / df, df)
    np.testing.assert_allclose(found, (prior, prior_df), rtol=0.03)
    assert prior_variance(np.full(100, 2.0), 30.0)[1] == np.inf
    assert prior_variance(np.array([1.0]), 5.0) == (0.0, 0.0)
    for z in (1e-3, 0.4, 3.0, 500.0, 1e6):
        x = float(polygamma(1, z))
        assert inverse_trigamma(x) == pytest.approx(z)


def test_moderation_curbs_features_of_tiny_variance():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 4)
    X = rng.normal(size=(8, 200))
    X[:, 0] += 3 * y
    X[:, 1] = 1e-4 * rng.normal(size=8) + 1e-3 * y  # a sure but minute difference
    assert fw.TTest().fit(X, y).ranking_[1] == 1
    for moderation in ("shrunken", "moderated"):
        assert fw.TTest(moderation=moderation).fit(X, y).ranking_[0] < 5
        assert fw.TTest(moderation=moderation).fit(X, y).ranking_[1] > 20


@pytest.mark.parametrize("ranker", ALL, ids=str)
@pytest.mark.parametrize("strategy", ["native", "sample", "order"])
def test_under_instance_weighting(ranker, strategy):
    X, y, relevance = make_han_yu(80, n_features=60, n_relevant=10, shift=1.0, random_state=1)
    for weighting in (MarginWeighting(), LogisticWeighting(), MarginWeighting(scale="sum")):
        found = InstanceWeighted(
            ranker, weighting, strategy=strategy, n_features_to_select=10, random_state=0
        ).fit(X, y)
        assert relevance[found.get_support()].astype(bool).mean() >= 0.6


@pytest.mark.parametrize("ranker", [*ALL, *T_TESTS], ids=str)
def test_weights_count_rows(ranker):
    """Integers repeat rows, zeros remove them, equal weights of small mass change nothing."""
    rng = np.random.default_rng(3)
    X, y, _ = make_han_yu(40, n_features=12, n_relevant=4, block_size=2, random_state=3)
    times = rng.integers(0, 4, size=40)
    weighted = ranker.fit(X, y, times).feature_importances_
    repeated = ranker.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).feature_importances_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-12)
    plain = ranker.fit(X, y).feature_importances_
    light = InstanceWeighted(ranker, UniformWeighting(scale="sum")).fit(X, y).feature_importances_
    np.testing.assert_allclose(light, plain, rtol=1e-9, atol=1e-12)


def test_constant_and_perfect_features():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.column_stack([np.full(6, 0.1), y + 0.1, [0.1, 0.2, 0.3, 0.2, 0.1, 0.3], 0.3 - 0.1 * y])
    for kind in MOMENT_FILTERS:
        found = kind().fit(X, y).feature_importances_
        assert found[0] == 0.0
        assert np.isinf(found[[1, 3]]).all()
        assert found[2] == pytest.approx(0.0, abs=1e-12)
    constant = {
        fw.InformationGain: 0.0,
        fw.GainRatio: 0.0,
        fw.SymmetricalUncertainty: 0.0,
        fw.MantarasDistance: 0.0,
        fw.EntropicDistance: -1.0,
        fw.GiniGain: 0.0,
        fw.DistributionDifference: 0.0,
        fw.ChiSquared: 0.0,
        fw.OneR: 0.5,
        fw.ValueDifference: np.sqrt(2),
        fw.CategoryImportance: 0.5,
    }
    for kind, value in constant.items():
        found = kind(discretizer=None).fit(X, y).feature_importances_
        assert found[0] == pytest.approx(value, abs=1e-15), kind
        assert found[1] > found[0]


def test_features_constant_in_every_class_with_three_classes():
    y = np.repeat([0, 1, 2], 3)
    X = np.column_stack([0.1 * (y == 1), 0.7 - 0.1 * (y > 0), np.full(9, 1 / 3), np.arange(9.0)])
    for kind in MOMENT_FILTERS:
        found = kind().fit(X, y).feature_importances_
        assert np.isinf(found[:2]).all()
        assert found[2] == 0.0
        assert 0.0 < found[3] < np.inf


def test_one_row_per_class():
    X, y = np.array([[0.0, 1.0], [1.0, 1.0]]), [0, 1]
    for kind in MOMENT_FILTERS:
        assert kind().fit(X, y).feature_importances_.tolist() == [np.inf, 0.0]
    assert fw.TTest(moderation="moderated").fit(X, y).feature_importances_.tolist() == [np.inf, 0.0]


def test_discretizers():
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5)) + y[:, None] * [2, 0, 0, 0, 1]
    mdl = fw.InformationGain().fit(X, y).feature_importances_
    codes = fw.MDLDiscretizer().fit_transform(X, y)
    np.testing.assert_array_equal(
        mdl, fw.InformationGain(discretizer=None).fit(codes, y).feature_importances_
    )
    given = fw.InformationGain(discretizer=fw.MDLDiscretizer()).fit(X, y)
    np.testing.assert_array_equal(mdl, given.feature_importances_)
    bins = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    binned = fw.InformationGain(discretizer=bins).fit(X, y)
    np.testing.assert_array_equal(
        binned.feature_importances_,
        fw.InformationGain(discretizer=None).fit(bins.fit_transform(X), y).feature_importances_,
    )
    assert binned.discretizer_.n_bins_.tolist() == [4] * 5
    assert not hasattr(bins.set_params(), "discretizer_")
    frames = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    frames.set_output(transform="pandas")
    np.testing.assert_array_equal(
        binned.feature_importances_,
        fw.InformationGain(discretizer=frames).fit(X, y).feature_importances_,
    )


@pytest.mark.parametrize("discretizer", ["quantile", 4, OneHotEncoder()])
def test_bad_discretizers_are_explained(discretizer):
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"discretizer=.*KBinsDiscretizer"):
        fw.InformationGain(discretizer=discretizer).fit(X, y)


def test_tables_in_blocks_change_nothing():
    """Tables of counts of 200 values in 20 classes: more than are made at a time."""
    rng = np.random.default_rng(6)
    X = rng.permuted(np.tile(np.arange(200.0)[:, None], 1300), axis=0)
    X[:, ::5] = rng.integers(0, rng.integers(1, 30, size=260), size=(200, 260))
    y = np.arange(200) % 20
    whole = fw.CategoryImportance(discretizer=None).fit(X, y)
    assert whole.class_importances_.shape == (1300, 20)
    for part in (slice(0, 300), slice(300, 1000), slice(1000, 1300)):
        alone = fw.CategoryImportance(discretizer=None).fit(X[:, part], y)
        np.testing.assert_array_equal(whole.feature_importances_[part], alone.feature_importances_)
        np.testing.assert_array_equal(whole.class_importances_[part], alone.class_importances_)


def test_per_category_weights():
    X = np.array([[1, 1], [1, 0], [1, 1], [0, 0]], dtype=float)
    ranker = fw.CategoryImportance(kind="pcf", discretizer=None).fit(X, ["b", "b", "a", "a"])
    np.testing.assert_allclose(ranker.class_importances_, [[1 / 3, 2 / 3], [1 / 2, 1 / 2]])
    np.testing.assert_allclose(ranker.feature_importances_, [2 / 3, 1 / 2])
    # Without rows of positive weight a class has weight 0, and keeps its column.
    three = fw.CategoryImportance(discretizer=None).fit(
        X, ["b", "c", "a", "a"], [1.0, 0.0, 1.0, 1.0]
    )
    assert three.class_importances_.shape == (2, 3)
    assert (three.class_importances_[:, 2] == 0).all()


@pytest.mark.parametrize("ranker", ALL, ids=str)
def test_bad_input_is_explained(ranker):
    X, y = np.arange(24.0).reshape(12, 2), np.arange(12) % 3
    with pytest.raises(ValueError, match="one class only, 2"):
        ranker.fit(X, y, y == 2)
    with pytest.raises(ValueError, match="Negative values in sample_weight"):
        ranker.fit(X, y, -np.ones(12))
    with pytest.raises(ValueError, match="takes classes as outcome"):
        ranker.fit(X, X[:, 0] / 7)


@pytest.mark.parametrize(
    ("ranker", "named"),
    [
        (fw.TTest(moderation="sam"), "moderation"),
        (fw.CategoryImportance(kind="both"), "kind"),
        (fw.OneR(n_features_to_select=3), "n_features_to_select"),
    ],
)
def test_bad_parameters_are_named(ranker, named):
    X, y = np.arange(24.0).reshape(12, 2), np.arange(12) % 3
    with pytest.raises(ValueError, match=named):
        ranker.fit(X, y)


def mixed_frame(n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    frame = pd.DataFrame(
        {
            "told": pd.Categorical(np.where(y == 1, "u", rng.choice(["v", "w"], n))),
            "number": rng.normal(size=n) + 2 * y,
            "text": rng.choice(["p", "q", "r"], n),
            "truth": rng.random(n) < 0.5,
        }
    )
    return frame, y


@pytest.mark.parametrize("ranker", [*VALUE_FILTERS, fw.MyopicReliefF])
def test_columns_of_categories_are_taken_as_they_are(ranker):
    X, y = mixed_frame()
    got = ranker().fit(X, y).feature_importances_
    # By hand: categories numbered by name and not cut; the number cut by MDL as ever.
    codes = np.column_stack([pd.factorize(X[c], sort=True)[0] for c in ("told", "text", "truth")])
    named = ranker(discretizer=None).fit(codes, y).feature_importances_
    number = ranker().fit(X[["number"]], y).feature_importances_
    assert_allclose(got, [named[0], number[0], named[1], named[2]])
    turned = X.iloc[::-1].reset_index(drop=True)
    assert_allclose(ranker().fit(turned, y[::-1]).feature_importances_, got)
    kept = ranker(n_features_to_select=2).fit(X, y).transform(X)
    assert kept.shape == (len(y), 2)


def test_missing_categories_are_refused_and_studies_take_the_rest():
    X, y = mixed_frame()
    holes = X.assign(text=X["text"].where(np.arange(len(y)) != 3))
    with pytest.raises(ValueError, match="missing values in column text"):
        fw.InformationGain().fit(holes, y)
    resampling = Subsampling(4, train_size=0.5)
    study = Study({"IG": fw.InformationGain()}, resampling, sizes=[1, 2], models={}, random_state=0)
    orders = study.run(X, y).runs.orders("IG")
    assert (orders[:, 0] == 0).all()
