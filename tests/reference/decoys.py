"""Error control by decoys, straight from its definition: loops over runs, decoys and features."""

import math


def mean_ranks(importances):
    """1 for the largest; equal importances share the mean of the places they take."""
    ranks = []
    for value in importances:
        above = sum(other > value for other in importances)
        equal = sum(other == value for other in importances)
        ranks.append(above + (equal + 1) / 2)
    return ranks


def draw_scores(runs):
    """Mean over runs of ln(m / rank), for every one of the m columns."""
    m = len(runs[0])
    ranks = [mean_ranks(importances) for importances in runs]
    return [sum(math.log(m / row[j]) for row in ranks) / len(runs) for j in range(m)]


def p_values(scores, decoy_scores):
    """(1 + #{decoys of all draws that score no less}) / (1 + their number)."""
    found = []
    for j in range(len(scores[0])):
        mean = round(sum(row[j] for row in scores) / len(scores), 10)
        pooled = [round(g, 10) for row in decoy_scores for g in row]
        found.append((1 + sum(g >= mean for g in pooled)) / (1 + len(pooled)))
    return found


def benjamini_hochberg(p):
    """The smallest m·p'/#{p ≤ p'} over p' ≥ p."""
    return [min(1, *(len(p) * b / sum(c <= b for c in p) for b in p if b >= a)) for a in p]


def expected_false(scores, decoy_scores, features):
    """(1 + number of decoys that reach one of the features, and no better one) / draws."""
    d, n_draws = len(scores[0]), len(scores)
    means = [round(sum(row[j] for row in scores) / n_draws, 10) for j in range(d)]
    counts = []
    for row in decoy_scores:
        count = 0
        for g in row:
            reached = [f for f in means if f <= round(g, 10)]
            count += bool(reached) and max(reached) in [means[j] for j in features]
        counts.append(min(count, len(features)))
    return min((1 + sum(counts)) / n_draws, len(features)), counts
