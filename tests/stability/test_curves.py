"""The curve over sizes against one score per size, and what it costs."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from backstay.stability import (
    UndefinedStabilityWarning,
    list_measures,
    stability_curve,
    stability_score,
)
from backstay.stability._overlaps import Placements, pair_overlaps
from reference import stability as ref
from reference.stability_strategies import rankings

SUBSETS = list(list_measures().query("input == 'subsets'").itertuples())
PLAIN = [entry.name for entry in SUBSETS if not entry.needs_similarity]
SIMILARITY = [entry.name for entry in SUBSETS if entry.needs_similarity]


@pytest.mark.parametrize("measure", PLAIN)
def test_every_size_equals_the_oracle(measure):
    @settings(max_examples=30, deadline=None)
    @given(rankings())
    def check(orders):
        p = len(orders[0])
        curve = stability_curve(orders, measure)
        assert curve["size"].tolist() == list(range(1, p + 1))
        assert (curve.n_runs == len(orders)).all()
        for size, value in zip(curve["size"], curve.value, strict=True):
            sets = [frozenset(order[:size]) for order in orders]
            expected = ref.SUBSETS[measure](sets, p)
            expected = math.nan if expected is None else float(expected)
            assert value == pytest.approx(expected, rel=1e-11, abs=1e-12, nan_ok=True)

    check()


@pytest.mark.parametrize("source", ["analytic", "jackknife"])
@pytest.mark.parametrize("measure", PLAIN)
def test_every_variance_equals_that_of_the_score(measure, source):
    @settings(max_examples=10, deadline=None)
    @given(rankings(max_features=7, max_runs=7))
    def check(orders):
        p = len(orders[0])
        curve = stability_curve(orders, measure, variance_from=source)
        for row in curve.itertuples():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedStabilityWarning)
                subsets = [order[: row.size] for order in orders]
                score = stability_score(subsets, p, measure, variance_from=source)
            # somol_relative at all sizes keeps the bounds of M runs when one is left out.
            if measure != "somol_relative":
                assert row.variance == pytest.approx(score.variance, abs=1e-13, nan_ok=True)
                assert row.low == pytest.approx(
                    score.confidence_interval.low, abs=1e-6, nan_ok=True
                )

    check()


@pytest.mark.parametrize("m", [3, 63, 64, 65, 130])
def test_overlap_totals_count_every_pair(m):
    """Across the 64-bit words that hold the runs, and with rankings cut short."""
    rng = np.random.default_rng(m)
    p, most = 23, 9
    order = np.array([rng.permutation(p)[:most] for _ in range(m)])
    placements = Placements.of(order, p)
    totals = placements.overlap_totals()
    for size in range(1, most + 1):
        mask = np.zeros((m, p), dtype=int)
        np.put_along_axis(mask, order[:, :size], 1, axis=1)
        overlap = mask @ mask.T
        np.fill_diagonal(overlap, 0)
        np.testing.assert_array_equal(totals[:, size - 1], overlap.sum(axis=0))
        squares = placements.sum_over_features(np.arange(m + 1) ** 2)
        assert squares[size - 1] == (mask.sum(axis=0) ** 2).sum()


def test_chunks_do_not_matter(monkeypatch):
    order = np.array([np.random.default_rng(i).permutation(40) for i in range(70)])
    whole = Placements.of(order, 40)
    squares = np.arange(71) ** 2
    expected = whole.overlap_totals(), whole.sum_over_features(squares)
    pairs = [overlap for _, _, overlap in pair_overlaps(order, 40)]
    monkeypatch.setattr("backstay.stability._overlaps._CHUNK", 50)
    np.testing.assert_array_equal(whole.overlap_totals(), expected[0])
    np.testing.assert_array_equal(whole.sum_over_features(squares), expected[1])
    small = [overlap for _, _, overlap in pair_overlaps(order, 40)]
    assert len(small) > len(pairs)
    np.testing.assert_array_equal(np.vstack(small), np.vstack(pairs))


def test_the_mean_jaccard_index_is_not_a_function_of_the_frequencies():
    """Why kalousis costs O(M²·d): same sizes and frequencies, another value."""
    one = [[0, 1], [0, 1], [2, 3], [2, 3]]
    other = [[0, 1], [1, 2], [2, 3], [3, 0]]
    counts = [np.bincount(np.ravel(sets)).tolist() for sets in (one, other)]
    assert counts[0] == counts[1]
    kuncheva = [stability_score(sets, 6, "kuncheva").value for sets in (one, other)]
    jaccard = [stability_score(sets, 6, "kalousis").value for sets in (one, other)]
    assert kuncheva[0] == pytest.approx(kuncheva[1])
    assert jaccard == [pytest.approx(1 / 3), pytest.approx(2 / 9)]


def test_ranks_orders_scores_and_rankers_give_one_curve():
    class Ranker:
        def __init__(self, ranking):
            self.ranking_ = ranking

    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 8))
    order = np.argsort(-scores, axis=1)
    ranks = np.argsort(order, axis=1) + 1
    expected = stability_curve(order)
    forms = [ranks, ranks.astype(float), ranks.tolist(), [Ranker(row) for row in ranks]]
    for form in [*forms, pd.DataFrame(ranks)]:
        pd.testing.assert_frame_equal(stability_curve(form), expected)
    pd.testing.assert_frame_equal(stability_curve(scores, kind="scores"), expected)
    top = stability_curve(order[:, :3], n_features=8)
    pd.testing.assert_frame_equal(top, expected.iloc[:3])


def test_sizes_come_in_the_given_order():
    order = np.array([np.random.default_rng(i).permutation(12) for i in range(6)])
    full = stability_curve(order, "dice").set_index("size")
    some = stability_curve(order, "dice", sizes=[7, 2, 5]).set_index("size")
    assert some.index.tolist() == [7, 2, 5]
    pd.testing.assert_frame_equal(some, full.loc[[7, 2, 5]])
    assert some.index.name == "size"


@pytest.mark.parametrize("measure", SIMILARITY)
def test_measures_with_similar_features_at_the_given_sizes(measure):
    order = np.array([np.random.default_rng(i).permutation(10) for i in range(5)])
    similar = np.zeros((10, 10), dtype=bool)
    similar[0, 1] = similar[1, 0] = True
    curve = stability_curve(order, measure, sizes=[2, 4], similarity=similar)
    for row in curve.itertuples():
        score = stability_score(
            order[:, : row.size], 10, measure, similarity=similar, variance_from="jackknife"
        )
        assert row.value == pytest.approx(score.value)
        assert row.variance == pytest.approx(score.variance)


def test_an_undefined_size_warns_only_if_it_was_given():
    order = np.array([np.random.default_rng(i).permutation(5) for i in range(4)])
    assert np.isnan(stability_curve(order).value.iloc[-1])
    for measure in ("kuncheva", "lustgarten"):
        with pytest.warns(UndefinedStabilityWarning, match="at size 5 out of 5"):
            curve = stability_curve(order, measure, sizes=[2, 5])
        assert np.isnan(curve.value[1])
        assert np.isnan(curve.low[1])


@pytest.mark.parametrize("penalty", [0.0, 0.4])
def test_davis_keeps_its_penalty(penalty):
    order = np.array([np.random.default_rng(i).permutation(9) for i in range(5)])
    curve = stability_curve(order, "davis", penalty=penalty)
    for row in curve.itertuples():
        score = stability_score(order[:, : row.size], 9, "davis", penalty=penalty)
        assert row.value == pytest.approx(score.value)


@pytest.mark.parametrize(
    ("bad", "options", "message"),
    [
        ([[0, 1, 2]], {}, "at least 2 runs; got 1"),
        ([[0, 1, 2], [0, 1]], {}, "equal lengths"),
        ([[0, 1, 1], [0, 1, 2]], {}, "holds 1 more than once"),
        ([[1, 1, 2], [1, 2, 3]], {}, "ranking 0 holds 1 more than once.*tied"),
        ([[0, 1, 3], [0, 1, 2]], {}, "whole numbers from 0 to 2"),
        ([[0, -1, 2], [0, 1, 2]], {}, "cannot tell"),
        ([[0.5, 0.2], [0.1, 0.2]], {}, "kind='scores'"),
        ([[np.nan, 1.0], [2.0, 1.0]], {}, "finite"),
        ([[0, 1, 2], [0, 2, 1]], {"sizes": [0, 1]}, "from 1 to 3"),
        ([[0, 1, 2], [0, 2, 1]], {"sizes": [4]}, "from 1 to 3"),
        ([[0, 1, 2], [0, 2, 1]], {"sizes": []}, "from 1 to 3"),
        ([[0, 1, 2], [0, 2, 1]], {"kind": "best"}, "kind='best' must be one of"),
        (
            [[0, 1, 2], [0, 2, 1]],
            {"variance_from": "guess"},
            "variance_from='guess' must be one of",
        ),
        ([[0, 1, 2], [0, 2, 1]], {"measure": "best"}, "measure='best' must be one for"),
        ([[0, 1, 2], [0, 2, 1]], {"kind": "ranks", "n_features": 5}, "must cover n_features=5"),
    ],
)
def test_bad_rankings(bad, options, message):
    with pytest.raises(ValueError, match=message):
        stability_curve(bad, **options)
