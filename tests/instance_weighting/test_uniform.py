import numpy as np
import pytest
from numpy.testing import assert_array_equal

from backstay import UniformWeighting

X, y = np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [({}, 1.0), ({"scale": "sum"}, 0.25), ({"total": 10.0}, 2.5), ({"total": 1.0}, 0.25)],
)
def test_mass(parameters, expected):
    assert_array_equal(UniformWeighting(**parameters).fit_weight(X, y), np.full(4, expected))


def test_total_must_be_positive():
    with pytest.raises(ValueError, match="'total' parameter of UniformWeighting"):
        UniformWeighting(total=0.0).fit(X, y)
