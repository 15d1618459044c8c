"""Recommendations: the rule, the price of choosing, and nothing at chance."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import InstanceWeighted, MarginWeighting
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, TTest
from backstay.results._recommendation import _pool, choose
from backstay.study import RepeatedStratifiedKFold, Study, Subsampling

SHAPE = (2, 1, 3)  # methods, classifiers, sizes
STABILITY = np.array([[0.9, 0.8, 0.1], [0.2, 0.3, 0.9]])


def places(accuracy, error=0.02, stability=STABILITY, chance=0.5):
    value = np.array(accuracy, dtype=float).reshape(-1)
    return choose(value, np.full(value.size, error), stability, chance, SHAPE)


def test_the_smallest_size_near_the_best_and_the_most_stable_method_there():
    # Best 0.90 at the third size; within 0.02 of it: second method, second size.
    assert places([[0.70, 0.85, 0.90], [0.70, 0.89, 0.89]]) == (1, 0, 1)
    # Both methods at the second size: the more stable one.
    assert places([[0.70, 0.89, 0.90], [0.70, 0.89, 0.89]]) == (0, 0, 1)
    # A method that is close already at the first size.
    assert places([[0.70, 0.89, 0.90], [0.885, 0.89, 0.89]]) == (1, 0, 0)


def test_stable_at_chance_never_wins():
    # Everything near the best is at chance within its error.
    assert places([[0.52, 0.52, 0.52], [0.50, 0.51, 0.53]]) is None
    # With a wide error band the first method would be near the best, but it is at chance.
    found = places([[0.55, 0.55, 0.55], [0.60, 0.60, 0.64]], error=0.05)
    assert found == (1, 0, 0)


def test_undefined_stability_does_not_win():
    undefined = np.array([[np.nan] * 3, [0.1] * 3])
    assert places(np.full((2, 3), 0.9), stability=undefined) == (1, 0, 0)


def study(resampling=None, **options):
    return Study(
        {"t": TTest(), "rfe": SVMRFE()},
        resampling or Subsampling(10),
        classifiers={"1nn": KNeighborsClassifier(1), "5nn": KNeighborsClassifier(5)},
        sizes=[1, 2, 5, 10, 20],
        random_state=0,
        **options,
    )


def test_pooled_predictions_are_those_of_the_runs():
    X, y, _ = make_han_yu(40, n_features=100, n_relevant=10, random_state=0)
    part = study(RepeatedStratifiedKFold(4, 2)).run(X, y)._parts["data"]
    pool = _pool(part, "accuracy")
    accuracy, error = pool.estimates(np.ones(40))
    # Every row is tested equally often, so the pooled mean is the mean over equal folds.
    _, runs = part.scores("rfe", "accuracy")
    assert accuracy.reshape(pool.shape)[1] == pytest.approx(runs.mean(axis=0))
    right = pool.right[:, 0]
    assert error[0] == pytest.approx(right.std() / np.sqrt(40))
    balanced, _ = _pool(part, "balanced_accuracy").estimates(np.ones(40))
    by_class = [right[y == c].mean() for c in (0, 1)]
    assert balanced[0] == pytest.approx(np.mean(by_class))


def test_a_clear_case():
    X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, random_state=0)
    found = study().run(X, y).recommend(n_bootstrap=200)
    assert found.method in ("t", "rfe")
    assert set(found.features) <= set(range(10))
    assert found.signature == [f"x{j}" for j in found.features]
    assert found.low > found.chance
    # 60 rows without an error do not prove that there are none.
    assert 0.9 < found.low < 0.96
    assert found.low <= found.accuracy <= found.high
    assert f"{found.method} with {found.size} feature" in found.sentence
    assert "Having chosen among 20 configurations" in found.sentence
    assert found.frame()["size"].item() == found.size


def test_noise_is_not_recommended_and_the_price_of_choosing_is_paid():
    apparent, corrected, recommended = [], [], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 60)), np.tile([0, 1], 20)
        found = study(RepeatedStratifiedKFold(5, 1)).run(X, y).recommend(n_bootstrap=100)
        recommended += found.method is not None
        apparent.append(found.apparent)
        corrected.append(found.accuracy)
        if found.method is None:
            assert "No method is recommended" in found.sentence
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
    assert grouped.recommend(n_bootstrap=50).accuracy < plain.recommend(n_bootstrap=50).accuracy


def test_a_weighted_method_is_set_against_its_control():
    X, y, _ = make_han_yu(60, n_features=100, n_relevant=50, random_state=0)
    chosen = Study(
        {"iw": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum"))},
        Subsampling(6),
        classifiers={"1nn": KNeighborsClassifier(1)},
        sizes=[20],
        random_state=0,
    )
    results = chosen.run(X, y)
    found = results.recommend(n_bootstrap=50)
    role = results._parts["data"].role(found.method)
    assert ("uniform control" in found.sentence) == (role.control is not None)


def test_the_weighting_is_not_credited_with_what_the_control_does():
    from backstay.results._recommendation import _against_control

    X, y, _ = make_han_yu(60, n_features=100, random_state=0)
    chosen = Study(
        {"iw": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum"))},
        Subsampling(8),
        classifiers={},
        sizes=[20],
        random_state=0,
    )
    part = chosen.run(X, y)._parts["data"]
    sentence = _against_control(part, "iw", 20)
    assert sentence.startswith(" Its stability exceeds that of its uniform control by ")
    assert "cannot be credited" in sentence
    assert _against_control(part, "SVMRFE", 20) == ""
