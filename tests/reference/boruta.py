"""Boruta, one feature at a time."""

from math import comb


def share_of_tails(hits, n_rounds):
    """P(at least so many heads) and P(at most so many) of a fair coin."""
    ways = [comb(n_rounds, k) for k in range(n_rounds + 1)]
    return sum(ways[hits:]) / 2**n_rounds, sum(ways[: hits + 1]) / 2**n_rounds


def decide(hits, n_rounds, n_features, alpha):
    more, less = share_of_tails(hits, n_rounds)
    if more * n_features < alpha:
        return "confirmed"
    return "rejected" if less * n_features < alpha else "tentative"


def boruta(n_features, importances_of_round, percentile, alpha, max_iter):
    """Hits, decisions and mean importances.

    importances_of_round(features) grows the next forest on these features and their shadows, and
    returns both lists of importances; percentile(list) is what a feature must exceed.
    """
    hits, seen = [0] * n_features, [[] for _ in range(n_features)]
    decision = ["tentative"] * n_features
    for n_rounds in range(1, max_iter + 1):
        if "tentative" not in decision:
            break
        left = [j for j in range(n_features) if decision[j] != "rejected"]
        importances, shadows = importances_of_round(left)
        for j, importance in zip(left, importances, strict=True):
            seen[j].append(importance)
            hits[j] += importance > percentile(shadows)
        for j in left:
            if decision[j] == "tentative":
                decision[j] = decide(hits[j], n_rounds, n_features, alpha)
    return hits, decision, [sum(values) / len(values) for values in seen]
