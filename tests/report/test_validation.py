"""The page of a validation: complete, quiet about nothing, and safe with any names."""

import re

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from backstay import TTest
from backstay.report import (
    CalibrationDisplay,
    ExpectedScoreDisplay,
    ShiftDisplay,
    ValidationReport,
)
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
    for name in ("scores", "confusion", "roc", "calibration", "shift"):
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


@pytest.mark.parametrize("kind", [ExpectedScoreDisplay, CalibrationDisplay, ShiftDisplay])
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
