"""On the Han–Yu data a study finds what docs/control-finding.md reports."""

import numpy as np
import pytest

from backstay import InstanceWeighted, MarginWeighting
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE
from backstay.study import Study, Subsampling


@pytest.fixture(scope="module")
def results():
    # Training sets of 100 rows that hardly overlap, like the independent ones of that page.
    X, y, truth = make_han_yu(1000, random_state=0)
    study = Study(
        {
            "rfe": SVMRFE(),
            "iw, sum": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
            "iw, mean": InstanceWeighted(SVMRFE(), MarginWeighting(scale="mean")),
        },
        Subsampling(16, train_size=100),
        models={},
        sizes=[50],
        random_state=0,
    )
    return study.run(X, y, truth=truth)


def test_stabilities_are_ranked_as_the_page_says(results):
    frame = results.stability("kuncheva").frame().set_index("method")["value"]
    assert frame["rfe"] == pytest.approx(0.25, abs=0.05)
    assert frame["iw, mean"] == pytest.approx(0.25, abs=0.05)
    assert frame["iw, sum"] == pytest.approx(0.92, abs=0.04)
    assert frame["rfe (control, sum 1)"] == pytest.approx(0.92, abs=0.04)


def test_the_control_explains_the_gain_over_plain(results):
    gains = results.weights.gains().frame().set_index(["method", "over"])
    over_plain = gains.loc[("iw, sum", "plain")]
    over_control = gains.loc[("iw, sum", "control")]
    assert over_plain.gain > 0.6
    assert over_plain.p_value < 1e-6
    assert abs(over_control.gain) < 0.02
    assert abs(gains.loc[("iw, mean", "plain")].gain) < 0.05


def test_the_stable_methods_find_the_relevant_features(results):
    signature = results.signature("rfe (control, sum 1)", 50).frame()
    core = signature["feature"][signature["core"]]
    assert np.mean(core < 50) > 0.95
    assert len(core) > 45
    assert results.signature("rfe", 50).frame()["core"].sum() < 30
