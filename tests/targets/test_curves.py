"""Curves of scores over runs, against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from backstay.targets import as_target


def single_curve(kind, positive, scores):
    """The curve of one run that tested every row of two classes."""
    target = as_target([0, 1]).take(positive.astype(int))
    outputs = np.column_stack([np.zeros(len(scores)), scores])
    run = (np.arange(len(scores)), outputs)
    return pd.DataFrame(target.table(kind, [run], 1.0, 0.5))


def area(curve):
    return integrate.trapezoid(curve["y"], curve["x"])


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_single_curve_is_scikit_learns(seed, ties):
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(int(rng.integers(4, 30))) % 3 == 0)
    scores = rng.normal(size=len(positive)) + positive
    scores = scores.round() if ties else scores
    curve = single_curve("roc", positive, scores)
    assert set(curve["class"]) == {1}
    assert area(curve) == pytest.approx(roc_auc_score(positive, scores))
    alarms, hits, _ = roc_curve(positive, scores, drop_intermediate=False)
    inside = np.linspace(0, 1, 101)[1:-1] + 1e-4
    inside = inside[np.abs(inside[:, None] - alarms).min(axis=1) > 1e-3]
    x, y = curve["x"].to_numpy(), curve["y"].to_numpy()
    np.testing.assert_allclose(np.interp(inside, x, y), np.interp(inside, alarms, hits), atol=1e-9)
    curve = single_curve("precision_recall", positive, scores)
    # As the metric of a study has it: precision at each positive row, ties as high as itself.
    expected = average_precision_score(positive, scores)
    assert area(curve) == pytest.approx(expected)
    assert (curve["low"] <= curve["high"]).all()


def test_a_run_without_both_classes_has_no_curve():
    assert len(single_curve("roc", np.ones(3, bool), np.arange(3.0))) == 0
