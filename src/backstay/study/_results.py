"""The evidence of a study, as tables, comparisons and a recommendation."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import pandas as pd

from backstay.study._across import FriedmanNemenyi, friedman_nemenyi
from backstay.study._contrasts import mean_accuracy, mean_stability
from backstay.study._evidence import Evidence
from backstay.study._overview import Comparison, compare, pareto_rows, summary_rows
from backstay.study._recommend import Recommendation, recommend
from backstay.study._records import Records
from backstay.study._store import Store
from backstay.study._table import Table

__all__ = ["Results"]


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

    def __init__(self, store: Store, only: str | None = None) -> None:
        self._store = store
        found = store.datasets()
        names = list(found) if only is None else [only]
        self._parts = {name: Records(store, name, found[name]) for name in names}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a store; nothing in it can run code.

        Parameters
        ----------
        path : path
            Of the SQLite file. A study may be running on it.

        Returns
        -------
        Results
            Of the tasks finished so far.
        """
        return cls(Store(path, write=False))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results to a new store, to be loaded or resumed later.

        Parameters
        ----------
        path : path
            A file that does not exist yet.
        """
        self._store.copy_to(path)

    def __getitem__(self, dataset: str) -> Results:
        if dataset not in self._parts:
            raise KeyError(f"no data set {dataset!r}; there are {', '.join(self._parts)}")
        return type(self)(self._store, dataset)

    def __repr__(self) -> str:
        if not self._parts:
            return "Results(nothing yet)"
        part = next(iter(self._parts.values()))
        return (
            f"Results({len(self._parts)} data set(s), {len(part.methods)} methods, "
            f"{part.n_resamples} resamples, sizes {part.sizes})"
        )

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
        """What the store says about the study: parameters, versions, seed, data sets."""
        facts = self._store.study()
        parts = {name: dict(part.facts) for name, part in self._parts.items()}
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
        return recommend(self._one(), metric, threshold, n_bootstrap, random_state)

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
