"""The study: methods × resamples × sizes × classifiers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay._identity import describe, digest, fingerprint
from backstay.results._partners import partner_arrays
from backstay.results._records import Records
from backstay.results._results import Results
from backstay.results._store import Store
from backstay.study._checks import (
    check_scores,
    checked_data,
    checked_truth,
    digest_splits,
    feature_names,
    metric_names,
    named,
    report_failures,
    resampling_name,
    same_data,
    same_study,
    sample_names,
    seed_of,
    split_arrays,
    steps_of,
    subset_sizes,
)
from backstay.study._classify import numbers_of, shortcuts_of
from backstay.study._controls import Role, with_controls
from backstay.study._parallel import outcomes
from backstay.study._progress import Progress
from backstay.study._protocols import FiveByTwo, Split, Subsampling, draw_splits
from backstay.study._task import Plan

__all__ = ["Study"]


class Study:
    """Run methods on resamples of data and gather the evidence, leak-free and resumable.

    Every task, a method on a resample, fits `preprocess`, instance weights and
    the method on the training rows, then every classifier at every size on the
    method's best features, and predicts the test rows.

    Parameters
    ----------
    methods : dict of str to ranker
        Rankers of backstay, or any scikit-learn estimator that exposes
        ``feature_importances_``, ``coef_`` or ``ranking_``.
    resampling : Subsampling, FiveByTwo, RepeatedStratifiedKFold or splitter, default=None
        How rows are split; None is ``Subsampling(100, train_size=2/3)``. Any
        scikit-learn splitter will do, or a list of pairs of training and test rows.
    classifiers : dict of str to classifier, default=None
        None is a linear SVM and 1-NN on features scaled to [0, 1]; ``{}`` studies
        stability only. A :class:`DoublyWeightedKNeighborsClassifier` without
        feature weights of its own gets the method's feature weights, and its
        instance weights as votes.
    sizes : list of int or "log", default="log"
        Subset sizes; "log" is 1, 2, 5, 10, 20, 50, … below the number of features.
    scoring : list of str, default=("accuracy", "balanced_accuracy")
        Of "accuracy", "balanced_accuracy", "f1_macro" and "roc_auc" (one class
        against the others, averaged, beyond two classes).
    preprocess : transformer, Pipeline or list of steps, default=None
        Fitted on training rows before everything else. It may change values and
        select columns, not make new ones.
    controls : bool, default=True
        Whether every instance-weighted method gets, beside it, the same method
        with uniform weights of the same sum, and the plain method.
    store : path, default=None
        SQLite file to keep results in as they come, and to resume from.
    n_jobs : int, default=None
        Tasks run at the same time. Neither it nor the joblib backend changes a
        result.
    random_state : int or None, default=None
        Seeds the splits and every estimator's ``random_state`` left at None.
    verbose : int or None, default=None
        None shows progress on a terminal; 0 never does; 1 also writes lines
        where there is no terminal.

    Notes
    -----
    Features of equal importance are put in random order, the same for all
    methods on a resample: ordered by column they would pass for stability.

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

    def __init__(
        self,
        methods: Mapping[str, Any],
        resampling: Any = None,
        *,
        classifiers: Mapping[str, Any] | None = None,
        sizes: Iterable[int] | str = "log",
        scoring: Iterable[str] = ("accuracy", "balanced_accuracy"),
        preprocess: Any = None,
        controls: bool = True,
        store: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: int | None = None,
    ) -> None:
        self.methods = methods
        self.resampling = resampling
        self.classifiers = classifiers
        self.sizes = sizes
        self.scoring = scoring
        self.preprocess = preprocess
        self.controls = controls
        self.store = store
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __repr__(self) -> str:
        where = "" if self.store is None else f", store={str(self.store)!r}"
        return f"Study({len(self.methods)} methods, {self._resampling()!r}{where})"

    def run(
        self,
        X: Any,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        truth: ArrayLike | None = None,
        dataset: str = "data",
        provenance: Mapping[str, Any] | None = None,
        retry_failed: bool = False,
    ) -> Results:
        """Run what the store does not hold yet, and return the results.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Rows, all of them; the study splits them itself.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : array-like of shape (n_samples,), optional
            Rows of one group stay on one side of every split.
        truth : array-like of shape (n_features,), optional
            True relevance, where it is known, for ``results.bias_variance()``.
        dataset : str, default="data"
            Name of the data set in the store.
        provenance : dict, optional
            Where the data came from and what was done to them, in words and numbers;
            kept with the data set and shown in the report. It does not identify the study.
        retry_failed : bool, default=False
            Whether tasks that failed in an earlier run are run again.

        Returns
        -------
        Results
            Of everything in the store.

        Raises
        ------
        StoreError
            If the store is damaged, locked, or holds another study.
        StudyError
            If every task failed, or workers kept dying.
        """
        arguments = {
            "groups": groups,
            "truth": truth,
            "provenance": provenance,
            "retry_failed": retry_failed,
        }
        return self._run_all({dataset: (X, y, arguments)})

    def run_many(self, datasets: Mapping[str, Any], *, retry_failed: bool = False) -> Results:
        """Run the study on several data sets, into one store.

        Parameters
        ----------
        datasets : dict of str to (X, y), (X, y, groups) or (X, y, groups, truth)
            The data, by name.
        retry_failed : bool, default=False
            As in :meth:`run`.

        Returns
        -------
        Results
            Of everything in the store.
        """
        if not isinstance(datasets, Mapping) or not datasets:
            raise ValueError(f"datasets={datasets!r} must map names to (X, y).")
        given = {}
        for name, data in datasets.items():
            if not isinstance(data, tuple) or not 2 <= len(data) <= 4:
                raise ValueError(f"datasets[{name!r}] must be (X, y), with groups and truth after.")
            groups, truth = (*data[2:], None, None)[:2]
            arguments = {"groups": groups, "truth": truth, "retry_failed": retry_failed}
            given[name] = (data[0], data[1], arguments)
        return self._run_all(given)

    # Checking what was asked for.

    def _resampling(self) -> Any:
        return Subsampling() if self.resampling is None else self.resampling

    def _classifiers(self) -> dict[str, Any]:
        if self.classifiers is None:
            return {
                "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
                "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1)),
            }
        return named("classifiers", self.classifiers, "predict")

    def _check_random_state(self) -> None:
        state = self.random_state
        if state is not None and (not isinstance(state, Integral) or state < 0):
            raise ValueError(
                f"random_state={state!r} must be a non-negative integer or None: a study draws "
                "every seed up front, so that it can be resumed."
            )

    def _facts(self, scoring: list[str], classifiers: dict[str, Any], steps: Any) -> dict[str, Any]:
        """Return the description that makes this study the same study, on any data."""
        sizes = self.sizes if isinstance(self.sizes, str) else [int(size) for size in self.sizes]
        return {
            "methods": describe(self.methods, "methods"),
            "classifiers": describe(classifiers, "classifiers"),
            "preprocess": describe(steps, "preprocess"),
            "sizes": sizes,
            "scoring": scoring,
            "controls": bool(self.controls),
            "random_state": None if self.random_state is None else int(self.random_state),
        }

    # Running.

    def _run_all(self, datasets: Mapping[str, tuple[Any, Any, dict[str, Any]]]) -> Results:
        self._check_random_state()
        methods = named("methods", self.methods, "fit")
        if not methods:
            raise ValueError("methods is empty; give at least one method by name.")
        everyone, roles = methods, {name: Role() for name in methods}
        if self.controls:
            everyone, roles = with_controls(methods)
        classifiers, scoring, steps = (
            self._classifiers(),
            metric_names(self.scoring),
            steps_of(self.preprocess),
        )
        if "roc_auc" in scoring:
            check_scores(classifiers)
        facts = self._facts(scoring, classifiers, steps)
        store = Store(self.store)
        try:
            same_study(store, facts)
            for name, (X, y, arguments) in datasets.items():
                self._run_one(
                    store, name, X, y, everyone, roles, classifiers, scoring, steps, **arguments
                )
        except BaseException:
            store.close()
            raise
        if self.store is None:
            return Results(store)
        store.close()
        return Results.load(self.store)

    def _run_one(
        self,
        store: Store,
        name: str,
        X: Any,
        y: Any,
        methods: dict[str, Any],
        roles: dict[str, Role],
        classifiers: dict[str, Any],
        scoring: list[str],
        steps: Any,
        *,
        groups: Any,
        truth: Any,
        retry_failed: bool,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        X, y, codes, classes, groups = checked_data(self, X, y, groups)
        sizes = subset_sizes(self.sizes, X.shape[1])
        entropy = seed_of(store, self.random_state)
        splits = draw_splits(self._resampling(), y, groups, np.random.SeedSequence(entropy))
        facts = {
            "data": {
                "X": fingerprint(X),
                "y": digest(y),
                "groups": None if groups is None else digest(groups),
            },
            "resampling": resampling_name(self._resampling()),
            "splits": digest_splits(splits),
            "five_by_two": isinstance(self._resampling(), FiveByTwo),
            "n_samples": int(X.shape[0]),
            "n_features": int(X.shape[1]),
            "feature_names": feature_names(X),
            "sample_names": sample_names(X),
            "classes": classes.tolist(),
            "sizes": list(sizes),
            "methods": {key: vars(roles[key]) for key in methods},
            "classifiers": list(classifiers),
            "scoring": scoring,
        }
        known = store.datasets()
        if name in known:
            same_data(store, name, known[name], facts)
        else:
            store.add_dataset(name, facts, split_arrays(splits, codes, groups))
        if truth is not None:
            store.set_array(name, "truth", checked_truth(truth, X.shape[1]))
        if provenance is not None:
            store.describe_study({f"provenance of {name}": dict(provenance)})
        if retry_failed:
            store.forget_failures(name)
        numbers = numbers_of(X) if steps is None else None
        keep_scores = "roc_auc" in scoring
        shortcuts = {} if keep_scores else shortcuts_of(classifiers)
        plan = Plan(X, y, classes, steps, classifiers, sizes, keep_scores, numbers, shortcuts)
        if self._work(store, name, plan, methods, splits):
            for key, array in partner_arrays(X, Records(store, name, facts)).items():
                store.set_array(name, key, array)
        report_failures(store, name)

    def _work(
        self,
        store: Store,
        name: str,
        plan: Plan,
        methods: dict[str, Any],
        splits: list[Split],
    ) -> int:
        """Run the tasks that are left, write each as soon as it is finished; say how many."""
        done = store.done(name)
        tasks = [(method, i) for i in range(len(splits)) for method in methods]
        pending = [task for task in tasks if task not in done]
        finished = len(tasks) - len(pending)
        running = outcomes(plan, methods, splits, pending, self.n_jobs)
        try:
            with Progress(len(tasks), finished, self.verbose, name) as progress:
                for outcome in running:
                    store.write(name, outcome)
                    progress.advance(outcome.error is not None)
        except KeyboardInterrupt as stop:
            finished = len(store.done(name))  # it may come between a task and its count
            kept = "" if self.store is None else f"; they are kept in {self.store}"
            stop.add_note(
                f"The study stopped after {finished} of {len(tasks)} tasks on {name!r}{kept}."
                + ("" if self.store is None else " Run it again to go on.")
            )
            raise
        finally:
            running.close()
        return len(pending)
