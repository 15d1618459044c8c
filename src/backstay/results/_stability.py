"""How stable is a method? Of its subsets, weights and predictions."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._parts import Rows
from backstay.results._records import Records, computed_once
from backstay.stability import (
    PairMatrix,
    StabilityResult,
    UndefinedStabilityWarning,
    bias_variance,
    prediction_stability,
    stability_curve,
    weight_stability,
)

Floats = NDArray[np.float64]
# Measures that are 0 for features drawn at random, as that of modules is.
ZERO_AT_RANDOM = ("nogueira", "kuncheva")


def stability_rows(
    records: Records,
    measure: str,
    sizes: list[int] | str | None,
    confidence: float,
    options: dict[str, Any],
) -> Rows:
    """Return the stability of every method, at some sizes."""
    rows: Rows = []
    for method in repeated(records):
        at = _sizes(records, method, sizes)
        figures = curve_rows(records, method, measure, at, confidence, options)
        if measure in ZERO_AT_RANDOM and sizes is None and records.modules is not None:
            others = module_rows(records, method, tuple(at), confidence)
            pairs = zip(figures, others, strict=True)
            figures = [row | {"modules": other["value"]} for row, other in pairs]
        rows += [{"method": method, "measure": measure} | row for row in figures]
    return rows


def weight_variance_rows(records: Records) -> Rows:
    """Return the variance of every method's weights over resamples, and their correlation."""
    rows: Rows = []
    for method in repeated(records):
        _, weights = records.weights(method)
        for measure in ("variance", "pearson"):
            one = weight_stability(weights, measure, normalize=True)
            rows.append({"method": method, "measure": measure, **_figures(one)})
    return rows


def size_places(records: Records, size: int | None) -> list[int]:
    """Return the place of a size among the study's, or all places for None."""
    return list(range(len(records.sizes))) if size is None else [records.check_size(size)]


@computed_once
def pair_matrix(records: Records, method: str, size: int | None) -> tuple[NDArray[Any], Floats]:
    """Return resamples and Kuncheva's index of every two, at a size or averaged over sizes.

    The size of all features says nothing and does not enter an average.
    """
    resamples, orders = records.orders(method)
    sizes = [records.sizes[place] for place in size_places(records, size)]
    sizes = [k for k in sizes if k < records.n_features]
    pairs = np.zeros((len(resamples), len(resamples)))
    for one in kuncheva_pairs(orders, sizes, records.n_features):
        pairs += one
    pairs = pairs / len(sizes) if sizes else np.full_like(pairs, np.nan)
    np.fill_diagonal(pairs, 0)
    return resamples, pairs


def kuncheva_pairs(
    orders: NDArray[Any], sizes: Iterable[int], n_features: int
) -> Iterator[NDArray[np.float64]]:
    """Yield, for increasing sizes, Kuncheva's index of every two orders; 0 on the diagonal."""
    mask = np.zeros((len(orders), n_features), dtype=np.float32)
    filled = 0
    for k in sizes:  # each adds to the one before
        np.put_along_axis(mask, orders[:, filled:k].astype(np.intp), 1, axis=1)
        filled = k
        shared = (mask @ mask.T).astype(np.float64)
        span = k - k**2 / n_features
        pairs = (shared - k**2 / n_features) / span if span else np.full_like(shared, np.nan)
        np.fill_diagonal(pairs, 0)
        yield pairs


def mean_stability(records: Records, method: str, size: int | None) -> float:
    """Return Kuncheva's index, at a size or averaged over sizes."""
    _, pairs = pair_matrix(records, method, size)
    return PairMatrix(pairs).mean() if len(pairs) > 1 else math.nan


def bias_variance_rows(records: Records) -> Rows:
    """Split the error of every method's weights against the truth into bias² and variance."""
    if records.truth is None:
        raise ValueError("truth is not known; give run(…, truth=).")
    rows: Rows = []
    for method in repeated(records):
        _, weights = records.weights(method)
        split = bias_variance(weights, records.truth, normalize=True)
        figures = {"error": split.error, "bias_squared": split.bias, "variance": split.variance}
        rows.append({"method": method, **figures, "n_runs": split.n_runs})
    return rows


def repeated(records: Records) -> list[str]:
    """Return the methods with the two runs that stability needs."""
    return [method for method in records.methods if len(records.orders(method)[0]) > 1]


def _sizes(records: Records, method: str, sizes: list[int] | str | None) -> list[int]:
    if sizes is None:
        return records.sizes
    if isinstance(sizes, str):
        if sizes != "all":
            raise ValueError(f"sizes={sizes!r} must be 'all', None or a list of integers.")
        return list(range(1, min(records.n_ranked(method), records.depth(method)) + 1))
    return sizes


def curve_rows(
    records: Records,
    method: str,
    measure: str = "nogueira",
    sizes: list[int] | None = None,
    confidence: float = 0.95,
    options: Mapping[str, Any] | None = None,
) -> Rows:
    """Return the stability of a method at some sizes, computed once for all who ask."""
    at = records.sizes if sizes is None else sizes

    def compute() -> Rows:
        records.check_depth(method, max(at))
        _, orders = records.orders(method)
        with warnings.catch_warnings():
            # All features are no selection: the row says nan, which is the answer here.
            warnings.simplefilter("ignore", UndefinedStabilityWarning)
            curve = stability_curve(
                orders,
                measure,
                at,
                kind="order",
                n_features=records.n_features,
                confidence=confidence,
                **(options or {}),
            )
        return [{str(k): v for k, v in row.items()} for row in curve.to_dict("records")]

    if options:
        return compute()
    return records.once(("curve", method, measure, tuple(at), confidence), compute)


@computed_once
def module_rows(records: Records, method: str, sizes: tuple[int, ...], confidence: float) -> Rows:
    """Return the stability of a method if features of one module count as the same."""
    options = {"modules": records.modules}
    return curve_rows(records, method, "module_match", list(sizes), confidence, options)


def module_stability_rows(
    records: Records, sizes: list[int] | None = None, confidence: float = 0.95
) -> Rows:
    """Return the stability of modules beside that of features, of every method."""
    at = records.sizes if sizes is None else sizes
    if records.modules is None:
        return []
    rows: Rows = []
    for method in repeated(records):
        plain = curve_rows(records, method, sizes=at, confidence=confidence)
        for one, other in zip(
            module_rows(records, method, tuple(at), confidence), plain, strict=True
        ):
            figures = {name: one[name] for name in ("size", "value", "low", "high")}
            extra = {"features": other["value"], "n_runs": one["n_runs"]}
            rows.append({"method": method, **figures, **extra})
    return rows


def _figures(one: StabilityResult) -> dict[str, float]:
    low, high = one.confidence_interval
    return {"value": one.value, "low": low, "high": high, "n_runs": one.n_runs}


def prediction_stability_rows(records: Records) -> Rows:
    """Compare models of different resamples on the rows that both were tested on."""
    records.check_model(None)
    rows: Rows = []
    for method in records.methods:
        outputs = records.outputs(method)
        if len(outputs) < 2:
            continue
        for i, model in enumerate(records.models):
            for j, size in enumerate(records.sizes):
                predicted = np.ma.masked_all((len(outputs), records.n_samples))
                for run, (resample, said) in enumerate(outputs):
                    predicted[run, records.test(resample)] = said[i, j, :, 0]
                base = {"method": method, "model": model, "size": size}
                for measure in records.target.agreement:
                    one = prediction_stability(predicted, measure)
                    rows.append({**base, "measure": measure, **_figures(one)})
    return rows
