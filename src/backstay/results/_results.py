"""What a study found, read from its store as it is asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any, Self

import pandas as pd

from backstay._words import counted
from backstay.results._accuracy import CORRECTED, accuracy_rows
from backstay.results._choice import Choice, choice_of, method_and_size
from backstay.results._comparisons import Comparison, Comparisons, compare_methods
from backstay.results._facts import Configuration, DatasetFacts, StudyFacts
from backstay.results._features import feature_frame, signature_rows
from backstay.results._null import null_rows
from backstay.results._parts import Parts, Table, size_within
from backstay.results._plan import Plan, configuration_of, plan_of
from backstay.results._predictions import Predictions
from backstay.results._recommendation import Recommendation, recommended
from backstay.results._records import Records
from backstay.results._replication import replication_rows
from backstay.results._runs import Runs
from backstay.results._samples import Samples
from backstay.results._selections import Selections
from backstay.results._stability import stability_rows
from backstay.results._suspicions import suspicions_of
from backstay.results._weights import Weights
from backstay.store import Store
from backstay.targets import find_metric


class Results(Parts):
    """What a study found, read from its store as it is asked for.

    Every method hands back something with ``frame()``. Methods with several
    data sets put them below each other, named in the column ``dataset``;
    ``results["name"]`` is the part of one. What is asked less often is grouped:
    ``results.runs``, ``results.selections``, ``results.predictions``, ``results.samples``,
    ``results.weights`` and ``results.comparisons``.

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
        parts: dict[str, Records] = {}
        for store in stores:
            for name, facts in store.datasets().items():
                title = name if name not in parts else f"{name} ({store.name})"
                parts[title] = (records or {}).get(name) or Records(store, name, facts)
        super().__init__(parts)
        self._store = stores[0]
        # Models and preprocessing, where the study has just been run in this process.
        self._estimators = estimators

    @classmethod
    def load(cls, *paths: str | os.PathLike[str]) -> Self:
        """Open a store, or several side by side; nothing in them can run code.

        Studies may be running on them. A data set of a name that an earlier file has, too, is named
        with its file.
        """
        if not paths:
            raise ValueError("load needs the path of a store.")
        return cls(*(Store(path, write=False) for path in dict.fromkeys(map(Path, paths))))

    def save(self, path: str | os.PathLike[str], *, keep_samples: bool = True) -> None:
        """Write the results to a new store, to be loaded or resumed later.

        Without `keep_samples`, values of features and names of samples are left out, and a study
        goes on there with ``keep_samples=False``; outcomes and predictions of rows are always
        written.
        """
        if any(part.store is not self._store for part in self._parts.values()):
            raise ValueError("the results come from several stores, which are there already.")
        (self._store.copy_to if keep_samples else self._store.strip_to)(path)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write everything into one HTML file that opens with the answer, and return its path.

        Needs ``pip install "backstay[app]"``. A file that is there is replaced.
        """
        # Reports lie above results, which may not import them: looked up when asked for.
        report = importlib.import_module("backstay.report")
        written: Path = report.Report(self).write(path)
        return written

    def freeze(
        self, X: Any, y: Any, choice: str | tuple[str, int, str] = "trusted", **options: Any
    ) -> Any:
        """Freeze the signature, to be applied and tested on rows that the study never saw.

        As :func:`backstay.signature.freeze`, which has more on it: X and y are the data that the
        study was run on, which a store does not hold; `choice` is "trusted", "short", "accurate" or
        (method, size, model).
        """
        if self._estimators is not None:
            models, preprocess = self._estimators
            options = {"models": models, "preprocess": preprocess} | options
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
            f"Results({counted(len(self._parts), 'data set')}, {len(part.methods)} methods, "
            f"{part.n_resamples} resamples, sizes {part.sizes}{unfinished})"
        )

    def _repr_html_(self) -> str:
        """Return what it is, and each method's averages over sizes, for a notebook."""
        start = f"<p>{escape(repr(self))}</p>"
        if not all(part.models for part in self._parts.values()):
            return start + self.stability()._repr_html_()
        if not self._parts:
            return start
        titles = {find_metric(part.facts.metric).title for part in self._parts.values()}
        title = titles.pop() if len(titles) == 1 else "score"
        points = self.comparisons.pareto()
        shown = points.frame().rename(columns={"accuracy": title})
        return start + Table(f"stability and {title}", points.note, shown)._repr_html_()

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets."""
        return list(self._parts)

    @property
    def methods(self) -> list[str]:
        """Names of the methods, controls and plain forms that the study added included."""
        return self._methods()

    @property
    def facts(self) -> StudyFacts:
        """How the study was set up, and its data sets; of several stores, of the first."""
        stored = self._store.study()
        known = stored.get("facts", {})
        return StudyFacts(
            methods=known.get("methods", {}),
            models=known.get("models", {}),
            preprocess=known.get("preprocess"),
            controls=bool(known.get("controls", False)),
            weight_models=bool(known.get("weight_models", False)),
            seed=stored.get("entropy", known.get("random_state")),
            seed_drawn=known.get("random_state") is None,
            versions=stored.get("versions", []),
            datasets={name: part.facts for name, part in self._parts.items()},
        )

    @property
    def data(self) -> DatasetFacts:
        """The data set, where there is one: its shape, its splits and what was run on it."""
        return self._one().facts

    @property
    def runs(self) -> Runs:
        """What single runs gave: orders, weights and scores; how long they took, which failed."""
        return Runs(self._parts)

    @property
    def selections(self) -> Selections:
        """Which features runs selected, how often, and what could replace them."""
        return Selections(self._parts)

    @property
    def predictions(self) -> Predictions:
        """What models said about test rows, and where they were wrong."""
        return Predictions(self._parts)

    @property
    def samples(self) -> Samples:
        """Values of the samples on the signature, and their instance weights."""
        return Samples(self._parts)

    @property
    def weights(self) -> Weights:
        """How feature weights vary, and whether instance weights help."""
        return Weights(self._parts)

    @property
    def comparisons(self) -> Comparisons:
        """All methods against each other, on one data set and over many."""
        return Comparisons(self._parts)

    def frame(self) -> pd.DataFrame:
        """Return stability (also of modules), scores and runs of every method, by size."""
        keys = ["dataset", "method", "size"]
        names = {"value": "stability", "low": "stability_low", "high": "stability_high"}
        frame = self.stability().frame()[[*keys, *names]].rename(columns=names)
        modules = self.selections.module_stability().frame()[[*keys, "value"]]
        modules = modules.rename(columns={"value": "module_stability"})
        frame = frame.merge(modules, on=keys, how="left", sort=False)
        parts = list(self._parts.values())
        for metric in parts[0].facts.scoring if all(part.models for part in parts) else []:
            names = {"value": metric, "low": f"{metric}_low", "high": f"{metric}_high"}
            table = self.scores(metric).frame()[[*keys, "model", *names]].rename(columns=names)
            on = [*keys, "model"] if "model" in frame else keys
            frame = frame.merge(table, on=on, how="outer", sort=False)
        runs = self.runs.counts().frame().set_index(["dataset", "method"])["n_runs"]
        rows = zip(frame["dataset"], frame["method"], strict=True)
        frame.insert(3, "runs", [int(runs[row]) for row in rows])
        return frame

    def suspicions(self) -> Table:
        """Return what in the data could make a score too good, the most serious first.

        Columns are as in :class:`Suspicion`; the report says in words what each means.
        """
        return self._table(
            "suspicions",
            "2: the score may be worth nothing; 1: it may be too good",
            lambda part: [asdict(one) for one in suspicions_of(part)],
            columns="kind severity figures",
        )

    def stability(
        self,
        measure: str = "nogueira",
        sizes: Iterable[int] | str | None = None,
        *,
        confidence: float = 0.95,
        **options: Any,
    ) -> Table:
        """Stability of every method by subset size, with intervals.

        At the study's sizes, measures that are 0 for random choices come with ``modules``, the
        value of ``selections.module_stability()``, where modules are known.

        Parameters
        ----------
        measure : str, default="nogueira"
            Any of :func:`backstay.stability.list_measures` on subsets; of rankings and weights,
            :func:`backstay.stability.ranking_stability` and ``weights.variance()`` tell.
        sizes : iterable of int, "all" or None
            None is the study's sizes, "all" every size that was ranked.
        confidence : float, default=0.95
            Coverage of the intervals at each single size.
        **options
            As in :func:`backstay.stability.stability_curve`.
        """
        at = sizes if sizes is None or isinstance(sizes, str) else list(sizes)
        note = f"{measure}, {confidence:.0%} intervals over resamples"
        return self._table("stability", note, stability_rows, measure, at, confidence, options)

    def null(self) -> Table:
        """Stability with shuffled outcomes beside the real one, by method and size.

        Returns
        -------
        Table
            ``stability`` is Kuncheva's index S; ``null`` the mean over permutations, S₀, with the
            range that holds 95 % of them; ``p_value`` the chance of so high a stability with
            shuffled outcomes, by a t distribution freed of the noise of their few runs; ``above``
            is (S − S₀)/(1 − S₀). Empty if the study ran no shuffled outcomes.
        """
        columns = "method size stability null low high p_value above n_permutations n_runs"
        note = "95 % range over permutations of the outcomes"
        return self._table("stability with shuffled outcomes", note, null_rows, columns=columns)

    def replication(self) -> Table:
        """Overlap expected with an independent sample of this size, by method and size.

        Not the stability over resamples of these rows, which share rows with each other. It is
        told from how often runs chose each feature; see :class:`backstay.stability.Standings`.

        Returns
        -------
        Table
            ``expected``, the chance-corrected overlap (0: random features, 1: the same) with what
            the method would choose in an independent sample of as many rows, and a 95 % interval.
            Configurations are looked at one by one: ``recommend().replication`` is corrected for
            the choice. Methods need 5 runs, and the study 20 independent rows.
        """
        columns = "method size expected low high"
        note = "expected overlap with an independent sample of as many rows, 95 % intervals"
        return self._table("replication", note, replication_rows, columns=columns)

    def scores(self, metric: str | None = None, *, confidence: float = 0.95) -> Table:
        """Mean score of every method by model and size: by one metric, or by all if None.

        The intervals are Nadeau & Bengio's: resamples share rows, and the plain
        standard error over them would be far too small.
        """
        note = f"{confidence:.0%} {CORRECTED}"
        return self._table("scores", note, accuracy_rows, metric, confidence)

    def features(self, method: str | None = None, size: int | None = None) -> Table:
        """Every feature, those that `method` chose most often first.

        Parameters
        ----------
        method, size : str, int, default=None
            A method, and features selected in each run; None takes both from :meth:`choice`.

        Returns
        -------
        Table
            What the runs say: ``feature`` (its column), ``name``, ``annotation`` columns,
            ``frequency`` (share of runs) with Wilson's interval over runs on these rows, ``again``
            (chance to be chosen in an independent sample of as many rows), ``mean_rank``,
            ``weight`` (mean over runs), ``in_signature``, ``core``, ``chosen`` (by any run of any
            method), ``relevant`` (None where the truth is not known), and with
            ``Study(decoys=…)`` ``decoy_q_value``, that of the importances on all rows.

            What all rows say, for orientation: the mean of every class (``mean in`` its name),
            ``high_in`` (of more than two classes, "high in" or "low in" the one furthest from the
            others), ``difference``, ``effect`` (Hedges' g) with its 95 % interval, and ``p_value``
            and ``q_value`` (Benjamini and Hochberg's) of a plain test: Welch's of two classes, the
            second minus the first; of more the analysis of variance, the highest against the rest.
        """
        if method is None or size is None:
            method, size = method_and_size(self._one(), method, size)
        of, at = method, size
        return self._stacked(
            f"features of {of}",
            f"best {at}",
            lambda part: feature_frame(part, of, size_within(part, at)),
        )

    def signature(self, method: str | None = None, size: int | None = None) -> Table:
        """Signature: the `size` features that were most often among the best `size`.

        Most often chosen first, and by mean rank among equals. Its ``core`` are those
        that more than half of the runs chose. Method and size are those recommended if None.
        """
        if method is None or size is None:
            advised = self.recommend()
            if advised.method is None or advised.size is None:
                raise ValueError("nothing is recommended here; name a method and a size.")
            method, size = method or advised.method, size or advised.size
        return self._table(
            f"signature of {method}",
            f"the {size} most often among the best {size}",
            lambda part: signature_rows(part, part.check_method(method), size_within(part, size)),
            columns="method size feature name frequency core",
        )

    def compare(
        self,
        first: str,
        second: str,
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
        test: str = "auto",
        confidence: float = 0.95,
    ) -> Comparison:
        """Compare two methods, paired by resample, in accuracy and in stability.

        Stability is Kuncheva's index, with a jackknife over runs. By another measure,
        :func:`backstay.stability.compare_stability` compares ``runs.orders(method)[:, :size]``.
        Across several data sets there are signed-rank tests on their means, too.

        Parameters
        ----------
        first, second : str
            Names of methods; differences are first minus second.
        size, model, metric : int, str, str, default=None
            Chosen beforehand; None averages over the study's sizes, and takes its first model and
            its deciding metric.
        test : str, default="auto"
            For accuracy: "five_by_two_f" under :class:`backstay.study.FiveByTwo` and
            "corrected_t" otherwise; or "five_by_two_t", "signed_rank", "mann_whitney".
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        at = Configuration(first, size, model, metric)
        return compare_methods(self._parts, at, second, test=test, confidence=confidence)

    def recommend(
        self,
        *,
        metric: str | None = None,
        n_bootstrap: int = 1000,
        random_state: int = 0,
    ) -> Recommendation:
        """Recommend one method, one size and one signature, or none, for one data set.

        Candidates are the configurations above chance whose score is within one standard error of
        the best; the error is that of the paired difference, corrected for the rows that resamples
        share. Three are named: *trusted*, which an independent sample would most surely choose
        again (highest :meth:`replication`, less its standard error) and which is recommended;
        *short*, the fewest features; and *accurate*, the best score. The score quoted is corrected
        for the choice, by repeating it in a bootstrap over rows, judged on the rows left out.
        Nothing is recommended unless that is above chance, on at least 40 independent rows, and
        the choice is stabler than with shuffled outcomes where these were run. A method that
        finished less than 80 % of its runs takes no part; see ``runs.counts()``. With
        :meth:`at_most`, larger sizes are not considered.

        Parameters
        ----------
        metric : str, default=None
            What is good; None is the study's deciding metric.
        n_bootstrap : int, default=1000
            Bootstrap samples, of rows or of whole groups.
        random_state : int, default=0
            Seed of the bootstrap.
        """
        return recommended(self._one(), metric, n_bootstrap, random_state)

    def at_most(self, max_features: int) -> Self:
        """Return the same results with answers of at most so many features."""
        limited = copy(self)
        limited._parts = {name: part.at_most(max_features) for name, part in self._parts.items()}
        return limited

    def plan(
        self, method: str | None = None, size: int | None = None, model: str | None = None
    ) -> Plan:
        """Tell whether more rows would help, for one data set run with ``Study(planning=…)``.

        Score and replication are measured on thirds, halves and more of the rows, and curves
        through these points are followed to four times as many rows, each with a 95 % band. By
        default of what :meth:`choice` looks at, whose figures are corrected for the choice; with a
        method and a size, the model is the study's first if None. Without runs on parts of the rows
        it is a Refusal.
        """
        records = self._one()
        return plan_of(records, configuration_of(records, method, size, model))

    def choice(self) -> Choice:
        """Return what to look at, for one data set: the recommendation, or what stands in.

        Where nothing is recommended, the configuration with the best score; where no accuracy was
        measured, the stablest method at its stablest size. Only of methods with enough runs.
        """
        return choice_of(self._one())
