"""Every configuration's score on drawn rows, from predictions of rows that were not trained on.

A row is tested on many resamples. Labels and losses are averaged per row; for the AUC it is the
order of every two rows that is averaged, over the resamples that tested both. Scores of
different resamples are thus never compared with each other, nor averaged, which would make a
row's score that of an ensemble and the AUC too good. Average precision, which no average of
rows or pairs gives, is computed on each resample.

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


def pooled_scores(records: Records, metric: str, copies: Floats) -> Floats:
    """Return a metric on drawn rows: draw × (method × classifier × size).

    Parameters
    ----------
    records : Records
        One data set's.
    metric : str
        One that the study has predictions for.
    copies : array of shape (n_draws, n_samples)
        How often each row counts.

    Returns
    -------
    ndarray
        nan where a draw holds no rows that the metric could be computed from.
    """
    needs = METRICS[metric].needs
    found = []
    for method in records.methods:
        if needs == "labels":
            found.append(_labels(records, method, metric, copies))
        elif needs == "probabilities":
            found.append(_losses(records, method, metric, copies))
        elif metric == "roc_auc":
            found.append(_areas(records, method, copies))
        else:
            found.append(_precisions(records, method, copies))
    return np.concatenate(found, axis=1)


def _shape(records: Records) -> tuple[int, int]:
    return len(records.classifiers), len(records.sizes)


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


def _areas(records: Records, method: str, copies: Floats) -> Floats:
    """Share of pairs of drawn rows in the right order, each class against the others."""
    leanings = records.leanings(method)
    by_class = [
        _pairs_in_order(records, leanings, c, column, copies)
        for c, column in class_columns(len(records.classes))
    ]
    with np.errstate(invalid="ignore"):
        defined = np.isfinite(by_class)
        total = np.where(defined, by_class, 0).sum(axis=0)
        return _ratio(total, defined.sum(axis=0).astype(float))


def _pairs_in_order(
    records: Records,
    leanings: list[tuple[int, NDArray[Any]]],
    positive: int,
    column: int,
    copies: Floats,
) -> Floats:
    ours, others = _some(records.codes == positive), _some(records.codes != positive)
    place = np.full(records.n_samples, -1)
    place[ours], place[others] = np.arange(len(ours)), np.arange(len(others))
    inside = np.zeros(records.n_samples, dtype=bool)
    inside[ours] = inside[others] = True
    n_configurations = int(np.prod(_shape(records)))
    order = np.zeros((n_configurations, len(ours), len(others)))
    times = np.zeros((len(ours), len(others)))
    for resample, scores in leanings:
        test = records.test(resample)
        mine = inside[test] & (records.codes[test] == positive)
        rest = inside[test] & (records.codes[test] != positive)
        values = scores[..., column].reshape(n_configurations, -1)
        high, low = values[:, mine, None], values[:, None, rest]
        at = np.ix_(place[test[mine]], place[test[rest]])
        order[(slice(None), *at)] += (high > low) + 0.5 * (high == low)
        times[at] += 1
    order /= np.maximum(times, 1)
    size = ((copies[:, ours] @ (times > 0)) * copies[:, others]).sum(axis=1)
    right = [((copies[:, ours] @ o) * copies[:, others]).sum(axis=1) for o in order]
    return _ratio(np.array(right).T, np.broadcast_to(size[:, None], (len(copies), len(order))))


def _some(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the wanted rows; of very many a part, drawn once and for all."""
    rows = np.flatnonzero(wanted)
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))


def _precisions(records: Records, method: str, copies: Floats) -> Floats:
    """Average precision on the drawn rows of every resample, averaged over resamples."""
    n_configurations = int(np.prod(_shape(records)))
    total = np.zeros((len(copies), n_configurations))
    times = np.zeros((len(copies), n_configurations))
    for resample, scores in records.leanings(method):
        test = records.test(resample)
        drawn, codes = copies[:, test], records.codes[test]
        for c, column in class_columns(len(records.classes)):
            for k, values in enumerate(scores[..., column].reshape(n_configurations, -1)):
                found = _weighted_precision(drawn, codes == c, values)
                known = np.isfinite(found)
                total[known, k] += found[known]
                times[known, k] += 1
    return _ratio(total, times)


def _weighted_precision(drawn: Floats, positive: NDArray[np.bool_], scores: Floats) -> Floats:
    """Average precision of one ranking under many draws of its rows; ties count together."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.searchsorted(-ranked, -ranked, side="right") - 1
    ours = drawn[:, order] * positive[order]
    above = np.cumsum(drawn[:, order], axis=1)[:, last]
    hits = np.cumsum(ours, axis=1)[:, last]
    precision = np.divide(hits, above, out=np.zeros_like(hits), where=above > 0)
    return _ratio((ours * precision).sum(axis=1), ours.sum(axis=1))
