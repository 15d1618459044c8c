"""The instrument's own logic: exponents, repeats, ratios, targets, the check and the page."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def root_on_path(monkeypatch):
    """The instrument is run from the repository, not installed."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])


def module(name):
    return importlib.import_module(f"benchmarks.{name}")


def record(ours=1.0, peer=4.0, agreement=1.0):
    taken = {"backstay": [ours] * 3, "peer": [peer] * 3}
    return {"kind": "beside", "seconds": {"1": taken}, "agreement": {"peer": agreement}}


def test_exponent_of_a_power_is_exact():
    sizes = np.array([100, 200, 400, 800])
    fitted = module("_fit").exponent(sizes, 3e-6 * sizes**1.5)
    assert fitted["exponent"] == pytest.approx(1.5)
    assert fitted["high"] - fitted["low"] < 1e-6


def test_interval_of_the_exponent_holds_the_truth():
    rng = np.random.default_rng(0)
    sizes = np.array([100, 200, 400, 800, 1600])
    held = 0
    for _ in range(400):
        noisy = sizes**2.0 * np.exp(0.1 * rng.normal(size=5))
        fitted = module("_fit").exponent(sizes, noisy)
        held += fitted["low"] <= 2.0 <= fitted["high"]
    assert 0.92 <= held / 400 <= 0.98


def test_two_sizes_are_too_few():
    with pytest.raises(ValueError, match="2 sizes are too few"):
        module("_fit").exponent([1, 2], [1, 2])


def test_slow_calls_are_timed_less():
    repeats = module("_measure").repeats_after
    assert [repeats(s) for s in (0.001, 0.5, 2.0, 60.0)] == [15, 5, 3, 0]


def test_ratio_is_the_peers_time_over_ours():
    workload = module("_workload")
    assert workload.ratio_of(record(2.0, 10.0), "peer") == pytest.approx(5.0)
    assert workload.ratio("peer", "all")(record(2.0, 10.0)) == pytest.approx(5.0)


def test_a_summary_has_the_ratios_of_its_records():
    condensed = module("_summary")._condensed(record(0.123456, 0.7))
    assert module("_workload").ratio_of(condensed, "peer") == pytest.approx(
        0.7 / 0.123456, rel=1e-3
    )


@pytest.mark.parametrize(("value", "met"), [(1.9, False), (2.0, True), (7.0, True)])
def test_targets_from_below(value, met):
    target = module("_workload").Target("t", lambda r: r, at_least=2)
    assert target.met(value) is met


def test_targets_from_above():
    target = module("_workload").Target("t", lambda r: r, at_most=2)
    assert target.met(2.0)
    assert not target.met(2.1)


@pytest.mark.parametrize(("peer", "complains"), [(12.0, False), (4.1, False), (3.9, True)])
def test_a_ratio_may_fall_to_a_third(peer, complains):
    (row,) = module("_check").compare("w", record(1.0, 12.0), record(1.0, peer))
    assert (row[3] is not None) is complains


@pytest.mark.parametrize(
    ("stored", "now", "complains"),
    [(1.0, 0.97, False), (1.0, 0.9, True), (1e-15, 1e-14, False), (1e-15, 1e-3, True)],
)
def test_agreement_must_not_get_worse(stored, now, complains):
    rows = module("_check").compare("w", record(agreement=stored), record(agreement=now))
    assert (rows[0][3] is not None) is complains


def test_a_peer_without_a_stored_ratio_is_not_compared():
    now = record()
    now["seconds"]["1"]["another"] = [1.0]
    assert [row[0] for row in module("_check").compare("w", record(), now)] == ["peer"]


def test_the_plain_rfe_is_backstays():
    from sklearn.preprocessing import minmax_scale

    from backstay.datasets import make_han_yu
    from backstay.feature_weighting import SVMRFE

    X, y, _ = make_han_yu(40, n_features=120, random_state=0)
    order = module("_plain").svm_rfe(minmax_scale(X), y)
    np.testing.assert_array_equal(np.argsort(SVMRFE().fit(X, y).ranking_)[:30], order[:30])


def test_the_plain_weights_and_simba_are_backstays():
    from backstay import MarginWeighting, Simba
    from backstay.datasets import make_han_yu

    X, y, _ = make_han_yu(30, n_features=60, random_state=0)
    plain = module("_plain")
    np.testing.assert_allclose(plain.margin_weights(X, y), MarginWeighting().fit_weight(X, y))
    visits = np.random.RandomState(0).permutation(30)
    ours = Simba(random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(plain.simba(X, y, visits), ours, atol=1e-12)


def test_a_failing_peer_is_reported_and_the_rest_goes_on():
    workload = module("_workload")

    def broken(problem, jobs):
        raise ImportError("no such library")

    beside = workload.Workload(
        "w",
        "title",
        lambda: 1.0,
        lambda problem, jobs: problem,
        (workload.Peer("broken", broken), workload.Peer("fine", lambda problem, jobs: problem)),
        module("_agreement").DIFFERENCE,
        check=True,
    )
    found = beside.run("check")
    assert found["could_not"] == {"broken": "ImportError: no such library"}
    assert found["agreement"] == {"fine": 0.0}
    assert set(found["seconds"]["1"]) == {"backstay", "fine"}
    json.dumps(found)


def test_names_of_workloads_are_unique_and_found():
    known = module("_registry").workloads()
    assert {area for area, _ in known.values()} >= {"feature_weighting", "stability", "study"}
    assert list(module("_registry").chosen(["start"])) == ["first_run", "start"]
    with pytest.raises(SystemExit, match="no benchmark is called 'nothing'"):
        module("_registry").chosen(["nothing"])


def test_the_committed_page_belongs_to_the_committed_summary():
    summary = module("_summary")
    page = module("_page")
    assert page.PAGE.read_text() == page.text(summary.load())
