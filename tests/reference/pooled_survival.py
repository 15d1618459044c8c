"""Concordance and error at a horizon over many resamples, by loops over rows and pairs.

``runs`` hold the rows tested and what was said of each: risk and survival at the horizon, and the
survival of the training rows.
"""

import math


def followed(time, event, at):
    """Kaplan and Meier's share of rows not censored before a time; events come first."""
    share = 1.0
    for t in sorted(set(time)):
        if t >= at:
            break
        at_risk = sum(1 for a, e in zip(time, event, strict=True) if a > t or (a == t and not e))
        censored = sum(1 for a, e in zip(time, event, strict=True) if a == t and not e)
        share *= 1 - censored / at_risk if at_risk else 1.0
    return share


def order(runs, i, j):
    """Share of the resamples that tested both in which i has the higher risk; None if none did."""
    values = []
    for rows, said in runs:
        if i in rows and j in rows:
            own, other = said[list(rows).index(i)][0], said[list(rows).index(j)][0]
            values.append(1.0 if own > other else 0.5 if own == other else 0.0)
    return sum(values) / len(values) if values else None


def concordance(time, event, runs, copies, before=math.inf, power=0):
    """Share of pairs in order; each event counts 1/Ĝ(t)^power, each row as often as it is drawn."""
    right = total = 0.0
    for i in range(len(time)):
        if not event[i] or time[i] >= before:
            continue
        weight = followed(time, event, time[i]) ** -power
        for j in range(len(time)):
            later = time[j] > time[i] or (time[j] == time[i] and not event[j])
            if later and (known := order(runs, i, j)) is not None:
                right += copies[i] * copies[j] * weight * known
                total += copies[i] * copies[j] * weight
    return right / total if total else math.nan


def auc(time, event, runs, copies, horizon):
    """Share of pairs of a row with the event by then and one without, in order."""
    right = total = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            had = event[i] and time[i] <= horizon
            free = time[j] >= horizon and not (event[j] and time[j] <= horizon)
            if had and free and (known := order(runs, i, j)) is not None:
                weight = copies[i] * copies[j] / followed(time, event, time[i])
                right += weight * known
                total += weight
    return right / total if total else math.nan


def ipa(time, event, runs, horizon):
    """1 − weighted squared error over that of the training rows' curve, every row once."""
    errors = [0.0, 0.0]
    for i in range(len(time)):
        said = [out[list(rows).index(i)] for rows, out in runs if i in rows]
        if event[i] and time[i] <= horizon:
            weight, truth = 1 / followed(time, event, time[i]), 0.0
        elif time[i] >= horizon:
            weight, truth = 1 / followed(time, event, horizon), 1.0
        else:
            continue
        for which in (0, 1):
            squares = [(one[1 + which] - truth) ** 2 for one in said]
            errors[which] += weight * sum(squares) / len(squares) if squares else 0.0
    return 1 - errors[0] / errors[1]


def cox_alone(time, event, x, slope):
    """Breslow's log partial likelihood of one feature at a slope."""
    total = 0.0
    for i in range(len(time)):
        if event[i]:
            at_risk = [math.exp(slope * x[j]) for j in range(len(time)) if time[j] >= time[i]]
            total += slope * x[i] - math.log(sum(at_risk))
    return total
