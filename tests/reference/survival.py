"""Survival as plain loops over rows, straight from the formulas; an event comes before a censoring.

Rows are (time, event) pairs, and risk sets are written out: everything is a sum over them.
"""

from math import exp, log

import numpy as np
from scipy.optimize import minimize


def at_risk(rows, t):
    """Numbers of the rows that are still followed at t."""
    return [i for i, (time, _) in enumerate(rows) if time >= t]


def events_at(rows, t):
    """Numbers of the rows with the event at t."""
    return [i for i, (time, event) in enumerate(rows) if event and time == t]


def event_times(rows):
    """Distinct times of events."""
    return sorted({time for time, event in rows if event})


def kaplan_meier(rows):
    """(time, survival, at risk, events) at every distinct time."""
    table, survival = [], 1.0
    for t in sorted({time for time, _ in rows}):
        n, d = len(at_risk(rows, t)), len(events_at(rows, t))
        survival *= 1 - d / n
        table.append((t, survival, n, d))
    return table


def censoring(rows, t):
    """Share of rows not censored before t."""
    share = 1.0
    for u in sorted({time for time, event in rows if not event and time < t}):
        exposed = len(at_risk(rows, u)) - len(events_at(rows, u))
        share *= 1 - sum(time == u and not event for time, event in rows) / exposed
    return share


def comes_first(one, other):
    """Whether the first row is known to have the event before the other."""
    return one[1] and (one[0] < other[0] or (one[0] == other[0] and not other[1]))


def order(a, b):
    """1 if in order, 0 if not, a half for a tie."""
    return 1.0 if a > b else 0.5 if a == b else 0.0


def pairs(rows, risk):
    """Concordant, discordant, tied in risk, tied in time, tied in both."""
    counts = [0] * 5
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            if comes_first(one, other):
                counts[{1.0: 0, 0.0: 1, 0.5: 2}[order(risk[i], risk[j])]] += 1
            elif i < j and one[1] and other[1] and one[0] == other[0]:
                counts[4 if risk[i] == risk[j] else 3] += 1
    return tuple(counts)


def uno(rows, risk, tau):
    """Uno's C up to tau; None without a pair."""
    above = below = 0.0
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            if comes_first(one, other) and one[0] < tau:
                weight = 1 / censoring(rows, one[0]) ** 2
                above += weight * order(risk[i], risk[j])
                below += weight
    return above / below if below else None


def auc(rows, risk, horizon):
    """AUC of events by the horizon; None without a pair."""
    above = below = 0.0
    for i, (t, event) in enumerate(rows):
        for j, (u, had) in enumerate(rows):
            if event and t <= horizon and (u > horizon or (u == horizon and not had)):
                weight = 1 / censoring(rows, t)
                above += weight * order(risk[i], risk[j])
                below += weight
    return above / below if below else None


def brier(rows, survival, horizon):
    """Weighted squared error at the horizon."""
    total = 0.0
    for (t, event), predicted in zip(rows, survival, strict=True):
        if event and t <= horizon:
            total += predicted**2 / censoring(rows, t)
        elif t >= horizon:
            total += (1 - predicted) ** 2 / censoring(rows, horizon)
    return total / len(rows)


def logrank(rows, groups):
    """Statistic over all groups: differences to what is expected, by the inverse covariance."""
    names = sorted(set(groups))
    difference, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for t in event_times(rows):
        risk, events = at_risk(rows, t), events_at(rows, t)
        n, d = len(risk), len(events)
        share = np.array([sum(groups[i] == g for i in risk) for g in names]) / n
        difference += [sum(groups[i] == g for i in events) for g in names] - d * share
        if n > 1:
            covariance += d * (n - d) / (n - 1) * (np.diag(share) - np.outer(share, share))
    return difference @ np.linalg.pinv(covariance) @ difference


def log_likelihood(beta, X, rows, omega):
    """Weighted log partial likelihood, Breslow's ties."""
    eta = X @ beta
    total = 0.0
    for t in event_times(rows):
        mass = sum(omega[i] * exp(eta[i]) for i in at_risk(rows, t))
        for i in events_at(rows, t):
            total += omega[i] * (eta[i] - log(mass))
    return total


def score_and_information(beta, X, rows, omega):
    """Gradient of the log partial likelihood, and minus its matrix of second derivatives."""
    d = X.shape[1]
    score, information = np.zeros(d), np.zeros((d, d))
    for t in event_times(rows):
        risk = at_risk(rows, t)
        share = np.array([omega[i] * exp(X[i] @ beta) for i in risk])
        share = share / share.sum()
        mean = share @ X[risk]
        apart = X[risk] - mean
        for i in events_at(rows, t):
            score += omega[i] * (X[i] - mean)
            information += omega[i] * (apart * share[:, None]).T @ apart
    return score, information


def residuals(rows, omega):
    """Events observed minus expected, without features."""
    return [
        float(event)
        - sum(
            omega[i] / sum(omega[k] for k in at_risk(rows, u))
            for u in event_times(rows)
            if u <= time
            for i in events_at(rows, u)
        )
        for time, event in rows
    ]


def hazard(rows, eta, omega):
    """Breslow's cumulative hazard at every time of an event."""
    total, table = 0.0, []
    for t in event_times(rows):
        mass = sum(omega[i] * exp(eta[i]) for i in at_risk(rows, t))
        total += sum(omega[i] for i in events_at(rows, t)) / mass
        table.append((t, total))
    return table


def ridge(X, rows, omega, penalties):
    """Coefficients by a general minimiser of −log PL + Σ penalty β²/2."""

    def objective(beta):
        score, _ = score_and_information(beta, X, rows, omega)
        value = -log_likelihood(beta, X, rows, omega) + penalties @ beta**2 / 2
        return value, penalties * beta - score

    start = np.zeros(X.shape[1])
    options = {"gtol": 1e-10, "maxiter": 1000}
    return minimize(objective, start, jac=True, method="BFGS", options=options).x
