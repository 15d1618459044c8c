"""The thesis' experiments on sequences, xor and the six generators."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from backstay import LogisticWeighting, Simba
from backstay.datasets import make_majority, make_xor, separability
from backstay.feature_weighting import DoubleReliefF, ReliefF
from reproduction import (
    RunSettings,
    _prat_measures,
    _prat_relief,
    _prat_relief_runs,
    _prat_xor,
)
from reproduction._inside import simba_path


def run(module, name, settings):
    (experiment,) = [one for one in module.EXPERIMENTS if one.name == name]
    return experiment.reproduce(settings)


def test_two_sequences_by_hand(tmp_path):
    """Overlaps of the first k features, counted on paper: 0 1 2 2 4 5 6 7 8."""
    k = np.arange(1, 10)
    overlap = np.array([0, 1, 2, 2, 4, 5, 6, 7, 8])
    expected = {
        "dunne": 1 - 2 * (k - overlap) / 10,
        "kalousis": overlap / (2 * k - overlap),
        "kuncheva": (10 * overlap - k**2) / (k * (10 - k)),
        "krizek": np.zeros(9),
        "somol_weighted": overlap / k,
    }
    for measure, values in expected.items():
        curve = _prat_measures.measure_curve(_prat_measures.SEQUENCES, measure)
        assert_allclose(curve, values, atol=1e-12, err_msg=measure)
    table = run(_prat_measures, "prat-fig2.3", RunSettings(tmp_path)).table
    verdicts = table.set_index(["measure", "published"])["agrees"]
    assert verdicts["Křížek", "decreases at k = 4"] == "no"
    assert verdicts["Kuncheva", "decreases at the end"] == "yes"
    assert verdicts["Somol CW", "decreases at the end"] == "no"
    assert verdicts["Somol CW_rel", "decreases at the end"] == "yes"


def test_random_sequences(tmp_path):
    result = run(_prat_measures, "prat-fig2.4", RunSettings(tmp_path, repeats=4))
    rows = result.table.set_index("measure")
    assert abs(rows.loc["Kuncheva", "measured"]) < 0.02
    assert rows.loc["Somol CW", "measured"] == pytest.approx(0.9, abs=0.01)  # k/10 at k = 9
    assert rows.loc["Somol CW", "agrees"] == "no"
    assert rows.loc["Dunne", "measured"] == pytest.approx(0.82, abs=0.01)  # 1 − 2·0.1·0.9 at k = 1
    assert "4 times 100" in result.repeats


@pytest.mark.parametrize(("strategy", "delta"), [("normal", False), ("order", True)])
def test_simba_in_parts_is_simba(strategy, delta):
    X, y, _ = make_xor(_prat_xor.N_ROWS, random_state=0)
    omega = LogisticWeighting().fit_weight(X, y)
    simba = Simba(strategy=strategy, delta=delta, random_state=3)
    path = _prat_xor._relative(simba_path(simba, X, y, omega, _prat_xor.VISITS))
    if delta:
        simba.fit(X, y, sample_weight=omega)
    else:
        simba.fit(X, y)
    assert path.shape == (len(_prat_xor.VISITS), 10)
    assert_allclose(path[-1], simba.feature_importances_)


def test_visits_until_the_relevant_lead_for_good():
    n = len(_prat_xor.VISITS)
    gaps = np.ones((4, len(_prat_xor.METHODS), n))
    gaps[1, :, 0] = -1  # wrong at the first look only
    gaps[2, :, 5] = 0  # level in between: not leading
    gaps[3, :, -1] = -1  # wrong at the end
    paths = object.__new__(_prat_xor.WeightPaths)
    paths.gaps = gaps
    assert_array_equal(
        paths.visits_needed("Simba"), _prat_xor.VISITS[[0, 1, 6, n - 1]].astype(float)
    )
    assert paths.correct("Simba") == 0.75


def test_xor_experiments_run_and_resume(tmp_path, monkeypatch):
    settings = RunSettings(tmp_path, repeats=2)
    first = run(_prat_xor, "prat-fig2.12", settings)
    assert first.table.loc[first.table["published"] == "outperforms Relief", "method"].item()

    def never(key, seed):
        raise AssertionError("computed again")

    monkeypatch.setattr(_prat_xor, "weight_paths", never)
    second = run(_prat_xor, "prat-fig8.4", settings)  # the same paths serve both figures
    leads = second.table[second.table["quantity"].str.startswith("smallest relevant")]
    assert leads["method"].tolist() == _prat_xor.METHODS
    simba = leads.set_index("method")["measured"]
    assert simba["Simba"] == pytest.approx(first.table["measured"][1])
    assert simba.min() > 0


def test_combinations_keep_to_the_design():
    for quick in (False, True):
        pairs = _prat_relief_runs.combinations_of(quick)
        assert all(1 <= n <= 50 and 1 <= m <= 2 * n for n, m in pairs)
        assert (1, 1) in pairs
        assert (50, 100) in pairs
    totals = [sum(pair) for pair in _prat_relief_runs.combinations_of(False)]
    assert len(set(np.searchsorted(_prat_relief_runs.BINS, totals))) == len(_prat_relief_runs.BINS)


@pytest.fixture
def small_design(monkeypatch):
    pairs = [(1, 1), (2, 3), (30, 60)]
    monkeypatch.setattr(_prat_relief_runs, "combinations_of", lambda quick: pairs)
    return pairs


def test_separabilities_are_those_of_the_three_rankers(small_design):
    key = {"problem": "MajorityN", "repeat": 1, "quick": True}
    found = _prat_relief_runs.separabilities(key, 7)["separability"]
    seeds = np.random.SeedSequence([7, 3, 1, 2, 3]).spawn(1)[0].generate_state(2)
    X, y, relevance = make_majority(100, n_features=5, n_relevant=2, random_state=seeds[0])
    nominal = {"categorical_features": range(5)}
    rankers = [
        ReliefF(**nominal),
        DoubleReliefF(**nominal, random_state=seeds[1]),
        DoubleReliefF(**nominal, progressive=True, random_state=seeds[1]),
    ]
    expected = [separability(r.fit(X, y).feature_importances_, relevance) for r in rankers]
    assert_allclose(found[1], expected)
    lonely = {"problem": "NonMonotonic", "repeat": 0, "quick": True}
    found = _prat_relief_runs.separabilities(lonely, 7)["separability"]
    assert np.isnan(found[0]).all()  # one relevant feature: one class
    assert np.isfinite(found[1:]).all()


def test_relief_experiments_run(small_design, tmp_path):
    settings = RunSettings(tmp_path, repeats=2)
    seven = run(_prat_relief, "prat-fig5.7", settings)
    assert len(seven.table) == 20
    eight = run(_prat_relief, "prat-fig5.8", settings)
    assert set(eight.table["agrees"]) <= {"yes", "no", "unclear"}
    assert "2 data sets for each of 3 combinations" in eight.repeats
    curves = _prat_relief.Curves(settings)
    gap = curves.gap("random RBF", _prat_relief.DOUBLE, _prat_relief.PLAIN)
    rows = eight.table.set_index(["problem", "quantity"])
    assert rows.loc[("random RBF", "dReliefF − ReliefF"), "measured"] == pytest.approx(gap.mean())
    assert curves.binned.shape == (7, 2, 2, 3)
    figure = Figure()
    eight.draw(figure)
    assert len(figure.axes) == 8


def test_verdicts_need_an_interval_on_their_side():
    above, same, close = _prat_relief._above, _prat_relief._same, _prat_relief._close_below
    assert [above(1, 0.5, 2), above(1, -0.5, 2), above(-1, -2, -0.5)] == ["yes", "unclear", "no"]
    assert [same(0, -0.01, 0.01), same(0, -0.1, 0.1), same(1, 0.5, 2)] == ["yes", "unclear", "no"]
    assert [close(-0.01, -0.015, -0.005), close(0, -0.01, 0.01)] == ["yes", "unclear"]
    assert [close(0.1, 0.05, 0.2), close(-1, -2, -0.5)] == ["no", "no"]
    noise = _prat_relief._better_within_noise
    assert [noise(1, -1, 3), noise(-1, -3, 1), noise(2, 1, 3)] == ["yes", "unclear", "no"]
    nan = float("nan")
    assert above(1, nan, nan) == "unclear"
