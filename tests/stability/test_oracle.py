"""The oracle itself, on cases worked by hand."""

from fractions import Fraction as F

import pytest

from reference import stability as ref

A, B = frozenset({0, 1, 2}), frozenset({1, 2, 3, 4})
SIMILAR = frozenset({frozenset({0, 3}), frozenset({2, 4})})


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        # r=2, a=3, b=4, p=10, |A∪B|=5, Hamming 3, ab/p = 1.2
        (ref.hamming, F(7, 10)),
        (ref.jaccard, F(2, 5)),
        (ref.dice, F(4, 7)),
        (ref.ochiai, 2 / 12**0.5),
        (ref.lustgarten, F(8, 30)),
        (ref.wald, F(8, 18)),
        (ref.phi, 0.8 / (2.1 * 2.4) ** 0.5),
        (ref.kappa, F(8, 23)),
    ],
)
def test_two_sets(function, expected):
    assert function(A, B, 10) == pytest.approx(expected, rel=1e-15)


def test_frequencies_by_hand():
    # F = 3, 2, 1, 0; m=3, q=6, p=4
    sets = [frozenset({0, 1}), frozenset({0, 1}), frozenset({0, 2})]
    assert ref.counts(sets, 4) == [3, 2, 1, 0]
    assert ref.somol(sets, 4) == F(1, 3) * (F(2, 2) + F(1, 2) + 0)
    assert ref.somol_weighted(sets, 4) == F(3, 6) * 1 + F(2, 6) * F(1, 2)
    # CWmin: D=2, (36 − 4·4 − 4)/(4·6·2) = 1/3; CWmax: H=0, 1
    assert ref.somol_relative(sets, 4) == (F(2, 3) - F(1, 3)) / (1 - F(1, 3))
    # Σ p(1−p)·3/2 = 3/2 (2/9 + 2/9) = 2/3; over p=4: 1/6; over 1/2·1/2
    assert ref.nogueira(sets, 4) == 1 - F(1, 6) / F(1, 4)
    assert ref.krizek(sets, 4) == pytest.approx(0.9182958340544896, rel=1e-15)
    # T=2: mean of 3, 2 over 1 + 1
    assert ref.drotar(sets, 4) == F(5, 4)
    assert ref.davis(sets, 4) == F(6, 9)
    assert ref.davis(sets, 4, penalty=F(1)) == F(6, 9) - F(1, 2)


def test_nogueira_variance_by_hand():
    # Sizes equal: φ_i − φ̄ = (Σ_f∈i F_f − mean)/(m·p·scale); sums 5, 5, 4, scale 1/4
    sets = [frozenset({0, 1}), frozenset({0, 1}), frozenset({0, 2})]
    deviations = [F(1, 3), F(1, 3), F(-2, 3)]
    by_hand = F(4, 9) * sum((d / (3 * 4 * F(1, 4))) ** 2 for d in deviations)
    assert ref.nogueira_variance(sets, 4) == by_hand


def test_least_variance_by_hand():
    # All runs have 0, and one more feature each: v = 1/3 for three features. Each two share one of
    # two features, so all leave-one-out values are the same, and Nogueira's variance is 0.
    sets = [frozenset({0, 1}), frozenset({0, 2}), frozenset({0, 3})]
    assert ref.nogueira_variance(sets, 5) == 0
    assert ref.least_variance(sets, 5, F(1, 2)) == 2 * F(1, 4) * F(3, 9) / 1 / 6
    assert ref.least_variance([sets[0]] * 3, 5, 0) == 0


def test_similar_features_by_hand():
    # 0 ~ 3 makes 0 matched; 2 ~ 4 makes 4 matched anywhere, but 2 is shared
    assert ref.matched(A, B, SIMILAR, "anywhere") == 1
    assert ref.matched(B, A, SIMILAR, "anywhere") == 2
    assert ref.matched(B, A, SIMILAR, "unshared") == 1
    assert ref.pogr(A, B, 6, SIMILAR) == 1
    assert ref.pogr(B, A, 6, SIMILAR) == 1
    # C(A,B): x∈A, y∈{3,4}: sim(0,3)+sim(2,4) = 3/2 over 4; C(B,A): x∈B, y=0: sim(3,0) over 3
    values = {frozenset({0, 3}): F(1), frozenset({2, 4}): F(1, 2)}
    assert ref.zucknick(A, B, 6, values) == (2 + F(3, 8) + F(1, 3)) / 5


def test_modules_by_hand():
    # Modules {0, 1}, {2}: A = {0} finds a partner in 0, 1 but not in 2; 2 finds one in 2 only.
    modules = [0, 0, 1]
    zero, one, two = (frozenset({f}) for f in range(3))
    assert ref.module_match(zero, one, 3, modules) == 1
    assert ref.module_match(zero, two, 3, modules) == (0 - F(2, 3)) / (1 - F(2, 3))
    assert ref.module_match(two, zero, 3, modules) == (0 - F(1, 3)) / (1 - F(1, 3))
    # Sizes 1 and 2: at most 3/2. Each of the three pairs has a partner for 0, and two of the three
    # single features have one in {0, 1}.
    assert ref.module_match(zero, one | two, 3, modules) == (1 - 1) / F(1, 2)
    assert ref.module_match(zero | one, zero, 3, modules) == (1 - F(2, 3)) / (F(3, 2) - F(2, 3))
    # Modules {0, 1, 3}, {2, 4}, {5}: A has 2, 1, 0 of them, B 2, 2, 0.
    assert ref.matched_within(A, B, [0, 0, 1, 0, 1, 2]) == 3


def test_one_feature_each_expectation_by_hand():
    # p=3, one similar pair, a=b=1: 2 of 9 pairs are (i, j) or (j, i)
    similar = frozenset({frozenset({0, 1})})
    assert ref.expected_matched(1, 1, 3, similar, "anywhere") == F(2, 9)
    assert ref.expected_matched_closed(1, 1, 3, similar) == F(2, 9)


@pytest.mark.parametrize("sizes", [(1, 2), (2, 2), (3, 1), (4, 3), (0, 2), (2, 0), (5, 5)])
def test_the_closed_form_is_the_mean_over_all_pairs(sizes):
    closed = ref.expected_matched_closed(*sizes, 5, SIMILAR)
    assert ref.expected_matched(*sizes, 5, SIMILAR, "anywhere") == closed


def test_rankings_by_hand():
    x, y = [1, 2, 3, 4], [2, 1, 3, 4]
    assert ref.pearson(x, y) == pytest.approx(0.8)
    assert ref.kendall(x, y) == pytest.approx(4 / 6)
    assert ref.mid_ranks([5, 7, 5]) == [F(3, 2), 3, F(3, 2)]
    # Σ|r−s|/(r+s) = 2/3; expectation (1/2)(1/3 + 1/3) for p=2
    assert ref.canberra([1, 2], [2, 1]) == F(2, 3) / F(1, 3)


def test_predictions_by_hand():
    assert ref.agreement("abab", "abaa") == F(3, 4)
    assert ref.cohen("abab", "abaa") == F(1, 2)
    # Pairs in common: (a, a), (b, a) of the first two, (a, a) and none of the others; both ways
    rows = [["a", "b", None], ["a", "a", "b"], [None, None, "b"]]
    assert ref.pooled(rows, kappa=False) == F(4, 6)
    # Shares of a: 2 + 1, of b: 1 + 2 of 6
    assert ref.pooled(rows, kappa=True) == (F(4, 6) - F(1, 2)) / F(1, 2)
    # Within samples 1, 1/3, 1/3; shares of a 5/9, of b 4/9
    assert ref.fleiss(["aab", "aba", "abb"]) == (F(5, 9) - F(41, 81)) / (1 - F(41, 81))


def test_undefined_is_none():
    empty = frozenset()
    assert ref.jaccard(empty, empty, 3) is None
    assert ref.SUBSETS["kalousis"]([empty, empty, A], 3) is None
