"""What would another sample choose? Told from how often runs on parts of one sample chose.

A run on a share f of n rows chooses a feature if its statistic is large. Given the sample, the
statistic varies between runs with variance (1/f − 1)σ²/n; the sample's own
statistic lies around the truth with variance σ²/n, which is v = f/(1 − f) times as much. So, with
the noise of a run as the unit, a feature of true standing θ has z ~ N(θ, v) in this sample, and is
chosen with the probability Φ(z − c) + Φ(−z − c): far from 0 on either side. (With c = ∞, measured
from the threshold, it is Φ(z).) The distribution of the standings over features is estimated from
the histogram of the selection counts by nonparametric maximum likelihood, for several c, of which
the likeliest is taken. In an independent sample the noise is that of z alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

Floats = NDArray[np.float64]
# Thresholds tried, in units of the one that features without any standing would give.
THRESHOLDS = (1.0, 1.03, 1.06, 1.1, 1.15, 1.25, 1.5, 2.0, math.inf)
# Rounds of the solver, and the gain in mean log likelihood that ends it.
MAX_ROUNDS, LEAST_GAIN = 30, 1e-9
# Rounds of EM that follow a fit to other features; it starts near its end.
EM_ROUNDS = 60
HALVINGS = 30


@dataclass(frozen=True)
class Standings:
    """How features stand in the population, as far as selection counts tell.

    `Standings.fit` makes one. Its questions take ``rows``, the size of another sample in
    units of this one's.

    Attributes
    ----------
    noise : float
        Variance of the sample around the truth, in units of that of runs around the sample.
    threshold : float
        Standing at which runs choose; infinite if only one side is chosen.
    grid, mass : array of shape (n_grid,)
        Standings, and the share of the features that has each.
    likelihood : array of shape (n_grid, n_runs + 1)
        Probability of every count, by standing.
    histogram : array of shape (n_runs + 1,)
        Number of features by count.

    Examples
    --------
    Of a hundred features ten were chosen by some of 40 runs on two thirds of the rows:

    >>> import numpy as np
    >>> from backstay.stability import Standings
    >>> counts = np.array([40, 40, 36, 30, 22, 14, 9, 4, 3, 2] + [0] * 90)
    >>> found = Standings.fit(counts, 40, noise=2.0)
    >>> round(found.overlap(), 2)
    0.54
    >>> found.again()[[4, 22, 40]].round(2)
    array([0.32, 0.32, 0.92])
    """

    noise: float
    threshold: float
    grid: Floats
    mass: Floats
    likelihood: Floats
    histogram: Floats

    @classmethod
    def fit(cls, counts: ArrayLike, n_runs: int, noise: float) -> Standings:
        """Fit the standings to how many of `n_runs` runs chose each feature.

        `noise` is f/(1 − f) for runs on a share f of the rows.
        """
        chosen = np.asarray(counts, dtype=np.intp)
        histogram = np.bincount(chosen, minlength=n_runs + 1).astype(np.float64)
        share = histogram @ np.arange(n_runs + 1) / n_runs / histogram.sum()
        if not 0 < share < 1:
            raise ValueError("counts must be of runs that choose some of the features, not all.")
        null = -float(special.ndtri(share / 2)) * math.sqrt(1 + noise)
        best, fitted = -math.inf, None
        for times in THRESHOLDS:
            grid, likelihood = count_likelihood(n_runs, noise, round(null * times, 4))
            mass, value = _most_likely(histogram, likelihood)
            if value > best:
                best = value
                fitted = cls(noise, null * times, grid, mass, likelihood, histogram)
        assert fitted is not None
        return fitted

    @property
    def size(self) -> float:
        """Mean number of features that runs choose."""
        counts = np.arange(len(self.histogram))
        return float(self.histogram @ counts) / (len(self.histogram) - 1)

    def overlap(self, rows: float = 1.0) -> float:
        """Return the chance-corrected overlap expected of two independent samples."""
        value = self._overlaps(self.mass[None], self.histogram.sum(), self.size, rows)
        return float(value[0])

    def again(self, rows: float = 1.0) -> Floats:
        """Return, by count, the chance that an independent sample chooses such a feature."""
        chosen = self._chosen(self.mass[None], self.histogram.sum(), self.size, rows)[0]
        posterior = self.mass[:, None] * self.likelihood
        total = posterior.sum(axis=0)
        return np.asarray(chosen @ posterior / np.where(total > 0, total, 1))

    def overlaps_of(self, histograms: Floats, rows: float = 1.0) -> Floats:
        """Return the overlap for other sets of features, by their histograms, a row each."""
        n_features = histograms.sum(axis=1, keepdims=True)
        mass = np.repeat(self.mass[None] * 0.98 + 0.02 / len(self.mass), len(histograms), axis=0)
        for _ in range(EM_ROUNDS):
            expected = np.maximum(mass @ self.likelihood, 1e-300)
            mass *= (histograms / n_features / expected) @ self.likelihood.T
        counts = np.arange(histograms.shape[1])
        sizes = histograms @ counts / (len(counts) - 1)
        return self._overlaps(mass, n_features[:, 0], sizes, rows)

    def _overlaps(
        self, mass: Floats, n_features: Floats | float, size: Floats | float, rows: float
    ) -> Floats:
        chosen = self._chosen(mass, n_features, size, rows)
        at_random = size * size / n_features
        shared = n_features * (mass * chosen**2).sum(axis=1)
        return np.asarray((shared - at_random) / (size - at_random))

    def _chosen(
        self, mass: Floats, n_features: Floats | float, size: Floats | float, rows: float
    ) -> Floats:
        """Return the chance to be chosen by standing; thresholds let `size` features through."""
        spread = math.sqrt(self.noise / rows)
        two_sided = math.isfinite(self.threshold)
        reach = float(self.grid[-1]) + 10 * spread
        low = np.full(len(mass), 0.0 if two_sided else float(self.grid[0]) - 10 * spread)
        high = np.full(len(mass), reach)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            chosen = _beyond(self.grid, middle[:, None], spread, two_sided)
            many = n_features * (mass * chosen).sum(axis=1) > size
            low, high = np.where(many, middle, low), np.where(many, high, middle)
        return chosen


def _beyond(standing: Floats, threshold: Floats, spread: float, two_sided: bool) -> Floats:
    """Return the probability that standing plus noise lies beyond the threshold."""
    above = special.ndtr((standing - threshold) / spread)
    if not two_sided:
        return np.asarray(above)
    return np.asarray(above + special.ndtr((-standing - threshold) / spread))


@lru_cache(maxsize=512)
def count_likelihood(n_runs: int, noise: float, threshold: float) -> tuple[Floats, Floats]:
    """Return a grid of standings, and the probability of every count at each of them."""
    sd, two_sided = math.sqrt(noise), math.isfinite(threshold)
    step = 0.2 * max(1.0, sd / 1.5)
    first, last = (0.0, threshold + 8) if two_sided else (-7 * sd, 8.0)
    grid = np.arange(first, last + step, step)
    # Beyond these places the probability of a choice is 0 or 1 to a billionth.
    fine = 0.06 * max(1.0, sd / 1.5)
    place = np.arange(first - 4.5 * sd - 1, (threshold if two_sided else 0.0) + 9, fine)
    if two_sided:
        chosen = special.ndtr(place - threshold) + special.ndtr(-place - threshold)
        left = special.ndtr(threshold - place) - special.ndtr(-place - threshold)
    else:
        chosen, left = special.ndtr(place), special.ndtr(-place)
    counts = np.arange(n_runs + 1)[:, None]
    ways = special.gammaln([n_runs + 1]) - special.gammaln(counts + 1)
    ways = ways - special.gammaln(n_runs - counts + 1)
    chosen, left = np.maximum(chosen, 1e-300), np.maximum(left, 1e-300)
    of_place = np.exp(ways + counts * np.log(chosen) + (n_runs - counts) * np.log(left))
    edges = np.concatenate([[-np.inf], (place[1:] + place[:-1]) / 2, [np.inf]])
    weight = np.diff(special.ndtr((edges - grid[:, None]) / sd), axis=1)
    return grid, np.asarray(weight @ of_place.T)


def _most_likely(histogram: Floats, likelihood: Floats) -> tuple[Floats, float]:
    """Return the most likely distribution over the grid, and its mean log likelihood."""
    # By Wang's constrained Newton method (2007): least squares with masses of at least 0 stand for
    # the likelihood near the last distribution, and a step that does not gain is halved.
    seen = histogram > 0
    density, share = likelihood[:, seen].T, histogram[seen] / histogram.sum()
    root = np.sqrt(share)
    mass = np.full(len(likelihood), 1 / len(likelihood))
    for _ in range(20):
        mass = mass * (share / (density @ mass) @ density)
    value = float(share @ np.log(density @ mass))
    # A heavy last row keeps the sum of the masses near 1.
    heavy = 30.0
    wanted = np.append(2 * root, heavy)
    for _ in range(MAX_ROUNDS):
        ratio = density / (density @ mass)[:, None] * root[:, None]
        system = np.vstack([ratio, np.full((1, len(mass)), heavy)])
        towards = optimize.nnls(system, wanted, maxiter=30 * len(mass))[0]
        towards /= towards.sum()
        step, gain = 1.0, -1.0
        while gain <= 0 and step > 1e-4:
            tried = mass + step * (towards - mass)
            gain = float(share @ np.log(density @ tried)) - value
            step /= 2
        if gain <= 0:
            break
        mass, value = tried, value + gain
        if gain < LEAST_GAIN:
            break
    return mass, value
