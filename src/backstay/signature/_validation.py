"""What a validation found, as values: scores beside expected ones, tables, cautions."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd
from scipy import stats

from backstay._files import plain
from backstay._notebook import as_html
from backstay.results import Estimate
from backstay.signature._cohort import StandIn
from backstay.signature._shift import FeatureShift
from backstay.targets import Target, find_metric

# Share of the way from guessing to the best score that counts as no difference: 0.05 of an AUC.
MARGIN = 0.1


@dataclass(frozen=True)
class ScoreComparison:
    """A score in the cohort beside the expected one.

    Attributes
    ----------
    metric : str
        Name of the metric.
    expected, found : Estimate
        What the study expects of one signature, estimated again for stand-ins, and what the
        cohort gives, both with 95 % intervals.
    corrected : bool
        Whether the expected score is corrected for having been chosen.
    chance : float
        What guessing reaches in the cohort.
    margin : float
        Share of the way from guessing to the best score that counts as no difference. All metrics
        have a best score, also those without a worst: 1 for R², 0 for errors.

    Examples
    --------
    >>> from backstay.results import Estimate
    >>> from backstay.signature import ScoreComparison
    >>> expected, found = Estimate(0.9, 0.8, 0.95), Estimate(0.7, 0.6, 0.8)
    >>> one = ScoreComparison("roc_auc", expected, found, corrected=True, chance=0.5)
    >>> [round(end, 3) for end in (one.difference.low, one.difference.value, one.difference.high)]
    [-0.312, -0.2, -0.059]
    >>> round(one.p_value, 4), one.verdict
    (0.0056, 'worse')
    """

    metric: str
    expected: Estimate
    found: Estimate
    corrected: bool
    chance: float
    margin: float = MARGIN

    @property
    def difference(self) -> Estimate:
        """Found minus expected, of independent rows, with its 95 % interval.

        It recovers the variances from the intervals of both scores, each on its own side (Zou &
        Donner 2008), because intervals near the end of a range are not symmetric.
        """
        found, expected = self.found, self.expected
        value = found.value - expected.value
        low = value - math.hypot(found.value - found.low, expected.high - expected.value)
        high = value + math.hypot(found.high - found.value, expected.value - expected.low)
        defined = math.isfinite(value - low if value > 0 else high - value)
        return Estimate(value, low, high) if defined else Estimate(value, math.nan, math.nan)

    @property
    def p_value(self) -> float:
        """Of no difference: the level at which the interval of the difference would end at 0."""
        ends = self.difference
        towards_zero = ends.value - ends.low if ends.value > 0 else ends.high - ends.value
        if towards_zero == 0:
            return 0.0 if ends.value else 1.0
        return float(2 * stats.norm.sf(1.96 * abs(ends.value) / towards_zero))

    @property
    def tolerance(self) -> float:
        """The margin in units of the metric."""
        return self.margin * abs(find_metric(self.metric).best - self.chance)

    @property
    def _gain(self) -> Estimate:
        """The difference, turned so that higher is better."""
        ends, metric = self.difference, find_metric(self.metric)
        low, high = sorted((metric.gain(ends.low), metric.gain(ends.high)))
        return Estimate(metric.gain(ends.value), low, high)

    @property
    def verdict(self) -> str:
        """What the interval of the difference shows.

        "worse" or "better" if it excludes 0; otherwise "as good" if all of it is within the
        margin, "at least as good" if its worse end is, and "cannot be told apart" if neither is.
        "undefined" without an interval.
        """
        gain = self._gain
        if not math.isfinite(gain.low + gain.high):
            return "undefined"
        if gain.high < 0:
            return "worse"
        if gain.low > 0:
            return "better"
        if gain.low <= -self.tolerance:
            return "cannot be told apart"
        return "as good" if gain.high < self.tolerance else "at least as good"

    @property
    def within_margin(self) -> bool:
        """Whether all of the interval of the difference is within the margin."""
        return -self.tolerance < self.difference.low and self.difference.high < self.tolerance

    @property
    def least_shown(self) -> float:
        """How much worse a score must be for an interval as wide as this one to show it."""
        return self._gain.high - self._gain.value

    @property
    def more_rows_suffice(self) -> bool:
        """Whether the expected score is sure enough for more rows to show one at least as good."""
        gain, expected = find_metric(self.metric).gain, self.expected
        best_end = max(gain(expected.low), gain(expected.high))
        return bool(best_end - gain(expected.value) < self.tolerance)

    @property
    def above_chance(self) -> bool:
        """Whether all of the cohort's interval is better than guessing."""
        gain = find_metric(self.metric).gain
        return bool(min(gain(self.found.low), gain(self.found.high)) > gain(self.chance))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        judged = (
            "p_value", "tolerance", "verdict", "within_margin", "least_shown",
            "more_rows_suffice", "above_chance",
        )  # fmt: skip
        more = {name: getattr(self, name) for name in judged}
        return {**asdict(self), "difference": asdict(self.difference), **more}


@dataclass(frozen=True)
class Caution:
    """What to beware of: its kind, and the names and numbers that it rests on."""

    kind: str
    facts: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Validation:
    """A signature tested on a cohort that had no part in making it, without refitting.

    ``backstay.report.ValidationReport`` says it in words and writes it as a page.

    Attributes
    ----------
    scores : list of ScoreComparison
        By metric, the deciding one first.
    target : Target
        Outcomes of the cohort's rows.
    training_rows : list of int
        How many rows the training rows had of each entry in ``target.summary()``.
    tables : dict of str to DataFrame
        Tables of predictions. Classes: ``"confusion"``, ``"recalls"`` with Wilson's 95 %
        intervals, ``"roc_points"``. Numbers: ``"figures"`` with 95 % intervals: R² against the
        cohort's own mean, slope and intercept of observed on predicted, the mean difference, and
        the share of rows inside their prediction intervals. Times until an event:
        ``"risk groups"``, ``"calibration"``, ``"auc over time"``, and ``"figures"``: calibration
        slope, observed over predicted events, and the p-value of the log-rank test.
    calibration : Calibration or None
        Whether probabilities mean what they say; None without probabilities of two classes.
    shifts : list of FeatureShift
        Of the features that the cohort has.
    stand_ins : list of StandIn
        For the features that it does not have.
    rescale : str
        How the features were rescaled.
    cautions : list of Caution
        What to beware of, the gravest first.
    predictions : DataFrame
        Of every row: its outcome, such as ``class``, ``predicted``, scores and probabilities, or
        the ends of intervals.
    signature : dict
        The signature's choice, training facts and stability.
    outcome_shift : FeatureShift or None
        How an outcome of numbers lies against that of the training rows.
    concerns : list of (str, str)
        What sets outcomes of another kind apart from the training rows': a heading and a text.
    """

    scores: list[ScoreComparison]
    target: Target
    training_rows: list[int]
    tables: dict[str, pd.DataFrame]
    calibration: Any
    shifts: list[FeatureShift]
    stand_ins: list[StandIn]
    rescale: str
    cautions: list[Caution]
    predictions: pd.DataFrame
    signature: dict[str, Any] = field(default_factory=dict)
    outcome_shift: FeatureShift | None = None
    concerns: list[tuple[str, str]] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Number of the cohort's rows."""
        return len(self.target)

    @property
    def main(self) -> ScoreComparison:
        """The comparison by the metric that decided in the study."""
        return self.scores[0]

    def frame(self) -> pd.DataFrame:
        """Return a row per metric."""
        rows = []
        for one in self.scores:
            row: dict[str, Any] = {"metric": one.metric}
            for name in ("found", "expected", "difference"):
                ends = getattr(one, name)
                row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
            judged = ("p_value", "tolerance", "verdict")
            rows.append({**row, **{name: getattr(one, name) for name in judged}})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single rows, ready for JSON; undefined numbers are None."""
        known, names = self.calibration, [name for name, _ in self.target.summary()]
        everything = {
            "scores": [one.to_dict() for one in self.scores],
            "target": self.target.to_json(),
            "rows": dict(self.target.summary()),
            "training_rows": dict(zip(names, self.training_rows, strict=True)),
            "tables": {name: table.to_dict("list") for name, table in self.tables.items()},
            "calibration": known and {**vars(known), "bins": known.bins.to_dict("records")},
            "shifts": [asdict(one) for one in self.shifts],
            "outcome_shift": self.outcome_shift and asdict(self.outcome_shift),
            "stand_ins": [asdict(one) for one in self.stand_ins],
            "rescale": self.rescale,
            "cautions": [asdict(one) for one in self.cautions],
            "signature": self.signature,
        }
        plain_values: dict[str, Any] = plain(everything)
        return plain_values

    def _repr_html_(self) -> str:
        shown = pd.DataFrame({"score": [find_metric(one.metric).title for one in self.scores]})
        for name in ("found", "expected", "difference"):
            ends = [vars(getattr(one, name)).values() for one in self.scores]
            shown[name] = ["{:.3g} [{:.3g}, {:.3g}]".format(*three) for three in ends]
        return as_html(repr(self), shown.assign(verdict=[one.verdict for one in self.scores]))

    def __repr__(self) -> str:
        one = self.main
        return (
            f"Validation({self.n_rows} rows, {one.metric} {one.found.value:.3f}, expected "
            f"{one.expected.value:.3f}: {one.verdict})"
        )
