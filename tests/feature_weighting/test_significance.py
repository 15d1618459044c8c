"""p-values and q-values of the filters against scipy, and selection by false discovery rate."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import polygamma
from sklearn.feature_selection import SelectFdr, f_classif
from sklearn.preprocessing import KBinsDiscretizer

from backstay import BaggedRanker, InstanceWeighted, ReliefF, StabilitySelection, UniformWeighting
from backstay import feature_weighting as fw


@pytest.fixture(scope="module", params=["numbers", "ties"])
def table(request):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [14, 10])
    X = rng.normal(size=(24, 40)) + y[:, None] * np.linspace(0, 3, 40)
    X[:, 0] = 1.0
    return (X if request.param == "numbers" else X.round()), y


def classes_of(X, y):
    return [X[y == c] for c in np.unique(y)]


def test_two_classes_have_scipys_p_values(table):
    X, y = table
    groups = classes_of(X[:, 1:], y)
    expected = {
        fw.TTest(): stats.ttest_ind(*groups).pvalue,
        fw.FStatistic(): stats.f_oneway(*groups).pvalue,
        fw.BetweenWithinRatio(): stats.f_oneway(*groups).pvalue,
        fw.Wilcoxon(): stats.mannwhitneyu(*groups, method="asymptotic").pvalue,
    }
    for ranker, p in expected.items():
        ranker.fit(X, y)
        assert ranker.pvalues_[1:] == pytest.approx(p, rel=1e-9)
        assert ranker.pvalues_[0] == 1  # a constant feature says nothing
        assert ranker.qvalues_ == pytest.approx(stats.false_discovery_control(ranker.pvalues_))


def test_several_classes_take_the_smallest_p_times_their_number():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 5)), np.repeat([0, 1, 2], 10)
    against = [(X[y == c], X[y != c]) for c in range(3)]
    t = np.min([stats.ttest_ind(*pair).pvalue for pair in against], axis=0)
    u = np.min([stats.mannwhitneyu(*p, method="asymptotic").pvalue for p in against], axis=0)
    assert fw.TTest().fit(X, y).pvalues_ == pytest.approx(np.minimum(3 * t, 1))
    assert fw.Wilcoxon().fit(X, y).pvalues_ == pytest.approx(np.minimum(3 * u, 1))
    assert fw.FStatistic().fit(X, y).pvalues_ == pytest.approx(f_classif(X, y)[1])


def test_the_moderated_t_has_the_degrees_of_freedom_of_both():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(8, 50)) * rng.uniform(0.2, 3, 50), np.repeat([0, 1], 4)
    ranker = fw.TTest(moderation="moderated").fit(X, y)
    variances = np.mean([rows.var(axis=0, ddof=1) for rows in classes_of(X, y)], axis=0)
    # Smyth 2004: the variance of log s² is ψ'(6/2) + ψ'(prior_df/2).
    excess = np.log(variances).var(ddof=1) - polygamma(1, 3)
    prior_df = 2 * brentq(lambda half: polygamma(1, half) - excess, 1e-3, 1e6, xtol=1e-12)
    assert np.isfinite(prior_df)
    expected = 2 * stats.t.sf(ranker.feature_importances_, 6 + prior_df)
    assert ranker.pvalues_ == pytest.approx(expected)
    # Variances that differ by less than chance: as many degrees of freedom as there are at all.
    X = rng.normal(size=(8, 3))
    X = X / np.sqrt(np.mean([rows.var(axis=0, ddof=1) for rows in classes_of(X, y)], axis=0))
    ranker = fw.TTest(moderation="moderated").fit(X, y)
    assert ranker.pvalues_ == pytest.approx(2 * stats.t.sf(ranker.feature_importances_, 18))


def test_chi_squared_has_scipys_p_values_where_cuts_do_not_look_at_the_class():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    X = rng.integers([2, 3, 4, 5], size=(60, 4)).astype(float)
    ranker = fw.ChiSquared(discretizer=None).fit(X, y)
    tables = [stats.contingency.crosstab(x, y).count for x in X.T]
    expected = [stats.chi2_contingency(counts, correction=False).pvalue for counts in tables]
    assert ranker.pvalues_ == pytest.approx(expected)
    # A class without weight does not count.
    two = fw.ChiSquared(discretizer=None).fit(X, y, sample_weight=(y < 2).astype(float))
    alone = fw.ChiSquared(discretizer=None).fit(X[y < 2], y[y < 2])
    assert two.pvalues_ == pytest.approx(alone.pvalues_)
    cuts = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    fw.ChiSquared(discretizer=cuts, n_features_to_select="fdr").fit(rng.normal(size=(60, 4)), y)
    with pytest.raises(ValueError, match="'mdl' puts its cuts where the classes differ"):
        fw.ChiSquared(n_features_to_select="fdr").fit(X, y)


@pytest.mark.parametrize("ranker", [fw.TTest(), fw.FStatistic(), fw.Wilcoxon()])
def test_integer_weights_are_repeated_rows_in_the_test_too(ranker, table):
    X, y = table
    omega = np.random.default_rng(4).integers(1, 4, size=len(y))
    weighted = ranker.fit(X, y, sample_weight=omega).pvalues_
    repeated = ranker.fit(np.repeat(X, omega, axis=0), np.repeat(y, omega)).pvalues_
    assert weighted == pytest.approx(repeated, rel=1e-6)


def test_fdr_selects_what_scikit_learn_selects(table):
    X, y = table
    expected = SelectFdr(f_classif, alpha=0.1).fit(X[:, 1:], y).get_support()
    ranker = fw.FStatistic(n_features_to_select="fdr", alpha=0.1).fit(X[:, 1:], y)
    assert (ranker.get_support() == expected).all()
    assert ranker.n_features_ == expected.sum() > 0
    again = pickle.loads(pickle.dumps(ranker))
    assert (again.qvalues_ == ranker.qvalues_).all()
    # Degrees of freedom differ, so q-values need not follow the ranking.
    table = np.round(2 * X) % np.arange(2, 2 + X.shape[1])
    chi2 = fw.ChiSquared(discretizer=None, n_features_to_select="fdr").fit(table, y)
    assert (chi2.get_support() == (chi2.qvalues_ <= 0.05)).all()


def test_a_greater_rate_keeps_no_less(table):
    X, y = table
    kept = [
        fw.TTest(n_features_to_select="fdr", alpha=a).fit(X, y).get_support()
        for a in (0, 0.01, 0.1, 1)
    ]
    assert all((less <= more).all() for less, more in pairwise(kept))
    assert not kept[0].any()
    assert kept[-1].all()


def test_none_may_be_kept_with_a_warning():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20, 10)), np.tile([0, 1], 10)
    ranker = fw.Wilcoxon(n_features_to_select="fdr", alpha=0.001).fit(X, y)
    assert ranker.n_features_ == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert ranker.transform(X).shape == (20, 0)


def test_no_degrees_of_freedom_are_no_evidence():
    X, y = np.array([[1.0, 2], [3, 2]]), [0, 1]
    for ranker in (fw.TTest(), fw.FStatistic(), fw.TTest(moderation="moderated")):
        assert ranker.fit(X, y).pvalues_.tolist() == [1, 1]


def test_fdr_is_refused_where_there_are_no_p_values(table):
    X, y = table
    t = fw.TTest(n_features_to_select="fdr")
    for ranker in (
        ReliefF(n_features_to_select="fdr"),
        StabilitySelection(ReliefF(n_features_to_select="fdr"), n_resamples=2),
        InstanceWeighted(t, UniformWeighting()),
        BaggedRanker(t, 2),
    ):
        with pytest.raises(ValueError, match="'fdr' needs a p-value") as refusal:
            ranker.fit(X, y)
        named = {kind.__name__ for kind in _tested()}
        assert all(name in str(refusal.value) for name in named)
    shrunken = fw.TTest(moderation="shrunken")
    assert not hasattr(shrunken.fit(X, y), "pvalues_")
    with pytest.raises(ValueError, match=r"shrunken t is not known.*DecoyControl"):
        shrunken.set_params(n_features_to_select="fdr").fit(X, y)


def _tested():
    public = [getattr(fw, name) for name in fw.__all__]
    return [kind for kind in public if hasattr(kind, "pvalues_")]
