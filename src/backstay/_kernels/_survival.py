"""Times until an event: survival curves, pairs in order, error at a horizon, the log-rank test.

`time` holds positive numbers and `event` whether the time ends with the event or is censored. An
event and a censoring at the same time: the event comes first. So a row censored at a time is known
to have had no event up to it, and rows with an event then are no longer at risk of censoring.
"""

import numpy as np

from backstay._kernels._compile import kernel


def _tabled(time, event):
    """Distinct times, and how many rows are at risk, have the event and are censored at each."""
    times, which = np.unique(time, return_inverse=True)
    n_events = np.bincount(which[event], minlength=len(times))
    leaving = np.bincount(which, minlength=len(times))
    at_risk = leaving[::-1].cumsum()[::-1]
    return times, at_risk, n_events, leaving - n_events


def kaplan_meier(time, event):
    """Return the distinct times, survival after each, and rows at risk and events at each."""
    times, at_risk, n_events, _ = _tabled(time, event)
    return times, np.cumprod(1.0 - n_events / at_risk), at_risk, n_events


def censoring_survival(time, event, at):
    """Return the share of rows not censored before each time of `at`, by Kaplan-Meier.

    It is 0 where nobody was followed so long and the last row was censored.
    """
    times, at_risk, n_events, n_censored = _tabled(time, event)
    left = np.maximum(at_risk - n_events, 1)
    curve = np.concatenate([[1.0], np.cumprod(1.0 - n_censored / left)])
    return curve[np.searchsorted(times, at, side="left")]


@kernel()
def concordance_counts(time, event, risk):
    """Count pairs: concordant, discordant, tied in risk, tied in time, tied in both.

    A pair counts if one of its rows has the event before the other's time ends; it is concordant
    if that row has the higher risk. Two events at one time are tied in time.
    """
    concordant = discordant = tied_risk = tied_time = tied_both = 0
    for i in range(len(time)):
        if not event[i]:
            continue
        for j in range(len(time)):
            if time[j] < time[i] or i == j:
                continue
            if time[j] == time[i] and event[j]:
                if j > i:
                    tied_both += risk[i] == risk[j]
                    tied_time += risk[i] != risk[j]
            elif risk[i] > risk[j]:
                concordant += 1
            elif risk[i] < risk[j]:
                discordant += 1
            else:
                tied_risk += 1
    return concordant, discordant, tied_risk, tied_time, tied_both


def logrank(time, event, group):
    """Return the statistic of the log-rank test for any number of groups, and its degrees.

    Groups in which no event is expected are left out.
    """
    names, codes = np.unique(group, return_inverse=True)
    times, at_risk, n_events, _ = _tabled(time, event)
    member = codes[:, None] == np.arange(len(names))
    place = np.searchsorted(times, time)
    present = np.zeros((len(times), len(names)))
    np.add.at(present, place, member)
    present = present[::-1].cumsum(axis=0)[::-1]
    share = present / at_risk[:, None]
    expected = n_events @ share
    spread = n_events * (at_risk - n_events) / np.maximum(at_risk - 1, 1)
    variance = np.diag(spread @ share) - (share * spread[:, None]).T @ share
    kept = np.flatnonzero(expected > 0.0)[1:]  # the differences sum to 0: one group is redundant
    if not len(kept):
        return 0.0, 0
    difference = (member[event].sum(axis=0) - expected)[kept]
    return difference @ np.linalg.pinv(variance[np.ix_(kept, kept)]) @ difference, len(kept)
