"""What a second study would share: from a study to the table, the features and the answer."""

import math

import numpy as np
import pytest

from backstay import Study, TTest
from backstay.datasets import make_han_yu
from backstay.results._replication import sampling_noise
from backstay.stability import Standings
from backstay.study import RepeatedStratifiedKFold, Subsampling


def ran(X, y, resampling=None, groups=None, sizes=(5, 10, 20), models=None):
    methods = {"t": TTest(moderation="shrunken"), "student": TTest()}
    study = Study(
        methods, resampling or Subsampling(15), sizes=sizes, random_state=0, models=models
    )
    return study.run(X, y, groups)


@pytest.fixture(scope="module")
def signal():
    X, y, _ = make_han_yu(60, n_features=200, n_relevant=20, random_state=0)
    return ran(X, y)


def test_the_table_is_that_of_the_standings(signal):
    frame = signal.replication().frame()
    assert frame.columns.tolist() == ["dataset", "method", "size", "expected", "low", "high"]
    orders = signal.runs.orders("t")[:, :10]
    counts = np.bincount(orders.ravel(), minlength=200)
    found = Standings.fit(counts, 15, 2.0)
    row = frame[(frame["method"] == "t") & (frame["size"] == 10)].iloc[0]
    assert row["expected"] == pytest.approx(found.overlap())
    assert row["low"] < row["expected"] < row["high"]
    assert row["high"] - row["expected"] >= 1.95 * math.sqrt(0.05**2 + 0.25**2 / 15)
    features = signal.features("t", 10).frame().set_index("feature")
    assert features.loc[np.arange(200), "again"].tolist() == pytest.approx(found.again()[counts])


def test_the_answer_is_the_surest_and_corrected(signal):
    advice = signal.recommend()
    table = signal.replication().frame().set_index(["method", "size"])
    trusted = advice.trusted
    plain = table.loc[(trusted.method, trusted.size)]
    assert trusted.replication.value <= plain["expected"] + 0.02
    assert trusted.replication.low < trusted.replication.value < trusted.replication.high
    assert advice.replication == signal.choice().replication == trusted.replication
    for name, answer in advice.answers.items():
        shares = dict(advice.considered.shares[name])
        assert list(shares.values()) == sorted(shares.values(), reverse=True)
        assert sum(shares.values()) <= 1 + 1e-9
        assert answer.share == shares.get(answer.configuration, 0.0)
        assert answer.toss_up == (answer.share <= 0.5)
        # One configuration has one figure.
        twin = next(a for a in advice.answers.values() if a.configuration == answer.configuration)
        assert (answer.score, answer.replication) == (twin.score, twin.replication)


def test_noise_replicates_nothing():
    rng = np.random.default_rng(0)
    results = ran(rng.normal(size=(60, 300)), np.tile([0, 1], 30), sizes=[20], models={})
    frame = results.replication().frame()
    assert (frame["expected"].abs() < 0.1).all()
    assert (frame["low"] < 0).all()


def test_sampling_noise_by_hand():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), np.tile([0, 1], 30)
    noise = {
        "half": sampling_noise(ran(X, y, Subsampling(5, 0.5), models={})._one()),
        "ten folds": sampling_noise(ran(X, y, RepeatedStratifiedKFold(10, 1), models={})._one()),
    }
    assert noise == pytest.approx({"half": 1.0, "ten folds": 9.0})
    # Groups of two rows, split in halves: what counts is the groups.
    groups = np.repeat(np.arange(30), 2)
    whole = ran(X, np.repeat([0, 1], 30), Subsampling(5, 0.5), groups, models={})
    assert sampling_noise(whole._one()) == pytest.approx(1.0)
    # Rows drawn with replacement vary as much as the sample itself.
    drawn = []
    while len(drawn) < 30:
        train = rng.integers(60, size=60)
        drawn.append((train, np.setdiff1d(np.arange(60), train)))
    bootstrap = sampling_noise(ran(X, y, drawn, models={})._one())
    assert bootstrap == pytest.approx(1.0, abs=0.1)


def test_absent_where_rows_or_runs_are_few():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), np.tile([0, 1], 30)
    few_runs = ran(X, y, Subsampling(4), models={})
    assert few_runs.replication().frame().empty
    assert few_runs.features("t", 5).frame()["again"].isna().all()
    assert few_runs.choice().replication is None
    assert ran(X[:18], y[:18], models={}).replication().frame().empty
    # All features are no choice.
    assert set(ran(X, y, sizes=[5, 30], models={}).replication().frame()["size"]) == {5}
