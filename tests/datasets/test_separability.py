"""The distance between relevant and irrelevant weights, by hand."""

import numpy as np
import pytest

from backstay.datasets import separability


def test_separability_is_the_difference_of_the_maxima():
    assert separability([0.1, 0.7, 0.3, -0.2], [1, 0.5, 0, 0]) == pytest.approx(0.4)
    assert separability([-0.5, -0.7, -0.1], [1, 1, 0]) == pytest.approx(-0.4)


@pytest.mark.parametrize(
    ("weights", "relevance", "message"),
    [
        ([1, 2], [1, 1], "2 of 2 features"),
        ([1, 2], [0, 0], "0 of 2 features"),
        ([1, 2, 3], [0, 1], r"shape \(3,\).*shape \(2,\)"),
        ([[1, 2]], [[0, 1]], "one per feature"),
        ([1, np.nan], [0, 1], "finite numbers"),
        ([1, 2], [np.inf, 1], "finite numbers"),
    ],
)
def test_separability_refuses(weights, relevance, message):
    with pytest.raises(ValueError, match=message):
        separability(weights, relevance)
