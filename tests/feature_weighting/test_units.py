"""Filters on groups and pairs, against loops, limma's blocks and R's signed-rank test."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from backstay import SlopeTest, Spearman, TTest, Wilcoxon
from backstay._units import group_means
from backstay.ensemble._decoy_control import permuted_within
from backstay.ensemble._resamples import draw_pairs
from backstay.feature_weighting import BetweenWithinRatio, ChiSquared, FStatistic
from reference import units as reference

FILTERS = [
    TTest(moderation="moderated"),
    FStatistic(),
    BetweenWithinRatio(),
    Wilcoxon(),
]


def test_the_references_on_cases_worked_by_hand():
    assert reference.group_means([1.0, 5.0, np.nan, 2.0], "aabb") == {"a": 3, "b": 2}
    # Patient a: 4 - (1 + 3)/2 = 2, patient b: 5 - 1 = 4, patient c lacks the first side.
    column, sides, pairs = [1.0, 3.0, 4.0, 1.0, 5.0, 9.0], [0, 0, 1, 0, 1, 1], list("aaabbc")
    assert reference.differences(column, sides, pairs) == [2, 4]
    # Mean 3, variance 2: 3 / sqrt(2/2).
    assert reference.paired_t([column], sides, pairs) == pytest.approx([3])
    assert reference.paired_t([column], sides, pairs, "shrunken") == pytest.approx([1.5])
    # Both positive: of four ways to choose signs two reach the sum of 3.
    assert reference.signed_rank(column, sides, pairs) == (1, 0.5)


def test_pairs_are_limmas_blocks_and_rs_signed_ranks():
    held = json.loads((Path(__file__).parents[1] / "data" / "pairs.json").read_text())
    X, y, pairs = np.array(held["x"]), held["after"], held["patient"]
    t = TTest(moderation="moderated").fit(X, y, pairs=pairs)
    assert t.feature_importances_ == pytest.approx(np.abs(held["t"]), rel=1e-9)
    assert t.pvalues_ == pytest.approx(held["p"], rel=1e-9)
    signed = Wilcoxon().fit(X, y, pairs=pairs)
    assert signed.pvalues_ == pytest.approx(held["signed_p"], rel=1e-9)
    most = 9 * 10 / 2
    assert signed.feature_importances_ == pytest.approx(
        np.abs(2 * np.array(held["v"]) - most) / most
    )


@st.composite
def paired_tables(draw):
    n_pairs = draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    most = draw(st.sampled_from([1, 2]))  # means of two round numbers are exact
    sides = [np.repeat([0, 1], rng.integers(1, most + 1, 2)) for _ in range(n_pairs)]
    pairs = np.repeat(np.arange(n_pairs), [len(one) for one in sides])
    sides = np.concatenate([*sides, [0, 1]])
    pairs = np.concatenate([pairs, [n_pairs, n_pairs + 1]])  # two that lack a side
    X = rng.normal(size=(len(pairs), 4)) + rng.normal(size=(n_pairs + 2, 4))[pairs]
    order = rng.permutation(len(pairs))
    X, sides, pairs = X[order], sides[order], pairs[order]
    return (X.round() if draw(st.booleans()) else X), sides, pairs


@settings(max_examples=30, deadline=None)
@given(paired_tables(), st.sampled_from([None, "shrunken", "moderated"]))
def test_paired_filters_equal_loops(table, moderation):
    X, sides, pairs = table
    found = TTest(moderation=moderation).fit(X, sides, pairs=pairs).feature_importances_
    columns = [column.tolist() for column in X.T]
    expected = reference.paired_t(columns, sides.tolist(), pairs.tolist(), moderation)
    assert found == pytest.approx(expected, rel=1e-9)
    signed = Wilcoxon().fit(X, sides, pairs=pairs)
    for j, column in enumerate(columns):
        size, p = reference.signed_rank(column, sides.tolist(), pairs.tolist())
        assert signed.feature_importances_[j] == pytest.approx(size)
        apart = np.abs(reference.differences(column, sides.tolist(), pairs.tolist()))
        if len(set(apart[apart > 0])) == (apart > 0).sum():
            assert signed.pvalues_[j] == pytest.approx(p)


def test_many_differences_and_ties_have_the_normal_distribution():
    rng = np.random.default_rng(0)
    apart = rng.normal(0.2, 1, size=(80, 3)).round(1)
    X = np.vstack([np.zeros_like(apart), apart])
    y, pairs = np.repeat([0, 1], 80), np.tile(np.arange(80), 2)
    # Ties: scipy takes the normal distribution by itself, under a name that changed.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = [stats.wilcoxon(column, correction=True) for column in apart.T]
    found = Wilcoxon().fit(X, y, pairs=pairs)
    assert found.pvalues_ == pytest.approx([test.pvalue for test in tests])
    assert found.auc_[1] == pytest.approx(((apart > 0) + 0.5 * (apart == 0)).mean(axis=0))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_means_of_tables_of_any_kind(seed, frame, holes):
    rng = np.random.default_rng(seed)
    X, groups = rng.normal(size=(12, 3)).round(1), rng.integers(5, size=12)
    if holes:
        X[rng.random((12, 3)) < 0.3] = np.nan
    expected = np.array([[*reference.group_means(x.tolist(), groups).values()] for x in X.T]).T
    given_ = X
    if frame:
        given_ = pd.DataFrame(X, columns=list("abc")).assign(text="no number")
        expected = np.column_stack([expected, np.full(len(expected), np.nan)])
    elif not holes:
        sparse_means = group_means(sparse.csr_array(X), groups)
        assert sparse_means.toarray() == pytest.approx(expected)
    assert group_means(given_, groups) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(range(len(FILTERS))))
def test_groups_of_one_row_change_nothing(seed, which):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 4)), np.arange(12) % 2
    ranker = FILTERS[which]
    expected = ranker.fit(X, y).pvalues_
    assert ranker.fit(X, y, groups=rng.permutation(12)).pvalues_ == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_decoys_stay_in_their_pair(seed):
    rng = np.random.RandomState(seed)
    pairs = rng.randint(5, size=14)
    rows = permuted_within(pairs, np.arange(14.0)[:, None], rng)[:, 0].astype(int)
    assert sorted(rows) == list(range(14))
    assert (pairs[rows] == pairs).all()
    for drawn in draw_pairs("subsample", np.unique(pairs, return_inverse=True)[1], 3, 0.8, rng):
        assert not set(pairs[drawn]) & set(np.delete(pairs, drawn))


@pytest.mark.parametrize("ranker", FILTERS, ids=lambda one: type(one).__name__)
def test_groups_are_rows_of_their_means(ranker):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(14), rng.integers(1, 5, 14))
    y = groups % 2
    X = rng.normal(size=(len(groups), 6)) + rng.normal(size=(14, 6))[groups]
    X[:, 5] = 0.1  # its means must stay equal
    names = np.array([f"patient {g}" for g in groups])
    order = rng.permutation(len(groups))
    ranker.fit(X[order], y[order], groups=names[order])
    importances, p = ranker.feature_importances_, ranker.pvalues_
    means = np.array([[*reference.group_means(x.tolist(), groups).values()] for x in X.T]).T
    means[:, 5] = 0.1  # not exactly so in loops
    ranker.fit(means, np.arange(14) % 2)
    assert importances[:5] == pytest.approx(ranker.feature_importances_[:5])
    assert p[:5] == pytest.approx(ranker.pvalues_[:5])
    assert (importances[5], p[5]) == (0, 1)


@pytest.mark.parametrize("ranker", [SlopeTest(moderation="moderated"), Spearman()])
def test_numbers_of_a_group_have_means_too(ranker):
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(15), 3)
    X, y = rng.normal(size=(45, 4)), rng.normal(size=45)
    p = ranker.fit(X, y, groups=groups).pvalues_
    shape = (15, 3, 4)
    expected = ranker.fit(X.reshape(shape).mean(axis=1), y.reshape(15, 3).mean(axis=1)).pvalues_
    assert p == pytest.approx(expected)


def test_covariates_of_a_group_have_means_too():
    rng = np.random.default_rng(3)
    groups, y = np.repeat(np.arange(20), 3), np.repeat(np.arange(20) % 2, 3)
    X, Z = rng.normal(size=(60, 4)), rng.normal(size=(60, 2))
    p = TTest().fit(X, y, covariates=Z, groups=groups).pvalues_
    means = [table.reshape(20, 3, -1).mean(axis=1) for table in (X, Z)]
    assert p == pytest.approx(TTest().fit(means[0], y[::3], covariates=means[1]).pvalues_)


def test_ten_visits_of_a_subject_are_one():
    rng = np.random.default_rng(4)
    groups, y = np.repeat(np.arange(20), 10), np.repeat(np.arange(20) % 2, 10)
    X = rng.normal(size=(20, 300))[groups] + 0.3 * rng.normal(size=(200, 300))
    assert (TTest().fit(X, y).qvalues_ < 0.05).mean() > 0.3
    assert (TTest().fit(X, y, groups=groups).pvalues_ < 0.05).mean() < 0.1


def test_a_pipeline_hands_groups_on():
    rng = np.random.default_rng(5)
    groups, y = np.repeat(np.arange(10), 2), np.repeat(np.arange(10) % 2, 2)
    X = rng.normal(size=(20, 5))
    with config_context(enable_metadata_routing=True):
        ranker = TTest().set_fit_request(groups=True, pairs=False)
        line = make_pipeline(ranker).fit(X, y, groups=groups)
    assert line[0].pvalues_ == pytest.approx(TTest().fit(X, y, groups=groups).pvalues_)


def test_refusals_name_what_to_do():
    X, y = np.random.default_rng(6).normal(size=(12, 3)), np.tile([0, 1], 6)
    pairs = np.repeat(np.arange(6), 2)
    for ranker, given_, message in [
        (TTest(), {"groups": pairs}, "group 0 has rows of different outcomes.*as pairs"),
        (FStatistic(), {"pairs": pairs}, "FStatistic takes no pairs; for pairs there are TTest"),
        (ChiSquared(), {"groups": pairs}, "Wilcoxon takes both"),
        (TTest(), {"pairs": y}, "2 classes and 0 such pairs"),
        (TTest(), {"pairs": pairs[:5]}, r"pairs has shape \(5,\); X has 12 rows"),
        (TTest(), {"pairs": pairs, "groups": pairs}, "takes one of"),
        (TTest(), {"pairs": pairs, "sample_weight": np.ones(12)}, "takes one of"),
        (TTest(), {"pairs": pairs, "covariates": X[:, :1]}, "Leave covariates out"),
    ]:
        with pytest.raises(ValueError, match=message):
            ranker.fit(X, y, **given_)
    with pytest.raises(ValueError, match="there are 3 classes"):
        TTest().fit(X, np.arange(12) % 3, pairs=pairs)
    with pytest.raises(ValueError, match=r"pairs are of two classes\. Use groups"):
        SlopeTest().fit(X, X[:, 0], pairs=pairs)
