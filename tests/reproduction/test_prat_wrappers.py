"""[Prat 6, 7] run again: the printed tables, the nested evaluation and what is made of it."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from backstay.datasets import make_anti_corral
from backstay.stability import stability_curve
from backstay.study import RepeatedStratifiedKFold
from backstay.wrappers import SequentialSelector
from reproduction import MissingDataError, RunSettings
from reproduction import _prat_accumulated as accumulated
from reproduction import _prat_cells as cells
from reproduction import _prat_remainder as remainder
from reproduction import _prat_wrappers as wrappers
from reproduction._prat_genes import best_genes
from reproduction._prat_search import ThesisSelector

EXPERIMENTS = {one.name: one for one in remainder.EXPERIMENTS + accumulated.EXPERIMENTS}
# The last lines of the printed tables, made from figures that were not yet rounded.
AVERAGES = {
    "6.2": (53, "features", 0.1933, 0.1919, 14.6075, 19.0774),
    "6.3": (54, "features", 0.2031, 0.1986, 20.0093, 20.5704),
    "6.4": (53, "sd", 0.1915, 0.1792, 0.1166, 0.0922),
    "6.5": (54, "sd", 0.1944, 0.2436, 0.1597, 0.1599),
    "7.1": (57, "features", 0.2022, 0.1976, 20.2211, 17.9719),
    "7.2": (57, "sd", 0.2079, 0.2057, 0.1625, 0.1656),
}


@pytest.mark.parametrize("number", AVERAGES)
def test_printed_averages(number):
    n_rows, second, *averages = AVERAGES[number]
    table = cells.wrapper_table(number)
    columns = ["plain", "modified", f"plain_{second}", f"modified_{second}"]
    assert len(table) == n_rows
    assert not table.duplicated(["problem", "inducer"]).any()
    assert_allclose(table[columns].mean(), averages, atol=1.5e-4)


def test_same_search_printed_twice():
    n_same, n_other, apart, effect = accumulated.published_twice("6.3", "7.1")
    assert (n_same, n_other) == (13, 41)
    assert apart > effect > 0


@pytest.mark.parametrize("cut", [9, 5])
def test_stability_is_the_mean_of_the_curve(cut):
    orders = np.array([np.random.default_rng(seed).permutation(9)[:cut] for seed in range(6)])
    curve = stability_curve(orders, "kuncheva", kind="order", n_features=9)
    value, low, high = cells.over_pairs(cells.stability_pairs(orders, 9))
    assert value == pytest.approx(curve["value"].mean())  # nan, at all features, is left out
    assert low < value < high


@pytest.mark.parametrize("method", wrappers.METHODS)
def test_nested(method):
    X, y, _ = make_anti_corral(60, random_state=0)
    found = wrappers.nested(X, y, "knn", method, n_repeats=2)
    assert_array_equal(np.sort(found["orders"], axis=1), np.tile(np.arange(11), (4, 1)))
    assert ((found["features"] >= 1) & (found["features"] <= 11)).all()
    # Classes are even: more errors than 2/3 would be worse than guessing.
    assert ((found["errors"] >= 0) & (found["errors"] < 2 / 3)).all()
    again = wrappers.nested(X, y, "knn", method, n_repeats=2)
    assert all(np.array_equal(found[name], again[name]) for name in found)


def test_nested_is_the_selector_on_training_rows():
    X, y, _ = make_anti_corral(60, random_state=0)
    found = wrappers.nested(X, y, "knn", "RSA forward", n_repeats=2, shuffle=False)
    for run, (train, _) in enumerate(RepeatedStratifiedKFold(2, 2, random_state=0).split(X, y)):
        selector = SequentialSelector(
            "1nn", criterion="remainder", scaling=None, random_state=run
        ).fit(X[train], y[train])
        assert_array_equal(found["orders"][run], np.argsort(selector.ranking_))
        assert found["features"][run] == selector.n_features_


def as_printed(accumulation, options):
    params = {"accumulation": accumulation}
    selector = ThesisSelector("1nn", criterion="accumulated", criterion_params=params, **options)
    selector.printed_sign = True
    return selector


def test_printed_sign():
    """Without accumulation it is SBG; with it, it drops what the corrected sign keeps."""
    X, y, _ = make_anti_corral(90, random_state=0)
    options = {"scaling": "minmax", "random_state": 0, "direction": "backward"}
    plain = SequentialSelector("1nn", **options).fit(X, y)
    none = as_printed(0, options).fit(X, y)
    assert_array_equal(none.ranking_, plain.ranking_)
    assert (none.n_features_, none.score_) == (plain.n_features_, plain.score_)
    all_of_it = {"criterion": "accumulated", "criterion_params": {"accumulation": 1}}
    corrected = np.argsort(SequentialSelector("1nn", **all_of_it, **options).fit(X, y).ranking_)
    printed = np.argsort(as_printed(1, options).fit(X, y).ranking_)
    first_dropped = corrected[-1], printed[-1]
    relevance = _relevance_at_first_step(X, y, options)
    ends = relevance - relevance.min() < 1e-10, relevance.max() - relevance < 1e-10
    assert first_dropped == tuple(end.argmax() for end in ends)  # ties to the lowest column


def _relevance_at_first_step(X, y, options):
    """R from the eleven subsets that lack one feature and the one that lacks none."""
    one_step = SequentialSelector("1nn", n_features_to_select=10, **options).fit(X, y)
    everything = one_step.path_["score"].iloc[0]
    without = one_step.scores_.set_index("feature")["score"].loc[np.arange(11)].to_numpy()
    held = (everything + without.sum() - without) / 11
    return held - without


def test_ties_pass_for_stability_unless_shuffled():
    """Features that all say nothing: in one column order the search is perfectly stable."""
    X, y = np.zeros((40, 8)), np.arange(40) % 2
    first, shuffled = (
        cells.stability_pairs(wrappers.nested(X, y, "knn", "SFG", shuffle=shuffle)["orders"], 8)
        for shuffle in (False, True)
    )
    assert cells.over_pairs(first)[0] == pytest.approx(1)
    assert abs(cells.over_pairs(shuffled)[0]) < 0.2


@pytest.mark.slow
def test_ties_are_controlled(folder, tmp_path):
    table = EXPERIMENTS["prat-tab6.4"].reproduce(RunSettings(tmp_path, folder, quick=True)).table
    first = table[table["method"].str.endswith("ties to the first column")]
    assert set(first["quantity"]) == {"stability", "stability − SFG"}
    assert first["published"].notna().all()


def test_genes_come_from_training_rows(monkeypatch):
    monkeypatch.setattr(wrappers, "best_genes", partial(best_genes, n_genes=3))
    X, y, _ = make_anti_corral(60, random_state=0)
    found = wrappers.nested(X, y, "lda", "SFG", n_repeats=2, preselect=True)
    assert found["orders"].shape == (4, 3)
    for order, (train, _) in zip(
        found["orders"], RepeatedStratifiedKFold(2, 2, random_state=0).split(X, y), strict=True
    ):
        assert set(order) == set(wrappers.best_genes(X[train], y[train]))


@pytest.fixture
def folder(tmp_path):
    """Stand-ins for the two quick data sets, with rows enough for LDA on a quarter of them."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    data = tmp_path / "data"
    data.mkdir()
    for name, d in (("heart_statlog", 13), ("parkinsons", 22)):
        X = rng.normal(0.8 * y[:, None] * (np.arange(d) < 3), size=(100, d))
        np.savez(data / f"{name}.npz", X=X, y=y)
    return data


# Tables that differ in their searches only, and the other second readings, run the same code.
SAME_CODE = {f"prat-tab{number}" for number in ("6.2", "6.3", "6.4", "6.5", "7.2")}
QUICK = [name for name in EXPERIMENTS if not name.endswith("second") and name not in SAME_CODE]
QUICK += [pytest.param("prat-tab6.4-second", marks=pytest.mark.slow)]


@pytest.mark.parametrize("name", QUICK)
def test_quick(name, folder, tmp_path, monkeypatch):
    settings = RunSettings(tmp_path / "out", folder, quick=True)
    result = EXPERIMENTS[name].reproduce(settings)
    table = pd.read_csv(settings.out / f"{name}.csv")
    assert set(table["agrees"].dropna()) <= {"yes", "no"}
    assert table["measured"].notna().all()
    assert (settings.out / f"{name}.svg").read_text().startswith("<?xml")
    about = json.loads((settings.out / f"{name}.json").read_text())
    assert about["finding"] == result.finding
    monkeypatch.setattr(wrappers, "_run_unit", None)  # what was kept is not run again
    monkeypatch.setattr(remainder, "_case", None)
    pd.testing.assert_frame_equal(EXPERIMENTS[name].reproduce(settings).table, result.table)


def test_only_quick_problems_are_missing_without_parkinsons(folder, tmp_path):
    (folder / "parkinsons.npz").unlink()
    settings = RunSettings(tmp_path / "out", folder, quick=True)
    result = EXPERIMENTS["prat-tab6.2"].reproduce(settings)
    assert "Without data: parkinsons" in result.finding
    assert set(result.table["problem"]) == {"heart-statlog", "mean over data sets"}


def test_says_which_files_it_needs(tmp_path):
    with pytest.raises(MissingDataError, match=r"pima\.npz \(768 × 8\)"):
        EXPERIMENTS["prat-tab7.1"].reproduce(RunSettings(tmp_path))


def test_other_data_get_no_verdict(monkeypatch, folder, tmp_path):
    other = wrappers.WrapperProblem("heart_statlog", (270, 13), differs="not the same")
    monkeypatch.setitem(wrappers.WRAPPER_PROBLEMS, "heart-statlog", other)
    table = EXPERIMENTS["prat-tab6.2"].reproduce(RunSettings(tmp_path, folder, quick=True)).table
    heart = table[table["problem"] == "heart-statlog"]
    assert (heart["agrees"] == "").all()
    assert (heart["note"] == "not the same").all()
    assert (table[table["problem"] == "parkinsons"]["agrees"] != "").all()
    over_all = table[table["problem"] == "mean over data sets"]
    assert over_all["note"].iloc[0].startswith("1 data sets")
