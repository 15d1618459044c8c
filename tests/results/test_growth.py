"""Curves through points against the slow ones, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstay.results import _growth as module
from backstay.results._growth import Growth, weighted_quantiles
from reference import growth as slow


def test_the_laws_by_hand():
    # From 0.6 at 10 rows to 1 in the end: half of what is missing is left at twice the rows.
    assert slow.power_law(0.6, 1.0, 1.0, 20, 10) == pytest.approx(0.8)
    # Half of the way from 0 to 0.8 at 10 rows, so h = 10: at 30 rows 0.8/(1 + 1/3).
    assert slow.from_guess(0.0, 0.4, 0.8, 1.0, 30, 10) == pytest.approx(0.6)
    assert slow.quantile([(3.0, 1.0), (1.0, 1.0), (2.0, 2.0)], 0.5) == 2.0
    # 0.5 ± 0.05 takes about 381 rows by Wilson's interval, 4 fewer than by the plain one.
    assert slow.rows_of_interval(0.5, 0.05) == pytest.approx(380.3, abs=0.1)


VALUES = st.lists(st.floats(-0.1, 0.95), min_size=3, max_size=3)


@settings(max_examples=30, deadline=None)
@given(values=VALUES, error=st.floats(0.1, 0.3), together=st.floats(0, 0.5))
def test_curves_are_those_of_the_slow_way(values, error, together):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SHARES", np.array([0.0, 0.5, 1.0, 1.0]))
        patch.setattr(module, "RATES", np.array([0.5, 1.0, 2.0]))
        patch.setattr(module, "N_LEVELS", 7)
        rows = np.array([10.0, 15.0, 20.0])
        covariance = error**2 * (np.eye(3) * (1 - together) + together)
        found = Growth.fit(rows, np.array(values), covariance, 0.0, 1.0)
        reach = module.REACH * error
        levels = np.linspace(values[-1] - reach, min(values[-1] + reach, 1.0), 7)
        grid = (levels.tolist(), [0.0, 0.5, 1.0, 1.0], [0.5, 1.0, 2.0], module.LEAST_ABOVE)
        points = list(zip(rows.tolist(), values, strict=True))
        inverse = np.linalg.inv(covariance).tolist()
        every = slow.curves(points, inverse, 0.0, 1.0, grid)
    total = sum(weight for _, weight in every)
    for m in (12.0, 40.0, 80.0):
        mean = sum(curve(m) * weight for curve, weight in every) / total
        assert found.values(m) @ found.weight == pytest.approx(mean, abs=1e-9)
        said = found.at(m)
        # A quantile between two curves of nearly the same weight below may be either of them.
        for value, share in ((said.low, 0.025), (said.value, 0.5), (said.high, 0.975)):
            ends = [slow.at(every, m, share + step) for step in (-1e-9, 1e-9)]
            assert ends[0] - 1e-9 <= value <= ends[1] + 1e-9
    needed = found.rows_for(0.5)
    for value, share in ((needed.low, 0.025), (needed.value, 0.5), (needed.high, 0.975)):
        ends = [slow.rows_for(every, 0.5, share + step) for step in (-1e-9, 1e-9)]
        if ends[0] > 1e-5:  # below that the slow way does not look
            assert ends[0] * (1 - 1e-6) <= value <= ends[1] * (1 + 1e-6)


def test_no_curve_falls_or_goes_beyond_its_end():
    found = Growth.fit(
        np.array([13.0, 20.0, 27.0]), np.array([0.6, 0.7, 0.75]), np.eye(3) * 0.05**2, 0.5, 1.0
    )
    by_rows = np.array([found.values(m) for m in (5, 13, 27, 60, 160, 1e6)])
    assert (np.diff(by_rows, axis=0) >= -1e-12).all()
    assert (by_rows <= found.end + 1e-12).all()
    assert by_rows.max() <= 1 + 1e-12
    assert found.weight.sum() == pytest.approx(1)


def test_exact_points_give_back_their_law():
    rows = np.array([10.0, 20.0, 40.0])
    values = slow.power_law(0.8, 0.95, 1.0, rows, 40.0)
    found = Growth.fit(rows, values, np.eye(3) * 0.0005**2, 0.5, 1.0)
    assert found.at(80).value == pytest.approx(slow.power_law(0.8, 0.95, 1.0, 80, 40), abs=0.01)
    rising = slow.from_guess(0.0, 0.3, 1.0, 2.0, rows, 40.0)
    found = Growth.fit(rows, rising, np.eye(3) * 0.0005**2, 0.0, 1.0)
    wanted = slow.from_guess(0.0, 0.3, 1.0, 2.0, 80, 40)
    assert found.at(80).value == pytest.approx(wanted, abs=0.02)
    assert found.rows_for(0.5).value == pytest.approx(40 * math.sqrt(7 / 3), rel=0.03)


def test_quantiles_of_weights():
    values, weight = np.array([3.0, 1.0, math.inf]), np.array([0.2, 0.3, 0.5])
    assert weighted_quantiles(values, weight, (0.1, 0.31, 0.6)) == [1.0, 3.0, math.inf]
