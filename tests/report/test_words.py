"""Numbers, intervals, counts and lists as the report says them."""

import pytest

from backstay.report._words import (
    again_shares,
    capital,
    count,
    estimator_text,
    held_text,
    interval,
    listed,
    metric_title,
    number_text,
    percent,
    percent_interval,
    score_interval,
    score_text,
    score_with_ends,
    share_text,
    signed,
    two_decimals,
)
from backstay.results import Estimate
from backstay.targets import as_target


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (percent(0.843), "84\u202f%"),
        (percent(0.9963), "99.6\u202f%"),
        (percent(float("nan")), "undefined"),
        (percent_interval(0.853, 0.981), "85 to 98\u202f%"),
        (percent_interval(0.94, 0.9881), "94.0 to 98.8\u202f%"),
        (interval(-0.024, 0.5), "−0.02 to 0.50"),
        (two_decimals(-0.256), "−0.26"),
        (two_decimals(-0.001), "0.00"),
        (number_text(-7.3104), "−7.31"),
        (number_text(12345.6), "12346"),
        (number_text(0.5, sign=True), "+0.5"),
        (signed(0.123), "+0.12"),
        (signed(-0.001), "0.00"),
        (count(1, "feature"), "1 feature"),
        (count(12000, "feature"), "12\u202f000 features"),
        (listed(["a", "b", "c"]), "a, b and c"),
        (listed(list("abcdef"), most=3), "a, b, c and 3 more"),
        (held_text(as_target(["ill", "well", "ill"]), 12), "ill: 2 and well: 1"),
        (metric_title("balanced_accuracy"), "balanced accuracy"),
        (metric_title("roc_auc"), "AUC"),
        (metric_title("stability"), "stability"),
        (capital("mean F1 of the classes"), "Mean F1 of the classes"),
        (score_text("accuracy", 0.843), "84\u202f%"),
        (score_text("roc_auc", 0.843), "0.84"),
        (score_text("roc_auc", 0.9981), "0.998"),
        (score_interval("accuracy", 0.81, 0.9), "81 to 90\u202f%"),
        (score_interval("roc_auc", 0.81, 0.9), "0.81 to 0.90"),
        (
            score_with_ends("roc_auc", Estimate(0.9, 0.8, 0.95), 0.5),
            "0.90 (95\u202f% interval 0.80 to 0.95; guessing: 0.50)",
        ),
        (again_shares(Estimate(0.4, 0.2, 0.6), 20, 2000), (0.41, 0.21, 0.6)),
        (share_text(0.664), "two thirds"),
        (share_text(0.632), "63\u202f%"),
        (
            estimator_text({"class": "a.b.SVMRFE", "parameters": {"C": 1.0, "to": "x"}}),
            "SVMRFE(C=1.0, to='x')",
        ),
    ],
)
def test_what_is_said(said, expected):
    assert said == expected
