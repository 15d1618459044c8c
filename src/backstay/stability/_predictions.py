"""Stability of predictions made by models trained on different resamples."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.stability._measures import get_measure
from backstay.stability._runs import check_runs
from backstay.stability._stability_result import (
    StabilityResult,
    pairwise_result,
    warn_undefined,
)

Floats = NDArray[np.float64]
# One mask of shape (n_runs, n_samples) per class: which run predicted it for which sample.
Votes = list[Floats]


def prediction_stability(
    predictions: Any,
    measure: str = "agreement",
    *,
    confidence: float = 0.95,
) -> StabilityResult:
    """Measure how much the predictions of repeatedly trained models agree.

    Parameters
    ----------
    predictions : array-like of shape (n_runs, n_samples)
        Class labels, or numbers, predicted by each of at least two models. Mask the samples that
        a model did not predict, such as those it was trained on, in a ``numpy.ma.MaskedArray``:
        two models are compared on the samples that both predicted.
    measure : {"agreement", "kappa", "phi", "pooled_kappa", "alpha"}, default="agreement"
        "agreement" is the share of equal predictions. "kappa" is the mean over pairs of
        models of Cohen's κ: agreement beyond what the class shares of the two models give by
        chance. "phi" is the mean of the φ coefficient, for two classes. "pooled_kappa" is one κ
        for all pairs together, with the class shares of all models: Fleiss' κ. "alpha" is for
        numbers: 1 minus the mean squared difference of two models' predictions of a sample over
        that of any two predictions, Krippendorff's α.
    confidence : float, default=0.95
        As in `stability_score`.

    Returns
    -------
    StabilityResult

    Warns
    -----
    UndefinedStabilityWarning
        If the measure is 0/0; the value is nan. "kappa" and "phi", which are means over pairs,
        are 0/0 as soon as two models have no sample in common; the other two are not.

    Examples
    --------
    >>> labels = [["a", "b", "a", "b"], ["a", "b", "a", "a"], ["a", "b", "b", "b"]]
    >>> round(prediction_stability(labels).value, 4)
    0.6667
    """
    get_measure(measure, "predictions")
    if measure == "alpha":
        return _pooled_result(_moments(*_read(predictions)), measure, _alpha, confidence)
    votes = _read_votes(predictions)
    if measure in ("agreement", "pooled_kappa"):
        pooled = partial(_pooled, measure=measure)
        return _pooled_result(np.stack(votes), measure, pooled, confidence)
    if measure == "phi" and len(votes) > 2:
        raise ValueError(f"measure='phi' is for two classes; got {len(votes)}, so use 'kappa'.")
    return pairwise_result(
        _phi(votes) if measure == "phi" else _cohen(votes),
        measure,
        votes[0].shape[1],
        "predictions",
        why_undefined="two models have no sample in common, or always predict one class",
        confidence=confidence,
    )


def _read(predictions: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return what was predicted, run × sample, and where there is a prediction."""
    if hasattr(predictions, "to_numpy"):
        predictions = predictions.to_numpy()
    given = list(predictions)
    rows, masks = [np.asarray(row) for row in given], [np.ma.getmaskarray(row) for row in given]
    check_runs(len(rows))
    shapes = {row.shape for row in rows}
    if len(shapes) > 1 or rows[0].ndim != 1 or rows[0].size == 0:
        raise ValueError(f"predictions must be runs × samples; got rows of shape {sorted(shapes)}.")
    return np.stack(rows), ~np.stack(masks)


def _read_votes(predictions: Any) -> Votes:
    """Return, for every class, which run predicted it for which sample."""
    labels, predicted = _read(predictions)
    classes = np.unique(labels[predicted])
    if classes.dtype.kind == "f" and np.isnan(classes).any():
        raise ValueError("predictions must be class labels, masked where there is none; got nan.")
    votes = [((labels == name) & predicted).astype(np.float64) for name in classes]
    return votes or [np.zeros(labels.shape)]


def _cohen(votes: Votes) -> Floats:
    """Return Cohen's κ of every two runs."""
    predicted = np.sum(votes, axis=0)
    common = predicted @ predicted.T
    equal, chance = np.zeros_like(common), np.zeros_like(common)
    for mask in votes:
        equal += mask @ mask.T
        counts = mask @ predicted.T
        # Products of counts, so that "always the same class" gives 1 exactly.
        chance += counts * counts.T
    common = np.where(common > 0, common, np.nan)
    chance /= common**2
    return np.asarray((equal / common - chance) / np.where(chance < 1, 1 - chance, np.nan))


def _phi(votes: Votes) -> Floats:
    """Return the φ coefficient of every two runs, from counts of one of the two classes."""
    mask, predicted = votes[-1], np.sum(votes, axis=0)
    common, counts = predicted @ predicted.T, mask @ predicted.T
    spread = np.sqrt(counts * (common - counts))
    excess = common * (mask @ mask.T) - counts * counts.T
    return np.asarray(excess / np.where(spread * spread.T > 0, spread * spread.T, np.nan))


def _pooled_result(
    parts: Floats, measure: str, of_sums: Callable[[Floats], Floats], confidence: float
) -> StabilityResult:
    """Return a figure of sums over all runs (the second axis), with its jackknife interval."""
    _, m, n = parts.shape
    sums = parts.sum(axis=1)
    value, variance = float(of_sums(sums)), math.nan
    if math.isnan(value):
        why = "no sample was predicted twice, or all predictions are equal"
        warn_undefined(measure, f"on these {m} runs: {why}", stacklevel=4)
    elif m > 2:
        variance = float((m - 1) * of_sums(sums[:, None] - parts).var())
    return StabilityResult(value, variance, measure, m, n, confidence, items="predictions")


def _pooled(sums: Floats, measure: str) -> Floats:
    """Return agreement or κ over all pairs of runs and the samples both predicted."""
    # `sums` holds Σ v_i per class and sample (the last axis). A run is not paired with itself, so
    # a product over pairs is Σ_{i≠j} u_i v_j = (Σ u)(Σ v) − Σ u v. All are whole numbers, hence
    # exact.
    total = np.sum(sums, axis=0)
    pairs = (total**2 - total).sum(axis=-1)
    pairs = np.where(pairs > 0, pairs, np.nan)
    equal = np.sum([(one**2 - one).sum(axis=-1) for one in sums], axis=0)
    if measure == "agreement":
        return np.asarray(equal / pairs)
    # A sample that k runs predicted is in k − 1 pairs of each: that weighs the class shares.
    shares = np.stack([(one * total - one).sum(axis=-1) / pairs for one in sums], -1)
    chance = (shares**2).sum(axis=-1)
    return np.asarray((equal / pairs - chance) / np.where(chance < 1, 1 - chance, np.nan))


def _moments(values: NDArray[Any], predicted: NDArray[np.bool_]) -> Floats:
    """Return whether there is a prediction, the standardised prediction, and its square."""
    known = values[predicted].astype(np.float64)
    # Of mean 0 and deviation 1, so that differences of squares lose no digits.
    middle, spread = (known.mean(), known.std() or 1.0) if len(known) else (0.0, 1.0)
    x = np.where(predicted, (np.where(predicted, values, 0) - middle) / spread, 0.0)
    return np.stack([predicted.astype(np.float64), x, x**2])


def _alpha(sums: Floats) -> Floats:
    """Return Krippendorff's α from times, sums and sums of squares by sample."""
    times, total, squares = (np.where(sums[0] > 1, one, 0) for one in sums)
    # Σ over ordered pairs of (a − b)² = 2(times·squares − total²); a sample counts by its times.
    within = ((times * squares - total**2) / np.maximum(times - 1, 1)).sum(axis=-1)
    n = times.sum(axis=-1)
    all_pairs = (n * squares.sum(axis=-1) - total.sum(axis=-1) ** 2) / np.maximum(n - 1, 1)
    return np.asarray(1 - within / np.where(all_pairs > 1e-12 * n, all_pairs, np.nan))
