"""Two studies of different samples: what they share, against levels computed in other ways."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from backstay import Study, TTest
from backstay.results import compare_studies
from backstay.study import Subsampling


def study(seed, names, flip=(), classes=("ill", "well"), null=3):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, len(names)))
    for j, name in enumerate(names):
        if name in "abcd":
            X[:, j] += (-1.5 if name in flip else 1.5) * y
    methods, sizes = {"t": TTest()}, [4]
    results = Study(methods, Subsampling(4), sizes=sizes, null=null, random_state=0, verbose=0)
    return results.run(pd.DataFrame(X, columns=list(names)), np.array(classes)[y]), X, y


@pytest.fixture(scope="module")
def pair():
    first, X, y = study(0, "abcdefghij")
    second, Z, z = study(1, "xjihgfedcba", flip="a")
    return first, second, pd.DataFrame(X, columns=list("abcdefghij")), y, Z, z


def test_overlap_and_its_levels(pair):
    first, second, *_ = pair
    found = compare_studies(first, second)
    assert found.n_shared == 10
    sets = [set(one.signature("t", 4).frame()["name"]) for one in (first, second)]
    assert set(found.both) == sets[0] & sets[1]
    shared = sets[1] - {"x"}
    assert found.sizes == (4, len(shared))
    assert found.at_random == pytest.approx(4 * len(shared) / 10)
    ways = sum(stats.hypergeom.pmf(k, 10, 4, len(shared)) for k in range(len(found.both), 5))
    assert found.random_p_value == pytest.approx(ways)
    assert 0 <= found.overlap.null <= 4
    assert found.overlap.p_value >= 1 / 10  # three permutations each, nine pairs


def test_rank_correlation_is_spearmans(pair):
    first, second, *_ = pair
    ranks = []
    for one in (first, second):
        frame = one.features("t", 4).frame().set_index("name")["mean_rank"]
        ranks.append(frame.loc[list("abcdefghij")])
    wanted = stats.spearmanr(*ranks).statistic
    assert compare_studies(first, second).rank_correlation.value == pytest.approx(wanted)


def test_replicated_means_direction_and_significance(pair):
    first, second, X, y, *_ = pair
    frame = compare_studies(first, second).features().frame().set_index("name")
    assert not frame.loc["a", "replicated"]  # turned round in the second
    assert not frame.loc["a", "same_direction"]
    for name in "bcd":
        assert frame.loc[name, "replicated"]
        wanted = stats.ttest_ind(X.loc[y == 1, name], X.loc[y == 0, name], equal_var=False)
        assert frame.loc[name, "first_p_value"] == pytest.approx(wanted.pvalue)


def test_studies_without_a_common_ground_are_refused(pair):
    first, *_ = pair
    other, *_ = study(2, "klmnopqrst", null=0)
    with pytest.raises(ValueError, match="no feature of the same name"):
        compare_studies(first, other)
    other, *_ = study(2, "abcdefghij", classes=("sick", "well"), null=0)
    with pytest.raises(
        ValueError,
        match=r"different classes \(ill, well and sick, well\); give them the same names",
    ):
        compare_studies(first, other)
