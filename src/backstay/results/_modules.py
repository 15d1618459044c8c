"""How stable are methods if features of one module of correlated ones count as the same."""

from __future__ import annotations

from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._stability import curve_rows, module_rows


def module_stability_rows(
    records: Records, sizes: list[int] | None = None, confidence: float = 0.95
) -> Rows:
    """Return the stability of modules beside that of features, of every method."""
    at = records.sizes if sizes is None else sizes
    if records.modules is None:
        return []
    rows: Rows = []
    for method in records.methods:
        if len(records.orders(method)[0]) < 2:
            continue
        plain = curve_rows(records, method, sizes=at, confidence=confidence)
        for one, other in zip(module_rows(records, method, at, confidence), plain, strict=True):
            figures = {name: one[name] for name in ("value", "low", "high")}
            extra = {"features": other["value"], "n_runs": one["n_runs"]}
            rows.append({"method": method, "size": one["size"], **figures, **extra})
    return rows
