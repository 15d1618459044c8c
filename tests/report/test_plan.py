"""Would more samples help? The section, its figures, and the words, which always have a range."""

import math

import pandas as pd
import pytest

from backstay.report import PlanDisplay, Report, needed_words
from backstay.results import Configuration, Plan, RowsNeeded


def plan(shared, validation=None, n=60, grouped=False):
    at = Configuration("t", 10, "svm", "roc_auc")
    return Plan(at, n, grouped, shared, validation, pd.DataFrame({"rows": [20.0, 60.0, 240.0]}))


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (
            (45, 20, 300),
            "the 60 rows of this study are enough, by the best guess (range: 20 or fewer",
        ),
        ((45, 20, 300), "to more than 240)."),
        ((118.4, 71, 230), "about 120 rows; this study has 60 (range: 71 to 230)."),
        ((math.inf, 90, math.inf), "more than 240 rows, four times as many as here (range: 90 to"),
        ((math.inf, 300, math.inf), "(all of the range is more than 240)."),
        ((20, 20, 20), "(all of the range is 20 or fewer)."),
    ],
)
def test_rows_are_said_with_their_range(ends, words):
    said = needed_words(plan(RowsNeeded(*ends, 60)))
    assert said[0].startswith("For two studies to share half of their lists: ")
    assert words in said[0]
    assert "95\u202f% ranges" in said[-1]


def test_groups_are_called_groups_and_nothing_is_said_of_nothing():
    said = needed_words(plan(None, RowsNeeded(100, 70, 130, 60), grouped=True))
    assert said[0] == (
        "For a validation to pin the AUC to ±0.05: about 100 groups; this study has 60 "
        "(range: 70 to 130)."
    )
    assert needed_words(plan(None)) == []


def test_the_report_has_a_section_where_there_is_a_plan(results, made, report, gallery):
    (part,) = made.to_dict()["datasets"]
    assert part["plan"]["sentences"] == needed_words(results.plan())
    assert {"plan_score", "plan_replication"} <= set(part["figures"])
    page = report.read_text("utf-8")
    assert "Would more samples help?" in page
    assert 'data-figure="d0-plan_score"' in page
    (other,) = Report(gallery["two"]).to_dict()["datasets"]
    assert other["plan"] is None
    assert not any(name.startswith("plan") for name in other["figures"])


def test_a_finding_says_what_is_expected_here_and_further_on(results):
    frame = results.plan().frame().set_index("rows")
    for kind, title in (("score", "AUC"), ("replication", "overlap of two studies")):
        said = PlanDisplay.from_results(results, kind).finding()
        assert said.startswith(f"Expected {title}, with 95\u202f% bands: ")
        assert "with 60 rows" in said
        assert f"{frame.loc[240.0, kind]:.2f}" in said.replace("−", "-")
    with pytest.raises(ValueError, match="kind='rows' must be score or replication"):
        PlanDisplay.from_results(results, "rows")
