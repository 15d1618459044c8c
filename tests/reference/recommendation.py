"""Scores on drawn rows by plain loops, and the three rules read off their definitions."""

import math

import numpy as np


def pooled(metric, codes, n_classes, tests, copies):
    """Score one configuration on drawn rows; `tests` holds rows, labels, scores per resample."""
    if metric in ("roc_auc", "average_precision"):
        classes = [1] if n_classes == 2 else range(n_classes)
        single = one_against_others if metric == "roc_auc" else pooled_average_precision
        found = [single(c, codes, n_classes, tests, copies) for c in classes]
        found = [value for value in found if not math.isnan(value)]
        return np.mean(found) if found else math.nan
    said = {}
    for rows, labels, scores in tests:
        for place, row in enumerate(rows):
            kept = labels[place] if metric in ("accuracy", "balanced_accuracy") else scores[place]
            said.setdefault(row, []).append(kept)
    if metric in ("log_loss", "brier"):
        losses = {
            row: np.mean([loss(metric, codes[row], s) for s in kept]) for row, kept in said.items()
        }
        total = sum(copies[row] for row in losses)
        return sum(copies[row] * value for row, value in losses.items()) / total
    right = {row: np.mean([label == codes[row] for label in kept]) for row, kept in said.items()}
    if metric == "accuracy":
        return sum(copies[r] * v for r, v in right.items()) / sum(copies[r] for r in right)
    recalls = []
    for c in range(n_classes):
        mine = [row for row in right if codes[row] == c and copies[row]]
        if mine:
            recalls.append(sum(copies[r] * right[r] for r in mine) / sum(copies[r] for r in mine))
    return np.mean(recalls)


def one_against_others(positive, codes, n_classes, tests, copies):
    column = 0 if n_classes == 2 else positive
    total = size = 0.0
    for i in np.flatnonzero(codes == positive):
        for j in np.flatnonzero(codes != positive):
            order = []
            for rows, _, scores in tests:
                rows = list(rows)
                if i in rows and j in rows:
                    a, b = scores[rows.index(i)][column], scores[rows.index(j)][column]
                    order.append(1.0 if a > b else 0.5 if a == b else 0.0)
            if order:
                total += copies[i] * copies[j] * np.mean(order)
                size += copies[i] * copies[j]
    return total / size if size else math.nan


def pooled_average_precision(positive, codes, n_classes, tests, copies):
    """Mean over drawn rows of hits above over rows above, both as expected over resamples."""
    column = 0 if n_classes == 2 else positive

    def above(i):
        """Yield, for every row met with i, its class and how often it scores higher than i."""
        for j in range(len(codes)):
            order = []
            for rows, _, scores in tests:
                rows = list(rows)
                if i in rows and j in rows:
                    a, b = scores[rows.index(j)][column], scores[rows.index(i)][column]
                    order.append(1.0 if a > b else 0.5 if a == b else 0.0)
            if order and j != i:
                yield j, np.mean(order)

    total = size = 0.0
    for i in np.flatnonzero(codes == positive):
        tested = any(i in rows for rows, _, _ in tests)
        if not copies[i] or not tested:
            continue
        hits = rows_above = float(copies[i])
        for j, share in above(i):
            rows_above += copies[j] * share
            hits += copies[j] * share * (codes[j] == positive)
        total += copies[i] * hits / rows_above
        size += copies[i]
    return total / size if size else math.nan


def loss(metric, code, scores):
    probabilities = [1 - scores[0], scores[0]] if len(scores) == 1 else list(scores)
    if metric == "log_loss":
        return -math.log(min(max(probabilities[code], np.finfo(float).eps), 1))
    squares = sum((p - (c == code)) ** 2 for c, p in enumerate(probabilities))
    return squares / 2 if len(scores) == 1 else squares


def choose(rule, value, error, chance, apart, tied, steady, sizes):
    """Return the configuration that a rule chooses, or None."""
    good = [k for k in range(len(value)) if value[k] - 1.645 * error[k] > chance]
    if not good:
        return None
    best = max(good, key=lambda k: value[k])
    near = [k for k in good if value[k] >= value[best] - apart[best][k]]
    if rule == "accurate":
        equal = [k for k in good if value[k] >= value[best] - tied[best][k]]
        return min(equal, key=lambda k: (-steady[k], sizes[k], -value[k], k))
    if rule == "short":
        return min(near, key=lambda k: (sizes[k], -steady[k], -value[k], k))
    return min(near, key=lambda k: (-steady[k], sizes[k], -value[k], k))
