"""A study of the papers' methods the plain way: pandas, SciPy, scikit-learn and fast-select.

Same methods, same resamples, same seeds, same models and metrics, the same runs with shuffled
labels, same number of jobs; what a careful user would write without backstay. Each method hands
back a score per feature.
"""

import io
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from sklearn.svm import SVC

from benchmarks import _peers, _plain

CLASSIFIERS = {
    "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced")),
    "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1)),
}


def shrunken_t(X, y, split):
    """|t| with the median standard error added to each one's own."""
    a, b = X[y == 0], X[y == 1]
    squares = ((a - a.mean(0)) ** 2).sum(0) + ((b - b.mean(0)) ** 2).sum(0)
    error = np.sqrt(squares / (len(y) - 2) * (1 / len(a) + 1 / len(b)))
    return np.abs(a.mean(0) - b.mean(0)) / (error + np.median(error))


def relieff(X, y, split):
    """fast-select's, on one of the jobs' cores."""
    return _peers.fast_select_relieff(X, y, 1)


def weighted_relieff(X, y, split):
    """[Han eq. 5.3]: fast-select takes no weights, so in numpy."""
    omega = _plain.margin_weights(X, y)
    Z = minmax_scale(X)
    distances = cdist(Z, Z, "cityblock")
    np.fill_diagonal(distances, np.inf)
    scores = np.zeros(Z.shape[1])
    for i in range(len(Z)):
        for sign, candidates in ((-1, y == y[i]), (1, y != y[i])):
            rows = np.flatnonzero(candidates)
            rows = rows[np.isfinite(distances[i, rows])]
            rows = rows[np.argsort(distances[i, rows], kind="stable")[:10]]
            shares = omega[rows] / omega[rows].sum()
            scores += sign * omega[i] * (shares @ np.abs(Z[rows] - Z[i]))
    return scores


def from_order(order):
    """Scores that rank as an order does."""
    scores = np.empty(len(order))
    scores[order] = np.arange(len(order), 0, -1)
    return scores


def svm_rfe(X, y, split):
    """A loop over SVC."""
    return from_order(_plain.svm_rfe(minmax_scale(X), y))


def weighted_svm_rfe(X, y, split):
    """The same with margin weights that sum to 1."""
    omega = _plain.margin_weights(X, y)
    return from_order(_plain.svm_rfe(minmax_scale(X), y, sample_weight=omega / omega.sum()))


def control_svm_rfe(X, y, split):
    """The same with uniform weights that sum to 1."""
    uniform = np.full(len(y), 1 / len(y))
    return from_order(_plain.svm_rfe(minmax_scale(X), y, sample_weight=uniform))


def bagged_svm_rfe(X, y, split):
    """20 bootstraps by class, ranks summed."""
    rng = np.random.RandomState(split.seed)
    totals = np.zeros(X.shape[1])
    for _ in range(20):
        rows = np.sort(np.concatenate([rng.choice(r, len(r)) for r in rows_by_class(y)]))
        order = _plain.svm_rfe(minmax_scale(X[rows]), y[rows])
        totals[order] += np.arange(1, X.shape[1] + 1)
    return -totals


def rows_by_class(y):
    return [np.flatnonzero(y == c) for c in np.unique(y)]


def simba(X, y, split):
    """One pass in the resample's random order."""
    return _plain.simba(X, y, np.random.RandomState(split.seed).permutation(len(y)))


# By the names of backstay's panel of the papers, the controls that a study adds included.
METHODS = {
    "t": shrunken_t,
    "relieff": relieff,
    "iw-relieff": weighted_relieff,
    "svm-rfe-c1": svm_rfe,
    "iw-svm-rfe": weighted_svm_rfe,
    "bagged-svm-rfe": bagged_svm_rfe,
    "simba": simba,
    "relieff (control, mean 1)": relieff,
    "svm-rfe-c1 (control, sum 1)": control_svm_rfe,
}


def task(X, y, name, split, sizes):
    """One method on one resample: rank on training rows, classify test rows at every size.

    With shuffled labels it is the ranking that is looked at, and nothing is classified.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = y if split.shuffled is None else split.shuffled.values
        train, y_train = X[split.train], labels[split.train]
        scores = METHODS[name](train, y_train, split)
        # Ties in random order: by column they would pass for stability.
        chance = np.random.default_rng(split.seed).permutation(len(scores))
        order = chance[np.argsort(-scores[chance], kind="stable")]
        found = []
        for size in sizes if split.shuffled is None else ():
            chosen = np.sort(order[:size])
            test, right = X[split.test][:, chosen], y[split.test]
            for kind, model in CLASSIFIERS.items():
                model = clone(model).fit(train[:, chosen], y_train)
                predicted = model.predict(test)
                found.append(
                    (
                        name,
                        size,
                        kind,
                        roc_auc_score(right, leaning(model, test)),
                        balanced_accuracy_score(right, predicted),
                        accuracy_score(right, predicted),
                    )
                )
    return name, order, found


def leaning(model, X):
    """Scores of the second class."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def nogueira(orders, size, d):
    """Nogueira's stability of the best `size`."""
    m = len(orders)
    frequency = np.zeros(d)
    for order in orders:
        frequency[order[:size]] += 1 / m
    spread = m / (m - 1) * (frequency * (1 - frequency)).mean()
    return 1 - spread / (size / d * (1 - size / d))


def kuncheva(orders, size, d):
    """Kuncheva's index of the best `size`, averaged over pairs."""
    chosen = [set(order[:size].tolist()) for order in orders]
    chance = size * size / d
    shared = [len(a & b) for a, b in combinations(chosen, 2)]
    return (np.mean(shared) - chance) / (size - chance)


def floor(orders, null, size, d, n_runs):
    """Stability beside that of every permutation of the labels, and the p-value."""
    value = kuncheva(orders, size, d)
    sets = [null[i : i + n_runs] for i in range(0, len(null), n_runs)]
    shuffled = np.array([kuncheva(runs, size, d) for runs in sets])
    p_value = (1 + (shuffled >= value).sum()) / (len(shuffled) + 1)
    return value, shuffled.mean(), *np.quantile(shuffled, [0.025, 0.975]), p_value


def run(path, target, splits, null, sizes, jobs, n_runs):
    """From the file to a page; the orders of features by method and resample.

    ``null`` are splits with shuffled labels, ``n_runs`` on each permutation.
    """
    table = pd.read_csv(path)
    X = table.drop(columns=target).to_numpy(dtype=np.float64)
    y = np.unique(table[target].to_numpy(), return_inverse=True)[1]
    outcomes = Parallel(n_jobs=jobs)(
        delayed(task)(X, y, name, split, sizes) for split in [*splits, *null] for name in METHODS
    )
    orders = {name: [] for name in METHODS}
    rows = []
    for name, order, found in outcomes:
        orders[name].append(order)
        rows += found
    shuffled = {name: found[len(splits) :] for name, found in orders.items()}
    orders = {name: found[: len(splits)] for name, found in orders.items()}
    columns = ["method", "size", "model", "AUC", "balanced accuracy", "accuracy"]
    accuracy = pd.DataFrame(rows, columns=columns).groupby(columns[:3]).mean().reset_index()
    stability = pd.DataFrame(
        [(m, k, nogueira(o, k, X.shape[1])) for m, o in orders.items() for k in sizes],
        columns=["method", "size", "stability"],
    )
    frames = {"stability": stability, "AUC": accuracy}
    if null:
        found = [
            (m, k, *floor(orders[m], shuffled[m], k, X.shape[1], n_runs))
            for m in METHODS
            for k in sizes
        ]
        columns = ["method", "size", "Kuncheva", "null", "low", "high", "p"]
        frames["null"] = pd.DataFrame(found, columns=columns)
    path.with_suffix(".plain.html").write_text(page(frames))
    return orders


def page(frames):
    """Tables, each with a figure of one of its columns."""
    from matplotlib.figure import Figure

    parts = []
    for value, frame in frames.items():
        figure = Figure()
        axes = figure.subplots()
        for name, rows in frame.groupby("method"):
            axes.plot(rows["size"], rows[value], label=name)
        axes.legend()
        image = io.StringIO()
        figure.savefig(image, format="svg")
        parts += [image.getvalue(), frame.to_html()]
    return "<html><body>" + "".join(parts) + "</body></html>"
