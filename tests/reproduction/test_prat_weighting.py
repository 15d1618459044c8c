"""Chapter 8 and appendix C of the thesis: figures typed in, variants, controls, tables."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from backstay.base import InstanceWeighted
from backstay.feature_weighting import OneR, Simba
from backstay.instance_weighting import LogisticWeighting, MarginWeighting
from backstay.study import RepeatedStratifiedKFold
from reproduction import MissingDataError, RunSettings
from reproduction import _prat_evaluation as evaluation
from reproduction import _prat_problems as problems
from reproduction import _prat_synthetic as synthetic
from reproduction import _prat_weighting as weighting
from reproduction._experiment import published_table
from reproduction._prat_variants import (
    Variant,
    control_of,
    instance_weights,
    rank,
    variants,
)


def two_classes(n_samples, n_features, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += 2 * y
    return X, y


# The published figures.


def test_all_printed_tables_are_there():
    lines = published_table("prat_tabC")
    assert len(lines) == 708
    assert set(lines.table) == {f"C.{i}" for i in range(1, 85)}
    odd = [int(name[2:]) % 2 == 1 for name in lines.table]
    assert (lines.quantity[odd] == "stability").all()
    sets = {"UCI": 14 + 2, "Microarray": 6, "NIPS": 5}  # leaf stands in for glass in C.37 on
    assert lines.groupby("group").dataset.nunique().to_dict() == sets


@pytest.mark.parametrize(
    ("table", "dataset", "figures"),
    [
        ("C.1", "heart_statlog", (0.2945, 0.1499, 0.4078, 0.2121, 0.021)),
        ("C.43", "wdbc", (0.0771, 0.0582, 6e-4, 0.0212, 0)),
        ("C.64", "ma_lung_cancer", (0.1889, 0, 0.0956, 0.0169, 2e-4)),
        ("C.84", "madelon", (0.2948, 0.0083, 0.2892, 0.0124, 0.3576)),
    ],
)
def test_printed_figures(table, dataset, figures):
    lines = published_table("prat_tabC")
    row = lines[(lines.table == table) & (lines.dataset == dataset)].iloc[0]
    names = ["weighted", "weighted_sd", "plain", "plain_sd", "p_value"]
    assert tuple(row[names]) == figures


def test_printed_errors_are_means_of_five_halves():
    lines = published_table("prat_tabC")
    halves = {"diabetes": 384, "musk": 238, "wdbc": 284, "vehicle": 423, "ma_prostate_cancer": 68}
    for dataset, half in halves.items():
        part = lines[(lines.dataset == dataset) & (lines.quantity == "error")]
        counts = 5 * half * part[["weighted", "plain"]].to_numpy()
        assert np.abs(counts - counts.round()).max() < 5 * half * 5.1e-5


def test_constant_predictions_were_tested_on_one_half_again_and_again():
    lines = published_table("prat_tabC")
    constant = lines[(lines.method == "IG") & (lines.dataset == "heart_statlog")]
    error = constant[constant.quantity == "error"].iloc[0]
    assert (error.weighted, error.weighted_sd) == (0.4, 0)  # stratified halves have 60 of 135


def test_table_3_1_has_three_numbers_that_could_not_be_computed():
    table = published_table("prat_tab3.1")
    assert len(table) == 36
    missing = table[table.error.isna()]
    assert set(missing.dataset) == {"Lung Cancer", "Prostate Cancer", "Breast Cancer"}
    assert set(missing.inducer + missing.genes) == {"LDAall"}


# Variants and controls.


def test_every_variant_has_its_plain_method_and_its_control():
    ways = variants()
    assert len(ways) == len(set(ways))
    for one in ways:
        if one.weighting in ("MBIW", "LIW"):
            assert one.plain in ways
            assert control_of(one) in ways
    assert set(variants(scaled=False, unprinted=False)) < set(ways)


@pytest.mark.parametrize(
    ("variant", "control"),
    [
        (Variant("Simba", "MBIW", "orderΔ"), Variant("Simba", "uniform, sum 1", "normalΔ")),
        (Variant("Simba", "LIW", "sampleΔ"), Variant("Simba", "uniform as LIW", "sampleΔ")),
        (Variant("Simba", "LIW", "order", True), Variant("Simba", scaled=True)),
        (Variant("Simba", "LIW", "sample"), Variant("Simba", "uniform", "sample")),
        (Variant("IG", "MBIW", "sample"), Variant("IG", "uniform", "sample")),
        (Variant("Relief", "LIW", "order"), Variant("Relief", "random order", "order")),
    ],
)
def test_controls(variant, control):
    assert control_of(variant) == control


def test_controls_have_the_mass_of_the_weights():
    X, y = two_classes(30, 4)
    weights = instance_weights(X, y, False, 0)
    assert weights["MBIW"].sum() == pytest.approx(weights["uniform, sum 1"].sum())
    assert weights["LIW"].sum() == pytest.approx(weights["uniform as LIW"].sum())
    assert 0 < weights["LIW"].min() < weights["LIW"].max() < 1
    assert sorted(weights["random order"]) == list(range(1, 31))


def test_variants_are_the_packages_own():
    X, y = two_classes(40, 5)
    weights = instance_weights(X, y, False, 3)
    found = rank(Variant("Simba", "MBIW", "orderΔ"), X, y, weights, 3)
    simba = Simba(strategy="order", delta=True, scaling=None)
    margin = MarginWeighting(scale="sum", scaling=None)
    expected = InstanceWeighted(simba, margin).fit(X, y)
    np.testing.assert_allclose(found.importances, expected.feature_importances_)
    np.testing.assert_allclose(found.votes, expected.sample_weight_)
    found = rank(Variant("1R", "LIW", "sample"), X, y, weights, 3)
    logistic = LogisticWeighting(scaling=None)
    drawn = InstanceWeighted(OneR(), logistic, strategy="sample", random_state=3).fit(X, y)
    np.testing.assert_allclose(found.importances, drawn.feature_importances_)


def test_relief_does_not_care_about_the_order_of_rows():
    X, y = two_classes(40, 5)
    weights = instance_weights(X, y, False, 0)
    plain = rank(Variant("Relief"), X, y, weights, 0).importances
    ordered = rank(Variant("Relief", "LIW", "order"), X, y, weights, 0).importances
    np.testing.assert_allclose(plain, ordered, atol=1e-12)


def test_rows_are_drawn_again_where_one_class_came_out_alone():
    X, y = two_classes(12, 3)
    weights = {"LIW": np.where(y == 1, 1.0, 0.02)}
    assert rank(Variant("1R", "LIW", "sample"), X, y, weights, 0).importances.shape == (3,)
    with pytest.raises(ValueError, match="50 draws of 12 rows"):
        rank(Variant("1R", "LIW", "sample"), X, y, {"LIW": y.astype(float)}, 0)


# Figures made of runs.


def test_equal_rankings_are_perfectly_stable_and_random_ones_are_not():
    rng = np.random.default_rng(0)
    assert problems.stability_over_sizes(np.tile(np.arange(20), (10, 1))) == pytest.approx(1)
    random = np.array([rng.permutation(20) for _ in range(10)])
    assert abs(problems.stability_over_sizes(random)) < 0.1


def test_one_more_run_lies_in_the_usual_prediction_interval():
    values = np.array([0.2, 0.3, 0.25, 0.4])
    mean, low, high = problems.predicted(values)
    half = stats.t.ppf(0.975, 3) * values.std(ddof=1) * math.sqrt(1 + 1 / 4)
    assert (mean, low, high) == pytest.approx((values.mean(), mean - half, mean + half))


def test_printed_errors_are_set_beside_those_of_single_halves():
    one = problems.Measured(np.zeros(2), np.array([[0, 1] * 5, [0, 0.5] * 5], float))
    assert one.printed("error").shape == (20,)
    assert one.printed("stability").shape == (2,)
    assert one.values("error").tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("quantity", "weighted", "plain", "p", "said"),
    [
        ("stability", 0.5, 0.4, 0.01, "better"),
        ("error", 0.5, 0.4, 0.01, "worse"),
        ("stability", 0.5, 0.4, 0.2, "equal"),
        ("stability", 0.9778, 0.9778, math.nan, "equal"),
    ],
)
def test_printed_verdicts(quantity, weighted, plain, p, said):
    line = SimpleNamespace(quantity=quantity, weighted=weighted, plain=plain, p_value=p)
    assert weighting.printed_verdict(line) == said


# Whole experiments on tiny data.


def named(module, name):
    return next(one for one in module.EXPERIMENTS if one.name == name)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    for seed, name in enumerate(("heart_statlog", "glass")):
        X, y = two_classes(40, 4, seed)
        np.savez(data / f"{name}.npz", X=X, y=y)
    X, y = two_classes(32, 230)
    np.savez(data / "colon_alon.npz", X=2 ** (X + 8), y=y)
    monkeypatch.setattr(problems, "QUICK", ("heart_statlog", "glass"))
    monkeypatch.setattr(problems, "QUICK_TREES", 2)
    for module in (problems, evaluation):  # 1×2 folds
        monkeypatch.setattr(module, "FiveByTwo", partial(RepeatedStratifiedKFold, 2, 1))
    return RunSettings(tmp_path / "out", data, quick=True)


def test_tables_and_counts_from_the_same_runs(tiny, monkeypatch):
    table = named(weighting, "prat-tabC").reproduce(tiny).table
    same = table[table.dataset == "heart_statlog"]
    assert len(same) == 3 * 28  # printed lines of the data set
    assert set(same.agrees) <= {"yes", "no"}
    assert (table[table.dataset == "glass"].agrees == "").all()
    assert (same[same.what == "gain"].over_control != "").all()
    # The counts need no run of their own.
    monkeypatch.setattr(problems, "rank", None)
    counts = named(weighting, "prat-fig8.5").reproduce(tiny).table
    assert set(counts.data_sets) == {1}
    simba = counts[(counts.method == "Simba") & (counts.quantity == "stability")]
    assert simba[simba.against == "plain"].published.str.match(r"\d / \d / \d").all()
    assert (simba[simba.against == "control"].published == "").all()


def test_without_data_it_says_what_it_needs(tmp_path):
    with pytest.raises(MissingDataError, match=r"pima.npz \(768 × 8\)"):
        named(weighting, "prat-tabC").reproduce(RunSettings(tmp_path))


def test_genes_chosen_by_all_rows_and_by_training_rows(tiny):
    result = named(evaluation, "prat-tab3.1").reproduce(tiny)
    assert len(result.table) == 9
    assert set(result.table.genes) == set(evaluation.GENES)
    assert result.table.published.tolist()[:3] == [23.9, 23.2, 23.2]


def test_synthetic_figures(tmp_path, monkeypatch):
    for name, value in {"N_FEATURES": 60, "N_RELEVANT": 10, "MAX_SIZE": 50, "BATCH": 4}.items():
        monkeypatch.setattr(synthetic, name, value)
    settings = RunSettings(tmp_path, repeats=8)
    table = named(synthetic, "prat-fig8.2").reproduce(settings).table
    assert table.measured.between(-1, 1).all()
    assert table[table.published == 0.4722].weighting.tolist() == ["none", "none"]
    found, n_sets = synthetic.load_rankings(settings)
    assert n_sets == 8
    plain = found[synthetic.PLAIN]
    assert plain.precision(50).tolist() == (plain.recall(50) * 10 / 50).tolist()
    top = named(synthetic, "prat-fig8.3").reproduce(settings).table
    sizes = top[top.what == "size of greatest stability"]
    assert sizes.measured.iloc[0] == plain.top
