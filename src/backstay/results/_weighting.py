"""Does instance weighting help? Every weighted method against its control and its plain form.

What a method gains over plain but not over uniform weights of the same sum is due to the sum of
the weights, which changes the regularisation, not to the weights (docs/control-finding.md).
"""

import math
from dataclasses import dataclass
from typing import Any

from backstay.comparison import DifferenceTest
from backstay.results._differences import score_difference, stability_difference
from backstay.results._facts import Configuration
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._runs import is_judged


@dataclass(frozen=True)
class WeightingVerdict:
    """Whether the weights of a method add stability.

    Attributes
    ----------
    method, control, plain : str
        The weighted method, uniform weights of the same sum, and no weights.
    size : int
        Features selected, where the gains are measured.
    over_control, over_plain : DifferenceTest
        Gains in stability at that size.
    overall : DifferenceTest
        Gain over the control, averaged over all sizes.
    kind : {"shown", "here", "explained", "none"}
        The gain over the control is shown, at this size and overall; shown at this size only,
        which may be luck; the control explains a gain over plain; or there is no gain.
    """

    method: str
    control: str
    plain: str
    size: int
    over_control: DifferenceTest
    over_plain: DifferenceTest
    overall: DifferenceTest

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
    over_control = stability_difference(records, at, role.control)
    over_plain = stability_difference(records, at, role.plain)
    if math.isnan(over_control.difference) or math.isnan(over_plain.difference):
        return None
    # At one size alone, chosen for its accuracy, a gain may be luck.
    overall = stability_difference(records, Configuration(method), role.control)
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
                at = Configuration(method, size)
                gain = stability_difference(records, at, reference, confidence=confidence)
                rows.append({**base, "quantity": "stability", "model": "", **_gain(gain)})
                for model in records.models:
                    at = Configuration(method, size, model, metric)
                    gain = score_difference(records, at, reference, confidence=confidence)
                    rows.append({**base, "quantity": metric, "model": model, **_gain(gain)})
    return rows


def _gain(test: DifferenceTest) -> dict[str, Any]:
    names = ("low", "high", "p_value", "test")
    return {"gain": test.difference, **{name: getattr(test, name) for name in names}}
