"""Worked examples of the literature."""

import numpy as np
import pytest

from backstay.stability import selection_frequency, stability_curve, stability_score

# Kuncheva's two sequences of ten features, as in [Prat] eq. 2.44-2.45 (features from 1).
KUNCHEVA = (
    np.array([[9, 7, 2, 1, 3, 10, 8, 4, 5, 6], [3, 7, 9, 10, 2, 4, 8, 6, 1, 5]]) - 1
)  # fmt: skip

# The two panels of [Prat 2.3.4]: five subsets of 20 features each.
LEFT = """11110000000000000000 00001111000000000000 00000000111100000000
          00000000000011110000 00000000000000001111"""
RIGHT = """11111110000111111111 11111101000111111111 11111100100111111111
           11111100010111111111 11111100001111111111"""


def panel(text):
    return np.array([[bit == "1" for bit in row] for row in text.split()])


def test_kunchevas_sequences():
    """Overlaps 0, 1, 2, 2, 4, 5, 6, 7, 8 counted by hand; (r − k²/10)/(k − k²/10)."""
    overlaps = np.array([0, 1, 2, 2, 4, 5, 6, 7, 8])
    k = np.arange(1, 10)
    expected = (10 * overlaps - k**2) / (k * (10 - k))
    curve = stability_curve(KUNCHEVA)
    np.testing.assert_allclose(curve.value[:-1], expected, rtol=1e-14)
    np.testing.assert_allclose(
        curve.value[:-1],
        [-0.1111, 0.375, 0.5238, 0.1667, 0.6, 0.5833, 0.5238, 0.375, -0.1111],
        atol=5e-5,
    )
    assert np.isnan(curve.value.iloc[-1])
    for size, value in zip(k, expected, strict=True):
        score = stability_score(KUNCHEVA[:, :size], 10, "kuncheva")
        assert score.value == pytest.approx(value, rel=1e-14)


def test_all_measures_drop_at_four_features():
    """[Prat 2.3.2]: all measures see the decrease at k = 4; Křížek's stays the same."""
    for measure in ("dunne", "kalousis", "kuncheva", "somol_weighted", "nogueira"):
        value = stability_curve(KUNCHEVA, measure).value
        assert value[3] < value[2], measure
        assert value[3] < value[4], measure
    entropy = stability_curve(KUNCHEVA, "krizek", sizes=range(1, 10))
    np.testing.assert_allclose(entropy.value, 1)


def test_the_panels_have_one_entropy_and_opposite_stability():
    left, right = panel(LEFT), panel(RIGHT)
    for matrix in (left, right):
        entropy = stability_score(matrix, measure="krizek")
        assert entropy.value == pytest.approx(np.log2(5))
        assert entropy.details["normalized"] == pytest.approx(0)
    # Left: disjoint sets of 4 of 20. Right: 15 of 16 shared, so 10 pairs of overlap 15.
    expected = {
        "kuncheva": (-0.25, 2.2 / 3.2),
        "nogueira": (-0.25, 2.2 / 3.2),
        "kalousis": (0, 15 / 17),
        "dunne": (0.6, 0.9),
        "somol_weighted": (0, 15 / 16),
        "somol": (0, 15 / 20),
        "somol_relative": (0, (15 / 16 - 0.75) / (1 - 0.75)),
    }
    for measure, (bad, good) in expected.items():
        assert stability_score(left, measure=measure).value == pytest.approx(bad), measure
        assert stability_score(right, measure=measure).value == pytest.approx(good), measure


def test_nogueiras_demo():
    """Figures printed in the authors' demonstration notebook."""
    steady = np.array([[1, 1, 0]] * 3, dtype=bool)
    shifting = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    assert stability_score(steady).value == pytest.approx(1)
    assert stability_score(shifting).value == pytest.approx(-0.5)
    random = """1111000000 0001011100 0100011100 1100101000 0110110000
                0111001000 1001000011 0001011100 0011110000 0000100111"""
    result = stability_score(panel(random), variance_from="analytic")
    assert result.value == pytest.approx(-0.037037037037, abs=5e-13)
    assert result.variance == pytest.approx(0.00516666666667, abs=5e-15)


def test_hans_frequency_table_has_its_three_columns():
    """[Han] Table 7.6 counts features in [1,100], (50,100] and (85,100] of 100 runs."""
    runs = np.zeros((100, 6), dtype=bool)
    for feature, times in enumerate([0, 1, 50, 51, 85, 86]):
        runs[:times, feature] = True
    frequency = selection_frequency(runs)
    assert [int((frequency > share).sum()) for share in (0, 0.5, 0.85)] == [5, 3, 1]
