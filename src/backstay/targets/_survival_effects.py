"""How does a feature go with the time until an event? Hazard ratios, and columns that tell it.

Only the moments are kept in a store, so a corrected formula corrects old studies.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay._kernels._cox import null_residuals
from backstay._kernels._survival import concordance_counts, logrank
from backstay.targets._metric import some_rows
from backstay.targets._number_effects import ROUNDING
from backstay.targets._target import (
    Arrays,
    Association,
    Effects,
    Floats,
    by_column,
    directions,
    filled_in,
)

if TYPE_CHECKING:
    from backstay.targets._survival import SurvivalTarget

MOMENTS = ("cox count", "cox excess", "cox slope", "cox error", "cox score")
# Newton's steps are at most this long, and a log hazard ratio is at most so large.
LONGEST, LARGEST, STEPS, ENOUGH = 1.0, 20.0, 25, 1e-9


def moments_with_survival(target: "SurvivalTarget", X: Any) -> Arrays:
    """Return rows known, excess at events, log hazard ratio, its error, and z, column by column."""
    return by_column(X, MOMENTS, partial(_alone, target))


def _alone(target: "SurvivalTarget", table: Floats) -> tuple[Floats, ...]:
    """Fit Cox regression to every column alone, all at once, by Newton's method."""
    order = np.argsort(-target.time, kind="stable")
    table, time, event = table[order], target.time[order], target.event[order]
    # Rows at risk at an event: all up to the last of its time, as times fall.
    last = np.searchsorted(-time, -time[event], side="right") - 1
    known = np.isfinite(table)
    n = known.sum(axis=0)
    with np.errstate(all="ignore"):
        mean = np.where(known, table, 0).sum(axis=0) / n
        x = np.where(known, table - mean, 0)
        sd = np.sqrt((x**2).sum(axis=0) / (n - 1))
        flat = ~(sd > ROUNDING * np.abs(mean))
        x /= np.where(flat, 1.0, sd)
        died = event[:, None] & known
        observed, n_events = (x * died).sum(axis=0), died.sum(axis=0)
        slope = np.zeros(table.shape[1])
        score, information = _derivatives(x, known, died[event], last, slope, observed)
        z, excess = score / np.sqrt(information), score / n_events * sd
        for _ in range(STEPS):
            step = np.clip(np.nan_to_num(score / information), -LONGEST, LONGEST)
            slope = np.clip(slope + step, -LARGEST, LARGEST)
            score, information = _derivatives(x, known, died[event], last, slope, observed)
            if np.abs(step).max(initial=0) < ENOUGH:
                break
        error = 1 / np.sqrt(information)
    empty = flat | ~np.isfinite(z)
    figures = (excess, slope, error, z)
    return n.astype(np.float64), *(np.where(empty, np.nan, figure) for figure in figures)


def _derivatives(
    x: Floats, known: NDArray[np.bool_], died: NDArray[np.bool_], last: NDArray[np.intp],
    slope: Floats, observed: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the score and the information of every column at its slope."""
    at = slope * x
    hazard = np.where(known, np.exp(at - at.max(axis=0, initial=0)), 0)
    total = hazard.cumsum(axis=0)[last]
    first = (hazard * x).cumsum(axis=0)[last] / total
    second = (hazard * x * x).cumsum(axis=0)[last] / total
    score = observed - np.where(died, first, 0).sum(axis=0)
    return score, np.where(died, second - first**2, 0).sum(axis=0)


def effects_on_survival(target: "SurvivalTarget", moments: Mapping[str, NDArray[Any]]) -> Effects:
    """Return how features go with the time.

    The effect is the log hazard ratio per standard deviation with Wald's interval. The difference
    is how far, on average, a row lies above those at risk when it has its event. The test is the
    score test.
    """
    _, excess, slope, error, z = (moments[name] for name in MOMENTS)
    half = stats.norm.ppf(0.975) * error
    p = 2 * stats.norm.sf(np.abs(z))
    ratios = {"hazard ratio": slope, "ratio low": slope - half, "ratio high": slope + half}
    with np.errstate(over="ignore"):
        columns = {name: np.exp(value) for name, value in ratios.items()}
    return Effects(
        columns=columns,
        direction=directions(z, "lower", "higher"),
        difference=excess,
        effect=slope,
        effect_low=slope - half,
        effect_high=slope + half,
        p_value=p,
    )


def concordance_with(target: "SurvivalTarget", values: Floats) -> Floats:
    """Return Harrell's concordance of every column, in its better direction, with the time."""
    rows = some_rows(np.ones(len(target), dtype=bool))
    time, event, values = target.time[rows], target.event[rows], filled_in(values[rows])
    shares = []
    for column in np.ascontiguousarray(values.T):
        right, wrong, tied, *_ = concordance_counts(time, event, column)
        shares.append(0.5 + abs(right - wrong) / max(2 * (right + wrong + tied), 1))
    return np.array(shares)


def association_with_survival(target: "SurvivalTarget", column: NDArray[Any]) -> Association:
    """Return the concordance, with the score test of numbers or the log-rank test of texts."""
    if column.dtype.kind == "f":
        values = column
        p = float(2 * stats.norm.sf(abs(_alone(target, column[:, None])[-1][0])))
    else:
        kinds = np.unique(column, return_inverse=True)[1]
        statistic, degrees = logrank(target.time, target.event, kinds)
        p = float(stats.chi2.sf(statistic, degrees)) if degrees else 1.0
        excess = null_residuals(target.time, target.event, np.ones(len(target)))
        values = (np.bincount(kinds, excess) / np.bincount(kinds))[kinds]
    share = float(concordance_with(target, values[:, None])[0])
    p = 1.0 if np.isnan(p) else p
    return Association("concordance", share, p, strong=share >= target.nearly)
