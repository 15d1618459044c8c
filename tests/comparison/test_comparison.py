"""The tests between methods: against hand computations, and honest when nothing differs."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from backstay.comparison import better_equal_worse, compare_scores, friedman_nemenyi
from backstay.study import FiveByTwo, Study
from reference.study import corrected_t, five_by_two, friedman, signed_rank_p

rng = np.random.default_rng(0)
A, B = rng.normal(0.7, 0.05, 10), rng.normal(0.75, 0.05, 10)

corrected_resampled_t = partial(compare_scores, test="corrected_t")
five_by_two_t = partial(compare_scores, test="five_by_two_t")
five_by_two_f = partial(compare_scores, test="five_by_two_f")
signed_rank = partial(compare_scores, test="signed_rank")
mann_whitney = partial(compare_scores, test="mann_whitney")


def test_five_by_two_is_the_hand_computation():
    t, t_p, f, f_p = five_by_two(A, B)
    found = five_by_two_t(A, B)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(t_p)
    assert found.difference == pytest.approx(np.mean(A - B))
    found = five_by_two_f(A, B)
    assert found.statistic == pytest.approx(f)
    assert found.p_value == pytest.approx(f_p)


def test_five_by_two_with_round_numbers():
    # Differences (0.1, 0.0) in every repeat: mean 0.05, s² = 0.005 each.
    a, b = np.tile([0.1, 0.0], 5), np.zeros(10)
    assert five_by_two_t(a, b).statistic == pytest.approx(0.1 / math.sqrt(0.005))
    assert five_by_two_t(a.reshape(5, 2), b.reshape(5, 2)) == five_by_two_t(a, b)
    assert five_by_two_f(a, b).statistic == pytest.approx(5 * 0.01 / (2 * 5 * 0.005))


def test_dietterich_looks_at_the_first_difference_and_alpaydin_at_all():
    swapped = np.arange(10).reshape(5, 2)[:, ::-1].ravel()
    assert five_by_two_t(A, B).p_value != five_by_two_t(A[swapped], B[swapped]).p_value
    assert five_by_two_f(A, B).p_value == pytest.approx(
        five_by_two_f(A[swapped], B[swapped]).p_value
    )


def test_a_study_of_five_by_two_gives_the_hand_computation():
    from sklearn.neighbors import KNeighborsClassifier

    from backstay import ReliefF
    from backstay.datasets import make_han_yu
    from backstay.feature_weighting import TTest

    X, y, _ = make_han_yu(40, n_features=60, correlation=0.3, shift=0.1, random_state=2)
    study = Study(
        {"t": TTest(), "relieff": ReliefF()},
        FiveByTwo(),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[5, 10],
        random_state=0,
    )
    results = study.run(X, y)
    scores = results.runs.scores(results.data.metric).frame().query("size == 5")
    a, b = (scores[scores.method == m].sort_values("resample")["value"] for m in ("t", "relieff"))
    t, t_p, f, f_p = five_by_two(a.to_numpy(), b.to_numpy())
    found = results.compare("t", "relieff", size=5).accuracy
    assert (found.test, found.n) == ("five_by_two_f", 10)
    assert (found.statistic, found.p_value) == pytest.approx((f, f_p))
    found = results.compare("t", "relieff", size=5, test="five_by_two_t").accuracy
    assert (found.statistic, found.p_value) == pytest.approx((t, t_p))


def test_corrected_t_is_the_hand_computation():
    found = corrected_resampled_t(A, B, test_share=20 / 40, confidence=0.9)
    t, p = corrected_t(A, B, 40, 20)
    assert (found.statistic, found.p_value) == pytest.approx((t, p))
    half = stats.t.ppf(0.95, 9) * found.difference / t
    assert (found.low, found.high) == pytest.approx(
        (found.difference - half, found.difference + half)
    )


def test_signed_rank_is_exact_and_mann_whitney_ignores_pairs():
    d = np.array([0.5, -0.2, 0.9, 0.4, 0.7, -0.1, 0.3])
    assert signed_rank(d, np.zeros(7)).p_value == pytest.approx(signed_rank_p(d))
    shuffled = rng.permutation(10)
    assert mann_whitney(A, B).p_value == pytest.approx(mann_whitney(A[shuffled], B).p_value)
    assert mann_whitney(A, B).p_value == pytest.approx(stats.ranksums(B, A).pvalue, abs=0.02)


def test_friedman_is_the_hand_computation_and_nemenyi_demsars_table():
    scores = rng.random((12, 5))
    chi2, ranks = friedman(scores.tolist())
    found = friedman_nemenyi(scores, list("abcde"))
    assert found.statistic == pytest.approx(chi2)
    assert list(found.mean_ranks.values()) == pytest.approx(ranks)
    assert found.f_statistic == pytest.approx(11 * chi2 / (12 * 4 - chi2))
    # Demšar 2006, table 5: q(0.05) = 2.728 for 5 and 2.343 for 3 classifiers.
    assert found.critical_difference == pytest.approx(2.728 * math.sqrt(5 * 6 / 72), rel=1e-3)
    three = friedman_nemenyi(scores[:, :3])
    assert three.critical_difference == pytest.approx(2.343 * math.sqrt(3 * 4 / 72), rel=2e-3)
    frame = found.frame()
    assert len(frame) == 10
    decided = frame["rank_difference"].abs() > found.critical_difference
    assert (decided == (frame["p_value"] < 0.05)).all()


def test_friedman_takes_ties_and_frames():
    import pandas as pd

    same = friedman_nemenyi(pd.DataFrame(np.ones((4, 3)), columns=list("xyz")))
    assert (same.statistic, same.p_value, same.f_p_value) == (0.0, 1.0, 1.0)
    assert same.mean_ranks == {"x": 2.0, "y": 2.0, "z": 2.0}


def test_ties_are_corrected_for_unlike_in_demsars_formula():
    scores = np.array([[0.9, 0.8, 0.7], [0.9, 0.9, 0.7], [0.8, 0.7, 0.7], [0.6, 0.8, 0.5]])
    ranks = np.array([[1, 2, 3], [1.5, 1.5, 3], [1, 2.5, 2.5], [2, 1, 3]])
    demsar = 12 * 4 / (3 * 4) * ((ranks.mean(axis=0) ** 2).sum() - 3 * 4**2 / 4)
    found = friedman_nemenyi(scores)
    # Two pairs tie: the correction is 1 − 2·(2³ − 2)/(4·(3³ − 3)).
    assert found.statistic == pytest.approx(demsar / (1 - 12 / 96))
    assert found.statistic > demsar
    assert list(found.mean_ranks.values()) == ranks.mean(axis=0).tolist()


ALL_TESTS = [partial(corrected_resampled_t, test_share=0.5), five_by_two_t, five_by_two_f,
             signed_rank, mann_whitney]  # fmt: skip


@pytest.mark.parametrize("test", ALL_TESTS)
def test_every_difference_is_first_minus_second(test):
    assert test(B, A).difference == pytest.approx(B.mean() - A.mean())
    assert test(B, A).difference == pytest.approx(-test(A, B).difference)
    assert test(B, A).p_value == pytest.approx(test(A, B).p_value)


@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f, signed_rank, mann_whitney])
def test_scores_that_never_differ_give_no_evidence(test):
    assert test(A, A).p_value == 1
    assert test(A, A).difference == 0


def test_differences_without_spread():
    same = corrected_resampled_t(A, A, test_share=0.5)
    assert (same.p_value, same.low, same.high) == (1, 0, 0)
    shifted = corrected_resampled_t(np.full(5, 0.1), np.zeros(5), test_share=0.5)
    assert shifted.p_value == 0
    assert shifted.statistic == math.inf


def test_counts():
    up = corrected_resampled_t(np.full(5, 0.1), np.zeros(5), test_share=0.5)
    down = corrected_resampled_t(np.zeros(5), np.full(5, 0.1), test_share=0.5)
    same = corrected_resampled_t(A, A, test_share=0.5)
    assert better_equal_worse([up, up, same, down]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: five_by_two_t(A[:9], B[:9]), "5×2cv needs 10 scores.* got 9"),
        (lambda: five_by_two_f(np.zeros(12), np.ones(12)), "5×2cv needs 10 scores"),
        (lambda: signed_rank(A, B[:5]), r"got shapes \(10,\) and \(5,\)"),
        (lambda: signed_rank([1, np.nan], [1, 2]), "must be finite"),
        (lambda: signed_rank([1], [2]), "hold 1 scores; a test needs at least 2"),
        (lambda: compare_scores(A, B), "test_share=None must be positive"),
        (lambda: compare_scores(A, B, "t"), "test='t' must be one of corrected_t, five_by_two_t"),
        (lambda: corrected_resampled_t(A, B, test_share=0), "test_share=0 must be positive"),
        (
            lambda: corrected_resampled_t(A, B, test_share=1, confidence=2),
            "confidence=2 must lie between",
        ),
        (lambda: friedman_nemenyi([[1, 2]]), r"at least 2 × 3, got shape \(1, 2\)"),
        (lambda: friedman_nemenyi(np.ones((3, 3)), ["a"]), "names has 1 names for 3 methods"),
        (lambda: friedman_nemenyi([[1, 2, np.nan]] * 2), "scores must be finite"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Type-I error. Two nearest-mean classifiers, each on a feature of its own that is as good as the
# other's: no difference in truth, and all the dependence that resampling brings.

N_DATASETS, N_ROWS = 800, 60


def paired_scores(splits):
    """Scores of both classifiers on every data set (rows of the result) and split."""
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], N_ROWS // 2)
    X = rng.normal(size=(2, N_DATASETS, N_ROWS)) + 0.8 * y
    scores = np.empty((2, N_DATASETS, len(splits)))
    for j, (train, test) in enumerate(splits):
        means = [X[..., train[y[train] == c]].mean(axis=-1, keepdims=True) for c in (0, 1)]
        middle, direction = (means[0] + means[1]) / 2, np.sign(means[1] - means[0])
        predicted = (X[..., test] - middle) * direction > 0
        scores[..., j] = (predicted == y[test]).mean(axis=-1)
    return scores


def rejections(test, scores, **options):
    p = [test(a, b, **options).p_value for a, b in zip(*scores, strict=True)]
    return np.mean(np.array(p) < 0.05)


@pytest.fixture(scope="module")
def halves():
    y = np.tile([0, 1], N_ROWS // 2)
    return paired_scores(list(FiveByTwo(random_state=0).split(y, y)))


@pytest.fixture(scope="module")
def subsamples():
    from backstay.study import Subsampling

    y = np.tile([0, 1], N_ROWS // 2)
    return paired_scores(list(Subsampling(15, random_state=0).split(y, y)))


def test_type_one_error_of_the_five_by_two_tests(halves):
    assert 0.01 <= rejections(five_by_two_t, halves) <= 0.08
    assert 0.005 <= rejections(five_by_two_f, halves) <= 0.08


def test_type_one_error_of_the_corrected_t(subsamples):
    assert 0.02 <= rejections(corrected_resampled_t, subsamples, test_share=0.5) <= 0.08


def test_runs_taken_for_independent_mislead(subsamples):
    assert rejections(signed_rank, subsamples) > 0.2


def test_the_tests_have_power():
    y = np.tile([0, 1], N_ROWS // 2)
    splits = list(FiveByTwo(random_state=0).split(y, y))
    a, b = paired_scores(splits)
    assert rejections(five_by_two_f, (a, np.minimum(b + 0.3, 1))) > 0.5
