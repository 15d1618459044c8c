"""What another sample would choose, straight from the definition, slowly."""

import math

import numpy as np
from scipy import integrate, stats


def chance_of_choice(place, threshold):
    """Return the probability that a run chooses a feature whose statistic is at this place."""
    if math.isinf(threshold):
        return stats.norm.cdf(place)
    return stats.norm.cdf(place - threshold) + stats.norm.cdf(-place - threshold)


def count_probability(count, n_runs, standing, noise, threshold):
    """Return the probability that so many runs choose a feature of this standing."""

    def density(place):
        chance = min(chance_of_choice(place, threshold), 1.0)
        at_place = stats.norm.pdf(place, standing, math.sqrt(noise))
        return stats.binom.pmf(count, n_runs, chance) * at_place

    reach = 8 * math.sqrt(noise)
    return integrate.quad(density, standing - reach, standing + reach, limit=400)[0]


def chosen_elsewhere(standing, noise, threshold, rows=1.0, two_sided=True):
    """Return the probability that an independent sample chooses a feature of this standing."""
    sd = math.sqrt(noise / rows)
    above = stats.norm.sf(threshold, standing, sd)
    return above + (stats.norm.cdf(-threshold, standing, sd) if two_sided else 0.0)


def overlap(chances, n_features, size):
    """Return the chance-corrected overlap of two samples that choose with these chances."""
    shared = sum(chance * chance for chance in chances)
    at_random = size * size / n_features
    return (shared - at_random) / (size - at_random)


def likelihood_slopes(histogram, mass, likelihood):
    """Return how much the likelihood grows per mass moved to each standing; at most 1 at its top.

    Lindsay's condition: no standing has a slope above 1, and those with mass have 1.
    """
    total = sum(histogram)
    slopes = []
    for of_standing in likelihood:
        slope = 0.0
        for count, n in enumerate(histogram):
            if n:
                here = sum(m * row[count] for m, row in zip(mass, likelihood, strict=True))
                slope += n / total * of_standing[count] / here
        slopes.append(slope)
    return np.array(slopes)
