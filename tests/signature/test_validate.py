"""Validation: right numbers, no look at labels before predictions, and every rough case said."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics import confusion_matrix, recall_score, roc_auc_score, roc_curve

from backstay.report import ValidationReport
from backstay.results import Estimate
from backstay.signature import ScoreComparison, SignatureError
from backstay.targets import find_metric
from reference.verdict import verdict
from signature.conftest import rows

FRESH, LABELS = rows(31, n=120)


@pytest.fixture(scope="module")
def validation(signature):
    return signature.validate(FRESH, LABELS)


def kinds(validation):
    return [caution.kind for caution in validation.cautions]


def test_labels_never_change_a_prediction(signature):
    wanted = signature.validate(FRESH, LABELS, rescale="zscore").predictions
    rng = np.random.default_rng(0)
    planted = np.where(wanted["predicted"] == "ill", "well", "ill")
    for other in (LABELS[::-1], rng.permutation(LABELS), planted, np.full(len(LABELS), "ill")):
        found = signature.validate(FRESH, other, rescale="zscore").predictions
        pd.testing.assert_frame_equal(found.drop(columns="class"), wanted.drop(columns="class"))


def test_scores_are_those_of_scikit_learn(signature, validation):
    predicted, scores = signature.predict(FRESH), signature.decision_function(FRESH)
    auc = validation.main
    assert auc.metric == "roc_auc"
    assert auc.found.value == pytest.approx(roc_auc_score(LABELS, scores))
    assert auc.found.low < auc.found.value < auc.found.high
    counts = validation.tables["confusion"]["rows"].to_numpy().reshape(2, 2)
    assert_array_equal(counts, confusion_matrix(LABELS, predicted))
    recalls = recall_score(LABELS, predicted, average=None)
    assert_allclose(validation.tables["recalls"]["recall"], recalls)
    fpr, tpr, _ = roc_curve(LABELS, scores, pos_label="well", drop_intermediate=False)
    points = validation.tables["roc_points"]
    assert_allclose(points[["fpr", "tpr"]].to_numpy().T, [fpr, tpr])


def test_the_same_validation_has_the_same_numbers(signature, validation):
    again = signature.validate(FRESH, LABELS)
    assert again.to_dict() == validation.to_dict()
    json.dumps(validation.to_dict(), allow_nan=False)


def test_an_alike_cohort_cannot_be_told_apart(validation):
    assert validation.main.verdict == "cannot be told apart"
    assert not {"score", "chance", "platform", "proportions", "missing"} & set(kinds(validation))
    assert "cannot be told apart" in ValidationReport(validation).sentence


def test_labels_that_mean_nothing_are_worse_than_expected(signature):
    rng = np.random.default_rng(1)
    found = signature.validate(FRESH, rng.permutation(LABELS))
    assert found.main.verdict == "worse"
    assert {"score", "chance"} <= set(kinds(found))


def test_another_platform_is_said(signature):
    found = signature.validate(FRESH * 1.8 + 1, LABELS)
    assert "platform" in kinds(found)
    assert all(shift.moved for shift in found.shifts)
    rescaled = signature.validate(FRESH * 1.8 + 1, LABELS, rescale="zscore")
    assert {"platform", "rescaled"} <= set(kinds(rescaled))
    assert rescaled.scores[1].found.value > found.scores[1].found.value


def test_other_proportions_are_no_other_platform(signature):
    ill = np.flatnonzero(LABELS == "ill")
    kept = np.r_[ill[:12], np.flatnonzero(LABELS == "well")]
    found = signature.validate(FRESH.iloc[kept], LABELS[kept])
    assert "proportions" in kinds(found)
    assert "platform" not in kinds(found)
    (caution,) = [one for one in found.cautions if one.kind == "proportions"]
    wanted = found.tables["recalls"]["recall"].mean()  # training classes are equally large
    assert caution.facts["accuracy"] == pytest.approx(wanted)
    assert any(f"would be {wanted:.3f}" in text for _, text in ValidationReport(found).cautions)


def test_missing_features_lower_what_is_expected(signature):
    names = signature.feature_names_in_.tolist()
    whole = signature.validate(FRESH, LABELS)
    fewer = signature.validate(FRESH.drop(columns=names[2:]), LABELS, allow_missing=True)
    assert "missing" in kinds(fewer)
    assert len(fewer.stand_ins) == 2
    assert fewer.main.expected.value < whole.main.expected.value
    assert fewer.main.difference.low < 0 < fewer.main.difference.high


def test_classes_are_mapped_by_name(signature, validation):
    theirs = np.where(LABELS == "ill", "T", "N")
    with pytest.raises(SignatureError, match="map 'N', 'T' to one of these"):
        signature.validate(FRESH, theirs)
    found = signature.validate(FRESH, theirs, mapping={"T": "ill", "N": "well"})
    assert found.to_dict() == validation.to_dict()
    with pytest.raises(SignatureError, match="mapped to 'sick'"):
        signature.validate(FRESH, theirs, mapping={"T": "sick"})
    with pytest.raises(SignatureError, match="1 rows have no class"):
        signature.validate(FRESH, [None, *LABELS[1:]])
    with pytest.raises(SignatureError, match="y has 3 labels"):
        signature.validate(FRESH, LABELS[:3])


def test_one_class_alone_is_said(signature):
    ill = LABELS == "ill"
    found = signature.validate(FRESH[ill], LABELS[ill])
    assert found.main.verdict == "undefined"
    assert "absent" in kinds(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_three_classes_are_validated(three):
    results, X, y = three
    signature = results.freeze(X, y, ("t", 4, "logistic"))
    fresh, labels = rows(32, 90, classes=("a", "b", "c"))
    found = signature.validate(fresh, labels)
    scores = signature.decision_function(fresh).T
    each = [roc_auc_score(labels == c, own) for c, own in zip("abc", scores, strict=True)]
    wanted = np.mean(each)
    assert found.main.found.value == pytest.approx(wanted)
    assert found.calibration is None


def test_calibration_of_right_probabilities_has_slope_one(two):
    results, X, y = two
    signature = results.freeze(X, y, ("t", 4, "logistic"))
    fresh, _ = rows(33, n=600)
    chances = signature.predict_proba(fresh)[:, 1]
    drawn = np.random.default_rng(0).random(600) < chances
    found = signature.validate(fresh, np.where(drawn, "well", "ill"))
    assert found.calibration.slope == pytest.approx(1, abs=0.25)
    assert found.calibration.bins["n"].sum() == 600
    inside = found.calibration.bins.eval("low <= predicted <= high")
    assert inside.mean() >= 0.7


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3),
)
def test_difference_and_p_value_agree(first, second):
    ends = [Estimate(m, low, high) for low, m, high in map(sorted, (first, second))]
    one = ScoreComparison("roc_auc", *ends, corrected=True, chance=0.5)
    difference, p = one.difference, one.p_value
    assert difference.low <= difference.value <= difference.high
    outside = difference.low > 0 or difference.high < 0
    assert (p < 0.05) == outside or abs(p - 0.05) < 1e-3


def test_symmetric_intervals_give_the_plain_z_test():
    expected = Estimate(0.8, 0.8 - 1.96 * 0.03, 0.8 + 1.96 * 0.03)
    found = Estimate(0.7, 0.7 - 1.96 * 0.04, 0.7 + 1.96 * 0.04)
    one = ScoreComparison("roc_auc", expected, found, corrected=True, chance=0.5)
    assert one.difference.high - one.difference.low == pytest.approx(2 * 1.96 * 0.05)
    assert one.p_value == pytest.approx(2 * stats.norm.sf(2))


def compared(low, value, high, metric="roc_auc", expected=0.8, chance=0.5, **more):
    """Compare with a score that is known for certain, so that the difference has these ends."""
    sure = Estimate(expected, expected, expected)
    found = Estimate(*(expected + change for change in (value, low, high)))
    return ScoreComparison(metric, sure, found, corrected=True, chance=chance, **more)


# Worked by hand: a tenth of the way from 0.5 to 1 is 0.05.
@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ((-0.20, -0.10, -0.01), "worse"),
        ((-0.03, -0.02, -0.01), "worse"),
        ((0.01, 0.02, 0.03), "better"),
        ((-0.04, 0.00, 0.04), "as good"),
        ((-0.04, 0.02, 0.08), "at least as good"),
        ((-0.06, 0.00, 0.04), "cannot be told apart"),
        ((-0.06, 0.05, 0.16), "cannot be told apart"),
        ((np.nan, 0.05, np.nan), "undefined"),
    ],
)
def test_verdicts_by_hand(ends, wanted):
    assert compared(*ends).tolerance == pytest.approx(0.05)
    assert compared(*ends).verdict == wanted
    if wanted == "as good":
        assert compared(*ends, margin=0.06).verdict == "cannot be told apart"


def test_no_difference_found_is_not_equality():
    expected, found = Estimate(0.80, 0.71, 0.88), Estimate(0.59, 0.34, 0.82)
    one = ScoreComparison("roc_auc", expected, found, corrected=True, chance=0.5)
    low = -0.21 - np.hypot(0.25, 0.08)
    high = -0.21 + np.hypot(0.23, 0.09)
    assert_allclose([one.difference.low, one.difference.high], [low, high])
    assert (one.verdict, one.above_chance, one.more_rows_suffice) == (
        "cannot be told apart",
        False,
        False,
    )
    # A score as uncertain as this one is shown to be worse only if it is lower by that much.
    assert one.least_shown == pytest.approx(np.hypot(0.23, 0.09))


@pytest.mark.parametrize(
    ("metric", "chance", "wanted"),
    [("roc_auc", 0.5, 0.05), ("mcc", 0.0, 0.1), ("brier", 0.25, 0.025), ("accuracy", 0.75, 0.025)],
)
def test_margin_is_a_share_of_the_way_from_guessing_to_the_best(metric, chance, wanted):
    one = compared(0, 0, 0, metric, chance=chance)
    assert one.tolerance == pytest.approx(wanted)


def test_reference_verdicts_by_hand():
    assert verdict(-2 / 64, 2 / 64, 4 / 64) == "as good"
    assert verdict(-4 / 64, 2 / 64, 4 / 64) == "cannot be told apart"
    assert verdict(-2 / 64, 4 / 64, 4 / 64) == "at least as good"
    assert verdict(-8 / 64, -1 / 64, 4 / 64) == "worse"
    assert verdict(1 / 64, 2 / 64, 4 / 64) == "better"


sixtyfourths = st.integers(-32, 32).map(lambda n: n / 64)


@settings(max_examples=60, deadline=None)
@given(st.lists(sixtyfourths, min_size=3, max_size=3), st.integers(1, 63).map(lambda n: n / 64))
def test_verdicts_are_the_same_whichever_direction_is_better(ends, margin):
    low, value, high = sorted(ends)
    assert not find_metric("log_loss").higher_is_better
    # Both reach their best score one unit away from guessing, so the margin is a tolerance, too.
    up = compared(low, value, high, "mcc", expected=0.5, chance=0.0, margin=margin)
    down = compared(-high, -value, -low, "log_loss", expected=0.5, chance=1.0, margin=margin)
    assert up.verdict == down.verdict == verdict(low, high, margin)
    assert (up.least_shown, up.within_margin) == (down.least_shown, down.within_margin)
    assert up.tolerance == down.tolerance == margin


@settings(max_examples=50, deadline=None)
@given(st.lists(sixtyfourths, min_size=6, max_size=6), sixtyfourths)
def test_comparisons_of_uncertain_scores_have_a_direction(ends, chance):
    first, second = sorted(ends[:3]), sorted(ends[3:])
    up = [Estimate(value, low, high) for low, value, high in (first, second)]
    down = [Estimate(1 - value, 1 - high, 1 - low) for low, value, high in (first, second)]
    better = ScoreComparison("mcc", *up, corrected=True, chance=chance)
    worse = ScoreComparison("log_loss", *down, corrected=True, chance=1 - chance)
    told = ("p_value", "tolerance", "verdict", "within_margin", "least_shown", "more_rows_suffice")
    for name in (*told, "above_chance"):
        assert getattr(better, name) == getattr(worse, name), name


def test_margin_is_taken_and_checked(signature, validation):
    wider = signature.validate(FRESH, LABELS, margin=0.9)
    assert wider.main.verdict == "as good"
    assert wider.main.difference == validation.main.difference
    for margin in (0, 1, -0.1):
        with pytest.raises(ValueError, match=f"margin={margin} must be between 0 and 1"):
            signature.validate(FRESH, LABELS, margin=margin)


def test_shift_without_labels_is_welchs_test(signature, two):
    _, X, _ = two
    cohort = signature.read(FRESH + 0.4)
    for one in signature.shifts(cohort):
        wanted = stats.ttest_ind(FRESH[one.feature] + 0.4, X[one.feature], equal_var=False)
        assert one.shift_p == pytest.approx(wanted.pvalue)
        change = (FRESH[one.feature] + 0.4).mean() - X[one.feature].mean()
        assert one.shift == pytest.approx(change / X[one.feature].std())
        ratio = FRESH[one.feature].std() / X[one.feature].std()
        assert one.ratio == pytest.approx(ratio)
