"""Figures and claims without a table of their own: each runs, and its formulas are right."""

import json

import numpy as np
import pandas as pd
import pytest

from reproduction import RunSettings
from reproduction import _prat_readings as readings
from reproduction import _prat_wrappers as wrappers
from reproduction._han_margins import EXPERIMENTS as MARGINS
from reproduction._prat_bayes import EXPERIMENTS as BAYES
from reproduction._prat_bayes import STRENGTHS, importances
from reproduction._prat_cells import pair_curves, published_test, stability_pairs
from reproduction._prat_curves import EXPERIMENTS as CURVES
from reproduction._prat_importance import EXPERIMENTS as IMPORTANCE
from reproduction._prat_measures_real import EXPERIMENTS as MEASURES
from reproduction._prat_noise import EXPERIMENTS as NOISE
from reproduction._prat_noise import area, change_probabilities
from reproduction._prat_readings import EXPERIMENTS as READINGS
from reproduction._prat_readings import chosen_elsewhere
from reproduction._prat_redundancy import EXPERIMENTS as REDUNDANCY
from reproduction._prat_tests import EXPERIMENTS as TESTS
from reproduction._prat_tests import attainable
from reproduction._registry import experiments
from reproduction._verdicts import (
    ENOUGH,
    FORMER,
    GROUPS,
    REASONS,
    count_verdicts,
    former_verdicts,
    verdict_groups,
)

WITHOUT_DATA = {
    one.name: one
    for one in (*MARGINS, *IMPORTANCE, *NOISE, *REDUNDANCY, *BAYES, *TESTS)
    if not one.needs
}
WITH_DATA = {one.name: one for one in (*CURVES, *MEASURES, *READINGS)}


def written(one, settings):
    result = one.reproduce(settings)
    table = pd.read_csv(settings.out / f"{one.name}.csv")
    assert len(table) == len(result.table)
    assert table["measured"].notna().all()
    assert json.loads((settings.out / f"{one.name}.json").read_text())["finding"]
    return result


LONG = {"prat-tests", "prat-readings", "prat-inducers", "prat-redundancy"}


def long_ones_marked(names):
    return [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in names]


@pytest.mark.parametrize("name", long_ones_marked(sorted(WITHOUT_DATA)))
def test_runs_without_data(name, tmp_path):
    repeats = 2 if name in ("han-margins", "prat-tests", "prat-redundancy") else None
    settings = RunSettings(tmp_path, quick=True, repeats=repeats)
    written(WITHOUT_DATA[name], settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Stand-ins with few features: heart and parkinsons for searches, one microarray."""
    rng = np.random.default_rng(0)
    data = tmp_path_factory.mktemp("data")
    y = np.arange(60) % 2
    for name, d in (("heart_statlog", 4), ("parkinsons", 3), ("colon_alon", 30)):
        X = 100 + rng.normal(y[:, None] * (np.arange(d) < 2), size=(60, d))
        np.savez(data / f"{name}.npz", X=X, y=y)
    return data


@pytest.mark.parametrize("name", long_ones_marked(WITH_DATA))
def test_runs_with_data(name, folder, tmp_path, monkeypatch):
    for problem, d in (("heart-statlog", 4), ("parkinsons", 3)):
        old = wrappers.WRAPPER_PROBLEMS[problem]
        new = wrappers.WrapperProblem(old.file, (60, d), old.inducers)
        monkeypatch.setitem(wrappers.WRAPPER_PROBLEMS, problem, new)
    monkeypatch.setattr(readings, "TABLES", {"6.4": readings.TABLES["6.4"]})
    written(WITH_DATA[name], RunSettings(tmp_path, folder, quick=True))


def test_importances_follow_the_strengths():
    found = importances()
    assert found.sum() == pytest.approx(1)
    assert (np.diff(found) <= 1e-12).all()
    assert (found[STRENGTHS == 0] == 0).all()


def test_probabilities_of_change_by_hand():
    # Two values: either changes alone. Three: the one that changes may take the other's value.
    assert change_probabilities(2, 0.1) == pytest.approx((0.18, 0.18))
    assert change_probabilities(3, 0.1) == pytest.approx((0.09 + 0.01 / 4, 0.18 + 0.01 / 2))


def test_a_third_of_the_area():
    s = 0.0633657
    assert area() == pytest.approx(np.sqrt(s) * np.arctan(1 / np.sqrt(s)), abs=1e-6)
    assert area() == pytest.approx(1 / 3, abs=1e-4)


def test_published_test_takes_the_better_side():
    # Ten differences of one sign: 1/1024 on the side where they lie.
    up = np.arange(1.0, 11)
    assert published_test(up, np.zeros(10)) == pytest.approx(1 / 1024)
    assert published_test(np.zeros(10), up) == pytest.approx(1 / 1024)
    assert published_test(up, up) == 1.0
    # Two of the four signs of two pairs give rank sums of at most 1.
    assert {0.25, 0.5, 0.75, 1.0} < attainable(2)
    assert len(attainable(10) | attainable(9)) < 250  # of 1001 thousandths


def test_curves_average_to_the_index_and_all_features_count_as_one():
    orders = np.array([np.random.default_rng(seed).permutation(6) for seed in range(4)])
    pairs = stability_pairs(orders, 6)
    np.testing.assert_allclose(pair_curves(orders, 6).mean(axis=2), pairs)
    counted = stability_pairs(orders, 6, with_all=True)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(counted[off], (5 * pairs[off] + 1) / 6)


def test_the_reading_is_chosen_on_other_data_sets():
    cells = pd.DataFrame(
        [
            {"problem": p, "reading": r, "apart": apart}
            for p, first, second in (("a", 0.1, 0.9), ("b", 0.5, 0.1), ("c", 0.6, 0.1))
            for r, apart in (("first", first), ("second", second))
        ]
    )
    table, change = chosen_elsewhere(cells, ["first", "second"])
    # Without a, the second is nearer; without b or c, a makes the first nearer.
    assert table["reading"].tolist() == ["second", "first", "first"]
    assert change.value == pytest.approx(0.8 / 3)


def test_groups_and_reasons():
    known = set(experiments())
    assert set(REASONS) <= known
    verdicts = {"a": (1, 10), "a-second": (9, 10), "b": (1, 10), "b-second": (2, 10), "c": (0, 0)}
    table = verdict_groups({**verdicts, "d": (8, 10), "e": (7, 10)}).set_index("experiment")
    assert table["group"].to_dict() == {
        "d": GROUPS[0],
        "a": GROUPS[1],
        "b": GROUPS[2],
        "e": GROUPS[4],
        "c": GROUPS[5],
    }
    assert ENOUGH == 0.8
    few = verdict_groups({"three": (3, 4), "two": (2, 4), "prat-fig5.3": (1, 3)})
    assert few["group"].tolist() == [GROUPS[0], GROUPS[3], GROUPS[4]]


def test_readings_in_one_table_are_counted_apart():
    table = pd.DataFrame(
        {"intensities": ["log2", "log2", "raw", "raw"], "agrees": ["yes", "no", "yes", ""]}
    )
    found = count_verdicts("han-tab7.6", table)
    assert found == {"han-tab7.6": (1, 2), "han-tab7.6-second": (1, 1)}
    assert count_verdicts("other", table) == {"other": (2, 3)}


def test_what_did_not_agree_before_is_all_there():
    assert set(FORMER) <= set(experiments())
    table = former_verdicts(dict.fromkeys(FORMER, (1, 2)))
    assert len(table) == 21
    kinds = table["what it was"].value_counts().to_dict()
    assert kinds["the document's own slip"] == 5
    assert kinds["real"] == 4


def test_whatever_does_not_agree_has_a_reason():
    from tools.coverage_page import ROOT

    results = sorted((ROOT / "docs" / "_reproduction").glob("*.csv"))
    verdicts = {}
    for path in results:
        verdicts |= count_verdicts(path.stem, pd.read_csv(path, keep_default_na=False, dtype=str))
    table = verdict_groups(verdicts)
    unlike = table[table["group"].isin(GROUPS[1:5])]
    assert unlike["why"].ne("").all(), unlike[unlike["why"] == ""]["experiment"].tolist()
