"""Bad input: the documented error, or nan with a warning."""

import math

import numpy as np
import pytest

from backstay.stability import (
    UndefinedStabilityWarning,
    consensus,
    list_measures,
    selection_frequency,
    stability_score,
)

PLAIN = list(list_measures().query("input == 'subsets' and not needs_similarity").itertuples())


@pytest.mark.parametrize("entry", PLAIN, ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    ("subsets", "n_features", "message"),
    [
        ([[0, 1]], 5, "at least 2 runs; got 1"),
        ([], 5, "at least 2 runs; got 0"),
        ([[0, 1], [2, 2]], 5, "subset 1 holds index 2 more than once"),
        ([[0, 1], [0, 5]], 5, "subset 1 must hold indices from 0 to 4 .*; got 5"),
        ([[0, -1], [0, 1]], 5, "subset 0 must hold indices from 0 to 4 .*; got -1"),
        ([[0, 1, 2, 3], [0, 1, 2, 3]], 3, "from 0 to 2 for n_features=3; got 3"),
    ],
)
def test_what_no_measure_accepts(entry, subsets, n_features, message):
    with pytest.raises(ValueError, match=message):
        stability_score(subsets, n_features, entry.name)


@pytest.mark.parametrize(
    ("subsets", "n_features", "message"),
    [
        ([[0, 1], [1, 2]], None, "n_features is needed"),
        ([[0, 1], [1, 2]], 0, "n_features=0 must be a positive integer"),
        ([[0, 1], [1, 2]], 2.5, "n_features=2.5 must be a positive integer"),
        ([[0.0, 1.0], [1.0, 2.0]], 5, "type float64"),
        ([["a", "b"], [1, 2]], 5, "one-dimensional feature indices"),
        ([[[0], [1]], [[1], [2]]], 5, r"got shape \(2, 1\)"),
        (["ab", "bc"], 5, "subset 0 must be feature indices"),
        ([3, 4], 5, "got 3"),
        (np.array([[1, 0, 1], [0, 1, 1]]), 3, "a 0/1 matrix must have type bool"),
        (np.eye(3, dtype=bool), 4, "mask over 4 features; got 3"),
        ([np.eye(3, dtype=bool)[0], np.eye(4, dtype=bool)[0]], None, "over 3 features; got 4"),
    ],
)
def test_what_cannot_be_read(subsets, n_features, message):
    with pytest.raises(ValueError, match=message):
        stability_score(subsets, n_features)


def test_kuncheva_refuses_unequal_sizes():
    with pytest.raises(ValueError, match="equal size; got sizes from 1 to 2, which 'nogueira'"):
        stability_score([[0], [0, 1]], 5, "kuncheva")


# 0/0 on all-empty, all-full and one-empty systems; the other measures have a value.
UNDEFINED = {
    "empty": "kalousis dice ochiai kuncheva somol somol_weighted somol_relative lustgarten wald "
    "phi module_match kappa nogueira davis",
    "full": "kuncheva lustgarten wald phi module_match kappa nogueira",
    "one empty": "ochiai lustgarten wald phi",
}


@pytest.mark.parametrize("entry", PLAIN, ids=lambda entry: entry.name)
@pytest.mark.parametrize("case", list(UNDEFINED))
def test_undefined_is_nan_with_a_warning(entry, case):
    subsets = {
        "empty": [[], [], []],
        "full": [range(4)] * 3,
        "one empty": [[], [0], [1]],
    }[case]
    if case == "one empty" and entry.equal_sizes:
        return
    if entry.name in UNDEFINED[case].split():
        with pytest.warns(UndefinedStabilityWarning, match=rf"{entry.name} is undefined \(0/0\)"):
            result = stability_score(subsets, 4, entry.name)
        assert math.isnan(result.value)
        assert math.isnan(result.variance)
    elif entry.name == "krizek" and case != "one empty":
        with pytest.warns(UndefinedStabilityWarning, match="normalized krizek"):
            assert stability_score(subsets, 4, "krizek").value == 0
    else:
        assert not math.isnan(stability_score(subsets, 4, entry.name).value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"measure": "best"},
            ValueError,
            "measure='best' must be one for subsets; there are d",
        ),
        ({"measure": "spearman"}, ValueError, "measure='spearman' must be one for subsets"),
        ({"confidence": 1.0}, ValueError, "confidence=1.0 must lie strictly"),
        ({"confidence": 95}, ValueError, "confidence=95 must"),
        ({"variance_from": "guess"}, ValueError, "variance_from='guess' must be one of"),
        ({"top": 3}, TypeError, "measure='nogueira' takes no option 'top'"),
        ({"measure": "drotar", "top": 0}, ValueError, "top=0 must lie between 1 and 5"),
        ({"measure": "drotar", "top": 6}, ValueError, "top=6 must"),
        ({"measure": "davis", "penalty": -1}, ValueError, "penalty=-1 must not be negative"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        stability_score([[0, 1], [1, 2], [0, 2]], 5, **options)


def test_frequencies_and_consensus():
    subsets = [[0, 1], [0, 2], [0, 1], [0, 3]]
    np.testing.assert_allclose(selection_frequency(subsets, 5), [1, 0.5, 0.25, 0.25, 0])
    assert consensus(subsets, 5).tolist() == [0]
    assert consensus(subsets, 5, threshold=0.25).tolist() == [0, 1]
    assert consensus(subsets, 5, threshold=0).tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="threshold=1 must be at least 0 and below 1"):
        consensus(subsets, 5, threshold=1)


def test_consensus_is_strict_where_the_share_rounds():
    runs = np.zeros((100, 2), dtype=bool)
    runs[:29, 0] = runs[:30, 1] = True
    assert consensus(runs, threshold=0.29).tolist() == [1]
