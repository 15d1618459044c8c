"""Plans: what they are made of, what they answer, and where there is none."""

import math
from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from backstay import Study, TTest
from backstay._refusal import Refusal
from backstay.datasets import make_han_yu
from backstay.results import RowsNeeded
from backstay.results._growth import Growth
from backstay.study import FiveByTwo, Subsampling
from reference.growth import rows_of_interval
from reference.study import kuncheva

X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, block_size=5, random_state=0)
X = X + np.random.default_rng(0).normal(0, 1.5, X.shape)


def ran(groups=None, X=X, y=y, **options):
    defaults = {"resampling": Subsampling(10), "sizes": [5, 10], "planning": 2, "verbose": 0}
    study = Study({"t": TTest()}, random_state=0, **{**defaults, **options})
    return study.run(X, y, groups)


@pytest.fixture(scope="module")
def results():
    return ran()


def test_the_frame(results):
    plan = results.plan()
    frame = plan.frame()
    assert frame["rows"].tolist() == [20, 30, 40, 60, 90, 120, 180, 240]
    assert frame["measured"].tolist() == [True] * 4 + [False] * 4
    for name in ("score", "replication"):
        low, high = frame[f"{name}_low"], frame[f"{name}_high"]
        assert ((low <= frame[name]) & (frame[name] <= high)).all()
        assert (frame[name].diff().dropna() >= 0).all()
    assert frame["score_measured"].notna().tolist() == [True] * 3 + [False] * 5
    known = frame["replication_measured"].notna()
    assert frame["rows"][known].tolist() == [20, 30, 60]
    assert (plan.n_rows, plan.grouped, plan.method) == (60, False, results.choice().method)
    frame["rows"] = -1
    assert (plan.frame()["rows"] > 0).all()


def test_replication_of_parts_by_hand(results):
    parts = results._one().parts("t")
    assert len(parts) == 2 * Study.DEAL_RUNS
    frame = results.plan("t", 10).frame().set_index("rows")
    for n_parts, rows in ((3, 20.0), (2, 30.0)):
        pairs = []
        for deal in (0, 1):
            orders = [p.order[:10] for p in parts if (p.deal, p.n_parts) == (deal, n_parts)]
            pairs += [kuncheva([a, b], 100) for a, b in combinations(orders, 2)]
        assert frame.loc[rows, "replication_measured"] == pytest.approx(np.mean(pairs))
    table = results.replication().frame().set_index("size")
    assert frame.loc[60.0, "replication_measured"] == pytest.approx(table.loc[10, "expected"])


def test_scores_of_parts_by_hand(results):
    records = results._one()
    frame = results.plan("t", 5).frame().set_index("rows")
    metric = records.metric("roc_auc")
    everyone = np.ones((1, 60))
    for n_parts, rows in ((3, 20.0), (2, 30.0)):
        runs = [(p.others, p.outputs) for p in records.parts("t") if p.n_parts == n_parts]
        value = metric.pooled(records.target, runs, everyone)[0, 0]
        assert frame.loc[rows, "score_measured"] == pytest.approx(value)
    value = metric.pooled(records.target, records.tested("t"), everyone)[0, 0]
    assert frame.loc[40.0, "score_measured"] == pytest.approx(value)


def test_what_was_chosen_is_corrected(results):
    trusted = results.recommend().trusted
    assert trusted is not None
    chosen = results.plan().frame().set_index("rows")
    assert chosen.loc[40.0, "score_measured"] == pytest.approx(trusted.score.value)
    assert chosen.loc[60.0, "replication_measured"] == pytest.approx(trusted.replication.value)


def test_rows_of_a_validation_are_those_of_wilsons_interval():
    results = ran(metric="accuracy")
    plan = results.plan("t", 10)
    score = plan.frame().set_index("rows").loc[60.0]
    ends = [rows_of_interval(score[name], 0.05) for name in ("score", "score_low", "score_high")]
    assert plan.validation.value == pytest.approx(ends[0], rel=1e-3)
    assert plan.validation.low == pytest.approx(min(ends), rel=1e-3)
    # The band may hold 0.5, where a share is least sure.
    assert plan.validation.high >= max(ends) * 0.999


def test_rows_to_share_half_are_read_from_the_curves(monkeypatch):
    results = ran()
    seen = []
    fit = Growth.fit.__func__

    def kept(cls, *arguments):
        seen.append(fit(cls, *arguments))
        return seen[-1]

    monkeypatch.setattr(Growth, "fit", classmethod(kept))
    shared = results.plan("t", 10).shared
    found = seen[-1].rows_for(0.5)
    assert shared.value == pytest.approx(max(found.value, 20.0))
    assert shared.low <= shared.value <= shared.high
    assert seen[-1].at(found.value).value == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("value", "verdict"), [(60, "already"), (61, "more"), (240, "more"), (math.inf, "beyond")]
)
def test_verdicts(value, verdict):
    assert RowsNeeded(value, 20, math.inf, 60).verdict == verdict


def test_a_score_to_be_minimised():
    results = ran(metric="log_loss", models={"lr": LogisticRegression()})
    frame = results.plan("t", 5).frame()
    assert (frame["score"].diff().dropna() <= 1e-12).all()  # lower is better
    assert ((frame["score_low"] <= frame["score"]) & (frame["score"] <= frame["score_high"])).all()
    assert (frame["score_low"] >= 0).all()
    validation = results.plan("t", 5).validation
    assert 0 < validation.low < validation.value < validation.high < math.inf


def test_groups_are_counted_not_rows():
    table, labels = np.repeat(X[:40], 2, axis=0), np.repeat(y[:40], 2)
    plan = ran(np.repeat(np.arange(40), 2), table, labels).plan("t", 5)
    frame = plan.frame()
    assert (plan.n_rows, plan.grouped) == (40, True)
    assert frame["rows"].iloc[0] == pytest.approx(13.33)
    assert frame["rows"].iloc[-1] == 160
    assert plan.shared.here == 40


def test_without_models_only_replication_is_known():
    plan = ran(models={}).plan()
    assert plan.validation is None
    assert plan.metric is None
    assert plan.frame()["score"].isna().all()
    assert plan.shared is not None


def test_without_replication_only_the_score_is_known():
    plan = ran(resampling=Subsampling(4)).plan("t", 5)  # too few runs for standings
    assert plan.shared is None
    assert plan.frame()["replication"].isna().all()
    assert plan.validation is not None
    with pytest.raises(Refusal, match="no score and no replication of 't' at size 5"):
        ran(resampling=Subsampling(4), models={}).plan("t", 5)


def test_halves_twice_are_no_harm():
    frame = ran(resampling=FiveByTwo()).plan("t", 5).frame()
    assert frame["rows"].tolist() == [20, 30, 60, 90, 120, 180, 240]
    assert frame["score"].notna().all()


def test_what_is_missing_is_said(results):
    missing = r"no runs on halves and thirds .* again with planning=4"
    with pytest.raises(Refusal, match=missing) as e:
        ran(planning=0).plan()
    assert e.value.parameter == ("planning",)
    for options in ({"method": "t"}, {"size": 5}, {"model": "svm"}):
        with pytest.raises(Refusal, match="give method and size together"):
            results.plan(**options)
    with pytest.raises(ValueError, match="size=7 was not studied"):
        results.plan("t", 7)
    with pytest.raises(ValueError, match="method='u' is not in the study"):
        results.plan("u", 5)
