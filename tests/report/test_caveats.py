"""What the report says was shown, and was not."""

from types import SimpleNamespace

import numpy as np
import pytest

from backstay.report._caveats import _about_numbers, _about_rivals, _verdict, caveats
from backstay.report._choice import Choice
from backstay.report._words import clean, listed, signed


def gain(low, high, reference="x"):
    return {"gain": (low + high) / 2, "low": low, "high": high, "reference": reference}


def overall(low, high):
    return SimpleNamespace(difference=(low + high) / 2, low=low, high=high)


@pytest.mark.parametrize(
    ("control", "plain", "average", "kind"),
    [
        (gain(0.1, 0.2), gain(0.3, 0.4), overall(0.1, 0.2), "shown"),
        (gain(0.1, 0.2), gain(0.3, 0.4), overall(-0.1, 0.2), "here"),
        (gain(-0.1, 0.1), gain(0.3, 0.4), overall(-0.1, 0.1), "explained"),
        (gain(-0.2, -0.1), gain(0.3, 0.4), overall(-0.2, -0.1), "explained"),
        (gain(-0.1, 0.1), gain(-0.1, 0.1), overall(-0.1, 0.1), "none"),
    ],
)
def test_weighting_is_credited_only_with_what_its_control_lacks(control, plain, average, kind):
    verdict = _verdict("iw", control, plain, average, 10)
    assert verdict["kind"] == kind
    assert ("explained by its control" in verdict["text"]) == (kind == "explained")
    assert verdict["title"].startswith("The weights" if kind == "shown" else "That")


def choice(kind="recommended", **changes):
    base = {
        "kind": kind, "method": "m", "size": 5, "classifier": "svm", "metric": "accuracy",
        "recommendation": None, "stability": 0.8, "low": 0.7, "high": 0.9, "n_runs": 30,
    }  # fmt: skip
    return Choice(**{**base, **changes})


class Rivals:
    """Stands for results of which only comparisons are asked."""

    def __init__(self, stability, accuracy):
        self._stability, self._accuracy = stability, accuracy
        self.methods = ["m", *stability]

    def compare(self, first, second, **options):
        assert first == "m"
        low, high = self._stability[second]
        difference, p = self._accuracy[second]
        return SimpleNamespace(
            stability=overall(low, high),
            accuracy=SimpleNamespace(difference=difference, p_value=p),
        )


def test_rivals_are_told_apart_or_not():
    nothing = (np.nan, np.nan)
    stability = {"twin": (0, 0), "tie": (-0.1, 0.1), "worse": (-0.3, -0.1), "steadier": (0.1, 0.3)}
    accuracy = {"twin": (0.0, 1.0), "tie": (0.01, 0.6)}
    accuracy |= dict.fromkeys(("worse", "steadier"), (-0.1, 0.01))
    rivals = Rivals({**stability, "failed": nothing}, {**accuracy, "failed": nothing})
    found = _about_rivals(rivals, choice())
    texts = {item["title"]: item["text"] for item in found}
    assert "That m differs from twin." in texts
    assert "That m is stabler than tie." in texts
    assert "steadier (+0.20, 0.10 to 0.30)" in texts["That it is the stablest of all."]
    # Not told from those two; the others are less accurate, and one cannot be compared.
    assert texts["That it is the most accurate."].endswith("do not tell it from twin and tie.")


def test_a_more_accurate_rival_is_named():
    rivals = Rivals({"r": (-0.3, -0.1)}, {"r": (0.08, 0.01)})
    (item,) = _about_rivals(rivals, choice())
    assert item["title"] == "That it is the most accurate."
    assert "r (+0.08)" in item["text"]


def test_few_runs_and_small_classes_are_told():
    facts = {"n_resamples": 5, "classes": [{"name": "rare", "n": 4}, {"name": "common", "n": 50}]}
    titles = [item["text"] for item in _about_numbers(facts)]
    assert any("5 resamples are few" in text for text in titles)
    assert any("rare (4)" in text and "common" not in text for text in titles)
    facts = {"n_resamples": 50, "classes": [{"name": "common", "n": 50}]}
    assert _about_numbers(facts) == []


def test_recommending_a_control_says_what_it_is(results):
    facts = {
        "n_samples": 60, "n_resamples": 8, "classes": [],
        "methods": {"iw": {"control": "m"}, "m": {"control": None}},
    }  # fmt: skip
    found = caveats(results, choice("nothing"), facts, [], [])
    assert any("m is the control of iw" in item["text"] for item in found)


def test_words():
    assert clean("a\x00b\ud800") == "a\ufffdb\ufffd"
    assert signed(-0.25) == "−0.25"
    assert listed(["one"]) == "one"
