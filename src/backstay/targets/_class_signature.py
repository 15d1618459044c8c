"""What a frozen signature remembers of the classes, and what it asks of a cohort's classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay._refusal import Refusal
from backstay._words import listed
from backstay.targets._target import Alike, Floats

Codes = NDArray[np.intp]
# Rows of a class that are drawn at least.
LEAST_DRAWN = 10


def frozen_moments(values: Floats, codes: Codes, n_classes: int) -> dict[str, Any]:
    """Return moments of the features within classes; gaps are left out."""
    columns = [_column_moments(column, codes, n_classes) for column in values.T]
    by_class = {
        key: [[column[key][c] for column in columns] for c in range(n_classes)]
        for key in ("counts", "means", "sds")
    }
    return {
        **by_class,
        "covariance": _covariance(values, codes, n_classes).tolist(),
    }


def _column_moments(values: Floats, codes: Codes, n_classes: int) -> dict[str, Any]:
    known = ~np.isnan(values)
    x, c = values[known], codes[known]
    counts = np.bincount(c, minlength=n_classes)
    mean = float(x.mean())
    parts = [x[c == k] for k in range(n_classes)]
    return {
        "counts": counts.tolist(),
        "means": [float(part.mean()) if len(part) else mean for part in parts],
        "sds": [float(part.std(ddof=1)) if len(part) > 1 else 0.0 for part in parts],
    }


def residuals(x: Floats, codes: Codes) -> Floats:
    """Return values minus the mean of their class."""
    residual = np.empty_like(x)
    for c in np.unique(codes):
        residual[codes == c] = x[codes == c] - x[codes == c].mean()
    return residual


def _covariance(values: Floats, codes: Codes, n_classes: int) -> Floats:
    """Return the covariance within classes; a gap counts as the mean of its class."""
    residual = np.zeros_like(values)
    for c in range(n_classes):
        rows = values[codes == c]
        if np.isfinite(rows).any():
            with np.errstate(invalid="ignore"):
                residual[codes == c] = np.nan_to_num(rows - np.nanmean(rows, axis=0))
    return residual.T @ residual / max(len(values) - n_classes, 1)


def drawn_like(
    moments: Mapping[str, Any], sizes: Floats, n_rows: int, rng: np.random.Generator
) -> tuple[Codes, Floats]:
    """Return classes and features of rows drawn from normal distributions with these moments."""
    n_drawn = np.maximum(np.round(n_rows * sizes / sizes.sum()), LEAST_DRAWN).astype(int)
    codes = np.repeat(np.arange(len(sizes)), n_drawn)
    values, axes = np.linalg.eigh(np.asarray(moments["covariance"]))
    root = axes * np.sqrt(np.maximum(values, 0))
    noise = rng.normal(size=(len(codes), len(root))) @ root.T
    return codes, np.asarray(moments["means"])[codes] + noise


def alike(moments: Mapping[str, Any], column: int, x: Floats, codes: Codes) -> list[Alike]:
    """Set each class against itself, where the training rows and `x` both have two rows of it."""
    pairs = []
    for c, counts in enumerate(moments["counts"]):
        n = counts[column]
        if n > 1 and (codes == c).sum() > 1:
            pairs.append(
                Alike(n, moments["means"][c][column], moments["sds"][c][column], x[codes == c])
            )
    return pairs


def label_text(label: Any) -> str:
    """Return a label as text; 1.0 is 1, as a column with gaps holds it.

    Examples
    --------
    >>> label_text(1.0), label_text("ill"), label_text(True)
    ('1', 'ill', 'True')
    """
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)


def cohort_codes(y: ArrayLike, names: list[str], mapping: Mapping[str, str]) -> Codes:
    """Return the number of every row's class; `mapping` turns the cohort's names into ours."""
    unknown = sorted(set(mapping.values()) - set(names))
    if unknown:
        raise Refusal(
            f"a class is mapped to {unknown[0]!r}; the signature has {', '.join(names)}.",
            parameter="mapping",
        )
    given = np.asarray(y)
    missing = np.flatnonzero(pd.isna(given))
    if len(missing):
        raise Refusal(f"{len(missing)} rows have no class, first row {missing[0]}; leave them out.")
    texts = [label_text(label) for label in given.tolist()]
    mapped = [mapping.get(text, text) for text in texts]
    strange = sorted(set(mapped) - set(names))
    if strange:
        raise Refusal(
            f"the cohort has the classes {listed(sorted(set(texts)))}, the signature "
            f"{listed(names)}; map {listed(strange)} to one of these, or leave these rows out.",
            parameter="mapping",
        )
    return np.array([names.index(text) for text in mapped], dtype=np.intp)


def prediction_columns(
    names: list[str], scores: Floats, chances: Floats | None
) -> dict[str, Floats]:
    """Return scores and probabilities as named columns."""
    shown = names[1:] if scores.shape[1] == 1 else names
    columns = {f"score {name}": scores[:, c] for c, name in enumerate(shown)}
    if chances is not None:
        columns |= {f"probability {name}": chances[:, c] for c, name in enumerate(names)}
    return columns
