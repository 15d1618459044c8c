"""Scores on drawn rows, and the rules that choose by them, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from backstay import FStatistic, Study
from backstay.results._choosing import RULES, Grounds
from backstay.results._metrics import METRICS, score
from backstay.results._pooled import pooled_scores
from backstay.study import Subsampling
from reference import recommendation as reference


def small_study(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(24) % n_classes
    X = rng.normal(size=(24, 5)).round(1) + (y[:, None] == 1)
    study = Study(
        {"f": FStatistic(), "noise": FStatistic(n_features_to_select=1)},
        Subsampling(4, train_size=0.6),
        sizes=[1, 3],
        models={"nb": GaussianNB(), "lda": LinearDiscriminantAnalysis()},
        scoring=list(METRICS),
        random_state=seed,
        verbose=0,
    )
    return study.run(X, y)._one()


@pytest.fixture(scope="module", params=[2, 3])
def records(request):
    return small_study(request.param)


@pytest.mark.parametrize("metric", [m for m in METRICS if m not in ("f1_macro", "mcc")])
def test_drawn_rows_count_as_often_as_they_are_drawn(records, metric):
    rng = np.random.default_rng(1)
    copies = np.array([np.bincount(rng.integers(24, size=24), minlength=24) for _ in range(6)])
    found = pooled_scores(records, metric, copies.astype(float))
    place = 0
    for method in records.methods:
        labels, scores = dict(records.predicted(method)), dict(records.leanings(method))
        for i in range(2):
            for j in range(2):
                tests = [(records.test(r), labels[r][i, j], scores[r][i, j]) for r in labels]
                for b, drawn in enumerate(copies):
                    expected = reference.pooled(
                        metric, records.codes, len(records.classes), tests, drawn
                    )
                    assert found[b, place] == pytest.approx(expected, nan_ok=True)
                place += 1


@pytest.mark.parametrize("metric", METRICS)
def test_one_resample_of_all_rows_is_the_metric_itself(metric):
    """Pooling adds nothing where there is nothing to pool."""
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(3, size=30), rng.integers(3, size=30)
    scores = rng.dirichlet(np.ones(3), size=30)

    class Once:
        methods, models, sizes, classes = ["a"], ["c"], [1], [0, 1, 2]
        n_samples, codes = 30, y
        test = staticmethod(lambda resample: np.arange(30))
        predicted = staticmethod(lambda method: [(0, predicted[None, None])])
        leanings = staticmethod(lambda method: [(0, scores[None, None])])

    found = pooled_scores(Once, metric, np.ones((1, 30)))
    assert_allclose(found[0, 0], score(metric, y, predicted, scores, 3))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_new_metrics_are_scikit_learns(n_classes):
    rng = np.random.default_rng(3)
    truth, said = rng.integers(n_classes, size=50), rng.integers(n_classes, size=50)
    shares = rng.dirichlet(np.ones(n_classes), size=50).round(1) + 0.01
    shares /= shares.sum(axis=1, keepdims=True)
    scores = shares[:, 1:] if n_classes == 2 else shares
    found = {m: float(score(m, truth, said, scores, n_classes)) for m in METRICS}
    assert found["mcc"] == pytest.approx(metrics.matthews_corrcoef(truth, said))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(truth, shares))
    hot = np.eye(n_classes)[truth]
    brier = ((shares - hot) ** 2).sum(axis=1).mean()
    assert found["brier"] == pytest.approx(brier / 2 if n_classes == 2 else brier)
    if n_classes == 2:
        expected = metrics.average_precision_score(truth, shares[:, 1])
    else:
        expected = metrics.average_precision_score(hot, shares, average="macro")
    assert found["average_precision"] == pytest.approx(expected)


def test_pooling_does_not_bias_the_auc():
    """The pooled AUC of single models is their mean AUC, not that of an averaged score."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    tests = [np.sort(rng.permutation(120)[:40]) for _ in range(60)]
    # A weak signal under noise that differs from model to model: averages over models are better.
    drawn = [0.7 * y[t] + rng.normal(size=len(t)) for t in tests]

    class Noisy:
        methods, models, sizes, classes = ["a"], ["c"], [1], [0, 1]
        n_samples, codes = 120, y
        test = staticmethod(lambda resample: tests[resample])
        leanings = staticmethod(
            lambda method: [(r, s[None, None, :, None]) for r, s in enumerate(drawn)]
        )

    single = np.mean([metrics.roc_auc_score(y[t], s) for t, s in zip(tests, drawn, strict=True)])
    average = np.zeros(120)
    for t, s in zip(tests, drawn, strict=True):
        average[t] += s / 20
    found = float(pooled_scores(Noisy, "roc_auc", np.ones((1, 120)))[0, 0])
    assert found == pytest.approx(single, abs=0.01)
    assert metrics.roc_auc_score(y, average) > single + 0.1


@st.composite
def grounds(draw):
    n = draw(st.integers(2, 8))
    floats = st.integers(0, 10).map(lambda k: k / 10)
    column = st.lists(floats, min_size=n, max_size=n).map(np.array)
    table = st.lists(column, min_size=n, max_size=n).map(np.array)
    sizes = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    return Grounds(
        configurations=[],
        value=draw(column),
        error=draw(column) / 5,
        chance=draw(st.sampled_from([0.0, 0.5])),
        apart=draw(table) / 3,
        steady=draw(column),
        steady_apart=draw(table) / 3,
        sizes=sizes,
    )


@given(grounds())
@pytest.mark.parametrize("rule", RULES)
def test_rules_are_their_definitions(rule, grounds):
    (found,) = RULES[rule](grounds.value[None], grounds)
    figures = {k: v for k, v in vars(grounds).items() if k != "configurations"}
    expected = reference.choose(rule, **figures)
    assert found == (-1 if expected is None else expected)
