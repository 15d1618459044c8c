"""What the report says was shown, and was not."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from backstay.comparison import DifferenceTest
from backstay.report._caveats import (
    _about_imbalance,
    _about_numbers,
    _about_rivals,
    _about_unfinished,
    caveats,
    weighting_words,
)
from backstay.report._evidence import gather
from backstay.report._words import clean, listed, signed
from backstay.results import Choice, Comparison, Configuration, Role, WeightingVerdict


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
    assert words.title.startswith("The weights" if kind == "shown" else "That")
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
    assert "That m differs from twin." in texts
    assert "That m is more stable than tie." in texts
    assert "steadier (+0.20, 0.10 to 0.30)" in texts["That it is the most stable of all."]
    # Not told from those two; the others are less accurate, and one cannot be compared.
    assert texts["That its accuracy is the best."].endswith("cannot tell it from twin and tie.")
    # What paired tests and intervals are about.
    said = [text for title, text in texts.items() if "differs" not in title]
    assert all("on these rows" in text for text in said)


def test_a_rival_with_a_better_score_is_named_by_the_metric():
    (caveat,) = _about_rivals(
        rivals({"r": (-0.3, -0.1)}, {"r": (0.08, 0.01)}), choice(metric="roc_auc")
    )
    assert caveat.title == "That its AUC is the best."
    assert "r (+0.08)" in caveat.text


def test_a_loss_is_better_when_it_is_smaller():
    loss = choice(metric="log_loss")
    (caveat,) = _about_rivals(rivals({"r": (-0.3, -0.1)}, {"r": (-0.08, 0.01)}), loss)
    assert "better in a paired test" in caveat.text
    assert list(_about_rivals(rivals({"r": (-0.3, -0.1)}, {"r": (0.08, 0.01)}), loss)) == []


def test_few_runs_and_small_classes_are_named():
    data = SimpleNamespace(classes=["rare", "common"], class_sizes=[4, 50])
    texts = [caveat.text for caveat in _about_numbers(data, choice(n_runs=5))]
    assert any("m has 5 runs; intervals from fewer than 20 are rough." in text for text in texts)
    assert any("rare (4)" in text and "common" not in text for text in texts)
    assert _about_numbers(SimpleNamespace(classes=["a"], class_sizes=[50]), choice()) == []


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_unequal_classes_are_said_with_the_metric(metric):
    def about(*sizes):
        data = SimpleNamespace(
            classes=["ill", "middling", "healthy"][: len(sizes)],
            class_sizes=list(sizes),
            n_samples=sum(sizes),
            metric=metric,
            models=["svm"],
        )
        return [caveat.text for caveat in _about_imbalance(data)]

    assert about(20, 60) == []  # 3:1 is not above
    (text,) = about(24, 40, 136)
    assert "136 rows of healthy to 24 of ill, 5.7:1." in text
    assert "guessing healthy is right about 68\u202f%, so accuracy is misleading here." in text
    used = {"roc_auc": "The AUC is used instead.", "accuracy": "decides by it all the same"}
    assert used[metric] in text


def test_an_unfinished_study_says_how_much_is_there():
    (caveat,) = _about_unfinished(SimpleNamespace(n_done=62, n_tasks=450))
    assert caveat.text == "62 of 450 tasks are done."
    assert list(_about_unfinished(SimpleNamespace(n_done=450, n_tasks=450))) == []


def test_recommending_a_control_says_what_it_is(results):
    evidence = gather(results)
    data = replace(evidence.data, methods={"iw": Role(control="m"), "m": Role()})
    found = caveats(replace(evidence, data=data, choice=choice(), rivals=[]), [])
    assert any("m is such a control, of iw" in caveat.text for caveat in found)


def test_words():
    assert clean("a\x00b\ud800") == "a\ufffdb\ufffd"
    assert signed(-0.25) == "−0.25"
    assert listed(["one"]) == "one"
