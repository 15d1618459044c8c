"""The study: methods × resamples × sizes × models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from backstay._identity import describe
from backstay._notebook import as_html
from backstay._scaling import table_near_one
from backstay.results import Records, Results, Role
from backstay.store import Store
from backstay.study._checks import (
    CheckedStudy,
    check_missing_cells,
    check_outcomes,
    estimators_by_name,
    metric_names,
    preprocessing,
)
from backstay.study._confounding import check_confounding
from backstay.study._controls import with_controls
from backstay.study._data import CheckedData, Dataset, checked_data, log_sizes
from backstay.study._decoys import run_decoys
from backstay.study._describe import describe_data, describe_selected
from backstay.study._methods import make_methods
from backstay.study._parallel import finished_tasks, report_failures, warn_of_memory
from backstay.study._predict import Prediction
from backstay.study._progress import Progress
from backstay.study._protocols import (
    DEAL_RUNS,
    NULL_RUNS,
    Subsampling,
    batch_runs,
    draw_batches,
    draw_null_splits,
    draw_parts,
    draw_splits,
    whole_number,
    why_no_parts,
)
from backstay.study._rows import numbers_of, reads_numbers
from backstay.study._shards import Shard
from backstay.study._stored_study import (
    PlannedRuns,
    check_same_data,
    check_same_study,
    describe_in,
    enter_data,
    planned_runs,
    seed_of_study,
)
from backstay.study._task import SharedInputs
from backstay.targets import Target


@dataclass(eq=False, repr=False)
class Study:
    """Run methods on resamples of data, without leaks, in parallel and resumable.

    A task is a method on a resample. It fits `preprocess`, instance weights and the
    method on the training rows, then every model at every size on the method's
    best features, and predicts the test rows.

    Parameters
    ----------
    methods : dict of str to ranker, or str
        Rankers of backstay, or any scikit-learn estimator that exposes
        ``feature_importances_``, ``coef_``, ``ranking_`` or ``scores_``. A text, such as
        "default" or "t,relieff", stands for methods by name; see :func:`make_methods`.
    resampling : Subsampling, FiveByTwo, RepeatedStratifiedKFold, splitter or int, default=None
        How rows are split; None is ``Subsampling(100, train_size=2/3)``, a number as many such
        splits. Any splitter of scikit-learn will do, or a list of pairs of training and test rows.
    models : dict of str to model, default=None
        None is a linear SVM, which weighs classes by their rarity, and 1-NN, both on features
        scaled to [0, 1]; for numbers, ridge regression and 5-NN; for times until an event, Cox
        regression with a ridge penalty. ``{}`` studies stability only. A
        :class:`DoublyWeightedKNeighborsClassifier` without feature weights of its own gets the
        method's feature weights, and its instance weights as votes.
    sizes : list of int or "log", default="log"
        Subset sizes; "log" is 1, 2, 5, 10, 20, 50, … below the number of features.
    metric : str, default=None
        The metric that decides: what a recommendation, comparisons and the report go by. Of
        "roc_auc" (one class against the others, averaged, beyond two classes),
        "average_precision", "accuracy", "balanced_accuracy", "f1_macro", "mcc", and, for
        models with probabilities, "log_loss" and "brier". None is the first of
        `scoring`, or "roc_auc" where every model ranks rows. For numbers, "r2", which is the
        default, "spearman", "mae" or "rmse". For times until an event, "uno_c", which is the
        default, "harrell_c", "auc_t" or "ipa".
    scoring : list of str, default=None
        Metrics to report beside it; None is balanced accuracy and accuracy, or the other
        three of numbers.
    null : int, default=0
        Permutations of the labels to run as a control of stability: the same resampling
        protocol with a few resamples each, without models; see
        :meth:`backstay.results.Results.null`. 20 is enough to see a floor.
    decoys : int, default=0
        How often decoys, features with permuted rows, compete with the features in the method
        that the report is about, so that every feature gets a q-value; see
        :class:`backstay.ensemble.DecoyControl`. 25 or more; not for rows in groups. Shards leave
        them to the merged study.
    planning : int, default=0
        How often the rows are dealt into halves and into thirds, each of which is trained on and
        tested with the others, for :meth:`backstay.results.Results.plan`; 4 is enough.
    preprocess : transformer, Pipeline or list of steps, default=None
        Fitted on training rows before everything else. It may change values and
        select columns, not make new ones.
    controls : bool, default=True
        Whether every instance-weighted method gets, beside it, the same method
        with uniform weights of the same sum, and the plain method.
    weight_models : bool, default=False
        Whether models whose ``fit``, or that of their last step, takes ``sample_weight`` get the
        instance weights that the method learned on the training rows, of mean 1 [Prat 9.2].
    keep_samples : bool, default=True
        Whether the store keeps names of samples and, of up to 200 of them, values of the features
        that may be in a signature; see docs/privacy.md.
    store : path, default=None
        SQLite file to keep results in as they come, and to resume from.
    n_jobs : int, default=None
        Number of tasks that run at the same time. Neither it nor the joblib backend
        changes a result.
    random_state : int or None, default=None
        Seeds the splits and every estimator's ``random_state`` left at None.
    verbose : int or None, default=None
        None shows progress on a terminal or in a notebook; 0 never does; 1 also writes lines
        elsewhere.

    Notes
    -----
    Features of equal importance are put in random order, the same for all
    methods on a resample: in the order of the columns they would look stable.

    Examples
    --------
    >>> from backstay import InstanceWeighted, MarginWeighting, ReliefF
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.study import Study, Subsampling
    >>> X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, random_state=0)
    >>> study = Study(
    ...     {"relieff": ReliefF(), "mbiw": InstanceWeighted(ReliefF(), MarginWeighting())},
    ...     Subsampling(5), sizes=[5, 10], random_state=0,
    ... )
    >>> results = study.run(X, y)
    >>> results.methods
    ['relieff', 'mbiw', 'relieff (control, mean 1)']
    """

    # Runs on each permutation of the outcome, for the null, and on each deal, for planning.
    NULL_RUNS: ClassVar[int] = NULL_RUNS
    DEAL_RUNS: ClassVar[int] = DEAL_RUNS

    methods: Mapping[str, Any] | str
    resampling: Any = None
    _: KW_ONLY
    models: Mapping[str, Any] | None = None
    sizes: Iterable[int] | str = "log"
    metric: str | None = None
    scoring: Iterable[str] | None = None
    null: int = 0
    decoys: int = 0
    planning: int = 0
    preprocess: Any = None
    controls: bool = True
    weight_models: bool = False
    keep_samples: bool = True
    store: str | os.PathLike[str] | None = None
    n_jobs: int | None = None
    random_state: int | None = None
    verbose: int | None = None

    def __repr__(self) -> str:
        where = "" if self.store is None else f", store={str(self.store)!r}"
        return f"Study({len(self._methods())} methods, {self._resampling()!r}{where})"

    def _repr_html_(self) -> str:
        methods = self._methods()
        shown = {"method": list(methods), "ranker": [repr(one) for one in methods.values()]}
        return as_html(repr(self), pd.DataFrame(shown))

    def run(
        self,
        X: Any,
        y: ArrayLike | Target,
        groups: ArrayLike | None = None,
        *,
        covariates: Any = None,
        batch: ArrayLike | None = None,
        pairs: ArrayLike | None = None,
        dataset: str = "data",
        retry_failed: bool = False,
        shard: tuple[int, int] | None = None,
        **about: Any,
    ) -> Results:
        """Run what the store does not hold yet, and return the results.

        Parameters
        ----------
        X, y, groups, covariates, batch, pairs
            Rows, all of them, their outcome, and what else is known of them, as in
            :class:`Dataset`.
        dataset : str, default="data"
            Name of the data set in the store.
        retry_failed : bool, default=False
            Whether tasks that failed in an earlier run are run again.
        shard : tuple of int, optional
            Which part of the tasks to run: (3, 10) is the third of ten. Every part needs a store
            of its own; :func:`backstay.study.merge_stores` puts them together.
        **about
            What else is known of the data: `truth`, `provenance`, `annotation`, `suspicions`,
            `found`, `positive`, `target` and `center_batches`, as in :class:`Dataset`.

        Returns
        -------
        Results
            Of everything in the store. A StoreError if that is damaged, locked, or holds another
            study; a StudyError if every task failed, or workers kept dying.
        """
        if misplaced := [name for name in about if hasattr(self, name)]:
            raise TypeError(f"{misplaced[0]} is a parameter of Study, not of its run().")
        given = Dataset(X, y, groups, covariates=covariates, batch=batch, pairs=pairs, **about)
        return self._run_all({dataset: given}, retry_failed, shard)

    def run_many(
        self,
        datasets: Mapping[str, Any],
        *,
        retry_failed: bool = False,
        shard: tuple[int, int] | None = None,
    ) -> Results:
        """Run the study on several data sets, into one store.

        Parameters
        ----------
        datasets : dict of str to Dataset or (X, y)
            The data, by name; tuples may have groups and truth after.
        retry_failed, shard : bool, tuple of int
            As in :meth:`run`, and so is what is returned.
        """
        if not isinstance(datasets, Mapping) or not datasets:
            raise ValueError(f"datasets={datasets!r} must map names to (X, y).")
        given = {}
        for name, data in datasets.items():
            given[name] = Dataset(*data) if isinstance(data, tuple) else data
            if not isinstance(given[name], Dataset):
                raise ValueError(f"datasets[{name!r}] must be a Dataset, or (X, y).")
        return self._run_all(given, retry_failed, shard)

    def all_methods(self) -> dict[str, Any]:
        """Return the methods that a run fits, by name: those given, then controls that it adds.

        Examples
        --------
        >>> from backstay import InstanceWeighted, MarginWeighting, ReliefF
        >>> from backstay.study import Study
        >>> study = Study({"weighted": InstanceWeighted(ReliefF(), MarginWeighting())})
        >>> list(study.all_methods())
        ['weighted', 'ReliefF', 'ReliefF (control, mean 1)']
        """
        return self._methods_and_roles()[0]

    log_sizes = staticmethod(log_sizes)
    why_no_parts = staticmethod(why_no_parts)
    batch_runs = staticmethod(batch_runs)

    def _methods_and_roles(self, kind: str | None = None) -> tuple[dict[str, Any], dict[str, Role]]:
        methods = estimators_by_name("methods", self._methods(kind), "fit")
        if not methods:
            raise ValueError("methods is empty; give at least one method by name.")
        if self.controls:
            return with_controls(methods)
        return methods, {name: Role() for name in methods}

    def _methods(self, kind: str | None = None) -> Mapping[str, Any]:
        given = self.methods
        return make_methods(given, kind=kind) if isinstance(given, str) else given

    def _resampling(self) -> Any:
        if isinstance(self.resampling, int):
            return Subsampling(self.resampling)
        return Subsampling() if self.resampling is None else self.resampling

    def _checked(self, target: Target) -> CheckedStudy:
        if self.random_state is not None:
            whole_number("random_state", self.random_state, 0)  # so that it can be resumed
        methods, roles = self._methods_and_roles(target.kind)
        models = (
            target.default_models()
            if self.models is None
            else estimators_by_name("models", self.models, "predict")
        )
        steps = preprocessing(self.preprocess)
        metric, scoring = metric_names(self.metric, self.scoring, models, target)
        null, planning, _ = (
            whole_number(name, getattr(self, name), 0) for name in ("null", "planning", "decoys")
        )
        sizes = self.sizes if isinstance(self.sizes, str) else [int(size) for size in self.sizes]
        description = {
            "methods": describe(self._methods(target.kind), "methods"),
            "models": describe(models, "models"),
            "preprocess": describe(steps, "preprocess"),
            "sizes": sizes,
            "scoring": scoring,
            "metric": metric,
            "null": null,
            "controls": bool(self.controls),
            "weight_models": bool(self.weight_models),
            "random_state": None if self.random_state is None else int(self.random_state),
        }
        if planning:
            description["planning"] = planning
        kept = bool(self.weight_models), bool(self.keep_samples)
        described = methods, roles, models, scoring, metric, null, planning, steps
        return CheckedStudy(*described, self._resampling(), description, *kept)

    def _run_all(
        self, datasets: Mapping[str, Dataset], retry_failed: bool, given: tuple[int, int] | None
    ) -> Results:
        shard = None if given is None else Shard.of(given, self.random_state)
        checked = [checked_data(name, data, self.sizes) for name, data in datasets.items()]
        first = checked[0]
        for data in checked[1:]:
            if data.target.kind != first.target.kind:
                raise ValueError(
                    f"{first.name!r} has an outcome of {first.target.kind} and {data.name!r} one "
                    f"of {data.target.kind}; run them as two studies."
                )
        study = self._checked(first.target)
        for data in checked:
            check_outcomes(study.methods, data.target)
            check_confounding(data.target, data.design.covariates, data.design.batch)
            check_missing_cells(study.methods, study.models, study.preprocess, data)
            if self.decoys and data.groups is not None and data.design.pairs is None:
                raise ValueError(
                    f"decoys permute rows, and those of {data.name!r} belong together in groups, "
                    "so q-values would be too small; use decoys=0, or name groups that have rows "
                    "of both classes as pairs."
                )
        store = Store(self.store, private=study.keep_samples)
        try:
            # Everything is checked before anything is written.
            check_same_study(store, study.description)
            planned = [self._planned(store, study, data) for data in checked]
            describe_in(store, study.description, shard)
            records = {
                runs.data.name: self._run_one(store, study, runs, retry_failed, shard)
                for runs in planned
            }
            store.finish()
        except BaseException:
            store.close()
            raise
        return Results(store, records=records, estimators=(study.models, study.preprocess))

    def _planned(self, store: Store, study: CheckedStudy, data: CheckedData) -> PlannedRuns:
        """Draw every split and every seed; refuse those that the store has otherwise."""
        seeds = np.random.SeedSequence(seed_of_study(store, self.random_state))
        drawn = draw_splits(study.resampling, data.target, data.design, seeds)
        null = draw_null_splits(study.resampling, data.target, data.design, study.null, seeds)
        # Those on batches come first: deals of the rows may grow.
        parts = draw_batches(data.target, data.design, seeds)
        parts += draw_parts(data.target, data.groups, study.planning, seeds)
        runs = planned_runs(study, data, drawn, null, parts)
        check_same_data(store, runs)
        return runs

    def _run_one(
        self,
        store: Store,
        study: CheckedStudy,
        runs: PlannedRuns,
        retry_failed: bool,
        shard: Shard | None,
    ) -> Records:
        """Run a data set's tasks, and return what is known of it, ready to be asked."""
        data = runs.data
        enter_data(store, runs)
        if retry_failed:
            store.forget_failures(data.name)
        describe_data(store, data)
        ran = self._run_tasks(store, study, runs, shard)
        records = Records(store, data.name, store.datasets()[data.name])
        describe_selected(records, data.X, changed=ran > 0, of_all=shard is not None)
        report_failures(store, data.name)
        if self.decoys and shard is None:
            run_decoys(
                study,
                data,
                records,
                n_draws=self.decoys,
                seed=seed_of_study(store, self.random_state),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
        return records

    def _run_tasks(
        self, store: Store, study: CheckedStudy, runs: PlannedRuns, shard: Shard | None
    ) -> int:
        """Run the tasks that are left, write each as soon as it is done; return their number."""
        data, splits = runs.data, runs.by_number()
        done = store.done(data.name)
        tasks = [(method, i) for i in splits for method in study.methods]
        # The last methods of a panel take longest to compile: on the first split they begin.
        tasks[: len(study.methods)] = reversed(tasks[: len(study.methods)])
        if shard is not None:
            tasks = shard.part(tasks, list(study.methods))
        pending = [task for task in tasks if task not in done]
        running = finished_tasks(
            _shared_inputs(study, data), study.methods, splits, pending, self.n_jobs
        )
        n_skipped = len(tasks) - len(pending)
        if pending:
            warn_of_memory(data.X, splits, self.n_jobs)
        try:
            about = (len(tasks), n_skipped, self.verbose, data.name)
            with Progress(*about, pending=pending) as progress:
                for record in running:
                    store.write(data.name, record)
                    progress.advance(record.error is not None, record)
        except KeyboardInterrupt as stop:
            n_done = len(store.done(data.name))  # it may come between a task and its count
            note = f"The study stopped after {n_done} of {len(tasks)} tasks on {data.name!r}"
            kept = f"; they are kept in {self.store}. Run it again to go on."
            stop.add_note(note + ("." if self.store is None else kept))
            raise
        finally:
            running.close()
        return len(pending)


def _shared_inputs(study: CheckedStudy, data: CheckedData) -> SharedInputs:
    needs = {data.target.metrics[name].needs for name in study.scoring}
    keep = next((kind for kind in ("probabilities", "scores") if kind in needs), "predictions")
    known = {name: data.target.shortcut(model, keep) for name, model in study.models.items()}
    shortcuts = {name: shortcut for name, shortcut in known.items() if shortcut is not None}
    prediction = Prediction(
        study.models, data.sizes, data.target, keep, shortcuts, study.weight_models
    )
    X, y = table_near_one(data.X), data.target.values
    numbers = numbers_of(X) if study.preprocess is None else None
    # Where nobody asks for a column by its name, names need not travel with every task.
    nameless = all(reads_numbers(method) for method in study.methods.values())
    if numbers is not None and nameless and set(shortcuts) == set(study.models):
        return SharedInputs(numbers, y, prediction, None, numbers, data.design)
    return SharedInputs(X, y, prediction, study.preprocess, numbers, data.design)
