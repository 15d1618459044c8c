"""How well one column tells classes apart, by comparing every pair of rows."""

from itertools import combinations
from statistics import mean


def separation(values, codes):
    """Share of pairs of two classes that a value orders as most pairs are, ties as halves."""
    areas = []
    for a, b in combinations(sorted(set(codes)), 2):
        pairs = [
            (x > y) + (x == y) / 2
            for x, c in zip(values, codes, strict=True)
            for y, d in zip(values, codes, strict=True)
            if (c, d) == (a, b)
        ]
        areas.append(max(mean(pairs), 1 - mean(pairs)))
    return mean(areas)
