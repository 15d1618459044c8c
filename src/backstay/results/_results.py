"""What a study found, read from its store as it is asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from copy import copy
from html import escape
from pathlib import Path
from typing import Any, Self

import pandas as pd

from backstay.results._accuracy import AccuracyAnswers
from backstay.results._choice import ChoiceAnswers
from backstay.results._comparisons import ComparisonAnswers
from backstay.results._decoys import DecoyAnswers
from backstay.results._equivalents import EquivalentAnswers
from backstay.results._facts import DatasetFacts, StudyFacts, study_facts
from backstay.results._features import FeatureAnswers
from backstay.results._judged import RunAnswers
from backstay.results._modules import ModuleAnswers
from backstay.results._null import NullAnswers
from backstay.results._predictions import PredictionAnswers
from backstay.results._ranked import RankedAnswers
from backstay.results._recommendation import RecommendationAnswers
from backstay.results._records import Records
from backstay.results._row_scores import RowScoreAnswers
from backstay.results._samples import SampleAnswers
from backstay.results._signature_values import SignatureValueAnswers
from backstay.results._stability import StabilityAnswers
from backstay.results._tasks import TaskAnswers
from backstay.results._weighting import WeightingAnswers
from backstay.store import Store


class Results(
    StabilityAnswers,
    ModuleAnswers,
    NullAnswers,
    AccuracyAnswers,
    FeatureAnswers,
    DecoyAnswers,
    SampleAnswers,
    PredictionAnswers,
    SignatureValueAnswers,
    EquivalentAnswers,
    RowScoreAnswers,
    WeightingAnswers,
    ComparisonAnswers,
    RecommendationAnswers,
    ChoiceAnswers,
    RunAnswers,
    RankedAnswers,
    TaskAnswers,
):
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

    def __init__(
        self,
        *stores: Store,
        records: Mapping[str, Records] | None = None,
        estimators: tuple[Any, Any] | None = None,
    ) -> None:
        self._parts = {}
        for store in stores:
            for name, facts in store.datasets().items():
                title = name if name not in self._parts else f"{name} ({store.name})"
                self._parts[title] = (records or {}).get(name) or Records(store, name, facts)
        self._store = stores[0]
        # Models and preprocessing, where the study has just been run in this process.
        self._estimators = estimators

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
        # Reports lie above results, which may not import them: looked up when asked for.
        report = importlib.import_module("backstay.report")
        written: Path = report.write_report(self, path)
        return written

    def freeze(
        self, X: Any, y: Any, choice: str | tuple[str, int, str] = "trusted", **options: Any
    ) -> Any:
        """Freeze the signature, to be applied and tested on rows that the study never saw.

        The same as :func:`backstay.signature.freeze`, which has more on it.

        Parameters
        ----------
        X, y : table and labels
            The data that the study was run on; a store does not hold them.
        choice : {"trusted", "short", "accurate"} or (method, size, model)
            One of the three answers, or a configuration of the study.
        **options
            Passed on to :func:`backstay.signature.freeze`.

        Returns
        -------
        Signature
            With ``predict``, ``validate`` and ``save``.
        """
        # Signatures lie above results, which may not import them: looked up when asked for.
        return importlib.import_module("backstay.signature").freeze(self, X, y, choice, **options)

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
        facts = [one.facts for one in self._parts.values()]
        done, planned = sum(f.n_done for f in facts), sum(f.n_tasks for f in facts)
        unfinished = f", {done} of {planned} tasks done" if done < planned else ""
        return (
            f"Results({len(self._parts)} data set(s), {len(part.methods)} methods, "
            f"{part.n_resamples} resamples, sizes {part.sizes}{unfinished})"
        )

    def _repr_html_(self) -> str:
        """Return what it is, and each method's averages over sizes, for a notebook."""
        table = "" if not self._parts else self._averages()
        return f"<p>{escape(repr(self))}</p>{table}"

    def _averages(self) -> str:
        if all(part.models for part in self._parts.values()):
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
    def facts(self) -> StudyFacts:
        """How the study was set up, and its data sets.

        Of several stores the first one's; ``results[name].facts`` is of the data set's own.
        """
        return study_facts(
            self._store.study(), {name: part.facts for name, part in self._parts.items()}
        )

    @property
    def data(self) -> DatasetFacts:
        """The data set, where there is one: its shape, its splits and what was run on it."""
        return self._one().facts

    def frame(self) -> pd.DataFrame:
        """Return stability, of features and of modules, and accuracy of every method, by size.

        ``runs`` is the number of runs that a method's figures rest on.
        """
        frame = self._figures()
        runs = self.runs().frame().set_index(["dataset", "method"])["n_runs"]
        rows = zip(frame["dataset"], frame["method"], strict=True)
        frame.insert(3, "runs", [int(runs[row]) for row in rows])
        return frame

    def _figures(self) -> pd.DataFrame:
        stability = self.stability().frame()
        keys = ["dataset", "method", "size"]
        names = {"value": "stability", "low": "stability_low", "high": "stability_high"}
        frame = stability[[*keys, *names]].rename(columns=names)
        modules = self.module_stability().frame().rename(columns={"value": "module_stability"})
        frame = frame.merge(modules[[*keys, "module_stability"]], on=keys, how="left", sort=False)
        if not all(part.models for part in self._parts.values()):
            return frame
        for metric in next(iter(self._parts.values())).facts.scoring:
            table = self.accuracy(metric).frame()
            names = {"value": metric, "low": f"{metric}_low", "high": f"{metric}_high"}
            table = table[[*keys, "model", *names]].rename(columns=names)
            on = [*keys, "model"] if "model" in frame else keys
            frame = frame.merge(table, on=on, how="outer", sort=False)
        return frame
