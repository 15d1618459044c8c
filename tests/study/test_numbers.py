"""A study of numbers from end to end: the same machinery, another target."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backstay import BaggedRanker, ModuleRanker, SlopeTest, Spearman, Study
from backstay.results import Results
from backstay.store import StoreError
from backstay.study import FiveByTwo, Subsampling, merge_stores, suspicions
from backstay.study import RepeatedStratifiedKFold as Repeated
from backstay.study._protocols import draw_splits
from backstay.targets import as_target
from reference import numbers as reference
from reference.study import contents

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 40))
X[:, 20:23] = X[:, :3] + 0.1 * RNG.normal(size=(60, 3))
Y = X[:, :3].sum(axis=1) + 0.6 * RNG.normal(size=60)
METHODS = {"slope": SlopeTest(), "spearman": Spearman()}


class AtRandom(BaseEstimator):
    """Ranks features at random."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.feature_importances_ = np.random.default_rng(self.random_state).random(X.shape[1])
        return self


def study(**changes):
    options = {"sizes": [2, 5, 10], "random_state": 0, "verbose": 0, "null": 4}
    return Study(**{"methods": METHODS, "resampling": Subsampling(12), **options, **changes})


@pytest.fixture(scope="module")
def results():
    return study(decoys=3).run(X, Y)


PROTOCOLS = [
    Subsampling(6),
    Subsampling(6, 0.9),
    Subsampling(6, 30),
    FiveByTwo(),
    Repeated(5, 2),
    StratifiedKFold(5),
    RepeatedStratifiedKFold(n_splits=4, n_repeats=2),
    KFold(5, shuffle=True),
]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_rows_sorted_by_outcome_are_dealt_out(protocol):
    splits = draw_splits(protocol, as_target(Y), None, np.random.SeedSequence(0))
    ranks = stats.rankdata(Y)
    for split in splits:
        assert sorted([*split.train, *split.test]) == list(range(60))
        if not isinstance(protocol, KFold):
            # The mean rank of rows dealt out lies nearer to the middle than that of rows drawn.
            error = np.sqrt((60**2 - 1) / 12 / len(split.test))
            assert abs(ranks[split.test].mean() - 30.5) < error
    assert len({tuple(split.test) for split in splits}) == len(splits)


def test_two_thirds_are_two_of_every_three_neighbours():
    order = np.argsort(Y).reshape(20, 3)
    for split in draw_splits(Subsampling(4), as_target(Y), None, np.random.SeedSequence(0)):
        assert (np.isin(order, split.train).sum(axis=1) == 2).all()


@pytest.mark.parametrize("protocol", [Subsampling(4), FiveByTwo(), Repeated(4, 1)], ids=repr)
def test_groups_stay_together(protocol):
    groups = np.arange(60) // 3
    results = study(resampling=protocol, sizes=[3]).run(X, Y, groups)
    part = results._parts["data"]
    for i in range(part.n_resamples):
        assert not set(groups[part.train(i)]) & set(groups[part.test(i)])
    assert results.scores().frame()["value"].notna().all()


def test_scores_are_those_of_models_fitted_by_hand(results):
    part, size = results._parts["data"], 5
    tests, alone = [], []
    for i, outputs in part.outputs("slope"):
        train, test = part.train(i), part.test(i)
        best = np.argsort(SlopeTest().fit(X[train], Y[train]).ranking_)[:size]
        model = as_target(Y).default_models()["ridge"].fit(X[np.ix_(train, best)], Y[train])
        said = model.predict(X[np.ix_(test, best)])
        np.testing.assert_allclose(outputs[0, 1, :, 0], said)
        np.testing.assert_allclose(outputs[0, 1, :, 1], Y[train].mean())
        tests.append((test, said, Y[train].mean()))
        alone.append(stats.spearmanr(Y[test], said).statistic)
    frame = results.scores("r2").frame().set_index(["method", "model", "size"])
    # All test parts have 20 rows, so the mean over them is R² of all together.
    squares = sum(((Y[rows] - said) ** 2).sum() for rows, said, _ in tests)
    around = sum(((Y[rows] - mean) ** 2).sum() for rows, _, mean in tests)
    assert frame.loc[("slope", "ridge", size), "value"] == pytest.approx(1 - squares / around)
    spearman = results.scores("spearman").frame().set_index(["method", "model", "size"])
    assert spearman.loc[("slope", "ridge", size), "value"] == pytest.approx(np.mean(alone))
    # What is recommended is chosen by R² of rows that count once each.
    answer = results.recommend()
    chosen = answer.trusted
    at, by = part.sizes.index(chosen.size), part.models.index(chosen.model)
    runs = [
        (rows, out[by, at, :, 0], out[by, at, 0, 1]) for rows, out in part.tested(chosen.method)
    ]
    assert chosen.apparent == pytest.approx(reference.pooled("r2", Y, runs, np.ones(60)))


def test_the_answer_finds_the_features_and_quotes_r2(results):
    answer = results.recommend()
    assert set(answer.answers) == {"trusted", "short", "accurate"}
    assert (answer.metric, answer.chance) == ("r2", 0.0)
    assert 0.2 < answer.score.low < answer.score.value < answer.score.high <= 1
    assert set(answer.beside) == {"spearman", "mae", "rmse"}
    assert answer.beside["mae"].value < as_target(Y).metrics["mae"].chance(as_target(Y))
    relevant = {f"x{j}" for j in (0, 1, 2, 20, 21, 22)}
    assert len(set(answer.core) & relevant) >= 3
    assert results.null().frame()["p_value"].min() <= 0.2
    assert results.replication().frame()["expected"].max() > 0.3


def test_every_question_has_an_answer(results):
    features = results.features().frame()
    assert features["decoy_q_value"].notna().all()
    assert (features.iloc[0]["high_in"], features.iloc[0]["q_value"] < 0.01) == ("rises", True)
    stable = results.predictions.stability().frame()
    assert set(stable["measure"]) == {"alpha"}
    assert stable["value"].between(-0.2, 1).all()
    rows = results.predictions.rows("slope", 5).frame()
    assert {"row", "resample", "outcome", "predicted", "training_mean"} <= set(rows)
    swaps = results.selections.equivalents(3, "slope").frame()
    assert {"x20", "x21", "x22", "x0", "x1", "x2"} & set(swaps["stand_in_name"].dropna())
    assert results.samples.map().frame()["outcome"].tolist() == Y.tolist()
    assert results.compare("slope", "spearman").metric == "r2"
    assert results.comparisons.pareto().frame()["on_front"].any()
    assert results.weights.variance().frame()["value"].notna().all()
    assert len(results.suspicions().frame()) == 0
    assert results.choice().kind == "recommended"


def test_predicted_and_observed_row_by_row(results):
    frame = results.predictions.table("predicted", "slope", 5, "ridge").frame().set_index("row")
    said = results.predictions.rows("slope", 5, "ridge").frame().groupby("row")["predicted"]
    np.testing.assert_allclose(frame["predicted"], said.mean())
    np.testing.assert_allclose(frame["spread"], said.std(ddof=0), atol=1e-9)
    np.testing.assert_allclose(frame["residual"], Y[frame.index] - frame["predicted"])
    np.testing.assert_allclose(frame["error"] ** 2, frame["residual"] ** 2 + frame["spread"] ** 2)
    assert frame.loc[4, "name"] == "row 4"
    worst = results.predictions.table("residuals", "slope", 5, "ridge").frame()
    assert worst["error"].is_monotonic_decreasing
    assert sorted(worst["row"]) == sorted(frame.index)
    with pytest.raises(ValueError, match="numbers has no table 'confusion'; it has predicted, re"):
        results.predictions.table("confusion")


@pytest.mark.parametrize("metric", ["mae", "rmse", "spearman"])
def test_other_metrics_may_decide_and_the_smaller_error_wins(metric):
    methods = {"slope": SlopeTest(), "poor": AtRandom()}
    results = study(methods=methods, metric=metric, sizes=[3, 10], null=0).run(X, Y)
    gain = as_target(Y).metrics[metric].gain
    means = results.scores(metric).frame().groupby("method")["value"].mean()
    assert gain(means["slope"]) > gain(means["poor"])
    answer = results.recommend()
    assert answer.method == "slope"
    assert answer.answers["accurate"].method == "slope"
    assert gain(answer.score.value) > gain(answer.chance)
    front = results.comparisons.pareto().frame().set_index("method")
    assert front.loc["poor", "dominated_by"] == "slope"
    swaps = results.selections.equivalents(3, "slope").frame().dropna(subset="change")
    assert (gain(swaps["change"]) > -swaps["error"]).all()
    counts = results.comparisons.summary(alpha=0.9).frame().iloc[0]
    assert (counts["accuracy_better"], counts["accuracy_worse"]) == (1, 0)


def test_shards_resumed_and_parallel_runs_are_one_run(tmp_path):
    def study(**changes):
        return Study(METHODS, Subsampling(4), sizes=[2, 5], null=2, random_state=0, **changes)

    at_once = study().run(X, Y)
    whole = contents(at_once)
    paths = [tmp_path / f"{number}.db" for number in (1, 2)]
    for number, path in enumerate(paths, start=1):
        study(store=path).run(X, Y, shard=(number, 2))
    merged = merge_stores(paths, tmp_path / "study.db")
    assert contents(Results.load(merged)) == whole
    assert contents(study(store=merged).run(X, Y)) == whole
    with parallel_config("threading"):
        assert contents(study(n_jobs=2).run(X, Y)) == whole
    assert repr(Results.load(merged).recommend()) == repr(at_once.recommend())
    with pytest.raises(StoreError, match=r"data\.y is not the same as in the store"):
        study(store=merged).run(X, Y + 0.1)


def test_any_ranker_of_numbers_will_do():
    methods = {
        "bagged": BaggedRanker(SlopeTest(), n_resamples=4),
        "modules": ModuleRanker(SlopeTest()),
        "lasso": Lasso(alpha=0.1),
        "forest": RandomForestRegressor(10),
    }
    models = {"lasso": make_pipeline(StandardScaler(), Lasso(alpha=0.1))}
    results = study(methods=methods, models=models, resampling=Subsampling(3)).run(X, Y)
    assert set(results.methods) == set(methods)
    best = results.scores("r2").frame().query("size == 10").groupby("method")["value"].max()
    assert (best > 0.2).all()


def test_whole_numbers_need_a_word():
    counts = np.round(4 * Y).astype(float)
    with pytest.raises(ValueError, match="target='numbers'"):
        study().run(X, np.arange(60.0))
    few = study(null=0).run(X, np.clip(counts, -3, 3), target="numbers")
    assert few.data.target.kind == "numbers"
    assert few.scores("r2").frame()["value"].max() > 0.3
    labels = study(null=0).run(X, np.clip(counts, -1, 1).astype(int), target="numbers")
    assert labels.data.target.kind == "numbers"


def test_kinds_do_not_mix():
    with pytest.raises(ValueError, match="outcome of numbers and 'b' one of classes"):
        study().run_many({"a": (X, Y), "b": (X, Y > 0)})
    with pytest.raises(ValueError, match="scoring='roc_auc' is unknown; there are r2"):
        study(scoring=["roc_auc"]).run(X, Y)


def test_a_split_that_cannot_be_trained_on_is_refused():
    with pytest.raises(ValueError, match="trains on fewer than 12 rows"):
        study(resampling=Subsampling(2)).run(X[:15], Y[:15])


def test_a_leak_is_suspicious():
    leaky = X.copy()
    leaky[:, 7] = 3 * Y + 0.01
    (found,) = suspicions(leaky, Y)
    assert (found.kind, found.figures["features"]) == ("gives_away", ["x7"])
    assert suspicions(X, Y) == []


@pytest.mark.parametrize("tails", [None, 3])
def test_nothing_is_found_on_noise(tails):
    found = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=60) if tails is None else rng.standard_t(tails, size=60)
        noise = rng.normal(size=(60, 80))
        answer = study(random_state=seed, null=0, methods={"slope": SlopeTest()}).run(noise, y)
        found += answer.recommend().trusted is not None
    assert found == 0
