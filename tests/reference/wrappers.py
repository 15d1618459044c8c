"""Sequential search [Prat 2.1, 6 and 7], one subset and one fold at a time."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

TIE = 1e-10


class TiedVote(ClassifierMixin, BaseEstimator):
    """k-NN in which every row as near as the k-th votes, as in R's class::knn.

    R draws among classes with equal votes; here the lowest wins.
    """

    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        self.rows, self.labels, self.classes_ = X.tolist(), y.tolist(), np.unique(y)
        return self

    def predict(self, X):
        return np.array([self.vote(query) for query in X.tolist()])

    def vote(self, query):
        distances = [
            sum((a - b) ** 2 for a, b in zip(query, row, strict=True)) for row in self.rows
        ]
        limit = sorted(distances)[self.k - 1] * (1 + TIE)
        voters = [c for c, away in zip(self.labels, distances, strict=True) if away <= limit]
        return max(sorted(set(voters)), key=voters.count)


def cross_validated_accuracy(estimator, X, y, folds, subset):
    """J(S): mean over folds of the share of test rows predicted right."""
    subset = sorted(subset)
    if not subset:
        return max(np.mean(y == c) for c in set(y.tolist()))
    accuracies = []
    for train, test in folds:
        fitted = clone(estimator).fit(X[train][:, subset], y[train])
        predicted = fitted.predict(X[test][:, subset])
        right = sum(int(p == truth) for p, truth in zip(predicted, y[test], strict=True))
        accuracies.append(right / len(test))
    return float(np.mean(accuracies))


class Evidence:
    """Every evaluated subset speaks for the features it holds and against the others."""

    def __init__(self, n_features, weight):
        self.n_features = n_features
        self.weight = weight
        self.history = []

    def remember(self, subset, score):
        self.history.append((frozenset(subset), score))

    def relevance(self, x):
        with_x, without_x = [], []
        for subset, score in self.history:
            weight = {None: 1.0, "size": len(subset) / self.n_features, "score": score}[self.weight]
            (with_x if x in subset else without_x).append((weight, score))
        means = []
        for side in (with_x, without_x):
            mass = sum(w for w, _ in side)
            means.append(sum(w * s for w, s in side) / mass if mass > 0 else 0.0)
        return means[0] - means[1]


class ReferenceSearch:
    """SFG, SBG, floating, plus-l-take-r; plain, remainder-aware, accumulated.

    `score` maps a frozenset of columns to J. `printed_sign` gives the backward
    relevance term the sign printed in [Prat eq. 7.10]; see docs/references.md.
    """

    def __init__(
        self,
        score,
        n_features,
        *,
        direction="forward",
        floating=False,
        plus=1,
        minus=0,
        criterion="plain",
        remainder_weights=None,
        accumulation=2 / 3,
        accumulation_weight=None,
        n_features_to_select="best",
        min_score=None,
        max_loss=None,
        stop="never",
        fixed=(),
        printed_sign=False,
    ):
        self.score = score
        self.everything = frozenset(range(n_features))
        self.fixed = frozenset(fixed)
        self.forward = direction == "forward"
        self.criterion = criterion
        self.remainder_weights = remainder_weights
        self.accumulation = accumulation
        self.evidence = Evidence(n_features, accumulation_weight)
        self.printed_sign = printed_sign
        self.requested = n_features_to_select
        self.min_score, self.max_loss = min_score, max_loss
        self.current = self.fixed if self.forward else self.everything
        self.path = [(None, self.current, score(self.current))]
        if self.current:
            self.evidence.remember(*self.path[0][1:])
        self.best_of_size = {len(self.current): score(self.current)}
        floor = max(1, len(self.fixed))
        if isinstance(n_features_to_select, str):
            self.target = n_features if self.forward else floor
        else:
            self.target = n_features_to_select
        self.before_last_cycle = None
        self.run(floating, plus, minus, stop)
        self.selected = self.choose(stop)

    def candidates(self, adding):
        if adding:
            return sorted(self.everything - self.current)
        removable = sorted(self.current - self.fixed)
        return [] if len(self.current) == 1 else removable

    def value(self, x, adding):
        subset = self.current | {x} if adding else self.current - {x}
        score = self.score(subset)
        if self.criterion == "plain":
            return score
        if self.criterion == "remainder":
            a, b = self.score(self.current), self.score(self.everything - self.current)
            if self.remainder_weights is not None:
                a, b = self.remainder_weights
            return (score * a - self.score(self.everything - subset) * b + 1) / 2
        relevance = self.evidence.relevance(x)
        if not adding and not self.printed_sign:
            relevance = -relevance
        lam = self.accumulation
        if isinstance(lam, tuple):  # rises or falls with the subsets that were seen
            d = len(self.everything)
            done = min(1, len(self.evidence.history) / (d * (d + 1) / 2))
            lam = (1 - done) * lam[0] + done * lam[1]
        return lam / 2 * (relevance + 1) + (1 - lam) * score

    def best_candidate(self, adding):
        names = self.candidates(adding)
        if not names:
            return None
        for x in names:
            subset = self.current | {x} if adding else self.current - {x}
            self.evidence.remember(subset, self.score(subset))
        values = [self.value(x, adding) for x in names]
        for x, value in zip(names, values, strict=True):
            if value >= max(values) - TIE:
                return x, self.current | {x} if adding else self.current - {x}
        raise AssertionError

    def accept(self, x, subset):
        self.current = subset
        score = self.score(subset)
        self.path.append((x, subset, score))
        size = len(subset)
        self.best_of_size[size] = max(score, self.best_of_size.get(size, -np.inf))

    def move(self, adding):
        found = self.best_candidate(adding)
        if found is None:
            return False
        self.accept(*found)
        return True

    def arrived(self):
        size = len(self.current)
        return size >= self.target if self.forward else size <= self.target

    def run(self, floating, plus, minus, stop):
        ended = False
        while not (ended or self.arrived()):
            start = self.current
            if floating:
                self.move(self.forward)
                while True:
                    found = self.best_candidate(not self.forward)
                    if found is None:
                        break
                    size = len(found[1])
                    if self.score(found[1]) <= self.best_of_size.get(size, -np.inf) + TIE:
                        break
                    self.accept(*found)
            else:
                for _ in range(plus):
                    if not self.move(self.forward) or (minus == 0 and self.arrived()):
                        break
                ended = not self.candidates(self.forward)
                for _ in range(0 if ended else minus):
                    self.move(not self.forward)
            if stop == "no_gain" and self.score(self.current) <= self.score(start) + TIE:
                self.before_last_cycle = start
                break

    def good_enough(self, met):
        """Keep the smallest subsets that are [Prat def. 2.4]; all if none is."""
        if self.min_score is not None:
            good = [(s, score) for s, score in met if score >= self.min_score - TIE]
        else:
            least = (1 - self.max_loss) * self.score(self.everything)
            good = [(s, score) for s, score in met if score >= least - TIE]
        if not good:
            return met
        size = min(len(s) for s, _ in good)
        return [(s, score) for s, score in good if len(s) == size]

    def choose(self, stop):
        if stop == "no_gain" and self.before_last_cycle:
            return self.before_last_cycle
        met = [(subset, score) for _, subset, score in self.path if subset]
        if self.requested == "smallest":
            met = self.good_enough(met)
        elif self.requested != "best":
            met = [(subset, score) for subset, score in met if len(subset) == self.requested]
        top = max(score for _, score in met)
        tied = [subset for subset, score in met if score >= top - TIE]
        return min(tied, key=len)
