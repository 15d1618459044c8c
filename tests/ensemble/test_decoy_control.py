"""Error control by decoys against loops from its definition, and what decoys must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from backstay import DecoyControl, ReliefF, TTest
from backstay.base import FeatureRanker
from backstay.ensemble import DecoyScores
from backstay.ensemble._decoy_control import log_rank_scores, run_ranks
from tests.reference import decoys as reference


def shifted(n=60, d=30, n_relevant=4, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, d))
    X[y == 1, :n_relevant] += shift
    return X, y


def test_the_definition_by_hand():
    # Two features and two decoys, one draw of two runs. Ranks 1, 3, 3, 3 and 1, 2, 3, 4.
    runs = [[9.0, 1.0, 1.0, 1.0], [4.0, 3.0, 2.0, 1.0]]
    scores = reference.draw_scores(runs)
    assert scores == pytest.approx(
        [np.log(4), (np.log(4 / 3) + np.log(2)) / 2, np.log(4 / 3), np.log(4 / 3) / 2]
    )
    # No decoy reaches the first feature or the second: p = 1/3 for both, q = 2·(1/3)/2.
    assert reference.p_values([scores[:2]], [scores[2:]]) == pytest.approx([1 / 3, 1 / 3])
    assert reference.benjamini_hochberg([1 / 3, 1 / 3]) == pytest.approx([1 / 3, 1 / 3])
    # Draws of decoys 5, 0 and 2, 1 against means 4 and 1: one reaches 4, two reach 1 only.
    given_scores, decoy_scores = [[4, 1], [4, 1]], [[5, 0], [2, 1]]
    assert reference.expected_false(given_scores, decoy_scores, [0]) == (1, [1, 0])
    assert reference.expected_false(given_scores, decoy_scores, [0, 1]) == (2, [1, 2])


@st.composite
def contests(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_draws, n_runs, d = (draw(st.integers(1, most)) for most in (4, 3, 6))
    values = draw(st.sampled_from([3, 1000]))  # few values tie
    importances = rng.integers(values, size=(n_draws, n_runs, 2 * d)).astype(float)
    importances[..., 0] += draw(st.sampled_from([0, values]))
    return importances


@given(contests(), st.data())
@settings(max_examples=25)
def test_scores_and_q_values_follow_the_definition(importances, data):
    d = importances.shape[2] // 2
    found = np.array(
        [np.mean([log_rank_scores(run_ranks(run)) for run in draw], axis=0) for draw in importances]
    )
    expected = [reference.draw_scores(draw) for draw in importances.tolist()]
    assert found == pytest.approx(np.array(expected))
    scores, decoys = found[:, :d], found[:, d:]
    p = reference.p_values(scores.tolist(), decoys.tolist())
    assert DecoyScores(scores, decoys).pvalues() == pytest.approx(p)
    assert DecoyScores(scores, decoys).qvalues() == pytest.approx(reference.benjamini_hochberg(p))
    features = data.draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True))
    value, counts = reference.expected_false(scores.tolist(), decoys.tolist(), features)
    about = DecoyScores(scores, decoys).expected_false(features)
    assert about.value == pytest.approx(value)
    assert (about.low, about.high) == pytest.approx(np.quantile(counts, [0.025, 0.975]))


class Watched(FeatureRanker):
    """Means of the columns, which say what it was fitted on."""

    def __init__(self, seen=None, *, n_features_to_select=None):
        self.seen = seen
        self.n_features_to_select = n_features_to_select

    def __sklearn_clone__(self):
        return Watched(self.seen, n_features_to_select=self.n_features_to_select)

    def _score(self, X, y, sample_weight):
        self.seen.append((X, y))
        return np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def test_a_decoy_stays_over_the_resamples_of_its_draw():
    X, y = shifted(n=20, d=3)
    seen = []
    DecoyControl(Watched(seen), 2, n_resamples=3, max_samples=1.0, random_state=0).fit(X, y)
    tables = [table for table, _ in seen]
    assert len(tables) == 6
    for draw in (tables[:3], tables[3:]):
        assert (draw[0] == draw[1]).all()
        assert (draw[0] == draw[2]).all()
    assert not (np.sort(tables[0], axis=1) == np.sort(tables[3], axis=1)).all()
    # Every column twice: as it is, and with other rows.
    assert np.sort(tables[0], axis=0).sum() == pytest.approx(2 * X.sum())


def test_one_fit_from_the_attributes():
    X, y = shifted()
    control = DecoyControl(TTest(n_features_to_select=4), 30, random_state=1).fit(X, y)
    assert control.scores_.shape == control.decoy_scores_.shape == (30, 30)
    assert (control.qvalues_ == DecoyScores(control.scores_, control.decoy_scores_).qvalues()).all()
    assert control.feature_importances_ == pytest.approx(control.scores_.mean(axis=0))
    assert (control.get_support() == (control.qvalues_ <= 0.05)).all()
    # The fifth, 28, is noise that the t test takes for a signal, too (p = 0.0035).
    test = TTest(n_features_to_select="fdr").fit(X, y)
    assert control.get_support(indices=True).tolist() == [0, 1, 2, 3, 28]
    assert test.get_support(indices=True).tolist() == [0, 1, 2, 3, 28]
    # Four of all sixty are selected in a run: by features and decoys together.
    both = control.selection_frequency_.sum() + control.decoy_frequency_.mean(axis=0).sum()
    assert both == pytest.approx(4)
    four = control.expected_false(4)
    assert four == control.expected_false([3, 1, 0, 2])
    assert four.low <= four.value <= 0.2
    assert str(four) == f"{four.value:.1f} [{four.low:.1f}, {four.high:.1f}]"
    assert control.expected_false(30).value == pytest.approx(26, abs=4)


def test_the_number_of_jobs_does_not_matter():
    X, y = shifted()
    one, two = (DecoyControl(ReliefF(), 4, n_jobs=n, random_state=0).fit(X, y) for n in (1, 2))
    assert (one.scores_ == two.scores_).all()
    assert (one.decoy_scores_ == two.decoy_scores_).all()
    assert (one.qvalues_ == two.qvalues_).all()


def test_noise_is_seldom_kept():
    kept = 0
    for seed in range(25):
        X, y = shifted(n=30, d=20, n_relevant=0, seed=seed)
        control = DecoyControl(TTest(), 12, n_resamples=1, max_samples=1.0, alpha=0.1)
        kept += control.set_params(random_state=seed).fit(X, y).n_features_ > 0
    assert kept <= 7  # P ≤ 0.1 each: more has a probability below 0.01


def test_unused_features_tie_with_unused_decoys():
    X, y = shifted()
    lasso = LogisticRegression(l1_ratio=1, solver="liblinear", C=0.1)
    control = DecoyControl(lasso, 5, n_resamples=1, max_samples=1.0, random_state=0).fit(X, y)
    unused = control.scores_ == control.scores_.min(axis=1, keepdims=True)
    assert unused.sum() > 50
    assert control.decoy_scores_.min(axis=1) == pytest.approx(control.scores_.min(axis=1))


def test_sparse_tables_give_what_dense_ones_give():
    X, y = shifted()
    X[X < 0.5] = 0
    model = LogisticRegression(C=0.1, tol=1e-8)
    control = DecoyControl(model, 3, random_state=0)
    dense = control.fit(X, y).decoy_scores_
    assert control.fit(sparse.csr_array(X), y).decoy_scores_ == pytest.approx(dense, abs=1e-3)


def test_decoys_are_correlated_as_the_features_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) @ np.array([[1.0, 0.9, 0], [0, 0.4, 0], [0, 0, 1]])
    y, seen = np.repeat([0, 1], 100), []
    DecoyControl(Watched(seen), 1, n_resamples=1, max_samples=1.0, random_state=0).fit(X, y)
    table, _ = seen[0]
    features = np.array([(column[:, None] == X).all(axis=0).any() for column in table.T])
    assert features.sum() == 3
    moved = table[:, ~features].sum(axis=1)
    assert np.sort(moved) == pytest.approx(np.sort(X.sum(axis=1)))  # whole rows


def test_bad_parameters_are_refused():
    X, y = shifted()
    with pytest.raises(ValueError, match="n_draws"):
        DecoyControl(TTest(), 0).fit(X, y)
    with pytest.raises(ValueError, match="must be even"):
        DecoyControl(TTest(), n_resamples=3, resample="complementary_pairs").fit(X, y)
    with pytest.raises(ValueError, match="does not name the decoys"):
        DecoyControl(ReliefF(categorical_features=[0])).fit(X, y)
