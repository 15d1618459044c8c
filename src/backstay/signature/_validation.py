"""What a validation found, as values: scores beside expected ones, recalls, curves, cautions."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.results import Estimate
from backstay.signature._cohort import StandIn
from backstay.signature._shift import FeatureShift
from backstay.targets import find_metric

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreComparison:
    """A score in the cohort beside the expected one.

    Attributes
    ----------
    metric : str
        Name of the metric.
    expected, found : Estimate
        What the study expects of one signature, re-estimated for stand-ins, and what the cohort
        gives, both with 95 % intervals.
    corrected : bool
        Whether the expected score pays for having been chosen.
    difference : Estimate
        Found minus expected, with its 95 % interval (Zou & Donner 2008).
    p_value : float
        Of no difference.
    chance : float
        What guessing reaches in the cohort.
    """

    metric: str
    expected: Estimate
    found: Estimate
    corrected: bool
    difference: Estimate
    p_value: float
    chance: float

    @property
    def verdict(self) -> str:
        """What the difference means: "as expected", "worse", "better", or "undefined"."""
        gain = find_metric(self.metric).gain
        ends = sorted((gain(self.difference.low), gain(self.difference.high)))
        if not all(map(math.isfinite, ends)):
            return "undefined"
        return "worse" if ends[1] < 0 else "better" if ends[0] > 0 else "as expected"

    @property
    def above_chance(self) -> bool:
        """Whether all of the cohort's interval is better than guessing."""
        gain = find_metric(self.metric).gain
        return bool(min(gain(self.found.low), gain(self.found.high)) > gain(self.chance))


@dataclass(frozen=True)
class Recall:
    """The share of a class's rows that were recognised, with Wilson's 95 % interval."""

    label: str
    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Calibration:
    """Do probabilities mean what they say? For the second of two classes.

    Attributes
    ----------
    slope, intercept : float
        Of the observed log odds in the predicted ones; 1 and 0 are right. A slope below 1 means
        probabilities that are too sure.
    bins : DataFrame
        Mean ``predicted`` probability and ``observed`` share, with ``low``, ``high`` and ``n``.
    """

    slope: float
    intercept: float
    bins: pd.DataFrame


@dataclass(frozen=True)
class Caution:
    """What to beware of: its kind, a heading and a sentence or two."""

    kind: str
    title: str
    text: str


@dataclass(frozen=True, repr=False)
class Validation:
    """A signature tested on a cohort that had no part in making it, without refitting.

    Attributes
    ----------
    scores : list of ScoreComparison
        By metric, the deciding one first.
    classes : list of str
        Names of the signature's classes.
    class_sizes : list of int
        The cohort's rows of each.
    training_sizes : list of int
        The training rows of each.
    recalls : list of Recall
        By class.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows by true and predicted class.
    roc : DataFrame
        ``class``, ``fpr`` and ``tpr`` of the points of the ROC curves.
    calibration : Calibration or None
        None without probabilities of two classes.
    shifts : list of FeatureShift
        Of the features that the cohort has.
    stand_ins : list of StandIn
        Of those that it does not have.
    rescale : str
        How the features were rescaled.
    cautions : list of Caution
        What to beware of.
    predictions : DataFrame
        Of every row: ``class``, ``predicted``, scores and probabilities.
    signature : dict
        The signature's choice, training facts and stability.
    """

    scores: list[ScoreComparison]
    classes: list[str]
    class_sizes: list[int]
    training_sizes: list[int]
    recalls: list[Recall]
    confusion: NDArray[np.intp]
    roc: pd.DataFrame
    calibration: Calibration | None
    shifts: list[FeatureShift]
    stand_ins: list[StandIn]
    rescale: str
    cautions: list[Caution]
    predictions: pd.DataFrame
    signature: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of the cohort's rows."""
        return sum(self.class_sizes)

    @property
    def main(self) -> ScoreComparison:
        """The comparison by the metric that decided in the study."""
        return self.scores[0]

    @property
    def sentence(self) -> str:
        """The result in words."""
        main = self.main
        title = find_metric(main.metric).title
        found, expected = _figure(main.found), _figure(main.expected)
        if main.verdict == "undefined":
            return f"On {self.n_rows} rows the {title} is {found}; {expected} was expected."
        words = {
            "as expected": "The two do not differ beyond chance",
            "worse": "It is worse than expected",
            "better": "It is better than expected",
        }[main.verdict]
        p = "< 0.001" if main.p_value < 0.001 else f"= {main.p_value:.3f}"
        return (
            f"On {self.n_rows} rows the {title} is {found}; {expected} was expected. {words} "
            f"(difference {_figure(main.difference, '+')}, p {p})."
        )

    def frame(self) -> pd.DataFrame:
        """Return a row per metric."""
        rows = []
        for one in self.scores:
            row: dict[str, Any] = {"metric": one.metric}
            for name in ("found", "expected", "difference"):
                ends = getattr(one, name)
                row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
            rows.append({**row, "p_value": one.p_value, "verdict": one.verdict})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single rows, ready for JSON; undefined numbers are None."""
        calibration = None
        if self.calibration is not None:
            calibration = {
                "slope": self.calibration.slope,
                "intercept": self.calibration.intercept,
                "bins": self.calibration.bins.to_dict("records"),
            }
        everything = {
            "sentence": self.sentence,
            "scores": [
                {**asdict(one), "verdict": one.verdict, "above_chance": one.above_chance}
                for one in self.scores
            ],
            "classes": self.classes,
            "class_sizes": self.class_sizes,
            "training_sizes": self.training_sizes,
            "recalls": [asdict(one) for one in self.recalls],
            "confusion": self.confusion.tolist(),
            "roc": self.roc.to_dict("list"),
            "calibration": calibration,
            "shifts": [asdict(one) for one in self.shifts],
            "stand_ins": [asdict(one) for one in self.stand_ins],
            "rescale": self.rescale,
            "cautions": [asdict(one) for one in self.cautions],
            "signature": self.signature,
        }
        plain: dict[str, Any] = _plain(everything)
        return plain

    def __repr__(self) -> str:
        return f"Validation: {self.sentence}"


def _figure(estimate: Estimate, sign: str = "") -> str:
    if not math.isfinite(estimate.value):
        return "undefined"
    text = f"{estimate.value:{sign}.3f}"
    if math.isfinite(estimate.low + estimate.high):
        text += f" (95 % [{estimate.low:.3f}, {estimate.high:.3f}])"
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    value = value.item() if hasattr(value, "dtype") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
