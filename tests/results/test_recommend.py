"""Recommendations: the price of choosing, and nothing at chance."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import InstanceWeighted, MarginWeighting
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, TTest
from backstay.study import RepeatedStratifiedKFold, Study, Subsampling


def study(resampling=None, **options):
    return Study(
        {"t": TTest(), "rfe": SVMRFE()},
        resampling or Subsampling(10),
        models={"1nn": KNeighborsClassifier(1), "5nn": KNeighborsClassifier(5)},
        sizes=[1, 2, 5, 10, 20],
        random_state=0,
        **options,
    )


def test_pooled_predictions_are_those_of_the_runs():
    X, y, _ = make_han_yu(40, n_features=100, n_relevant=10, random_state=0)
    part = study(RepeatedStratifiedKFold(4, 2)).run(X, y)._parts["data"]
    tested, everyone = part.tested("rfe"), np.ones((1, 40))
    pooled = part.metric("accuracy").pooled(part.target, tested, everyone).reshape(2, 5)
    # Every row is tested equally often, so the pooled mean is the mean over equal folds.
    _, runs = part.scores("rfe", "accuracy")
    assert pooled == pytest.approx(runs.mean(axis=0))


def test_a_clear_case():
    X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, random_state=0)
    found = study().run(X, y).recommend(n_bootstrap=200)
    assert found.method in ("t", "rfe")
    assert found.metric == "roc_auc"
    assert len(found.signature) == found.size
    assert set(found.core) <= set(found.signature)
    assert {int(name[1:]) for name in found.core} <= set(range(10))
    assert found.signature == [f"x{j}" for j in found.features]
    # 60 rows without an error do not prove that there are none.
    assert found.chance < 0.9 < found.score.low < 0.96
    assert found.score.low <= found.score.value <= found.score.high
    assert repr(found).startswith(f"Recommendation({found.method!r}, size={found.size}, model=")
    assert f"roc_auc={found.score.value:.3f}, chance=0.500" in repr(found)
    assert found.considered.n_configurations == 20
    assert set(found.beside) == {"balanced_accuracy", "accuracy"}
    frame = found.frame().set_index("answer")
    assert list(frame.index) == ["trusted", "short", "accurate"]
    assert frame.loc["trusted", "size"] == found.size
    assert frame.loc["short", "size"] <= found.size
    for answer in found.answers.values():
        for other, (score, stability) in answer.costs.items():
            back = found.answers[other].costs[answer.name]
            assert score.difference == pytest.approx(-back[0].difference)
            assert stability.difference == pytest.approx(-back[1].difference)


def test_flawless_scores_have_a_standard_error():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 20)) + 12 * y[:, None]
    found = study().run(X, y).recommend(n_bootstrap=50)
    assert found.apparent == 1
    assert found.answers["short"].size == 1
    assert found.answers["accurate"].score.low < 1


def test_noise_is_not_recommended_and_the_price_of_choosing_is_paid():
    apparent, corrected, recommended = [], [], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 60)), np.tile([0, 1], 20)
        found = study(RepeatedStratifiedKFold(5, 1)).run(X, y).recommend(n_bootstrap=100)
        recommended += found.method is not None
        apparent.append(found.apparent)
        corrected.append(found.score.value)
        if found.method is None:
            assert repr(found).startswith("Recommendation(None, roc_auc=")
            assert found.signature == []
    assert recommended <= 1
    # The best of 20 is above chance by choice alone; the corrected figure is not.
    assert np.mean(apparent) > 0.53
    assert abs(np.mean(corrected) - 0.5) < 0.04


def test_whole_groups_are_drawn():
    X, y, _ = make_han_yu(30, n_features=40, n_relevant=10, random_state=1)
    X, y, groups = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(30), 2)
    plain, grouped = study().run(X, y), study().run(X, y, groups)
    # Copies on both sides of a split make 1-NN right for the wrong reason.
    found = [r.recommend(n_bootstrap=50).score.value for r in (grouped, plain)]
    assert found[0] < found[1]


def test_a_weighted_method_is_set_against_its_control():
    X, y, _ = make_han_yu(60, n_features=100, n_relevant=50, random_state=0)
    chosen = Study(
        {"iw": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum"))},
        Subsampling(6),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[20],
        random_state=0,
    )
    results = chosen.run(X, y)
    found = results.recommend(n_bootstrap=50)
    role = results._parts["data"].role(found.method)
    assert (found.considered.weighting is not None) == (role.control is not None)


def test_the_weighting_is_not_credited_with_what_the_control_does():
    X, y, _ = make_han_yu(60, n_features=100, random_state=0)
    chosen = Study(
        {"iw": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum"))},
        Subsampling(8),
        models={},
        sizes=[20],
        random_state=0,
    )
    (verdict,) = chosen.run(X, y).weights.verdicts(20)
    assert verdict.method == "iw"  # the plain method has no control
    assert verdict.over_control.low < 0 < verdict.over_plain.low  # stabler, but so is the control
    assert verdict.kind == "explained"


def test_answers_keep_to_what_one_can_afford():
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 20))
    X[:, :8] += 0.7 * y[:, None]
    study = Study({"t": TTest()}, Subsampling(8), sizes=[2, 5, 10], random_state=0, verbose=0)
    results = study.run(X, y)
    free, few = results.recommend(), results.at_most(5).recommend()
    assert max(answer.size for answer in free.answers.values()) == 10
    assert {answer.size for answer in few.answers.values()} <= {2, 5}
    assert few.considered.n_configurations == free.considered.n_configurations * 2 // 3
    # The same as a study that never had the larger size.
    alone = Study({"t": TTest()}, Subsampling(8), sizes=[2, 5], random_state=0, verbose=0)
    assert alone.run(X, y).recommend().score == few.score
    assert results.at_most(5).choice().size <= 5
    assert results.choice().size == free.size
    with pytest.raises(ValueError, match="the least is 2"):
        results.at_most(1)
