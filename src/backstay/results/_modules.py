"""How stable are methods if features of one module of correlated ones count as the same."""

from __future__ import annotations

from collections.abc import Iterable

from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._stability import curve_rows, module_rows
from backstay.results._table import Table


class ModuleAnswers(Parts):
    """Stability of the modules that runs select from."""

    def module_stability(
        self, sizes: Iterable[int] | None = None, *, confidence: float = 0.95
    ) -> Table:
        """Stability of every method if features of one module count as the same, by subset size.

        Modules are those of :func:`backstay.redundancy.correlation_modules` over all rows; the
        measure is "module_phi". It compares how many features of each module two runs choose: 0 is
        by lot, 1 always as many of the same modules, and with every feature on its own it is
        Kuncheva's index. The column ``features`` has the stability of the features themselves.
        Empty where modules are not known: in an older store, and for more than 30,000 features.

        Parameters
        ----------
        sizes : iterable of int, default=None
            Numbers of features; None is the study's sizes.
        confidence : float, default=0.95
            Coverage of the intervals at each single size.

        Examples
        --------
        >>> from backstay import Study, TTest
        >>> from backstay.datasets import make_han_yu
        >>> from backstay.study import Subsampling
        >>> X, y, _ = make_han_yu(n_features=200, n_relevant=20, block_size=20, random_state=0)
        >>> study = Study({"t": TTest()}, Subsampling(10), sizes=[5], random_state=0)
        >>> table = study.run(X, y).module_stability().frame()
        >>> table[["size", "features", "value"]].round(2)
           size  features  value
        0     5       0.5    1.0
        """
        at = None if sizes is None else list(sizes)
        return self._table(
            "stability of modules",
            f"module_phi, {confidence:.0%} intervals over resamples",
            lambda part: module_stability_rows(part, at, confidence),
            "method size value low high features n_runs",
        )


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
