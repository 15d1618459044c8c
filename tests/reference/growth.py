"""Curves through points, one at a time: every curve of the grid, its weight, and what they say."""

import math


def power_law(level, end, rate, rows, unit):
    """a − b·m^(−c), through the level at `unit` rows."""
    b = (end - level) * unit**rate
    return end - b * rows ** (-rate)


def from_guess(guess, level, end, rate, rows, unit):
    """g + (a − g)/(1 + (h/m)^c), through the level at `unit` rows."""
    h = unit * ((end - guess) / (level - guess) - 1) ** (1 / rate)
    return guess + (end - guess) / (1 + (h / rows) ** rate)


def curves(points, inverse, guess, best, grid):
    """Return (curve, weight) of every curve; `points` are (rows, value), `inverse` of covariance.

    `grid` holds levels, shares of the way to the best, rates and the least height above the guess.
    """
    levels, shares, rates, least = grid
    unit = points[-1][0]
    found = []
    for level in levels:
        for share in shares:
            end = level + share * (best - level)
            for rate in rates:
                kinds = [lambda m, lv=level, e=end, r=rate: power_law(lv, e, r, m, unit)]
                if level > guess + least:
                    kinds.append(
                        lambda m, lv=level, e=end, r=rate: from_guess(guess, lv, e, r, m, unit)
                    )
                for curve in kinds:
                    apart = [value - curve(rows) for rows, value in points]
                    misfit = sum(
                        apart[i] * inverse[i][j] * apart[j]
                        for i in range(len(points))
                        for j in range(len(points))
                    )
                    found.append((curve, math.exp(-misfit / 2)))
    return found


def quantile(values, share):
    """Return the least value with at least that share of the weight at or below it."""
    total, below = sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values, key=lambda pair: pair[0]):
        below += weight
        if below >= share * total * (1 - 1e-12):
            return value
    return value


def at(found, rows, share):
    """Return a quantile of what curves say at so many rows."""
    return quantile([(curve(rows), weight) for curve, weight in found], share)


def rows_for(found, goal, share, most=1e7):
    """Return a quantile of the rows at which curves reach a goal, infinite if they never do."""
    places = []
    for curve, weight in found:
        low, high = 1e-6, most
        if curve(high) < goal:
            places.append((math.inf, weight))
            continue
        while high / low > 1 + 1e-9:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if curve(middle) >= goal else (middle, high)
        places.append((high, weight))
    return quantile(places, share)


def rows_of_interval(p, half, z=1.959964):
    """Return rows at which Wilson's interval of a share is 2·half wide, by trying all numbers."""
    n = 1.0
    while True:
        wide = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        if wide <= half:
            return n
        n += 0.01
