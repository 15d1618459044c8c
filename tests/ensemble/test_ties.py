"""Equal importances: what a member does not order is not ordered by column."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFE, SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from backstay import InformationGain, ReliefF, TTest
from backstay._ties import TiedGroups
from backstay.base import FeatureRanker, ranking_from_importances
from backstay.ensemble import BaggedRanker, RepeatedSelector, StabilitySelection
from backstay.stability import stability_score
from backstay.study import Study, Subsampling
from backstay.study._ranking import ranking_of
from ensemble.test_aggregate import NAMES


class Given(FeatureRanker):
    """Gives these importances, whatever the rows."""

    def __init__(self, importances=(), n_features_to_select=None):
        self.importances = importances
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        return np.array(self.importances, dtype=float)


class Lucky(FeatureRanker):
    """Finds a few features at random, and gives all others the importance 0."""

    def __init__(self, n_found=1, n_features_to_select=None, random_state=None):
        self.n_found = n_found
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, sample_weight):
        rng = np.random.default_rng(self.random_state)
        importances = np.zeros(X.shape[1])
        importances[rng.choice(X.shape[1], self.n_found, replace=False)] = 1.0
        return importances


def bagged(estimator, n_features, n_resamples=1, k=None, random_state=0):
    """An ensemble whose members say what the estimator says, whatever the rows."""
    X, y = np.random.default_rng(0).normal(size=(6, n_features)), [0, 1] * 3
    options = {"n_features_to_select": k, "random_state": random_state}
    return BaggedRanker(estimator, n_resamples, **options).fit(X, y)


def repeated(estimator, n_features, n_resamples=1, random_state=0):
    """Runs of the estimator, with what every run selects."""
    X, y = np.random.default_rng(0).normal(size=(6, n_features)), [0, 1] * 3
    return RepeatedSelector(estimator, n_resamples, random_state=random_state).fit(X, y)


def test_without_ties_nothing_changes_and_nothing_is_drawn():
    importances = np.array([0.5, -1.0, np.inf, 0.0])
    for fit in (bagged, repeated):
        rng, same = np.random.RandomState(0), np.random.RandomState(0)
        fitted = fit(Given(importances, 2), 4, 3, random_state=rng)
        assert_array_equal(fitted.rankings_, [ranking_from_importances(importances)] * 3)
        for _ in range(3):  # the rows of a member, three of either class, and nothing else
            same.choice(3, 3), same.choice(3, 3)
        assert rng.randint(10**9) == same.randint(10**9)
    assert_array_equal(fitted.supports_, fitted.rankings_ <= 2)


@pytest.mark.parametrize("value", [0.0, 0.3, np.inf, -np.inf])
def test_all_equal_says_nothing(value):
    silent = Given([value] * 5, n_features_to_select=2)
    fitted = bagged(silent, 5, k=3)
    assert_array_equal(fitted.rankings_, 5)
    assert not fitted.selection_frequency_.any()
    assert not repeated(silent, 5).supports_.any()


def test_the_least_have_no_order():
    tied = Given([0, 3, 0, 5, 0], n_features_to_select=4)
    fitted = bagged(tied, 5, k=4)
    assert_array_equal(fitted.rankings_, [[5, 2, 5, 1, 5]])
    assert_array_equal(fitted.selection_frequency_, [0, 1, 0, 1, 0])
    assert_array_equal(repeated(tied, 5).supports_, [[False, True, False, True, False]])


def test_other_ties_are_broken_at_random():
    runs = repeated(Given([2, 2, 2, 7, 1], n_features_to_select=2), 5, 200)
    places = runs.rankings_
    assert_array_equal(places[:, 3], 1)
    assert_array_equal(places[:, 4], 5)
    assert_array_equal(np.sort(places[:, :3], axis=1), [[2, 3, 4]] * 200)
    assert np.ptp(places[:, :3].mean(axis=0)) < 0.4
    assert_array_equal(runs.supports_, places <= 2)


class Reversed(Given):
    """Orders features of equal importance from the last column to the first."""

    def _rank(self, importances):
        return len(importances) + 1 - ranking_from_importances(-importances)


def test_a_ranking_that_says_more_is_kept():
    runs = repeated(Reversed([0, 0, 1, 0], n_features_to_select=2), 4, 5)
    assert_array_equal(runs.rankings_, [[4, 3, 1, 2]] * 5)
    assert_array_equal(runs.supports_, [[False, False, True, True]] * 5)


def test_groups_by_importances_and_then_by_totals():
    importances = np.array([1.0, 0.0, 1.0, 1.0, -np.inf, np.inf])
    assert_array_equal(TiedGroups.by(importances).numbers, [1, 2, 1, 1, 3, 0])
    totals = np.array([7, 5, 7, 6, 9, 1])
    assert_array_equal(TiedGroups.by(importances, totals).numbers, [2, 3, 2, 1, 4, 0])
    assert TiedGroups.by(importances).n_ordered == 6
    assert TiedGroups.by(-importances).n_ordered == 6
    assert TiedGroups.by(np.zeros(3)).n_ordered == 0


class Shared(SelectorMixin, BaseEstimator):
    """A selector that is no ranker, with these ranks, whatever the rows."""

    def __init__(self, ranks=(), n_selected=2):
        self.ranks = ranks
        self.n_selected = n_selected

    def fit(self, X, y):
        self.ranking_ = np.array(self.ranks)
        return self

    def _get_support_mask(self):
        return ranking_from_importances(-self.ranking_.astype(float)) <= self.n_selected


def test_shared_ranks_are_ties():
    runs = repeated(Shared([3, 1, 3, 2, 2, 1, 3], 2), 7, 200)
    places = runs.rankings_
    assert_array_equal(places[:, [0, 2, 6]], 7)
    for tied, ranks in (([1, 5], [1, 2]), ([3, 4], [3, 4])):
        assert_array_equal(np.sort(places[:, tied], axis=1), [ranks] * 200)
        assert abs(places[:, tied[0]].mean() - np.mean(ranks)) < 0.15
    assert_array_equal(runs.supports_, [np.isin(np.arange(7), [1, 5])] * 200)


def test_what_a_selector_keeps_is_its_own_choice_unless_it_cuts_a_tie():
    everything = Shared([1, 1, 1, 1], 4)
    assert repeated(everything, 4).supports_.all()
    assert not bagged(everything, 4, k=4).selection_frequency_.any()
    cut = repeated(Shared([2, 1, 1, 1, 2], 2), 5, 60).supports_
    assert (np.mean(cut, axis=0)[1:4] > 0.3).all()
    assert (np.sum(cut, axis=1) == 2).all()


NOISE, LABELS = np.random.default_rng(1).normal(size=(60, 30)), np.arange(60) % 2


@pytest.mark.parametrize("aggregate", NAMES)
def test_members_that_say_nothing_make_an_ensemble_that_says_nothing(aggregate):
    silent = Given((0.0,) * 30)
    fitted = BaggedRanker(silent, 4, aggregate=aggregate, random_state=0).fit(NOISE, LABELS)
    assert np.ptp(fitted.feature_importances_) == 0.0
    assert not fitted.selection_frequency_.any()


def test_the_same_ranks_with_two_jobs():
    tied = Given((2.0, 1.0, 1.0, *[0.0] * 27))
    one, two = (
        BaggedRanker(tied, 4, n_jobs=n_jobs, random_state=0).fit(NOISE, LABELS) for n_jobs in (1, 2)
    )
    assert_array_equal(one.rankings_, two.rankings_)


def ensembles_of(estimator):
    return {
        "bagged": BaggedRanker(estimator, 5),
        "frequency": BaggedRanker(estimator, 5, aggregate="frequency"),
        "median": BaggedRanker(estimator, 5, aggregate="rank_median"),
        "repeated": RepeatedSelector(estimator, 5),
        "selection": StabilitySelection(estimator, n_resamples=3),
    }


def study_of(methods):
    return Study(methods, resampling=Subsampling(20), sizes=[5], models={}, random_state=0)


@pytest.mark.parametrize(
    "silent",
    [Given((0.0,) * 30), LogisticRegression(l1_ratio=1.0, solver="liblinear", C=1e-4)],
    ids=["ranker", "model"],
)
def test_a_study_says_why_such_ensembles_fail(silent):
    methods = {"t": TTest(), **ensembles_of(silent)}
    with pytest.warns(UserWarning, match="gives all 30 features the importance"):
        results = study_of(methods).run(NOISE, LABELS)
    errors = results.runs.errors().frame()
    assert errors.groupby("method").size().to_dict() == dict.fromkeys(ensembles_of(silent), 20)
    assert errors["error"].str.contains("which is no ranking").all()


@pytest.mark.parametrize("n_found", [1, 2])
def test_luck_is_no_more_stable_than_a_random_selection(n_found):
    results = study_of(ensembles_of(Lucky(n_found))).run(NOISE, LABELS)
    frame = results.stability().frame()
    assert (frame["n_runs"] == 20).all()
    assert (frame["value"] < 0.06).all(), frame


# A run in which no member finds anything fails.
@pytest.mark.filterwarnings("ignore:.*which is no ranking")
def test_ties_on_noise_add_no_stability():
    """Rows that runs share make rankers without ties a little stable; ties may not add to that."""
    methods = {"t": TTest(), **ensembles_of(InformationGain())}
    frame = study_of(methods).run(NOISE, LABELS).stability().frame().set_index("method")["value"]
    assert (frame.drop("t") < frame["t"]).all(), frame


def test_tied_columns_are_drawn_from_the_whole_table():
    """Sums of ranks of features that a single member found are equal, too."""
    means = []
    for seed in range(300):
        ranker = BaggedRanker(Lucky(2), 5, aggregate="frequency", random_state=seed)
        ranking = ranking_of(ranker.fit(NOISE, LABELS), 30, 60, seed)
        means.append(ranking.order[:3].mean())
        assert ranking.n_ranked <= 10
    assert abs(np.mean(means) - 14.5) < 3 * np.std(means) / len(means) ** 0.5


@pytest.mark.parametrize("inner", [SVC(kernel="linear"), DecisionTreeClassifier(random_state=0)])
@pytest.mark.parametrize("name", ["bagged", "frequency", "median", "repeated", "selection"])
def test_eliminations_on_noise_are_no_more_stable_than_a_random_selection(inner, name):
    """With shuffled labels nothing but the columns is the same in all runs."""
    ranker = ensembles_of(RFE(inner, step=0.3))[name].set_params(random_state=0)
    chosen = []
    for seed in range(12):
        labels = np.random.default_rng(seed).permutation(LABELS)
        order = ranking_of(ranker.fit(NOISE, labels), 30, 60, seed).order
        chosen.append(order[:5].tolist())
    assert stability_score(chosen, 30, "kuncheva").value < 0.1


def test_eliminations_are_the_same_with_two_jobs_and_with_names():
    frame = pd.DataFrame(NOISE, columns=[f"f{i}" for i in range(30)])
    tree = RFE(DecisionTreeClassifier(random_state=0), step=0.3)
    one, two, named = (
        BaggedRanker(tree, 4, n_jobs=n_jobs, random_state=0).fit(X, LABELS).rankings_
        for n_jobs, X in ((1, NOISE), (2, NOISE), (1, frame))
    )
    assert_array_equal(one, two)
    assert_array_equal(one, named)


def test_eliminations_find_the_feature_that_counts_in_its_own_column():
    X = NOISE.copy()
    X[:, 17] += 4 * LABELS
    tree = RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=1, step=0.3)
    for table in (X, sparse.csr_array(X)):
        for ranker in (BaggedRanker(tree, 4, random_state=0), RepeatedSelector(tree, 4)):
            assert ranker.fit(table, LABELS).ranking_[17] == 1
            assert ranker.selection_frequency_[17] == 1.0


def test_an_ensemble_in_an_ensemble_is_read_as_a_study_reads_it():
    """Its own ranking has features that no member found by column."""
    inner = RepeatedSelector(Lucky(2), 5)
    outer = BaggedRanker(inner, 10, random_state=0).fit(NOISE, LABELS)
    assert_array_equal(outer.rankings_ < 30, outer.weights_ > 0)
    for seed in range(10):
        fitted = inner.set_params(random_state=seed).fit(NOISE, LABELS)
        assert ranking_of(fitted, 30, 60, 0).n_ranked == (fitted.selection_frequency_ > 0).sum()
        assert np.count_nonzero(fitted.selection_frequency_) <= 10


class TiedAboveNoise(FeatureRanker):
    """The first 20 features share the largest importance, the others differ."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        found = X.mean(axis=0)
        found[:20] = 1.0
        return found


def test_order_of_ties_differs_between_splits_with_a_fixed_seed():
    methods = {"b": BaggedRanker(TiedAboveNoise(), 5, random_state=0)}
    value = study_of(methods).run(NOISE, LABELS).stability().frame()["value"].item()
    among_twenty = (5 / 20 - 5 / 30) / (1 - 5 / 30)  # Kuncheva's index of chance among the tied
    assert abs(value - among_twenty) < 0.05


def test_rankers_without_ties_are_as_before():
    fitted = BaggedRanker(ReliefF(5), 4, random_state=0).fit(NOISE, LABELS)
    expected = [ranking_from_importances(row) for row in fitted.weights_]
    assert_array_equal(fitted.rankings_, expected)
