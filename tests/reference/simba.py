"""Simba [Prat 2.4.2 and 8.3; PB 3]: one visit at a time over lists."""

import math


def norm(z, w):
    return math.sqrt(math.fsum((a * b) ** 2 for a, b in zip(z, w, strict=True)))


def minus(a, b):
    return [p - q for p, q in zip(a, b, strict=True)]


def hit_and_miss(X, y, i, w):
    """(distance, row) of the nearest hit and of the nearest miss; None where there is none."""
    by_kind = {True: [], False: []}
    for j in range(len(X)):
        if j != i:
            by_kind[y[j] == y[i]].append((norm(minus(X[i], X[j]), w), j))
    return min(by_kind[True], default=None), min(by_kind[False], default=None)


def utility(theta, beta):
    return theta if beta is None else 1 / (1 + math.exp(-beta * theta))


def slope(theta, beta):
    if beta is None:
        return 1.0
    u = utility(theta, beta)
    return beta * u * (1 - u)


def gradient(X, y, i, w, inside, beta):
    """∂u(θ(x_i))/∂w and u(θ), or None where the instance makes no update."""
    hit, miss = hit_and_miss(X, y, i, inside)
    if hit is None or miss is None or hit[0] == 0 or miss[0] == 0:
        return None
    theta = 0.5 * (miss[0] - hit[0])
    to_miss, to_hit = minus(X[i], X[miss[1]]), minus(X[i], X[hit[1]])
    step = [
        0.5 * slope(theta, beta) * (m * m / miss[0] - h * h / hit[0]) * wj
        for m, h, wj in zip(to_miss, to_hit, w, strict=True)
    ]
    return step, utility(theta, beta)


def simba(X, y, visits, omega=None, beta=None, progressive=False):
    """Weights w²/max w² after the visits; ω multiplies the steps where given."""
    w = [1.0] * len(X[0])
    for t, i in enumerate(visits):
        inside = w
        if progressive:
            top = max(abs(v) for v in w)
            c = (t / len(visits)) ** 2
            inside = [1 + (abs(v) / top - 1) * c / (c + 0.0633657) for v in w]
        result = gradient(X, y, i, w, inside, beta)
        if result is not None:
            factor = 1.0 if omega is None else omega[i]
            w = [v + factor * s for v, s in zip(w, result[0], strict=True)]
    top = max(v * v for v in w)
    return [v * v / top for v in w]


def evaluation(X, y, w, omega=None, beta=None):
    """e(w) = Σ ω u(θ(x)) and its gradient."""
    total, slopes = 0.0, [0.0] * len(w)
    for i in range(len(X)):
        result = gradient(X, y, i, w, w, beta)
        if result is not None:
            factor = 1.0 if omega is None else omega[i]
            total += factor * result[1]
            slopes = [s + factor * g for s, g in zip(slopes, result[0], strict=True)]
    return total, slopes


def hessian(X, y, w, beta=None, omega=None, h=1e-5):
    """Differences of the gradient to both sides of w."""
    columns = []
    for j in range(len(w)):
        sides = []
        for sign in (1, -1):
            moved = [v + sign * h * (k == j) for k, v in enumerate(w)]
            sides.append(evaluation(X, y, moved, omega, beta)[1])
        columns.append([(a - b) / (2 * h) for a, b in zip(*sides, strict=True)])
    return columns


def adaptive_simba(X, y, visits, beta=None):
    """Halve λ until the visited row's margin rises at max |w| = 1; double it, up to 1, after."""
    w, rate = [1.0] * len(X[0]), 1.0
    for i in visits:
        found = gradient(X, y, i, w, w, beta)
        if found is None:
            continue
        hit, miss = hit_and_miss(X, y, i, w)
        moved = rate
        while moved >= 2**-10:
            trial = [v + moved * s for v, s in zip(w, found[0], strict=True)]
            top = max(abs(v) for v in trial)
            trial = [v / top if top > 0 else 0.0 for v in trial]
            new_hit, new_miss = hit_and_miss(X, y, i, trial)
            if new_hit[0] > 0 and new_miss[0] > 0 and (new_miss[0] - new_hit[0] > miss[0] - hit[0]):
                w, rate = trial, min(1.0, 2 * moved)
                break
            moved /= 2
    top = max(v * v for v in w)
    return [v * v / top for v in w]
