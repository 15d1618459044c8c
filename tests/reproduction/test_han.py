"""The dissertation's experiments on small data: what they compute, and that they run."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay.datasets import make_han_yu
from backstay.stability import bias_variance, stability_score
from backstay.study import _ranking
from reproduction import _han_real, _han_runs, _han_variance
from reproduction._estimates import Estimate
from reproduction._experiment import MissingDataError, RunSettings, published_table
from reproduction._han_consensus import EXPERIMENTS as CONSENSUS
from reproduction._han_consensus import another_count, selection_counts
from reproduction._han_paths import (
    CONTROL,
    MEAN_ONE,
    PLAIN,
    WEIGHTED,
    EliminationPaths,
    closest_round,
    linear_machine,
    load_paths,
)
from reproduction._han_rows import fresh
from reproduction._han_stability import EXPERIMENTS as STABILITY
from reproduction._han_stability import chance_share
from reproduction._han_synthetic import EXPERIMENTS as SYNTHETIC

REAL = [*_han_real.EXPERIMENTS, *_han_variance.EXPERIMENTS, *STABILITY, *CONSENSUS]
NAMES = [f"han-fig6.{i}" for i in range(1, 5)]
NAMES += [f"han-tab7.{i}" for i in range(2, 7)]
NAMES += [f"han-tab7.{i}-second" for i in range(2, 6)]
NAMES += [f"han-fig7.{i}" for i in (1, 2, 3, 4, 5, 6, 9)]


def test_every_experiment_is_there_once():
    assert sorted(one.name for one in [*SYNTHETIC, *REAL]) == sorted(NAMES)


# Published figures, checked by hand against the tables' corners.


@pytest.mark.parametrize(
    ("table", "key", "mean", "sd"),
    [
        ("7.2", ("Colon", "SVM-RFE", "SVM", 10), 82.1, 3.5),
        ("7.2", ("Lung", "IW SVM-RFE", "1NN", 50), 98.9, 0.0),
        ("7.3", ("Prostate", "IW ReliefF", "1NN", 10), 89.5, 1.4),
        ("7.4", ("Prostate", "En SVM-RFE", "SVM", 200), 92.7, 4.3),
        ("7.5", ("Lung", "IW ReliefF", "SVM", 200), 98.8, 2.2),
    ],
)
def test_published_tables_are_whole(table, key, mean, sd):
    given = published_table(f"han_table{table}")
    assert len(given) == 4 * 3 * 2 * 5
    assert not given.duplicated(["dataset", "method", "classifier", "size"]).any()
    row = given.set_index(["dataset", "method", "classifier", "size"]).loc[key]
    assert (row["mean"], row["sd"]) == (mean, sd)


def test_published_counts_are_whole():
    given = published_table("han_table7.6").set_index(["dataset", "method", "frequency"])["count"]
    assert len(given) == 36
    assert given["Colon", "IW SVM-RFE", "(50,100]"] == 36
    assert given["Prostate", "SVM-RFE", "[1,100]"] == 722
    # 100 signatures of 50 genes: no more genes above half of them than 99.
    assert given.xs("(50,100]", level="frequency").max() < 100


# Estimates.


def test_a_published_mean_is_judged_by_a_two_sample_t_test():
    ours = np.array([81.0, 83.5, 80.2, 84.1])
    for mean in (70.0, 79.0, 82.0, 86.5):
        found = fresh(ours, mean, 2.5, 10)
        test = stats.ttest_ind_from_stats(ours.mean(), ours.std(ddof=1), 4, mean, 2.5, 10)
        assert (found.low <= mean <= found.high) == (test.pvalue >= 0.05)
    assert found.value == pytest.approx(ours.mean())


def test_differences_of_independent_estimates():
    difference = Estimate(5.0, 2.0, 8.0).minus(Estimate(1.0, -3.0, 5.0))
    assert difference == (4.0, -1.0, 9.0)


def test_counts_of_consensus_features():
    chosen = np.array([[0, 1], [0, 2], [0, 1], [0, 3]])
    selected = selection_counts(chosen, 6)
    assert selected.sum(axis=0).tolist() == [4, 2, 1, 1, 0, 0]
    assert another_count(selected, 0.0, 0).value == 4
    assert another_count(selected, 0.5, 0).value == 1  # half of the runs is not more than half
    assert another_count(selected, 0.85, 0).value == 1
    ever = another_count(selected, 0.0, 0)
    lost = np.array([0, 1, 0, 1])  # features that only this run selected
    spread = math.sqrt(3 / 4 * ((lost - 0.5) ** 2).sum())
    assert ever.high - ever.value == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(2) * spread)


def test_chance_share_is_what_random_subsets_have():
    rng = np.random.default_rng(0)
    d, k = 30, 5
    similar = np.triu(rng.uniform(size=(d, d)) < 0.1, 1)
    similar |= similar.T
    hits = []
    for _ in range(4000):
        a, b = (rng.choice(d, k, replace=False) for _ in range(2))
        hits.append(np.mean([f in b or similar[f, b].any() for f in a]))
    assert chance_share(similar.sum(axis=0), k) == pytest.approx(np.mean(hits), abs=0.015)


# EliminationPaths.


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return RunSettings(tmp_path_factory.mktemp("han"), repeats=3, quick=True)


@pytest.fixture(scope="module")
def paths(settings):
    return load_paths(settings, 100, 3)


def test_the_machine_is_scikit_learns():
    X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, random_state=0)
    features = np.arange(5, 40, 2)
    weights, intercept = linear_machine(X[:40], y[:40], features)
    machine = make_pipeline(MinMaxScaler(), SVC(kernel="linear")).fit(X[:40, features], y[:40])
    expected = machine.decision_function(X[40:, features])
    np.testing.assert_allclose(X[40:] @ weights + intercept, expected, atol=1e-8)
    assert np.flatnonzero(weights).tolist() == features.tolist()


def test_rounds_are_those_of_a_tenth_rounded_up(paths):
    sizes = paths[PLAIN].sizes
    assert sizes[:5].tolist() == [1000, 900, 810, 729, 656]
    assert sizes[closest_round(sizes, 50)] == 48
    assert len(sizes) == 41
    assert sizes[-1] == 10


def test_weights_of_a_round_belong_to_the_best_features(paths):
    path: EliminationPaths = paths[WEIGHTED]
    number = closest_round(path.sizes, 50)
    weights = path.weights(number)
    assert weights.sum(axis=1) == pytest.approx(1.0)
    for row, order in zip(weights, path.orders, strict=True):
        assert set(np.flatnonzero(row)) <= set(order[:48].tolist())


def test_leaving_out_is_the_decomposition_without_a_set(paths):
    path = paths[CONTROL]
    values, without, gap = path.decomposition(20)
    assert gap < 1e-12
    weights = path.weights(20)
    for left_out in range(3):
        other = bias_variance(np.delete(weights, left_out, axis=0), path.truth)
        assert without["variance"][left_out] == pytest.approx(other.variance)
        assert without["bias²"][left_out] == pytest.approx(other.bias)
        assert without["error"][left_out] == pytest.approx(other.error)
    assert values["error"] == pytest.approx(((weights - path.truth) ** 2).mean())


def test_the_control_does_what_the_weighting_does(paths):
    stable = {
        name: stability_score(path.orders[:, :50], 1000, measure="kuncheva").value
        for name, path in paths.items()
    }
    assert stable[CONTROL] > stable[PLAIN] + 0.4
    assert stable[WEIGHTED] == pytest.approx(stable[CONTROL], abs=0.1)
    assert stable[MEAN_ONE] == pytest.approx(stable[PLAIN], abs=0.1)


@pytest.mark.parametrize("experiment", SYNTHETIC, ids=lambda one: one.name)
def test_synthetic_experiments_run(experiment, settings, paths):
    result = experiment.reproduce(settings)
    for ending in ("csv", "svg", "json"):
        assert (settings.out / f"{experiment.name}.{ending}").stat().st_size > 0
    assert set(result.table.agrees) <= {"yes", "no", ""}
    assert {PLAIN, WEIGHTED, CONTROL, MEAN_ONE} <= set(result.table.method)
    assert "nan" not in result.finding


def test_the_identity_is_reported(settings, paths):
    table = SYNTHETIC[0].reproduce(settings).table
    gaps = table[table.features == "all rounds"]
    assert len(gaps) == 4
    assert (gaps.measured < 1e-9).all()


# Real data: small files with the right names.


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for number, name in enumerate(("colon_alon", "lung_gordon")):
        # Without correlated blocks: nPOGR must have room beyond chance.
        X, y, _ = make_han_yu(
            36, n_features=210, n_relevant=20, correlation=0.0, random_state=number
        )
        np.savez(folder / f"{name}.npz", X=2.0 ** (8 + X), y=y)
    with pytest.MonkeyPatch.context() as patch:
        for module in (_han_runs, _han_real, _han_variance):
            patch.setattr(module, "N_FOLDS", 3)
        patch.setattr(_han_runs, "LUNG_FEATURES", 205)
        # Rankings of these tables, too, are kept down to a depth only.
        patch.setattr(_ranking, "LEAST_DEPTH", 203)
        patch.setattr(_ranking, "DEPTH_PER_SIZE", 1)
        for base in _han_runs.BASES.values():
            small = clone(base.methods[base.ensemble]).set_params(n_resamples=2)
            patch.setitem(base.methods, base.ensemble, small)
        yield RunSettings(tmp_path_factory.mktemp("out"), data=folder, repeats=2)


# Raw intensities take the same way as others.
RUN = [
    pytest.param(one, id=one.name, marks=[pytest.mark.slow] if "second" in one.name else [])
    for one in REAL
]


@pytest.mark.parametrize("experiment", RUN)
def test_real_experiments_run(experiment, real):
    result = experiment.reproduce(real)
    assert set(result.table.dataset) == {"Colon", "Lung"}
    assert set(result.table.agrees) <= {"yes", "no", ""}
    assert result.table.measured.notna().all()
    assert "nan" not in result.finding
    assert (real.out / f"{experiment.name}.svg").stat().st_size > 0


def test_accuracies_are_means_over_folds_by_repetition(real):
    results = _han_runs.cross_validated(real, "Colon", _han_runs.BASES["ReliefF"])
    scores = _han_real._scores(results, "accuracy", 3)
    runs = scores["ReliefF", "SVM", 20]
    frame = results.runs.scores("accuracy").frame()
    chosen = frame[(frame.method == "ReliefF") & (frame.model == "svm") & (frame["size"] == 20)]
    values = chosen.sort_values("resample")["value"].to_numpy()
    assert runs == pytest.approx([100 * values[:3].mean(), 100 * values[3:].mean()])


def test_preselected_columns_keep_their_numbers(real):
    X, y = real.load("lung_gordon")
    path = _han_variance._path(_han_variance.METHODS["SVM-RFE"], X, y, "Lung")
    kept = _han_runs.preselection("Lung").fit(X, y).get_support(indices=True)
    assert set(path[0][0]) <= set(kept.tolist())
    assert path[-1][1].sum() == pytest.approx(1.0)


def test_without_data_an_experiment_says_what_it_needs(tmp_path):
    with pytest.raises(MissingDataError, match=r"colon_alon\.npz \(62 × 2000\)"):
        CONSENSUS[0].reproduce(RunSettings(tmp_path))
    with pytest.raises(MissingDataError, match="--data"):
        _han_runs.available(RunSettings(tmp_path))
