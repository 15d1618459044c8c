"""Readings found late, and claims without a table: each runs on stand-ins, and what they count."""

import numpy as np
import pandas as pd
import pytest

from reproduction import RunSettings
from reproduction import _prat_budget as budget
from reproduction import _prat_draws as draws
from reproduction import _prat_wrappers as wrappers
from reproduction._han_printed import EXPERIMENTS as PRINTED
from reproduction._han_printed import class_means
from reproduction._han_sample_size import SIZES, slope
from reproduction._prat_problems import WEIGHTING_PROBLEMS, WeightingProblem
from reproduction._prat_redundancy import COPIES, N_FEATURES, at_random
from reproduction._registry import experiments


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    data = tmp_path_factory.mktemp("data")
    y = np.arange(40) % 2
    for name, d in (("pima", 4), ("heart_statlog", 3), ("colon_alon", 220)):
        X = 100 + rng.normal(y[:, None] * (np.arange(d) < 2), size=(40, d))
        np.savez(data / f"{name}.npz", X=X, y=y)
    return data


@pytest.mark.parametrize("name", [one.name for one in PRINTED])
def test_figures_as_printed(name, folder, tmp_path):
    result = experiments()[name].reproduce(RunSettings(tmp_path, folder, quick=True))
    assert result.table["measured"].notna().all()
    if name != "han-fig7.6-second":
        assert set(result.table["intensities"]) == {"raw", "log2"}


@pytest.mark.slow
def test_parts_of_appendix_c(folder, tmp_path, monkeypatch):
    small = {
        "diabetes": WeightingProblem("pima", (40, 4)),
        "heart_statlog": WeightingProblem("heart_statlog", (40, 3)),
    }
    monkeypatch.setattr(draws, "WEIGHTING_PROBLEMS", small)
    assert set(small) <= set(WEIGHTING_PROBLEMS)
    settings = RunSettings(tmp_path, folder, quick=True)
    for name in ("prat-tabC-second", "prat-draws", "prat-votes"):
        table = experiments()[name].reproduce(settings).table
        assert table["measured"].notna().all()


def test_labels_stay_where_they_were():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    omega, rng = np.r_[np.zeros(6), np.ones(6)], np.random.default_rng(0)
    rows, labels = draws._drawn(X, y, omega, True, rng)
    assert (labels == y).all()
    assert (rows >= 6).all()
    rows, labels = draws._drawn(X, y, omega, False, rng)
    assert (labels == rows[:, 0] % 2).all()


def test_equal_budget(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "PROBLEMS", ("diabetes", "heart-statlog"))
    for problem, d in (("diabetes", 4), ("heart-statlog", 3)):
        old = wrappers.WRAPPER_PROBLEMS[problem]
        new = wrappers.WrapperProblem(old.file, (40, d), old.inducers)
        monkeypatch.setitem(wrappers.WRAPPER_PROBLEMS, problem, new)
    result = experiments()["prat-budget"].reproduce(RunSettings(tmp_path, folder, quick=True))
    assert set(result.table["method"]) == set(budget.SEARCHES)


@pytest.mark.parametrize("name", ["prat-vdm", "prat-irrelevant", "han-eq3.7", "prat-tab6.1-second"])
def test_runs_without_data(name, tmp_path, monkeypatch):
    monkeypatch.setattr("reproduction._han_sample_size.BOOTSTRAPS", 20)
    repeats = 6 if name == "han-eq3.7" else 2
    result = experiments()[name].reproduce(RunSettings(tmp_path, quick=True, repeats=repeats))
    assert isinstance(result.table, pd.DataFrame)
    assert result.table["measured"].notna().all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prat-chapter9", "prat-wdbc"])
def test_runs_slowly(name, tmp_path):
    experiments()[name].reproduce(RunSettings(tmp_path, quick=True))


def test_weights_are_means_of_classes():
    assert class_means(np.array([1.0, 3.0, 5.0]), np.array(["a", "a", "b"])).tolist() == [2, 2, 5]


def test_slopes_by_hand():
    assert slope(1.0 / np.array(SIZES)) == pytest.approx(-1)
    assert slope(np.ones(len(SIZES))) == pytest.approx(0)


def test_five_of_so_many_at_random():
    # Without copies all five are taken; of ten, 2.5 are common: (2.5 − 25/65)/(5 − 25/65).
    assert at_random(0) == 1
    assert at_random(1) == pytest.approx((2.5 - 25 / N_FEATURES) / (5 - 25 / N_FEATURES))
    rng = np.random.default_rng(0)
    for copies in COPIES[1:]:
        sets = [set(rng.permutation(5 * (1 + copies))[:5]) for _ in range(400)]
        common = np.mean([len(a & b) for a, b in zip(sets[::2], sets[1::2], strict=True)])
        expected = 25 / N_FEATURES
        assert (common - expected) / (5 - expected) == pytest.approx(at_random(copies), abs=0.05)
