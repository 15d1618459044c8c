"""Every configuration's score on drawn rows, from predictions of rows that were not trained on.

A row is tested on many resamples. Labels and losses are averaged per row; for the AUC and average
precision it is the order of every two rows that is averaged, over the resamples that tested
both. Scores of different resamples are thus never compared with each other, nor averaged, which
would make a row's score that of an ensemble and the AUC too good.

Rows count as often as they are drawn, so one pass gives the score on many draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._metrics import METRICS, class_columns, confusion_value, row_losses
from backstay.results._records import Records

Floats = NDArray[np.float64]
# Rows of a class, or of the others, whose order enters the AUC; more are drawn at random.
MOST_ROWS = 1000


def pooled_scores(
    records: Records, metric: str, copies: Floats, methods: list[str] | None = None
) -> Floats:
    """Return a metric on drawn rows: draw × (method × model × size).

    Parameters
    ----------
    records : Records
        One data set's.
    metric : str
        One that the study has predictions for.
    copies : array of shape (n_draws, n_samples)
        How often each row counts.
    methods : list of str, default=None
        All of the study's if None.

    Returns
    -------
    ndarray
        nan where a draw holds no rows that the metric could be computed from.
    """
    needs = METRICS[metric].needs
    found = []
    for method in records.methods if methods is None else methods:
        if needs == "labels":
            found.append(_labels(records, method, metric, copies))
        elif needs == "probabilities":
            found.append(_losses(records, method, metric, copies))
        else:
            found.append(_ranked(records, method, metric, copies))
    return np.concatenate(found, axis=1)


def _shape(records: Records) -> tuple[int, int]:
    return len(records.models), len(records.sizes)


def _ratio(total: Floats, size: Floats) -> Floats:
    return np.divide(total, size, out=np.full(np.shape(total), np.nan), where=size > 0)


def _labels(records: Records, method: str, metric: str, copies: Floats) -> Floats:
    """Average each row's predictions, then count drawn rows by true and predicted class."""
    n, n_classes = records.n_samples, len(records.classes)
    said = np.zeros((n, *_shape(records), n_classes))
    times = np.zeros(n)
    for resample, predicted in records.predicted(method):
        test = records.test(resample)
        for c in range(n_classes):
            said[test, ..., c] += np.moveaxis(predicted == c, -1, 0)
        times[test] += 1
    said /= np.maximum(times, 1)[:, None, None, None]
    flat = said.reshape(n, -1)
    tables = [copies[:, records.codes == c] @ flat[records.codes == c] for c in range(n_classes)]
    shape = (len(copies), n_classes, flat.shape[1] // n_classes, n_classes)
    table = np.stack(tables, axis=1).reshape(shape).transpose(0, 2, 1, 3)
    return confusion_value(metric, table)


def _losses(records: Records, method: str, metric: str, copies: Floats) -> Floats:
    n = records.n_samples
    total, times = np.zeros((n, *_shape(records))), np.zeros(n)
    for resample, scores in records.leanings(method):
        test = records.test(resample)
        total[test] += np.moveaxis(row_losses(metric, records.codes[test], scores), -1, 0)
        times[test] += 1
    total /= np.maximum(times, 1)[:, None, None]
    size = copies @ (times > 0)
    return _ratio(copies @ total.reshape(n, -1), size[:, None])


def _ranked(records: Records, method: str, metric: str, copies: Floats) -> Floats:
    """Return the AUC or average precision on drawn rows, each class against the others."""
    leanings = records.leanings(method)
    by_class = []
    for positive, column in class_columns(len(records.classes)):
        ours, others = _some(records.codes == positive), _some(records.codes != positive)
        below, known = _order(records, leanings, column, ours, others)
        if metric == "roc_auc":
            by_class.append(_areas(below, known, copies[:, ours], copies[:, others]))
        else:
            among, both = _order(records, leanings, column, ours, ours)
            high = _above(among, both, copies[:, ours])
            low = _above(below, known, copies[:, others])
            by_class.append(_precision(high, low, copies[:, ours] * np.diagonal(both)))
    defined = np.isfinite(by_class)
    total = np.where(defined, by_class, 0).sum(axis=0)
    return _ratio(total, defined.sum(axis=0).astype(float))


def _order(
    records: Records,
    leanings: list[tuple[int, NDArray[Any]]],
    column: int,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> tuple[Floats, Floats]:
    """Return how often rows score higher than others: configuration × first × second.

    As a share of the resamples that tested both, ties as halves; and whether any did.
    """
    place_a, place_b = (np.full(records.n_samples, -1) for _ in range(2))
    place_a[first], place_b[second] = np.arange(len(first)), np.arange(len(second))
    n_configurations = int(np.prod(_shape(records)))
    higher = np.zeros((n_configurations, len(first), len(second)))
    times = np.zeros((len(first), len(second)))
    for resample, scores in leanings:
        a, b = place_a[records.test(resample)], place_b[records.test(resample)]
        values = scores[..., column].reshape(n_configurations, -1)
        high, low = values[:, a >= 0, None], values[:, None, b >= 0]
        rows, columns = np.ix_(a[a >= 0], b[b >= 0])
        higher[:, rows, columns] += (high > low) + 0.5 * (high == low)
        times[rows, columns] += 1
    higher /= np.maximum(times, 1)
    return higher, (times > 0).astype(np.float64)


def _areas(higher: Floats, known: Floats, ours: Floats, others: Floats) -> Floats:
    """Return the share of pairs of drawn rows in the right order."""
    size = ((ours @ known) * others).sum(axis=1)
    right = np.array([((ours @ one) * others).sum(axis=1) for one in higher]).T
    return _ratio(right, np.broadcast_to(size[:, None], right.shape))


def _above(higher: Floats, known: Floats, others: Floats) -> Floats:
    """Return the expected number of drawn rows above each row: draw × configuration × row."""
    return np.stack([others @ (known - one).T for one in higher], axis=1)


def _precision(hits: Floats, misses: Floats, drawn: Floats) -> Floats:
    """Return the mean over drawn rows of the share of hits among the rows as high or higher.

    A row is not above itself, but its own copies are as high as it is; the halves that ties
    with itself contribute to `hits` are its copies'.
    """
    own = drawn[:, None, :]
    hits = hits + own / 2
    share = _ratio(hits, hits + misses)
    weight = np.broadcast_to(own, share.shape)
    total = np.where(weight > 0, share * weight, 0).sum(axis=2)
    return _ratio(total, weight.sum(axis=2))


def _some(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the wanted rows; of very many a part, drawn once and for all."""
    rows = np.flatnonzero(wanted)
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
