"""Exchanging a feature of a signature by fitting everything anew."""

from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler


def leanings(train, codes, n_classes, test, features, penalty):
    """Ridge regression of the classes' indicators, classes of equal mass, by scikit-learn."""
    weights = [1 / list(codes).count(c) / n_classes for c in codes]
    scaler = StandardScaler().fit(train[:, features], sample_weight=weights)
    target = [[float(c == k) for k in range(n_classes)] for c in codes]
    model = Ridge(alpha=penalty, solver="svd")
    model.fit(scaler.transform(train[:, features]), target, sample_weight=weights)
    # Without the shares of the classes, which are equal: they move all leanings alike.
    return model.predict(scaler.transform(test[:, features])) - 1 / n_classes


def exchanged(train, codes, n_classes, test, features, place, stand_ins, penalty):
    """Leanings without the feature at a place, then with each stand-in for it."""
    rest = [f for i, f in enumerate(features) if i != place]
    subsets = [rest, *([*rest, other] for other in stand_ins)]
    return [leanings(train, codes, n_classes, test, s, penalty) for s in subsets]
