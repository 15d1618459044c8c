"""Each source of instability alone, on rankers that have one source only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from backstay import FeatureRanker, TTest, sources_of_instability
from backstay.datasets import make_han_yu

X, y, _ = make_han_yu(60, n_features=30, n_relevant=6, random_state=0)


@dataclass(eq=False, repr=False)
class Dice(FeatureRanker):
    """Looks at its random state alone."""

    random_state: Any = 7

    def _score(self, X, y, sample_weight):
        return np.random.default_rng(self.random_state).random(X.shape[1])


@dataclass(eq=False, repr=False)
class Folds(FeatureRanker):
    """Looks at its folds alone."""

    cv: Any = 3

    def _score(self, X, y, sample_weight):
        assert len(self.cv) == 3
        return np.random.default_rng(self.cv[0][1]).random(X.shape[1])


@dataclass(eq=False, repr=False)
class FiveByTwoFolds(Folds):
    cv: Any = None

    def _score(self, X, y, sample_weight):
        assert len(self.cv) == 10
        return np.random.default_rng(self.cv[0][1]).random(X.shape[1])


@pytest.mark.parametrize(
    ("ranker", "expected"),
    [
        (Dice(), [0, 0, 1, 1]),
        (Folds(), [1, 1, 0, 1]),  # other rows are cut into other folds
        (FiveByTwoFolds(), [1, 1, 0, 1]),
    ],
)
def test_one_source_alone(ranker, expected):
    found = sources_of_instability(ranker, X, y, size=6, n_blocks=6, n_repeats=5, random_state=0)
    assert found.index.tolist() == ["sample", "folds", "own chance", "all together"]
    assert np.abs(found["instability"] - expected).max() < 0.2
    none = [name for name, share in zip(found.index, expected, strict=True) if not share]
    assert (found.loc[none, "instability"] == 0).all()


def test_a_method_without_chance_has_the_sample_alone():
    found = sources_of_instability(TTest(), X[:, 4:], y, size=5, random_state=0)
    assert found.loc["sample", "instability"] > 0
    assert found.loc[["folds", "own chance"], "instability"].tolist() == [0, 0]
    assert found["fits"].tolist() == [16, 0, 0, 12]
    again = sources_of_instability(TTest(), X[:, 4:], y, size=5, random_state=0)
    assert found.equals(again)
    with pytest.raises(ValueError, match="at least 2"):
        sources_of_instability(TTest(), X, y, size=5, n_blocks=1)
