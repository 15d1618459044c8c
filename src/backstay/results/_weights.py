"""``results.weights``: how feature weights vary, and whether instance weighting helps.

What a method gains over plain but not over uniform weights of the same sum is due to the sum of
the weights, which changes the regularisation, not to the weights (docs/control-finding.md).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from backstay.comparison import DifferenceTest
from backstay.results._comparisons import score_difference, stability_difference
from backstay.results._facts import Configuration
from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records
from backstay.results._runs import is_judged
from backstay.results._stability import bias_variance_rows, weight_variance_rows


@dataclass(frozen=True)
class WeightingVerdict:
    """Whether the weights of a method add stability: gains at a size, and averaged over sizes.

    `kind` says "shown", at this size and overall; "here", at this size only, which may be luck;
    "explained", if the control explains a gain over plain; or "none".
    """

    method: str
    control: str  # uniform weights of the same sum
    plain: str  # no weights
    size: int
    over_control: DifferenceTest
    over_plain: DifferenceTest
    overall: DifferenceTest  # over the control, averaged over all sizes

    @property
    def kind(self) -> str:
        """The judgement; see the class."""
        if self.over_control.low > 0:
            return "shown" if self.overall.low > 0 else "here"
        return "explained" if self.over_plain.low > 0 else "none"


def weighting_verdict(records: Records, method: str, size: int) -> WeightingVerdict | None:
    """Judge whether a method's weights add stability; None without a control or enough runs."""
    role = records.role(method)
    if role.control is None or role.plain is None:
        return None
    if not all(is_judged(records, name) for name in (method, role.control, role.plain)):
        return None
    at = Configuration(method, size)
    over_control = stability_difference(records, at, Configuration(role.control, size))
    over_plain = stability_difference(records, at, Configuration(role.plain, size))
    if math.isnan(over_control.difference) or math.isnan(over_plain.difference):
        return None
    # At one size alone, chosen for its accuracy, a gain may be luck.
    overall = stability_difference(records, Configuration(method), Configuration(role.control))
    return WeightingVerdict(
        method, role.control, role.plain, size, over_control, over_plain, overall
    )


def gain_rows(records: Records, metric: str | None, confidence: float) -> Rows:
    """Gains of every weighted method over its control and over its plain form, by size."""
    rows: Rows = []
    metric = records.check_metric(metric)
    for method in records.methods:
        role = records.role(method)
        for over, reference in (("control", role.control), ("plain", role.plain)):
            if reference is None or not (
                is_judged(records, method) and is_judged(records, reference)
            ):
                continue
            for size in records.sizes:
                base = {"method": method, "over": over, "reference": reference, "size": size}
                pair = Configuration(method, size), Configuration(reference, size)
                gain = stability_difference(records, *pair, confidence=confidence)
                rows.append({**base, "quantity": "stability", "model": "", **_gain(gain)})
                for model in records.models:
                    scored = (replace(one, model=model, metric=metric) for one in pair)
                    gain = score_difference(records, *scored, confidence=confidence)
                    rows.append({**base, "quantity": metric, "model": model, **_gain(gain)})
    return rows


def _gain(test: DifferenceTest) -> dict[str, Any]:
    names = ("low", "high", "p_value", "test")
    return {"gain": test.difference, **{name: getattr(test, name) for name in names}}


class Weights(Parts):
    """Variance and bias of feature weights, and what instance weights gain."""

    def variance(self) -> Table:
        """Variance over resamples, and correlation, of the feature weights |w|/Σ|w| [HY]."""
        note = "jackknife intervals over resamples"
        return self._table("weight variance", note, weight_variance_rows)

    def bias_variance(self) -> Table:
        """Error of the normalised weights against ``run(…, truth=)``: bias² + variance."""
        note = "averages over features"
        return self._table("bias and variance of weights", note, bias_variance_rows)

    def gains(self, metric: str | None = None, *, confidence: float = 0.95) -> Table:
        """Gains of instance-weighted methods over their uniform control and over plain.

        What a method gains over plain but not over its control is the work of the weights' sum, not
        of the weights. `metric` is the one that decides if None. Methods with too few runs have no
        rows; see ``results.runs.counts()``.
        """
        columns = "method over reference size quantity model gain low high p_value test"
        note = "paired by resample; stability is Kuncheva's index"
        return self._table(
            "gains of instance weighting", note, gain_rows, metric, confidence, columns=columns
        )

    def verdicts(self, size: int) -> list[WeightingVerdict]:
        """Judge, for one data set, every weighted method with gains at a size."""
        part = self._one()
        judged = (weighting_verdict(part, method, size) for method in part.methods)
        return [verdict for verdict in judged if verdict is not None]
