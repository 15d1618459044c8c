"""The doubly weighted k-NN, straight from [PB alg. 2] and [Prat alg. 8.2]."""

import math


def vote_shares(X, y, omega, weights, power, k, query):
    """Share of the weighted votes of the k nearest rows, by class in sorted order."""

    def distance(row):
        return math.sqrt(
            math.fsum(w**power * (a - b) ** 2 for w, a, b in zip(weights, row, query, strict=True))
        )

    voters = [i for i in range(len(X)) if omega[i] > 0]
    nearest = sorted(voters, key=lambda i: (distance(X[i]), i))[:k]
    total = math.fsum(omega[i] for i in nearest)
    return [math.fsum(omega[i] for i in nearest if y[i] == c) / total for c in sorted(set(y))]
