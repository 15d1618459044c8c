"""Tables of predicted risks of rows that were not trained on, for a report to draw.

"risk groups"
    Kaplan and Meier's curve of every third of risk, as steps: ``group`` ("low", "middle",
    "high"), ``time``, ``survival`` from then on with ``low`` and ``high``, ``at_risk`` just before
    and ``n_events`` then. Groups are cut at thirds of the *training* rows' risks, in every run
    anew; a row that fell into several counts in each by the share of its runs, so numbers of rows
    have fractions.
"calibration"
    Rows in bins of ``predicted`` survival at the horizon (its mean), with ``observed`` survival by
    Kaplan and Meier, ``low`` and ``high``, and ``n`` rows.
"auc over time"
    ``time``, ``auc`` of rows with the event by then against rows without, with ``low`` and
    ``high``, and ``n_events`` by then.
"surprises"
    Every row with its mean ``risk``, the events ``expected`` by its time, and its deviance
    ``residual``: above 0 if the event came earlier than expected.

Intervals are of 95 % over rows: by Greenwood's formula on the log of −log survival, and by 200
draws of rows for the AUC. They are as wide as groups of rows ask for. No test compares the groups:
its null would be the whole procedure with shuffled outcomes.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backstay._kernels._cox import baseline_hazard
from backstay.targets._metric import ordered_share, row_means
from backstay.targets._survival_metrics import pairs_at
from backstay.targets._target import Floats, TableRows, Tested

if TYPE_CHECKING:
    from backstay.targets._survival import SurvivalTarget

GROUPS = ("low", "middle", "high")
# Events that a bin of predictions holds at least; how many bins, times and draws there are.
EVENTS_OF_A_BIN, MOST_BINS, N_TIMES, N_DRAWS = 5, 5, 12, 200
Z = 1.959964


def risk_groups(target: "SurvivalTarget", tested: Tested) -> TableRows:
    """Return the steps of every group's curve; a model without groups has none."""
    shares = [
        (rows, (outputs[:, 3] == np.arange(len(GROUPS))[:, None]).astype(np.float64))
        for rows, outputs in tested.runs
    ]
    weight, _ = row_means(target, shares, (len(GROUPS),))
    return [
        {"group": name, **step}
        for name, own in zip(GROUPS, weight.T, strict=True)
        if own.any()
        for step in weighted_curve(target.time, target.event, own, tested.independent)
    ]


def weighted_curve(
    time: Floats, event: NDArray[np.bool_], weight: Floats, independent: float = 1.0
) -> TableRows:
    """Return Kaplan and Meier's curve of weighted rows, a step for every time and one at 0."""
    times, place = np.unique(time[weight > 0], return_inverse=True)
    own, died = weight[weight > 0], event[weight > 0]
    leaving = np.bincount(place, own)
    at_risk = leaving[::-1].cumsum()[::-1]
    n_events = np.bincount(place, own * died, minlength=len(times))
    survival = np.cumprod(np.maximum(1 - n_events / at_risk, 0))
    with np.errstate(all="ignore"):
        # Greenwood's sum, on the scale of log(−log S).
        spread = np.cumsum(n_events / (at_risk * (at_risk - n_events))) / independent
        # Parts of an event would make it wider than a whole one, for which it is about 1.
        factor = np.exp(Z * np.minimum(np.sqrt(spread) / np.abs(np.log(survival)), 1))
        ends = survival**factor, survival ** (1 / factor)
    low, high = (np.where(np.isfinite(end), end, survival) for end in ends)
    first = {"time": 0.0, "survival": 1.0, "low": 1.0, "high": 1.0}
    rows = [{**first, "at_risk": float(own.sum()), "n_events": 0.0}]
    names = ("time", "survival", "low", "high", "at_risk", "n_events")
    columns = (times, survival, low, high, at_risk, n_events)
    for step in zip(*columns, strict=True):
        rows.append(dict(zip(names, map(float, step), strict=True)))
    return rows


def calibration_bins(target: "SurvivalTarget", tested: Tested) -> TableRows:
    """Return predicted and observed survival at the horizon, the lowest predictions first."""
    if not target.follow_up.reaches_horizon:
        return []
    said = [(rows, outputs[:, 1]) for rows, outputs in tested.runs]
    predicted, times = row_means(target, said, ())
    rows = np.flatnonzero(times > 0)
    in_order = rows[np.argsort(predicted[rows], kind="stable")]
    n_events = int((target.event & (target.time <= target.follow_up.horizon))[rows].sum())
    found = []
    for part in np.array_split(in_order, int(np.clip(n_events // EVENTS_OF_A_BIN, 1, MOST_BINS))):
        one = np.ones(len(part))
        steps = weighted_curve(target.time[part], target.event[part], one, tested.independent)
        step = [step for step in steps if step["time"] <= target.follow_up.horizon][-1]
        ends = {"observed": step["survival"], "low": step["low"], "high": step["high"]}
        found.append({"predicted": float(predicted[part].mean()), **ends, "n": len(part)})
    return found


def auc_over_time(target: "SurvivalTarget", tested: Tested) -> TableRows:
    """Return the AUC at times between early events and τ, the order of pairs averaged."""
    risks = [(rows, outputs[None, None, :, 0]) for rows, outputs in tested.runs]
    rng, n = np.random.default_rng(0), len(target)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=N_DRAWS)
    copies = np.concatenate([np.ones((1, n)), drawn])
    before = target.event & (target.time < target.follow_up.tau)
    if not before.any():
        return []
    found = []
    for at in np.unique(np.quantile(target.time[before], np.linspace(0.1, 1, N_TIMES))):
        sides, weight = pairs_at(target, float(at))
        value, *draws = ordered_share(risks, sides, copies, weight)[:, 0]
        if np.isfinite(value):
            half = Z * float(np.nanstd(draws)) / np.sqrt(tested.independent)
            ends = {"low": max(value - half, 0.0), "high": min(value + half, 1.0)}
            n_events = int((target.event & (target.time <= at)).sum())
            found.append({"time": float(at), "auc": float(value), **ends, "n_events": n_events})
    return found


def surprises(target: "SurvivalTarget", tested: Tested) -> TableRows:
    """Return tested rows with deviance residuals by their mean risk, the largest first."""
    figures = [(rows, np.stack([out[:, 0], out[:, 0] ** 2])) for rows, out in tested.runs]
    means, times = row_means(target, figures, (2,))
    seen = np.flatnonzero(times)
    time, event, (risk, square) = target.time[seen], target.event[seen], means[seen].T
    if not event.any():
        return []
    steps, hazard = baseline_hazard(time, event, risk, np.ones(len(seen)))
    passed = np.searchsorted(steps, time, side="right")
    expected = np.exp(risk) * np.append(0, hazard)[passed]
    beyond = event - expected
    size = beyond + event * np.log(np.where(event, expected, 1.0))
    residual = np.sign(beyond) * np.sqrt(np.maximum(-2 * size, 0))
    return [
        {
            "row": int(seen[k]),
            "time": float(time[k]),
            "event": bool(event[k]),
            "risk": float(risk[k]),
            "spread": float(np.sqrt(max(square[k] - risk[k] ** 2, 0))),
            "expected": float(expected[k]),
            "residual": float(residual[k]),
            "n_runs": int(times[seen[k]]),
        }
        for k in np.argsort(-np.abs(residual), kind="stable")
    ]


TABLES: Mapping[str, Callable[[Any, Tested], TableRows]] = {
    "risk groups": risk_groups,
    "calibration": calibration_bins,
    "auc over time": auc_over_time,
    "surprises": surprises,
}
