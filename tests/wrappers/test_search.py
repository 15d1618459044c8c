"""Moves and criteria against the slow search, on arbitrary scores with many ties."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from backstay.wrappers import SequentialSelector
from reference.wrappers import ReferenceSearch

ROWS = np.array([0, 1, 0, 1])
FOLD = [(np.arange(4), np.arange(4))]


class TableScore:
    """A scorer that knows J of every subset by its columns."""

    def __init__(self, n_features, values):
        subsets = [
            frozenset(s) for k in range(n_features + 1) for s in combinations(range(n_features), k)
        ]
        self.table = {s: values[i % len(values)] for i, s in enumerate(subsets)}

    def __call__(self, estimator, X, y):
        return self.table[frozenset(int(name[1:]) for name in X.columns)]


def parameters(options):
    """The selector's parameters for options of the slow search."""
    given = {k: options[k] for k in ("direction", "criterion") if k in options}
    if options.get("floating"):
        given["moves"] = "floating"
    elif "plus" in options:
        given["moves"] = (options["plus"], options["minus"])
    known = {
        "remainder": {"remainder_weights": "weights"},
        "accumulated": {"accumulation": "accumulation", "accumulation_weight": "weight"},
    }.get(options["criterion"], {})
    if known:
        given["criterion_params"] = {known[k]: options[k] for k in known}
    if options.get("stop") == "no_gain":
        given["n_features_to_select"] = "until_no_gain"
    elif options.get("n_features_to_select") == "smallest":
        rule = "min_score" if "min_score" in options else "max_loss"
        given["n_features_to_select"] = {rule: options[rule]}
    elif "n_features_to_select" in options:
        given["n_features_to_select"] = options["n_features_to_select"]
    return given


def run(score, n_features, **options):
    X = pd.DataFrame(np.zeros((4, n_features)), columns=[f"f{i}" for i in range(n_features)])
    return SequentialSelector(DummyClassifier(), cv=FOLD, scoring=score, **options).fit(X, ROWS)


@st.composite
def searches(draw):
    n_features = draw(st.integers(1, 5))
    steps = st.integers(0, 10).map(lambda v: v / 10)
    score = TableScore(n_features, draw(st.lists(steps, min_size=32, max_size=32)))
    options = {
        "direction": draw(st.sampled_from(["forward", "backward"])),
        "criterion": draw(st.sampled_from(["plain", "remainder", "accumulated"])),
        "remainder_weights": draw(st.sampled_from([None, (1.0, 0.0), (0.5, 0.5), (0.2, 0.9)])),
        "accumulation": draw(st.sampled_from([0.0, 0.5, 2 / 3, 1.0, (0.0, 1.0), (0.9, 0.3)])),
        "accumulation_weight": draw(st.sampled_from([None, "size", "score"])),
    }
    how = draw(st.sampled_from(["straight", "floating", "plus", "no_gain"]))
    if how == "floating":
        options["floating"] = True
    elif how == "plus":
        options["plus"] = draw(st.integers(2, 3))
        options["minus"] = draw(st.integers(0, options["plus"] - 1))
    elif how == "no_gain":
        options["stop"] = "no_gain"
    fixed = draw(st.lists(st.integers(0, n_features - 1), unique=True, max_size=n_features - 1))
    size = draw(st.sampled_from(["best", "a number", "smallest"]))
    if how != "no_gain" and size == "a number":
        options["n_features_to_select"] = draw(st.integers(max(1, len(fixed)), n_features))
    elif how != "no_gain" and size == "smallest":
        rule = draw(st.sampled_from(["min_score", "max_loss"]))
        options |= {"n_features_to_select": "smallest", rule: draw(steps)}
    return n_features, score, options, fixed


@pytest.mark.filterwarnings("ignore:n_features_to_select=")
@settings(max_examples=40)
@given(searches())
def test_same_path_as_the_slow_search(problem):
    n_features, score, options, fixed = problem
    slow = ReferenceSearch(score.table.__getitem__, n_features, fixed=fixed, **options)
    fast = run(score, n_features, fixed_features=fixed, **parameters(options))
    subsets = [frozenset(int(n[1:]) for n in subset) for subset in fast.path_["subset"]]
    assert subsets == [subset for _, subset, _ in slow.path]
    assert fast.path_["score"].tolist() == [s for _, _, s in slow.path]
    assert frozenset(fast.get_support(indices=True)) == slow.selected
    assert fast.score_ == slow.score(slow.selected)
    if options["criterion"] == "accumulated":
        slow_relevance = [slow.evidence.relevance(x) for x in range(n_features)]
        np.testing.assert_allclose(fast.relevance_, slow_relevance, atol=1e-12)


@pytest.mark.filterwarnings("ignore:n_features_to_select=")
@settings(max_examples=30)
@given(searches())
def test_attributes_fit_together(problem):
    n_features, score, options, fixed = problem
    options = {**options, "stop": "never"}
    fitted = run(score, n_features, fixed_features=fixed, **parameters(options))
    assert sorted(fitted.ranking_) == list(range(1, n_features + 1))
    assert np.array_equal(np.argsort(-fitted.feature_importances_), np.argsort(fitted.ranking_))
    assert np.array_equal(fitted.get_support(), fitted.ranking_ <= fitted.n_features_)
    assert set(fixed) <= set(fitted.get_support(indices=True))
    path, scores = fitted.path_, fitted.scores_
    assert len(path) == 1 + scores["accepted"].sum()
    accepted = scores[scores["accepted"]].reset_index(drop=True)
    moved = path.iloc[1:].reset_index(drop=True)
    for column in ("feature", "n_features", "score", "criterion"):
        assert accepted[column].tolist() == moved[column].tolist()
    assert path["remainder_score"].notna().all() == (options["criterion"] == "remainder")


@pytest.mark.filterwarnings("ignore:n_features_to_select=")
@settings(max_examples=40)
@given(searches())
def test_no_accumulation_is_plain(problem):
    n_features, score, options, fixed = problem
    options = {**options, "accumulation": 0.0, "stop": "never"}
    paths = [
        run(
            score,
            n_features,
            fixed_features=fixed,
            **parameters({**options, "criterion": criterion}),
        ).path_
        for criterion in ("plain", "accumulated")
    ]
    assert paths[0]["subset"].tolist() == paths[1]["subset"].tolist()


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_ranking_is_the_path(direction):
    score = TableScore(4, (np.random.RandomState(0).permutation(16) / 16).tolist())
    fitted = run(score, 4, direction=direction)
    moved = [int(name[1:]) for name in fitted.path_["feature"][1:]]
    if direction == "backward":
        (last,) = set(range(4)) - set(moved)
        moved = [last, *moved[::-1]]
    assert [int(i) for i in np.argsort(fitted.ranking_)] == moved
    assert fitted.feature_importances_.max() == 1.0


def test_unreached_features_are_ranked_by_their_last_evaluation():
    table = {0: 0.3, 1: 0.9, 2: 0.5, 3: 0.4}
    score = TableScore(4, [0.1])
    score.table.update({frozenset({k}): v for k, v in table.items()})
    assert run(score, 4, n_features_to_select=1).ranking_.tolist() == [4, 1, 2, 3]


def test_groups_move_together_and_count_as_one():
    score = TableScore(4, [0.5])
    score.table[frozenset({1, 3})] = 0.9
    fitted = run(score, 4, feature_groups=[["f1", "f3"]], n_features_to_select=1)
    assert fitted.get_feature_names_out().tolist() == ["f1", "f3"]
    assert fitted.path_["feature"].tolist()[1] == ("f1", "f3")
    assert fitted.ranking_.tolist() == [3, 1, 4, 2]


def test_no_gain_keeps_one_feature_and_says_so():
    score = TableScore(3, [0.5])
    with pytest.warns(UserWarning, match="no single feature predicts better"):
        assert run(score, 3, n_features_to_select="until_no_gain").n_features_ == 1


def test_scores_outside_the_unit_interval_need_the_plain_criterion():
    score = TableScore(2, [-0.5, -0.1])
    assert run(score, 2).n_features_ == 1
    with pytest.raises(ValueError, match=r"criterion='remainder' needs scores in \[0, 1\]"):
        run(score, 2, criterion="remainder")


@pytest.mark.parametrize("given", [(0.5,), (0.5, 1.5), (-0.1, 0.5), (0, 0)])
def test_constant_weights_out_of_range(given):
    score = TableScore(2, [0.5])
    with pytest.raises(ValueError, match=r"criterion_params: weights=.* two numbers from 0 to 1"):
        run(score, 2, criterion="remainder", criterion_params={"weights": given})


def test_smallest_subset_that_is_good_enough():
    score = TableScore(3, [0.5])
    score.table.update({frozenset({0}): 0.7, frozenset({0, 1}): 0.8, frozenset({0, 1, 2}): 0.75})
    for direction in ("forward", "backward"):
        sizes = [
            run(score, 3, direction=direction, n_features_to_select=rule).n_features_
            for rule in (
                {"min_score": 0.7},
                {"min_score": 0.71},
                {"max_loss": 0.0},
                {"max_loss": 0.07},
            )
        ]
        # 0.7 is at least 0.93 times 0.75; better than all features is good enough, too.
        assert sizes == [1, 2, 2, 1]
    with pytest.warns(UserWarning, match=r"{'min_score': 0.9}: no subset met has such a high J"):
        assert run(score, 3, n_features_to_select={"min_score": 0.9}).score_ == 0.8


@pytest.mark.parametrize(
    "rule",
    [{}, {"min_score": 0.5, "max_loss": 0.1}, {"score": 0.5}, {"max_loss": 2}, {"min_score": "a"}],
)
def test_one_rule_for_the_smallest_subset(rule):
    with pytest.raises(ValueError, match=r"must be {'min_score': J}, or {'max_loss': share}"):
        run(TableScore(3, [0.5]), 3, n_features_to_select=rule)
