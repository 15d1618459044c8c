"""Every instance-weighted method gets its uniform control of equal mass, and its plain form."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from backstay import (
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    UniformWeighting,
)
from backstay.datasets import make_han_yu
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import TTest
from backstay.study import Study, Subsampling

X, y, _ = make_han_yu(40, n_features=30, n_relevant=5, block_size=5, random_state=0)


def with_controls(methods):
    """All methods that a study of these runs, and the part that each has in it."""
    study = Study(methods, Subsampling(2), models={}, sizes=[3], random_state=0, verbose=0)
    return study.all_methods(), study.run(X, y).data.methods


def test_controls_share_what_is_the_same():
    methods = {
        "rf": ReliefF(),
        "mbiw": InstanceWeighted(ReliefF(), MarginWeighting()),
        "liw": InstanceWeighted(ReliefF(), LogisticWeighting()),
        "sum": InstanceWeighted(ReliefF(), MarginWeighting(scale="sum")),
        "t": InstanceWeighted(TTest(), LogisticWeighting()),
    }
    everyone, roles = with_controls(methods)
    assert list(everyone) == [
        *methods,
        "rf (control, mean 1)",
        "rf (control, sum 1)",
        "TTest",
        "TTest (control, mean 1)",
    ]
    assert roles["mbiw"].control == roles["liw"].control == "rf (control, mean 1)"
    assert roles["sum"].control == "rf (control, sum 1)"
    assert roles["sum"].plain == "rf"
    assert roles["t"].plain == "TTest"
    assert roles["TTest"].added
    assert not roles["rf"].added
    control = everyone["rf (control, sum 1)"]
    assert isinstance(control.weighting, UniformWeighting)
    assert control.weighting.scale == "sum"


def test_a_control_that_is_there_already_is_used():
    methods = {
        "mbiw": InstanceWeighted(TTest(), MarginWeighting()),
        "mine": InstanceWeighted(TTest(), UniformWeighting()),
        "plain": TTest(),
    }
    everyone, roles = with_controls(methods)
    assert list(everyone) == list(methods)
    assert roles["mbiw"].control == "mine"
    assert roles["mbiw"].plain == "plain"
    assert roles["mine"].control is None


def test_weighted_parts_inside_other_methods_are_found():
    inner = InstanceWeighted(TTest(), MarginWeighting(scale="sum"), strategy="sample")
    everyone, roles = with_controls({"bag": BaggedRanker(inner, 5)})
    assert roles["bag"].plain == "BaggedRanker"
    assert isinstance(everyone["BaggedRanker"].estimator, TTest)
    control = everyone[roles["bag"].control]
    assert control.n_resamples == 5
    assert control.estimator.strategy == "sample"
    assert isinstance(control.estimator.weighting, UniformWeighting)


class Odd(BaseEstimator):
    """A weighting that does not say how it scales."""

    def fit_weight(self, X, y):
        return np.arange(1.0, len(y) + 1)


def test_a_weighting_of_unknown_scale_gets_a_control_of_the_same_sum():
    everyone, roles = with_controls({"odd": InstanceWeighted(TTest(), Odd())})
    weighting = everyone[roles["odd"].control].weighting
    assert not hasattr(weighting, "scale")
    omega = weighting.fit_weight(X, y)
    assert np.ptp(omega) == 0
    assert omega.sum() == pytest.approx(Odd().fit_weight(X, y).sum())


def test_without_controls_there_are_none():
    study = Study(
        {"mbiw": InstanceWeighted(TTest(), MarginWeighting())},
        Subsampling(4),
        models={},
        sizes=[3],
        controls=False,
        random_state=0,
    )
    assert list(study.all_methods()) == ["mbiw"]
    results = study.run(X, y)
    assert results.methods == ["mbiw"]
    assert len(results.weights.gains()) == 0


def test_a_study_tells_beforehand_which_methods_it_runs():
    study = Study(
        {"mbiw": InstanceWeighted(TTest(), MarginWeighting())},
        Subsampling(2),
        models={},
        sizes=[3],
        random_state=0,
    )
    assert list(study.all_methods()) == ["mbiw", "TTest", "TTest (control, mean 1)"]
    assert study.run(X, y).methods == list(study.all_methods())
