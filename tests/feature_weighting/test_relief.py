import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils import check_random_state

from backstay import DoubleReliefF, Relief, ReliefF
from backstay.datasets import make_han_yu, make_xor
from reference import relief as reference
from strategies import continuous_tables, grids, instance_weights, labels, tables

pytestmark = pytest.mark.filterwarnings("ignore:class .* has a single member:UserWarning")


def rows_of(X):
    return [[None if v != v else float(v) for v in row] for row in np.asarray(X)]


def test_reference_by_hand():
    # One feature, 0, 0.5 | 1, k = 1: row 0: hit 0.5, miss 1; row 1: hit 0.5, miss 0.5;
    # row 2 has no hit, miss 0.5. Mean of (1 − 0.5), (0.5 − 0.5), 0.5.
    table = reference.Table([[0.0], [0.5], [1.0]], ["a", "a", "b"])
    assert reference.relieff(table, k=1) == pytest.approx([1 / 3])
    # Three classes, nominal: priors ½, ¼, ¼ of the other classes over 1 − P(own).
    rows = [["u"], ["u"], ["v"], ["w"]]
    table = reference.Table(rows, ["a", "a", "b", "c"], nominal=[0])
    # Row 0 and 1: hit 0, misses ½·1 + ½·1; rows 2 and 3: ⅔·1 + ⅓·1.
    assert reference.relieff(table, k=1) == pytest.approx([1.0])


def test_reference_missing_by_hand():
    rows = [["u"], ["u"], [None], ["v"], [None]]
    table = reference.Table(rows, ["a", "a", "a", "b", "b"], nominal=[0])
    assert table.diff(0, 2, 0) == 0.0  # 1 − P(u | a) = 0
    assert table.diff(0, 0, 4) == 1.0  # 1 − P(u | b) = 1
    assert table.diff(0, 2, 4) == 1.0  # 1 − Σ P(x|a) P(x|b) = 1
    worst = reference.Table(rows, ["a", "a", "a", "b", "b"], nominal=[0], missing="worst")
    assert worst.diff(0, 2, 0) == 0.5
    numeric = reference.Table([[0.0], [10.0], [None], [2.0]], [0, 0, 1, 1])
    assert numeric.diff(0, 2, 3) == pytest.approx(0.8)
    assert numeric.diff(0, 2, 2) == 1.0


@given(
    tables(), st.integers(1, 6), st.sampled_from(["per_class", "any"]), st.sampled_from([None, 2.0])
)
def test_relieff_equals_reference(table, k, miss, sigma):
    X, y = table
    got = ReliefF(k, miss=miss, sigma=sigma).fit(X, y).feature_importances_
    expected = reference.relieff(reference.Table(rows_of(X), list(y)), k, miss, sigma)
    assert_allclose(got, expected, atol=1e-9)


@given(st.data(), tables(), st.integers(1, 6), st.sampled_from(["per_class", "any"]))
def test_weighted_relieff_equals_reference(data, table, k, miss):
    X, y = table
    omega = data.draw(instance_weights(len(y)))
    got = ReliefF(k, miss=miss).fit(X, y, sample_weight=omega).feature_importances_
    relative = [float(o) for o in omega]
    expected = reference.relieff(reference.Table(rows_of(X), list(y)), k, miss, omega=relative)
    assert_allclose(got, expected, atol=1e-9)


@given(st.data(), tables(), st.integers(1, 6), st.sampled_from(["per_class", "any"]))
def test_neighbours_as_printed_equal_reference(data, table, k, miss):
    X, y = table
    omega = data.draw(instance_weights(len(y)))
    ranker = ReliefF(k, miss=miss, neighbor_weights="printed").fit(X, y, sample_weight=omega)
    relative = [float(o) for o in omega / omega.mean()]
    oracle = reference.Table(rows_of(X), list(y))
    expected = reference.relieff(oracle, k, miss, omega=relative, printed=True)
    assert_allclose(ranker.feature_importances_, expected, atol=1e-9)


def test_as_printed_a_heavy_class_counts_more():
    """Rows 0 and 1 of class a weigh 2, rows 2 and 3 of b weigh 1; mean 1.5, so 4/3 and 2/3.

    k = 1 and one feature 0, 0.5, 1, 0.75. Hits differ by ½ and ¼. Misses: 0 → 3 by ¾, 1 → 3 by ¼,
    2 → 1 by ½, 3 → 1 by ¼. Sums ω_i·(ω_miss·miss − ω_hit·hit), over Σω = 4.
    """
    X, y, omega = np.array([[0.0], [0.5], [1.0], [0.75]]), [0, 0, 1, 1], [2.0, 2.0, 1.0, 1.0]
    a, b = 4 / 3, 2 / 3
    rows = [a * (b * 0.75 - a * 0.5), a * (b * 0.25 - a * 0.5)]
    rows += [b * (a * 0.5 - b * 0.25), b * (a * 0.25 - b * 0.25)]
    ranker = ReliefF(1, neighbor_weights="printed").fit(X, y, sample_weight=omega)
    assert ranker.feature_importances_ == pytest.approx([sum(rows) / 4])
    alike = ReliefF(1, neighbor_weights="printed").fit(X, y).feature_importances_
    assert_allclose(alike, ReliefF(1).fit(X, y).feature_importances_)


@st.composite
def mixed_tables(draw):
    """Numeric and nominal columns with gaps; grid values keep every sum exact but for P(v|c)."""
    n = draw(st.integers(3, 10))
    X = draw(grids(n, 2))
    gaps = np.array(draw(st.lists(st.integers(0, 4), min_size=2 * n, max_size=2 * n)))
    X[gaps.reshape(n, 2) == 0] = np.nan
    X[0], X[1] = np.nan_to_num(X[0]), np.nan_to_num(X[1], nan=1.0)  # keep the range [0, 1]
    values = [st.sampled_from(["u", "v", "w", None]), st.sampled_from(["p", "q"])]
    nominal = [draw(st.lists(s, min_size=n, max_size=n)) for s in values]
    frame = pd.DataFrame({"a": X[:, 0], "s": pd.Categorical(nominal[0]), "b": X[:, 1]})
    frame["t"] = pd.Series(nominal[1], dtype="category")
    rows = [[_none(X[i, 0]), nominal[0][i], _none(X[i, 1]), nominal[1][i]] for i in range(n)]
    return frame, rows, draw(labels(n))


def _none(value):
    return None if np.isnan(value) else float(value)


@given(
    mixed_tables(),
    st.sampled_from(["heom", "vdm"]),
    st.sampled_from(["class", "worst"]),
    st.sampled_from(["per_class", "any"]),
)
def test_mixed_columns_equal_reference(table, metric, missing, miss):
    # k covers whole classes: no choice among neighbours that rounding of P(v|c) could turn.
    frame, rows, y = table
    ranker = ReliefF(50, miss=miss, metric=metric, missing=missing).fit(frame, y)
    oracle = reference.Table(rows, list(y), [1, 3], metric, missing)
    assert_allclose(ranker.feature_importances_, reference.relieff(oracle, 50, miss), atol=1e-9)


@given(mixed_tables(), st.integers(1, 3))
def test_mixed_neighbors_equal_reference(table, k):
    # "worst" with two values adds halves only: distances stay exact, so few neighbours do too.
    frame, rows, y = table
    frame = frame.drop(columns="s")
    rows = [[row[0], row[2], row[3]] for row in rows]
    ranker = ReliefF(k, missing="worst").fit(frame, y)
    oracle = reference.Table(rows, list(y), [2], missing="worst")
    assert_allclose(ranker.feature_importances_, reference.relieff(oracle, k), atol=1e-9)


@given(tables(), st.integers(1, 5), st.sampled_from([sparse.csr_array, sparse.csr_matrix]))
def test_sparse_equals_dense(table, k, kind):
    X, y = table
    X = X - 0.375  # negative values, and constant columns that vanish
    assert_allclose(
        ReliefF(k).fit(kind(X), y).feature_importances_,
        ReliefF(k).fit(X, y).feature_importances_,
        atol=1e-9,
    )


@given(tables(), st.integers(1, 12), st.sampled_from(["per_class", "any"]))
def test_blocks_equal_all_at_once(table, k, miss):
    X, y = table
    ranker = ReliefF(k, miss=miss)
    expected = ranker.fit(X, y).feature_importances_
    everyone = ranker.set_params(n_draws=len(y)).fit(X, y)  # goes block by block
    assert_allclose(everyone.feature_importances_, expected, atol=1e-12)


def test_tiles_and_blocks_agree_beyond_one_tile():
    X, y, _ = make_han_yu(n_samples=300, n_features=60, random_state=0)
    y[:20] = 2
    expected = ReliefF().fit(X, y).feature_importances_
    everyone = ReliefF(n_draws=len(y)).fit(X, y)  # goes block by block
    assert_allclose(everyone.feature_importances_, expected, atol=1e-12)


@given(
    st.data(),
    continuous_tables(),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from(["per_class", "any"]),
    st.sampled_from([(2, 0.0633657), (1, 0.5), (3, 1e-9)]),
)
def test_double_relieff_equals_reference(data, table, k, progressive, miss, schedule):
    X, y = table
    omega = data.draw(st.one_of(st.none(), instance_weights(len(y))))
    ranker = DoubleReliefF(k, miss=miss, progressive=progressive, schedule=schedule, random_state=3)
    ranker.fit(X, y, sample_weight=omega)
    visits = check_random_state(3).permutation(len(y)).tolist()
    expected = reference.double_relieff(
        reference.Table(rows_of(X), list(y)),
        visits,
        k,
        miss,
        progressive,
        None if omega is None else [float(o) for o in omega],
        schedule,
    )
    assert_allclose(ranker.feature_importances_, expected, atol=1e-9)


@pytest.mark.parametrize("seed", [47, 140])
def test_rounding_errors_are_no_weights(seed):
    """Copies of a row as hit and miss cancel, but for the last digit of a product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, 2))
    one, other = rng.permutation(4)[:2]
    X[one] = X[other]
    y = rng.integers(0, 2, 4)
    y[0], y[1] = 0, 1
    omega = rng.random(4)
    omega[rng.integers(0, 4)] = 0.0
    with pytest.warns(UserWarning, match="single member"):
        found = DoubleReliefF(n_neighbors=1, random_state=3).fit(X, y, sample_weight=omega)
    visits = check_random_state(3).permutation(4).tolist()
    expected = reference.double_relieff(
        reference.Table(rows_of(X), list(y)), visits, 1, omega=omega.tolist()
    )
    assert expected == [0.0, 0.0]
    assert_allclose(found.feature_importances_, expected, atol=1e-15)


@pytest.mark.parametrize(
    "ranker", [ReliefF(3), ReliefF(3, miss="any"), Relief(), DoubleReliefF(random_state=0)]
)
def test_weight_contracts(ranker):
    X, y, _ = make_han_yu(n_samples=40, n_features=50, random_state=0)
    omega = np.random.default_rng(0).uniform(size=40)
    plain = ranker.fit(X, y).feature_importances_
    assert_array_equal(ranker.fit(X, y, sample_weight=np.full(40, 0.3)).feature_importances_, plain)
    weighted = ranker.fit(X, y, sample_weight=omega).feature_importances_
    scaled = ranker.fit(X, y, sample_weight=omega * 7).feature_importances_
    assert np.abs(weighted - plain).max() > 1e-3
    assert_allclose(scaled, weighted, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_draws", [None, 50])
def test_threads_do_not_change_the_result(dtype, n_draws):
    X, y, _ = make_han_yu(n_samples=300, n_features=600, random_state=0)
    X = X.astype(dtype)
    results = [
        ReliefF(n_draws=n_draws, n_jobs=j, random_state=0).fit(X, y).feature_importances_
        for j in (None, 1, 2, 3)
    ]
    for result in results[1:]:
        assert_array_equal(result, results[0])


def test_float32_is_close():
    X, y, _ = make_han_yu(n_samples=100, n_features=2000, random_state=0)
    single = ReliefF().fit(X.astype(np.float32), y).feature_importances_
    assert_allclose(single, ReliefF().fit(X, y).feature_importances_, atol=1e-5)


def test_sampled_instances_are_those_visited():
    X, y, _ = make_xor(n_samples=60, random_state=0)
    visits = check_random_state(5).permutation(60)[:20].tolist()
    got = Relief(20, random_state=5).fit(X, y).feature_importances_
    expected = reference.relieff(reference.Table(rows_of(X), list(y)), 1, "any", visits=visits)
    assert_allclose(got, expected, atol=1e-9)


def test_constant_columns_get_zero_and_column_order_breaks_ties():
    X, y, _ = make_xor(n_samples=60, n_features=4, random_state=0)
    X[:, 1] = X[:, 3] = 7.0
    ranker = ReliefF().fit(X, y)
    assert ranker.feature_importances_[1] == ranker.feature_importances_[3] == 0.0
    assert ranker.ranking_[1] < ranker.ranking_[3]


def frames():
    X, y, _ = make_xor(n_samples=60, n_features=3, random_state=0)
    color = np.where(y == 1, "red", np.where(X[:, 0] > 0, "green", "blue"))
    flag = X[:, 1] > 0
    columns = {"x": X[:, 0], "color": color, "z": X[:, 2], "flag": flag}
    return columns, y


@pytest.mark.parametrize("kind", ["category", "string", "object"])
def test_pandas_and_polars_and_numbers_agree(kind):
    columns, y = frames()
    pandas_frame = pd.DataFrame(columns)
    pandas_frame["color"] = pandas_frame["color"].astype(kind)
    polars_frame = pl.DataFrame(columns)
    if kind == "category":
        polars_frame = polars_frame.with_columns(pl.col("color").cast(pl.Categorical))
    codes = pd.factorize(columns["color"])[0]
    array = np.column_stack([columns["x"], codes, columns["z"], columns["flag"]]).astype(float)
    expected = ReliefF(categorical_features=[1, 3]).fit(array, y)
    for X in (pandas_frame, polars_frame):
        ranker = ReliefF(n_features_to_select=2).fit(X, y)
        assert_array_equal(ranker.feature_importances_, expected.feature_importances_)
        assert ranker.feature_names_in_.tolist() == list(columns)
        assert ranker.transform(X).shape == (60, 2)
    named = ReliefF(categorical_features=["color", "flag"]).fit(pandas_frame, y)
    assert_array_equal(named.feature_importances_, expected.feature_importances_)
    mask = ReliefF(categorical_features=[False, True, False, True]).fit(array, y)
    assert_array_equal(mask.feature_importances_, expected.feature_importances_)


def test_gaps_of_every_kind_are_missing():
    columns, y = frames()
    color = columns["color"].astype(object)
    color[3] = None
    a = pd.DataFrame({"color": pd.Series(color).astype("category"), "x": columns["x"]})
    b = pl.DataFrame({"color": color.tolist(), "x": columns["x"]})
    assert_array_equal(
        ReliefF().fit(a, y).feature_importances_, ReliefF().fit(b, y).feature_importances_
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([7], "column numbers from 0 to 3"),
        ([-1], "column numbers from 0 to 3"),
        ([True, False], "as a mask has shape"),
        (["shape"], "names \\['shape'\\], which X does not have"),
        ([0.5], "column numbers from 0 to 3"),
    ],
)
def test_bad_categorical_features(value, message):
    columns, y = frames()
    with pytest.raises(ValueError, match=message):
        ReliefF(categorical_features=value).fit(pd.DataFrame(columns), y)


def test_categorical_features_with_sparse_are_refused():
    X, y, _ = make_xor(n_samples=20, random_state=0)
    with pytest.raises(ValueError, match="sparse"):
        ReliefF(categorical_features=[0]).fit(sparse.csr_array(X), y)


def test_drawn_instances_without_weight_are_refused():
    X, y, _ = make_xor(n_samples=40, random_state=0)
    omega = np.zeros(40)
    omega[check_random_state(0).permutation(40)[10]] = 1.0
    with pytest.raises(ValueError, match="zero for all 10 instances"):
        ReliefF(n_draws=10, random_state=0).fit(X, y, sample_weight=omega)
