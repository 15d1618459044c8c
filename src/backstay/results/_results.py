"""The evidence of a study, as tables, comparisons and a recommendation."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from backstay.comparison._many_datasets import FriedmanNemenyi, friedman_nemenyi
from backstay.results._contrasts import mean_accuracy, mean_stability
from backstay.results._evidence import Evidence
from backstay.results._overview import Comparison, compare, pareto_rows, summary_rows
from backstay.results._recommendation import Recommendation, recommend
from backstay.results._records import Records
from backstay.results._store import Store
from backstay.results._table import Table

__all__ = ["Results", "register_report"]


Writer = Callable[["Results", Path], Path]
_report_writer: Writer | None = None


def register_report(writer: Writer) -> None:
    """Say who writes reports: they lie above the study, which may not import them."""
    global _report_writer
    _report_writer = writer


class Results(Evidence):
    """What a study found, read from its store as it is asked for.

    Every method hands back something with ``frame()``. Methods with several
    data sets put them below each other, named in the column ``dataset``;
    ``results["name"]`` is the part of one.

    Examples
    --------
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> from backstay.study import Study, Subsampling
    >>> X, y, truth = make_xor(150, random_state=0)
    >>> study = Study({"relieff": ReliefF()}, Subsampling(10), sizes=[2, 3], random_state=0)
    >>> results = study.run(X, y, truth=truth)
    >>> results.stability().frame()[["method", "size", "value"]].round(2)
        method  size  value
    0  relieff     2   0.68
    1  relieff     3   0.82
    >>> results.signature("relieff", 3).frame()["name"].tolist()
    ['x0', 'x2', 'x1']
    """

    def __init__(self, *stores: Store) -> None:
        self._parts = {}
        for store in stores:
            for name, facts in store.datasets().items():
                title = name if name not in self._parts else f"{name} ({store.name})"
                self._parts[title] = Records(store, name, facts)
        self._store = stores[0]

    @classmethod
    def load(cls, *paths: str | os.PathLike[str]) -> Self:
        """Open a store, or several side by side; nothing in them can run code.

        Parameters
        ----------
        *paths : path
            Of the SQLite files. A study may be running on them. A data set of a
            name that an earlier file has, too, is named with its file.

        Returns
        -------
        Results
            Of the tasks finished so far.
        """
        if not paths:
            raise ValueError("load needs the path of a store.")
        return cls(*(Store(path, write=False) for path in dict.fromkeys(map(Path, paths))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results to a new store, to be loaded or resumed later.

        Parameters
        ----------
        path : path
            A file that does not exist yet.
        """
        if any(part.store is not self._store for part in self._parts.values()):
            raise ValueError("the results come from several stores, which are there already.")
        self._store.copy_to(path)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write everything into one HTML file that opens with the answer.

        Needs ``pip install "backstay[app]"``.

        Parameters
        ----------
        path : path
            Of the file; one that is there is replaced.

        Returns
        -------
        Path
            Where it is.
        """
        if _report_writer is None:
            raise RuntimeError("no report writer is registered; import backstay first.")
        return _report_writer(self, Path(path))

    def __getitem__(self, dataset: str) -> Results:
        if dataset not in self._parts:
            raise KeyError(f"no data set {dataset!r}; there are {', '.join(self._parts)}")
        part = copy(self)
        part._parts = {dataset: self._parts[dataset]}
        part._store = self._parts[dataset].store
        return part

    def __repr__(self) -> str:
        if not self._parts:
            return "Results(nothing yet)"
        part = next(iter(self._parts.values()))
        return (
            f"Results({len(self._parts)} data set(s), {len(part.methods)} methods, "
            f"{part.n_resamples} resamples, sizes {part.sizes})"
        )

    def _repr_html_(self) -> str:
        """Return what it is, and each method's averages over sizes, for a notebook."""
        table = "" if not self._parts else self._averages()
        return f"<p>{escape(repr(self))}</p>{table}"

    def _averages(self) -> str:
        if all(part.classifiers for part in self._parts.values()):
            return self.pareto()._repr_html_()
        return self.stability()._repr_html_()

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets."""
        return list(self._parts)

    @property
    def methods(self) -> list[str]:
        """Names of the methods, controls and plain forms that the study added included."""
        return list(dict.fromkeys(m for part in self._parts.values() for m in part.methods))

    @property
    def facts(self) -> dict[str, Any]:
        """What the store says about the study: parameters, versions, seed, data sets.

        Of several stores the first one's; ``results[name].facts`` is of the data set's own.
        """
        facts = {
            key: value
            for key, value in self._store.study().items()
            if not key.startswith("provenance of ")
        }
        parts = {
            name: {**part.facts, "provenance": part.provenance}
            for name, part in self._parts.items()
        }
        return {**facts, "datasets": parts}

    def _one(self) -> Records:
        if len(self._parts) != 1:
            raise ValueError(
                f"there are {len(self._parts)} data sets ({', '.join(self._parts)}); "
                "choose one with results[name]."
            )
        return next(iter(self._parts.values()))

    def compare(
        self,
        first: str,
        second: str,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
        measure: str = "kuncheva",
        test: str = "auto",
        confidence: float = 0.95,
        **options: Any,
    ) -> Comparison:
        """Compare two methods, paired by resample, in accuracy and in stability.

        Parameters
        ----------
        first, second : str
            Names of methods; differences are second minus first.
        size : int, default=None
            A size chosen beforehand; None compares averages over the study's sizes.
        classifier, metric : str, default=None
            The study's first if None.
        measure : str, default="kuncheva"
            Of stability. "kuncheva" and "nogueira", which are equal here, use a
            jackknife over runs; others a paired bootstrap, at a given size.
        test : str, default="auto"
            For accuracy: "five_by_two_f" under :class:`FiveByTwo` and "corrected_t"
            otherwise; or "five_by_two_t", "signed_rank", "rank_sum".
        confidence : float, default=0.95
            Coverage of the intervals.
        **options
            As in :func:`backstay.stability.compare_stability`.

        Returns
        -------
        Comparison
            With ``accuracy`` and ``stability``; across several data sets also
            signed-rank tests on their means.
        """
        return compare(
            self._parts,
            first,
            second,
            size=size,
            classifier=classifier,
            metric=metric,
            measure=measure,
            test=test,
            confidence=confidence,
            options=options,
        )

    def summary(
        self,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
        alpha: float = 0.05,
    ) -> Table:
        """Count, for every two methods, on how many data sets the second is better or worse.

        Parameters
        ----------
        size, classifier, metric
            As in :meth:`compare`.
        alpha : float, default=0.05
            Level of the test on each data set; "equal" is what it leaves open.
        """
        rows = summary_rows(
            self._parts, size=size, classifier=classifier, metric=metric, alpha=alpha
        )
        note = f"data sets where second is better / equal / worse than first, α = {alpha:g}"
        return Table("summary", note, pd.DataFrame(rows))

    def friedman(
        self,
        quantity: str = "accuracy",
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
    ) -> FriedmanNemenyi:
        """Friedman's test over data sets, with Nemenyi's for every two methods.

        Parameters
        ----------
        quantity : {"accuracy", "stability"}, default="accuracy"
            What to compare.
        size, classifier, metric
            As in :meth:`compare`.
        """
        if quantity not in ("accuracy", "stability"):
            raise ValueError(f"quantity={quantity!r} must be 'accuracy' or 'stability'.")
        common = [m for m in self.methods if all(m in p.methods for p in self._parts.values())]
        values = [
            [
                mean_stability(part, method, size)
                if quantity == "stability"
                else mean_accuracy(part, method, classifier, size, metric)
                for method in common
            ]
            for part in self._parts.values()
        ]
        return friedman_nemenyi(np.array(values), common)

    def pareto(
        self,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
    ) -> Table:
        """Methods not dominated in (stability, accuracy).

        Parameters
        ----------
        size, classifier, metric
            As in :meth:`compare`: None for size averages over the study's sizes.
        """
        where = "averages over sizes" if size is None else f"at size {size}"
        return self._table(
            "stability and accuracy",
            where,
            lambda part: pareto_rows(part, size=size, classifier=classifier, metric=metric),
        )

    def recommend(
        self,
        *,
        metric: str = "accuracy",
        threshold: float = 0.5,
        n_bootstrap: int = 1000,
        random_state: int | None = 0,
    ) -> Recommendation:
        """Recommend one method, one size and one signature, or none.

        The smallest size within one standard error of the best accuracy and the
        most stable method there. The accuracy quoted pays for having chosen:
        the choice is repeated in a bootstrap over the pooled out-of-sample
        predictions and judged on the rows left out. Nothing is recommended
        unless that is above chance.

        Parameters
        ----------
        metric : {"accuracy", "balanced_accuracy"}, default="accuracy"
            What is good.
        threshold : float, default=0.5
            A feature is in the signature if more than this share of runs chose it.
        n_bootstrap : int, default=1000
            Bootstrap samples, of rows or of whole groups.
        random_state : int or None, default=0
            Seed of the bootstrap.
        """
        records = self._one()
        asked = (metric, threshold, n_bootstrap, random_state)
        if random_state is None:
            return recommend(records, *asked)
        # The bootstrap is the dearest of all tables, and a report asks for it more than once.
        key = ("recommendation", *map(repr, asked))
        if key not in records._cache:
            records._cache[key] = recommend(records, *asked)
        found: Recommendation = records._cache[key]
        return found

    def frame(self) -> pd.DataFrame:
        """Return stability and accuracy of every method, by size and classifier."""
        stability = self.stability().frame()
        keys = ["dataset", "method", "size"]
        names = {"value": "stability", "low": "stability_low", "high": "stability_high"}
        frame = stability[[*keys, *names]].rename(columns=names)
        if not all(part.classifiers for part in self._parts.values()):
            return frame
        for metric in next(iter(self._parts.values())).scoring:
            table = self.accuracy(metric).frame()
            names = {"value": metric, "low": f"{metric}_low", "high": f"{metric}_high"}
            table = table[[*keys, "classifier", *names]].rename(columns=names)
            on = [*keys, "classifier"] if "classifier" in frame else keys
            frame = frame.merge(table, on=on, how="outer", sort=False)
        return frame
