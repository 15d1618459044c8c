"""The page of a validation: complete, quiet about nothing, and safe with any names."""

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from backstay import TTest
from backstay.report import (
    CalibrationDisplay,
    ShiftDisplay,
    ValidationReport,
)
from backstay.results import Estimate
from backstay.signature import ScoreComparison
from backstay.signature._validate import cautions_of
from report.conftest import AWKWARD, small_study, table


@pytest.fixture(scope="module")
def validation():
    X, y, _ = table()
    results = small_study({"t": TTest()}, 4, (5,), models={"<b>": GaussianNB()}).run(X, y)
    signature = results.freeze(X, y, ("t", 5, "<b>"))
    Z, z, _ = table(random_state=3)
    gone = signature.feature_names_in_[0]
    return signature.validate(Z.drop(columns=gone) * 2 + 1, z, allow_missing=True)


def test_page_says_everything_and_escapes_names(validation, tmp_path):
    report = ValidationReport(validation, cohort="<i>c</i>.csv")
    path = report.write(tmp_path / "v.html")
    page = path.read_text("utf-8")
    assert validation.cautions
    for title, _ in report.cautions:
        assert title in page
    for name in ("confusion", "roc", "calibration", "shift"):
        assert f'data-figure="{name}"' in page
    assert "<i>c</i>" not in page
    assert AWKWARD[0] not in page
    assert "<script>alert" not in page
    assert len(re.findall("<script", page)) == 2
    again = report.write(tmp_path / "w.html")
    assert again.read_bytes() == path.read_bytes()
    told = report.to_dict()
    assert told["sentence"] == report.sentence
    assert [one["title"] for one in told["cautions"]] == [title for title, _ in report.cautions]


SURE = Estimate(0.80, 0.79, 0.81)


@pytest.mark.parametrize(
    ("expected", "found", "headline", "said"),
    [
        (SURE, (0.70, 0.65, 0.75), "It is worse than expected", "It is worse than expected."),
        (SURE, (0.77, 0.76, 0.78), "It is worse than expected", "by less than the margin of ±0.05"),
        (SURE, (0.90, 0.87, 0.93), "It is better than expected", "It is better than expected."),
        (SURE, (0.80, 0.78, 0.82), "It is as good as expected", "within the margin of ±0.05"),
        (
            SURE,
            (0.85, 0.78, 0.90),
            "It is at least as good as expected",
            "it is not worse by more than the margin of ±0.05",
        ),
        (
            SURE,
            (0.80, 0.70, 0.88),
            "It cannot be told apart from what was expected",
            "only if it is worse by more than 0.08.",
        ),
        (
            Estimate(0.80, 0.71, 0.88),
            (0.80, 0.70, 0.88),
            "It cannot be told apart from what was expected",
            "Even many more rows could hardly",
        ),
        (
            SURE,
            (0.80, float("nan"), float("nan")),
            "It cannot be compared with what was expected",
            "It cannot be compared",
        ),
    ],
)
def test_every_verdict_has_its_words(validation, tmp_path, expected, found, headline, said):
    one = ScoreComparison("roc_auc", expected, Estimate(*found), corrected=True, chance=0.5)
    report = ValidationReport(replace(validation, scores=[one], cautions=[]))
    assert report.headline == headline
    assert said in report.sentence
    assert ("many more rows" in report.sentence) == (expected is not SURE)
    page = report.write(tmp_path / "v.html").read_text("utf-8")
    assert f">{headline}</h2>" in page
    assert html.escape(report.sentence) in page
    assert report.margin in page
    assert f"<td>{one.verdict}</td>" in page
    assert report.to_dict()["headline"] == headline


def test_a_score_no_better_than_guessing_is_said_beside_the_verdict(validation):
    found = Estimate(0.59, 0.34, 0.82)
    one = ScoreComparison("roc_auc", Estimate(0.80, 0.71, 0.88), found, True, 0.5)
    known = replace(validation, scores=[one])
    report = ValidationReport(replace(known, cautions=cautions_of(known)))
    assert report.headline.startswith("It cannot be told apart from what was expected, and is not")
    assert report.sentence.endswith("It is not shown to be better than guessing (0.50).")


@pytest.mark.parametrize("kind", [CalibrationDisplay, ShiftDisplay])
def test_displays_plot_their_frame(kind, validation):
    import matplotlib.pyplot as plt

    display = kind.from_validation(validation).plot()
    assert len(display.frame())
    assert display.points_
    assert display.finding().endswith(".")
    plt.close(display.figure_)


def test_one_class_has_no_curves(validation, tmp_path):
    X, y, _ = table()
    results = small_study({"t": TTest()}, 4, (5,), models={"bayes": GaussianNB()}).run(X, y)
    signature = results.freeze(X, y, ("t", 5, "bayes"))
    ill = np.asarray(y) == "ill"
    report = ValidationReport(signature.validate(X[ill], y[ill]))
    page = report.write(tmp_path / "v.html").read_text()
    assert 'data-figure="roc"' not in page
    assert "It cannot be compared" in page
