"""How does a figure grow with rows? Curves through a few measured points, and where they lead.

An inverse power law, a − b·m^(−c), approaches its end a. Where little is found the figure grows
slowly at first, from what guessing gives: g + (a − g)/(1 + (h/m)^c) begins so, and is the same law
for many rows. A few points of small samples tell neither the law nor a and c. So all curves of a
grid are kept, each with the weight that the points give it, and what they say further on is a
range, not a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import Estimate

Floats = NDArray[np.float64]
# Shares of the way to the best value at which curves may end; a sixth of them end at the best.
SHARES = np.append(np.linspace(0.0, 1.0, 21), np.ones(4))
RATES = np.array([0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8])
# Levels that are tried, this many standard errors around the last point.
N_LEVELS, REACH = 61, 4.0
# Curves that begin at the guess are this far above it at the last point.
LEAST_ABOVE = 1e-3
MIDDLE_AND_ENDS = (0.5, 0.025, 0.975)


@dataclass(frozen=True)
class Growth:
    """Curves by their value at the last point, which has `unit` rows, their end and their rate.

    A curve either ``rises`` from the guess or is a plain power law. Weights sum to 1.
    """

    unit: float
    guess: float
    level: Floats
    end: Floats
    rate: Floats
    rises: NDArray[np.bool_]
    weight: Floats

    @classmethod
    def fit(
        cls, rows: Floats, values: Floats, covariance: Floats, guess: float, best: float
    ) -> Growth:
        """Weight curves by how likely they make points, of which the last has the most rows.

        Higher values are better; `covariance` is that of their errors. Guessing gives `guess`, and
        no curve ends above `best`.
        """
        reach = REACH * math.sqrt(covariance[-1, -1])
        levels = np.linspace(values[-1] - reach, min(values[-1] + reach, best), N_LEVELS)
        axes = np.meshgrid(levels, SHARES, RATES, [0.0, 1.0], indexing="ij")
        level, share, rate, second = (axis.ravel() for axis in axes)
        known = (second == 0) | (level > guess + LEAST_ABOVE)
        level, share, rate, rises = level[known], share[known], rate[known], second[known] == 1
        end = level + share * (best - level)
        weight = np.ones(len(level))
        found = cls(float(rows[-1]), guess, level, end, rate, rises, weight)
        apart = values[:, None] - np.stack([found.values(m) for m in rows])
        misfit = (apart * np.linalg.solve(covariance, apart)).sum(axis=0)
        weight[:] = np.exp((misfit.min() - misfit) / 2)
        weight /= weight.sum()
        return found

    def values(self, rows: Floats | float) -> Floats:
        """Return the value of every curve at so many rows."""
        left = (rows / self.unit) ** -self.rate
        above = np.where(self.rises, self.level - self.guess, 1.0)
        whole = self.end - self.guess
        with np.errstate(divide="ignore", invalid="ignore"):  # of curves that do not rise
            rising = self.guess + whole / (1 + (whole / above - 1) * left)
        return np.where(self.rises, rising, self.end - (self.end - self.level) * left)

    def at(self, rows: float) -> Estimate:
        """Return the value expected at so many rows: the weighted median and a 95 % band."""
        return self._estimate(self.values(rows))

    def rows_for(self, goal: float) -> Estimate:
        """Return the rows at which curves reach a value; infinite for those that do not."""
        low, high = np.full(len(self.level), -20.0), np.full(len(self.level), 20.0)
        for _ in range(50):  # no curve falls, so halving finds the place
            middle = (low + high) / 2
            reached = self.values(self.unit * np.exp(middle)) >= goal
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return self._estimate(np.where(high > 19.0, math.inf, self.unit * np.exp(high)))

    def _estimate(self, values: Floats) -> Estimate:
        return Estimate(*weighted_quantiles(values, self.weight, MIDDLE_AND_ENDS))


def weighted_quantiles(values: Floats, weight: Floats, shares: tuple[float, ...]) -> list[float]:
    """Return the values below which such shares of the weight lie."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.array(shares) * below[-1])
    return [float(one) for one in values[order][np.minimum(places, len(values) - 1)]]
