"""How does a feature go with the outcome beyond covariates? For every kind of outcome.

The feature is regressed on the outcome and the covariates. The difference is the slope on the
outcome, or what sets the class with the highest adjusted mean apart from the others; the effect is
that in standard deviations of what is left over, or a partial correlation; the test is F's.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay._partial import partial_slopes, partial_squares
from backstay.targets._target import Arrays, Effects, Floats, Target, by_column

FIGURES = ("difference", "effect", "low", "high", "p", "direction")
# What outcomes without classes call the two ways.
WAYS = (("falls", "rises"), ("lower", "higher"))
Z_95 = float(stats.norm.ppf(0.975))


def adjusted_moments(target: Target, X: Any, Z: Floats) -> Arrays:
    """Return what a store keeps of every feature beside covariates; gaps make it unknown."""

    def figures(table: Floats) -> Floats:
        found = np.full((len(FIGURES), table.shape[1]), np.nan)
        known = np.isfinite(table).all(axis=0)
        if known.any():
            with np.errstate(invalid="ignore", divide="ignore"):
                kept, aims = table[:, known], target.ridge_aims()[1]
                found[:, known] = target.effects_beside(kept, Z) or _figures(kept, aims, Z)
        return found

    return by_column(X, [f"adjusted {name}" for name in FIGURES], figures)


def _figures(table: Floats, aims: Floats, Z: Floats) -> tuple[Floats, ...]:
    """Return difference, effect, its ends, p, and the class that is high or the way."""
    omega, contrasts = np.ones(len(Z)), aims[:, -max(aims.shape[1] - 1, 1) :]
    explained, rest, k, free = partial_squares(table, contrasts, Z, omega)
    p = stats.f.sf(explained / k / (rest / free), k, free)
    fits = [partial_slopes(table, aim, Z, omega) for aim in aims.T]
    if len(fits) == 1:
        slopes, left, squares, df = fits[0]
        t = slopes / np.sqrt(left / df / squares)
        r = t / np.sqrt(t**2 + df)
        z, half = np.arctanh(r), Z_95 / np.sqrt(df - 1)
        ends = np.tanh(z - half), np.tanh(z + half)
        return slopes * aims.std(ddof=1), r, *ends, p, (r > 0).astype(float)
    slopes = np.array([one[0] for one in fits])
    high = slopes.argmax(axis=0)
    # Of two classes the difference is that of the second from the first.
    ours = np.ones_like(high) if len(fits) == 2 else high
    place = ours, np.arange(len(high))
    squares, df = np.array([one[2] for one in fits])[ours], fits[0][3]
    effect = slopes[place] / np.sqrt(np.array([one[1] for one in fits])[place] / df)
    half = Z_95 * np.sqrt(1 / squares + effect**2 / (2 * df))
    return slopes[place], effect, effect - half, effect + half, p, high.astype(float)


def adjusted_effects(effects: Effects, moments: Mapping[str, NDArray[Any]]) -> Effects:
    """Return effects beside covariates, where a store has them; else as they are."""
    if "adjusted p" not in moments:
        return effects
    difference, effect, low, high, p, place = (moments[f"adjusted {name}"] for name in FIGURES)
    said = {one for one in effects.direction if one is not None}
    named = [name.removeprefix("mean in ") for name in effects.columns]
    named = [f"high in {name}" for name in named] if len(named) > 2 else named
    named = next((list(pair) for pair in WAYS if said <= {*pair}), named)
    columns = effects.columns
    if "hazard ratio" in columns:
        columns = dict(zip(columns, map(np.exp, (effect, low, high)), strict=True))
    places = np.where(np.isfinite(place), place, -1).astype(np.intp)
    return replace(
        effects,
        columns=columns,
        direction=np.array([*named, None], dtype=object)[places],
        difference=difference,
        effect=effect,
        effect_low=low,
        effect_high=high,
        p_value=p,
    )
