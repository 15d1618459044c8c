"""Metrics of classes: scikit-learn's on one test fold, plain loops on rows drawn with repeats."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from backstay import FStatistic, Study
from backstay.study import Subsampling
from backstay.targets import as_target, find_metric
from backstay.targets._metric import MOST_ROWS, ordered_share, ordered_share_of_many
from reference import recommendation as reference

METRICS = list(as_target([0, 1]).metrics)


def outputs_of(predicted, scores):
    """Outputs of models, … × row × column, from labels and scores."""
    return np.concatenate([np.asarray(predicted, dtype=float)[..., None], scores], axis=-1)


def score(metric, truth, n_classes, predicted, scores):
    target = as_target(np.arange(n_classes)).take(np.asarray(truth))
    return find_metric(metric).score(target, outputs_of(predicted, scores))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_metrics_are_scikit_learns(n_classes):
    rng = np.random.default_rng(n_classes)
    truth = np.tile(np.arange(n_classes), 7)
    predicted = rng.integers(0, n_classes, (2, 4, len(truth)))
    leanings = rng.normal(size=(2, 4, len(truth), 1 if n_classes == 2 else 3)).round(1)
    wanted = ("accuracy", "balanced_accuracy", "f1_macro", "roc_auc")
    found = {m: score(m, truth, n_classes, predicted, leanings) for m in wanted}
    for i, j in np.ndindex(2, 4):
        labels, lean = predicted[i, j], leanings[i, j]
        assert found["accuracy"][i, j] == pytest.approx((labels == truth).mean())
        assert found["balanced_accuracy"][i, j] == pytest.approx(
            metrics.balanced_accuracy_score(truth, labels)
        )
        f1 = metrics.f1_score(truth, labels, average="macro")
        assert found["f1_macro"][i, j] == pytest.approx(f1)
        one = [metrics.roc_auc_score(truth == 1, lean[:, 0])]
        each = [
            metrics.roc_auc_score(truth == c, lean[:, c]) for c in range(n_classes) if n_classes > 2
        ]
        assert found["roc_auc"][i, j] == pytest.approx(np.mean(each or one))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_other_metrics_are_scikit_learns(n_classes):
    rng = np.random.default_rng(3)
    truth, said = rng.integers(n_classes, size=50), rng.integers(n_classes, size=50)
    shares = rng.dirichlet(np.ones(n_classes), size=50).round(1) + 0.01
    shares /= shares.sum(axis=1, keepdims=True)
    scores = shares[:, 1:] if n_classes == 2 else shares
    found = {m: float(score(m, truth, n_classes, said, scores)) for m in METRICS}
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


def test_a_test_fold_of_one_class_has_no_area():
    found = score("roc_auc", np.zeros(4, int), 2, np.zeros((1, 4)), np.ones((1, 4, 1)))
    assert np.isnan(found).all()


def test_an_unknown_metric_is_refused_with_all_names():
    with pytest.raises(
        ValueError, match=rf"metric='xyz' is unknown; there are {', '.join(METRICS)}, r2, "
    ):
        find_metric("xyz")
    with pytest.raises(ValueError, match="did you mean 'roc_auc'"):
        find_metric("auc")


# Which way is better.


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@pytest.mark.parametrize("name", METRICS)
def test_better_outputs_gain(name, seed, n_classes):
    """What is right and sure of it never gains less than what is not, in the metric's range."""
    metric, rng = find_metric(name), np.random.default_rng(seed)
    truth = rng.permutation(np.arange(4 * n_classes) % n_classes)
    target = as_target(np.arange(n_classes)).take(truth)
    right = np.eye(n_classes)[truth]
    # Sure of another class; for the order of rows, the own class has the lowest score.
    wrong = (1 - right) / (n_classes - 1) if metric.needs == "scores" else np.roll(right, 1, axis=1)

    def said(shares, doubt):
        """Probabilities of which some part is at random; there are no ties, if it is above 0."""
        shares = (1 - doubt) * shares + doubt * rng.dirichlet(np.ones(n_classes), size=len(truth))
        return outputs_of(shares.argmax(axis=1), shares[:, 1:] if n_classes == 2 else shares)

    outputs = said(wrong, 1e-9), said(right, 1.0), said(right, 0.0)
    values = [float(metric.score(target, one)) for one in outputs]
    least, middle, most = (metric.gain(value) for value in values)
    assert middle <= most
    # Of more than two classes, Matthews' least depends on which classes are mistaken.
    assert least <= middle or (name == "mcc" and n_classes > 2)
    assert least < most
    assert metric.low <= min(values) <= max(values) <= metric.high
    assert metric.gain(metric.chance(target)) < most


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_to_be_minimised_prefers_the_smaller_value(name):
    metric = find_metric(name)
    values = np.array([0.2, 0.7])
    turned = metric.gain(values)
    assert (turned[0] > turned[1]) == (not metric.higher_is_better)
    assert_allclose(np.abs(turned), values)
    assert metric.gain(0.2) == turned[0]
    assert metric.higher_is_better == (name not in ("log_loss", "brier"))
    low, high = metric.least_interval(0.2, 30)
    assert metric.low <= low <= 0.2 <= high <= metric.high
    assert (low < 0.2 < high) == math.isfinite(metric.high)


class Backwards(FStatistic):
    """The features that tell least come first."""

    def _score(self, X, y, sample_weight):
        return -super()._score(X, y, sample_weight)


@pytest.mark.parametrize("name", METRICS)
def test_every_table_prefers_what_gains(name):
    """A method that finds the features, and one that avoids them, in every place that judges."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 12))
    X[:, :3] += 2.5 * y[:, None]
    results = Study(
        {"good": FStatistic(), "bad": Backwards()},
        Subsampling(8),
        sizes=[2, 3],
        models={"lda": LinearDiscriminantAnalysis()},
        metric=name,
        random_state=0,
        verbose=0,
    ).run(X, y)
    metric = find_metric(name)
    means = results.scores(name).frame().set_index(["method", "size"])["value"]
    assert metric.gain(means["good", 2]) > metric.gain(means["bad", 2])
    fronts = results.comparisons.pareto(size=2).frame().set_index("method")["on_front"]
    assert fronts.to_dict() == {"good": True, "bad": False}
    test = results.compare("good", "bad", size=2).accuracy
    assert metric.gain(test.difference) > 0
    found = results.recommend(n_bootstrap=50)
    assert found.method == found.answers["accurate"].method == "good"
    assert metric.gain(found.score.value) > metric.gain(found.chance)


# Pooled over resamples, on drawn rows.


def small_study(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(24) % n_classes
    X = rng.normal(size=(24, 5)).round(1) + (y[:, None] == 1)
    study = Study(
        {"f": FStatistic(), "noise": FStatistic(n_features_to_select=1)},
        Subsampling(4, train_size=0.6),
        sizes=[1, 3],
        models={"nb": GaussianNB(), "lda": LinearDiscriminantAnalysis()},
        scoring=METRICS,
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
    target = records.target
    codes = target.arrays()["codes"]
    for method in records.methods:
        runs = records.tested(method)
        found = find_metric(metric).pooled(target, runs, copies.astype(float))
        assert found.shape == (6, 4)
        for place, (i, j) in enumerate(np.ndindex(2, 2)):
            tests = [(rows, out[i, j, :, 0], out[i, j, :, 1:]) for rows, out in runs]
            for b, drawn in enumerate(copies):
                expected = reference.pooled(metric, codes, len(target.names), tests, drawn)
                assert found[b, place] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS)
def test_one_resample_of_all_rows_is_the_metric_itself(metric):
    """Pooling adds nothing where there is nothing to pool."""
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(3, size=30), rng.integers(3, size=30)
    outputs = outputs_of(predicted, rng.dirichlet(np.ones(3), size=30))
    target, asked = as_target(y), find_metric(metric)
    found = asked.pooled(target, [(np.arange(30), outputs[None, None])], np.ones((1, 30)))
    assert_allclose(found[0, 0], asked.score(target, outputs))


def test_pooling_does_not_bias_the_auc():
    """The pooled AUC of single models is their mean AUC, not that of an averaged score."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    tests = [np.sort(rng.permutation(120)[:40]) for _ in range(60)]
    # A weak signal under noise that differs from model to model: averages over models are better.
    drawn = [0.7 * y[t] + rng.normal(size=len(t)) for t in tests]
    single = np.mean([metrics.roc_auc_score(y[t], s) for t, s in zip(tests, drawn, strict=True)])
    average = np.zeros(120)
    for t, s in zip(tests, drawn, strict=True):
        average[t] += s / 20
    runs = [
        (t, outputs_of(np.zeros((1, 1, len(t))), s[None, None, :, None]))
        for t, s in zip(tests, drawn, strict=True)
    ]
    found = float(find_metric("roc_auc").pooled(as_target(y), runs, np.ones((1, 120)))[0, 0])
    assert found == pytest.approx(single, abs=0.01)
    assert metrics.roc_auc_score(y, average) > single + 0.1


def test_many_rows_have_the_auc_of_all_pairs():
    """Beyond so many rows ranks stand for pairs: the same spread over draws, nearly the same."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [MOST_ROWS + 100, 300])
    runs = []
    for _ in range(8):
        tested = np.flatnonzero(rng.random(len(y)) < 0.3)
        runs.append((tested, (y[tested] + rng.normal(size=(1, 2, len(tested)))).round(1)))
    copies = np.array([np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y))
                       for _ in range(60)], dtype=float)  # fmt: skip
    copies[-1, y == 1] = 0
    left_out = (copies == 0).astype(float)
    found = find_metric("roc_auc").pooled(
        as_target(y),
        [(rows, outputs_of(np.zeros(s.shape), s[..., None])) for rows, s in runs],
        np.concatenate([copies, left_out]),
    )
    sides = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    expected = ordered_share(runs, sides, np.concatenate([copies, left_out]))
    assert_allclose(np.isnan(found), np.isnan(expected))
    assert np.isnan(found[59]).all()
    for part in (slice(0, 59), slice(60, 119)):
        spread = expected[part].std(axis=0)
        assert_allclose(found[part].std(axis=0), spread, rtol=0.05)
        assert ((found[part] - expected[part]).std(axis=0) < 0.2 * spread).all()
    # One run of all rows is the metric itself.
    scores = y + rng.normal(size=len(y))
    whole = ordered_share_of_many([(np.arange(len(y)), scores[None, None])], sides, copies[:1] ** 0)
    assert_allclose(whole, metrics.roc_auc_score(y, scores))
