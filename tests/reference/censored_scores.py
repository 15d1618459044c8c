"""Scores of predictions under censoring, pair by pair, from weights that are given."""

import numpy as np


def _share_in_order(time, event, risk, weight, case, limit):
    """Weighted share of pairs in order, of a case and a row without the event up to its limit."""
    ordered = total = 0.0
    for i in np.flatnonzero(case):
        for j in range(len(time)):
            if time[j] > limit[i] or (time[j] == limit[i] and not event[j]):
                total += weight[i]
                if risk[i] > risk[j]:
                    ordered += weight[i]
                elif risk[i] == risk[j]:
                    ordered += 0.5 * weight[i]
    return ordered / total if total > 0.0 else np.nan


def uno_c(time, event, risk, weight, tau):
    """Return Uno's C up to `tau`, with the weight 1/Ĝ(t−)² of the earlier row; nan if no pairs."""
    return _share_in_order(time, event, risk, weight, event & (time < tau), time)


def auc_at(time, event, risk, weight, horizon):
    """Return the AUC of events by `horizon`, of weight 1/Ĝ(t−), against rows without one then."""
    limit = np.full(len(time), float(horizon))
    return _share_in_order(time, event, risk, weight, event & (time <= horizon), limit)


def brier_at(time, event, survival_at_horizon, g_at_time, g_at_horizon, horizon):
    """Return the mean squared error of survival at `horizon`, weighted for censoring."""
    had = event & (time <= horizon)
    free = ~had & (time >= horizon)
    predicted = np.broadcast_to(survival_at_horizon, len(time))
    g = np.broadcast_to(g_at_time, len(time))
    total = (predicted[had] ** 2 / g[had]).sum()
    if free.any():
        total += ((1.0 - predicted[free]) ** 2).sum() / g_at_horizon
    return total / len(time)
