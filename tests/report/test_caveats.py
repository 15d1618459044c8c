"""What the report says was shown, and was not."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from backstay.comparison import DifferenceTest
from backstay.report import Report
from backstay.report._caveats import (
    _about_few_runs,
    _about_rivals,
    _about_unfinished,
    weighting_words,
)
from backstay.results import Choice, Comparison, Configuration, Results, WeightingVerdict
from backstay.targets import as_target
from report.conftest import WEIGHTED


def difference(low, high, p_value=math.nan):
    return DifferenceTest("t", (low + high) / 2, low, high, math.nan, p_value, (), 30)


@pytest.mark.parametrize(
    ("control", "plain", "average", "kind"),
    [
        (difference(0.1, 0.2), difference(0.3, 0.4), difference(0.1, 0.2), "shown"),
        (difference(0.1, 0.2), difference(0.3, 0.4), difference(-0.1, 0.2), "here"),
        (difference(-0.1, 0.1), difference(0.3, 0.4), difference(-0.1, 0.1), "explained"),
        (difference(-0.2, -0.1), difference(0.3, 0.4), difference(-0.2, -0.1), "explained"),
        (difference(-0.1, 0.1), difference(-0.1, 0.1), difference(-0.1, 0.1), "none"),
    ],
)
def test_weighting_is_credited_only_with_what_its_control_lacks(control, plain, average, kind):
    words = weighting_words(WeightingVerdict("iw", "c", "p", 10, control, plain, average))
    assert words.kind == kind
    assert ("explained by its control" in words.text) == (kind == "explained")
    assert ("not shown" in words.title) == (kind != "shown")
    assert words.title.startswith("The weights of iw ")
    assert "on these rows" in words.text


def choice(kind="recommended", metric="accuracy", n_runs=30):
    return Choice(
        kind,
        Configuration("m", 5, "svm", metric),
        None,
        stability=0.8,
        low=0.7,
        high=0.9,
        null=math.nan,
        replication=None,
        n_runs=n_runs,
    )


def rivals(stability, accuracy):
    """Comparisons of m with others, of which only the differences count."""
    found = []
    for name, (low, high) in stability.items():
        gain, p = accuracy[name]
        tests = {"stability": difference(low, high), "accuracy": difference(gain, gain, p)}
        found.append(Comparison(name, "m", {"data": tests}, {}))
    return found


def test_rivals_are_told_apart_or_not():
    nothing = (np.nan, np.nan)
    stability = {"twin": (0, 0), "tie": (-0.1, 0.1), "worse": (-0.3, -0.1), "steadier": (0.1, 0.3)}
    accuracy = {"twin": (0.0, 1.0), "tie": (0.01, 0.6)}
    accuracy |= dict.fromkeys(("worse", "steadier"), (-0.1, 0.01))
    others = rivals({**stability, "failed": nothing}, {**accuracy, "failed": nothing})
    texts = {caveat.title: caveat.text for caveat in _about_rivals(others, choice())}
    assert "m is not shown to be more stable than twin and tie." in texts
    assert "steadier (+0.20, 0.10 to 0.30)" in texts["Other methods are more stable."]
    # Not told from those two; the others are less accurate, and one cannot be compared.
    assert texts["Its accuracy is not shown to be the best."].endswith(
        "cannot tell it from twin and tie."
    )
    # What paired tests and intervals are about.
    assert all("on these rows" in text for text in texts.values())


def test_a_rival_with_a_better_score_is_named_by_the_metric():
    (caveat,) = _about_rivals(
        rivals({"r": (-0.3, -0.1)}, {"r": (0.08, 0.01)}), choice(metric="roc_auc")
    )
    assert caveat.title == "Other methods have a better AUC."
    assert "r (+0.08)" in caveat.text


def test_a_loss_is_better_when_it_is_smaller():
    loss = choice(metric="log_loss")
    (caveat,) = _about_rivals(rivals({"r": (-0.3, -0.1)}, {"r": (-0.08, 0.01)}), loss)
    assert "find these better: r" in caveat.text
    assert list(_about_rivals(rivals({"r": (-0.3, -0.1)}, {"r": (0.08, 0.01)}), loss)) == []


def test_few_runs_are_said():
    (caveat,) = _about_few_runs(choice(n_runs=5))
    assert caveat.text == "m has 5 runs; precise intervals need 20 or more."
    assert list(_about_few_runs(choice())) == []


def rows_of(**sizes):
    return as_target(np.repeat(list(sizes), list(sizes.values())))


def test_small_classes_are_named():
    ((_, text),) = rows_of(common=10, rare=4).concerns("roc_auc")
    assert "rare (4)" in text
    assert "common" not in text
    assert rows_of(common=50, rare=40).concerns("roc_auc") == []


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_unequal_classes_are_said_with_the_metric(metric):
    assert rows_of(ill=20, healthy=60).concerns(metric) == []  # 3:1 is not above
    unequal = rows_of(ill=24, middling=40, healthy=136)
    ((_, text),) = unequal.concerns(metric)
    assert "136 rows of healthy to 24 of ill, 5.7:1." in text
    assert "guessing healthy is right about 68\u202f% of the rows." in text
    used = {"roc_auc": "decides by AUC instead.", "accuracy": "by accuracy all the same"}
    assert used[metric] in text
    assert unequal.concerns(None) == []  # nothing is predicted


def test_an_unfinished_study_says_how_much_is_there():
    (caveat,) = _about_unfinished(SimpleNamespace(n_done=62, n_tasks=450))
    assert caveat.text == "62 of 450 tasks are done."
    assert list(_about_unfinished(SimpleNamespace(n_done=450, n_tasks=450))) == []


def test_recommending_a_control_says_what_it_is(results, monkeypatch):
    control, recommended = results.data.methods[WEIGHTED].control, results.choice()
    configuration = replace(recommended.configuration, method=control)
    other = replace(recommended, configuration=configuration)
    monkeypatch.setattr(Results, "choice", lambda self: other)
    (part,) = Report(results).parts
    said = f"{control} is such a control, of {WEIGHTED}"
    assert any(said in caveat.text for caveat in part.answer.caveats)
