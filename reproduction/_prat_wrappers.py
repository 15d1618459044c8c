"""The thesis' nested evaluation of sequential wrappers [Prat 3.2], for its chapters 6 and 7.

Outer 5×2 folds: a search on one half, its best subset tested on the other. The
searches judge subsets by inner 5×2 folds of their half. Plain searches are run
once and serve the tables of both chapters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold as InnerFolds

from backstay.datasets import make_anti_corral
from backstay.study import RepeatedStratifiedKFold
from reproduction._estimates import Floats
from reproduction._experiment import Arrays, MissingDataError, RunSettings
from reproduction._prat_genes import N_GENES, best_genes
from reproduction._prat_search import Reading, ThesisSelector, inducer_classifier

__all__ = [
    "METHODS",
    "READINGS",
    "SECOND",
    "WRAPPER_PROBLEMS",
    "Unit",
    "WrapperProblem",
    "files",
    "pairs_run",
    "run_units",
]

Indices = NDArray[np.intp]

# R's `knn` takes features as they are, its `svm` standardises them; LDA does not care.
INDUCERS: dict[str, tuple[str, str | None]] = {
    "knn": ("1nn", None),
    "lda": ("lda", None),
    "svm": ("svm_linear", "standard"),
    "svm_rbf": ("svm_rbf", "standard"),
}
PRINTED = "SBG+ as printed"
METHODS: dict[str, dict[str, Any]] = {
    "SFG": {"direction": "forward"},
    "SBG": {"direction": "backward"},
    "RSA forward": {"direction": "forward", "criterion": "remainder"},
    "RSA backward": {"direction": "backward", "criterion": "remainder"},
    "SBG+": {"direction": "backward", "criterion": "accumulated"},
    PRINTED: {"direction": "backward", "criterion": "accumulated"},
    "SFG, twice the inner folds": {"direction": "forward", "inner_repeats": 10},
    "SBG, twice the inner folds": {"direction": "backward", "inner_repeats": 10},
}


SECOND = "second"
# "second" was chosen after looking at published figures; the others leave out one part of it.
READINGS = {
    "first": Reading(),
    SECOND: Reading("fresh", "vote", raw=True),
    "second, shared folds": Reading("shared", "vote", raw=True),
    "second, ties to the first row": Reading("fresh", "first", raw=True),
    "second, log2 intensities": Reading("fresh", "vote", raw=False),
}


@dataclass(frozen=True)
class WrapperProblem:
    """A data set of the thesis' tables.

    Attributes
    ----------
    file : str
        Its file without extension; empty if it needs none.
    shape : (int, int)
        Rows and features of the file.
    inducers : str
        Those run here; the others of the tables take too long. One with a ``>`` is run
        with forward searches only.
    n_rows : int or None
        Rows drawn to save time, None for all.
    genes : {"", "training rows", "all rows"}
        Rows that the 200 genes of the largest between-within ratio are chosen by.
    differs : str
        Why its figures cannot be expected to be the published ones, if so.
    """

    file: str
    shape: tuple[int, int]
    inducers: str = "knn lda svm"
    n_rows: int | None = None
    genes: str = ""
    differs: str = ""

    @property
    def n_features(self) -> int:
        """Features that a search can choose from, over all runs."""
        return N_GENES if self.genes == "all rows" else self.shape[1]


_DRAWN = "1000 rows drawn at random"
_FEWER = "102 rows, published with 136"
_TRAIN, _ALL = "training rows", "all rows"
WRAPPER_PROBLEMS: dict[str, WrapperProblem] = {
    "diabetes": WrapperProblem("pima", (768, 8)),
    "heart-statlog": WrapperProblem("heart_statlog", (270, 13)),
    "ionosphere": WrapperProblem("ionosphere", (351, 34), "knn svm>"),
    "landsat_train": WrapperProblem("landsat", (6435, 36), "knn lda", 1000, differs=_DRAWN),
    "parkinsons": WrapperProblem("parkinsons", (195, 22), "knn svm"),
    "pop_failures": WrapperProblem("pop_failures", (540, 18)),
    "sonar": WrapperProblem("sonar", (208, 60), "knn"),
    "spectf": WrapperProblem("spectf", (267, 44)),
    "vehicle": WrapperProblem("vehicle", (846, 18), "knn lda svm>"),
    "waveform": WrapperProblem("waveform21", (5000, 21), "knn lda svm>", 1000, differs=_DRAWN),
    "wdbc": WrapperProblem("", (569, 30)),
    "iris": WrapperProblem("", (150, 4), "lda"),
    "antiCorrAl": WrapperProblem(
        "", (200, 11), "lda", differs="another sample; rows not published"
    ),
    "ma_colon_tumor": WrapperProblem("colon_alon", (62, 2000), "knn", genes=_TRAIN),
    "ma_leukemia": WrapperProblem("leukemia_golub", (72, 7129), "knn", genes=_TRAIN),
    "ma_lung_cancer": WrapperProblem("lung_gordon", (181, 12533), "knn", genes=_TRAIN),
    "ma_prostate_cancer": WrapperProblem(
        "prostate_singh", (102, 12600), "knn", genes=_TRAIN, differs=_FEWER
    ),
    "ma_colon_tumor*": WrapperProblem("colon_alon", (62, 2000), "knn", genes=_ALL),
    "ma_leukemia*": WrapperProblem("leukemia_golub", (72, 7129), "knn", genes=_ALL),
    "ma_lung_cancer*": WrapperProblem("lung_gordon", (181, 12533), "knn", genes=_ALL),
}
MOST_FOR_FRESH_SVM = 30
QUICK = (("heart-statlog", "knn"), ("heart-statlog", "lda"), ("parkinsons", "knn"))


class Unit(NamedTuple):
    """One method with one inducer on one problem: what is run and kept together."""

    problem: str
    inducer: str
    method: str
    ties: str = "random"
    reading: str = "first"


def files() -> dict[str, tuple[int, int]]:
    """Return the data files needed and their shapes."""
    return {one.file: one.shape for one in WRAPPER_PROBLEMS.values() if one.file}


def pairs_run(
    settings: RunSettings,
    published: Iterable[tuple[str, str]],
    *,
    forward: bool,
    reading: str = "first",
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the pairs of problem and inducer to run, and the problems whose file is missing.

    Another reading than the first takes longer: it leaves out data unlike the published ones, and
    SVMs with more than 30 features or 1000 rows.
    """
    listed = set(published)
    pairs, missing = [], []
    for name, problem in WRAPPER_PROBLEMS.items():
        if reading != "first" and problem.differs:
            continue
        run = [i.rstrip(">") for i in problem.inducers.split() if forward or not i.endswith(">")]
        inducers = [i for i in run if (name.rstrip("*"), i) in listed]
        if reading != "first" and problem.shape[1] > MOST_FOR_FRESH_SVM:
            inducers = [i for i in inducers if i != "svm"]
        if settings.quick:
            inducers = [i for i in inducers if (name, i) in QUICK]
        try:
            if inducers:
                _load(settings, name)
        except MissingDataError:
            missing.append(name)
            continue
        pairs += [(name, inducer) for inducer in inducers]
    return pairs, missing


def run_units(settings: RunSettings, units: Iterable[Unit], n_repeats: int) -> dict[Unit, Arrays]:
    """Run what was not run before, and return everything."""
    distinct = list(dict.fromkeys(units))
    arrays = Parallel(n_jobs=settings.n_jobs)(
        delayed(_kept_unit)(settings, unit, n_repeats) for unit in distinct
    )
    return dict(zip(distinct, arrays, strict=True))


def _kept_unit(settings: RunSettings, unit: Unit, n_repeats: int) -> Arrays:
    problem = WRAPPER_PROBLEMS[unit.problem]
    key = {**unit._asdict(), "repeats": n_repeats, "rows": problem.n_rows, "genes": problem.genes}
    key["inducer"] = " ".join(map(str, INDUCERS[unit.inducer]))
    if key.pop("reading") != "first":
        key |= asdict(READINGS[unit.reading])
    return settings.kept("prat-wrappers", key, lambda: _run_unit(settings, unit, n_repeats))


def _load(settings: RunSettings, name: str, *, raw: bool = False) -> tuple[Floats, NDArray[Any]]:
    """Return rows and labels of a problem."""
    from sklearn.datasets import load_breast_cancer, load_iris

    problem = WRAPPER_PROBLEMS[name]
    if name == "wdbc":
        return load_breast_cancer(return_X_y=True)
    if name == "iris":
        return load_iris(return_X_y=True)
    if name == "antiCorrAl":
        return make_anti_corral(random_state=settings.seed)[:2]
    X, y = settings.load(problem.file, raw=raw)
    if problem.n_rows is not None:
        rng = np.random.default_rng(settings.seed)
        rows = np.sort(rng.choice(len(y), problem.n_rows, replace=False))
        X, y = X[rows], y[rows]
    return X, y


def _run_unit(settings: RunSettings, unit: Unit, n_repeats: int) -> Arrays:
    problem = WRAPPER_PROBLEMS[unit.problem]
    reading = READINGS[unit.reading]
    X, y = _load(settings, unit.problem, raw=reading.raw)
    if problem.genes == _ALL:
        X = X[:, best_genes(X, y)]
    return nested(
        X,
        y,
        unit.inducer,
        unit.method,
        n_repeats=n_repeats,
        seed=settings.seed,
        preselect=problem.genes == _TRAIN,
        shuffle=unit.ties == "random",
        reading=reading,
    )


def nested(
    X: Floats,
    y: NDArray[Any],
    inducer: str,
    method: str,
    *,
    n_repeats: int = 5,
    seed: int = 0,
    preselect: bool = False,
    shuffle: bool = True,
    reading: Reading = READINGS["first"],
    inner_seed: int | None = None,
) -> Arrays:
    """Search on the training half of every outer split and test on the other.

    Parameters
    ----------
    X, y : ndarray
        Rows and labels.
    inducer, method : str
        Keys of INDUCERS and METHODS.
    n_repeats : int
        Times that the rows are split into halves.
    seed : int
        Of outer folds, inner folds and column order, all the same for every method.
    preselect : bool
        Whether each search begins with the 200 best genes of its training rows.
    shuffle : bool
        Whether each search sees the columns in an order of its own. Ties go to the
        lowest column, and with few rows there are many: in one order for all, chance
        would choose the same features again and again, and pass for stability.
    reading : Reading
        Folds and neighbours; its intensities are the caller's business.
    inner_seed : int, optional
        Of inner folds and column order, if not that of the outer folds.

    Returns
    -------
    dict
        orders : (n_runs, n_searched), columns from best to worst; features: how many
        of them are the best subset; errors: of the inducer on the test half; J: of the
        best subset on the inner folds.
    """
    name, scaling = INDUCERS[inducer]
    inner = seed if inner_seed is None else inner_seed
    orders, features, errors, merits = [], [], [], []
    splitter = RepeatedStratifiedKFold(2, n_repeats, random_state=seed)
    for run, (train, test) in enumerate(splitter.split(X, y)):
        columns = best_genes(X[train], y[train]) if preselect else np.arange(X.shape[1])
        if shuffle:
            columns = np.random.default_rng([inner, run]).permutation(columns)
        half = np.ascontiguousarray(X[train][:, columns])
        state, options = 1000 * inner + run, dict(METHODS[method])
        if n_inner := options.pop("inner_repeats", None):
            options["cv"] = InnerFolds(n_splits=2, n_repeats=n_inner, random_state=state)
        selector = ThesisSelector(name, scaling=scaling, random_state=state, **options)
        selector.reading = reading
        selector.printed_sign = method == PRINTED
        selector.fit(half, y[train])
        order = columns[np.argsort(selector.ranking_)]
        n_selected = int(selector.n_features_)
        chosen = np.sort(order[:n_selected])
        classifier = inducer_classifier(name, scaling, reading.ties)
        classifier.fit(X[train][:, chosen], y[train])
        orders.append(order)
        features.append(n_selected)
        errors.append(1 - classifier.score(X[test][:, chosen], y[test]))
        merits.append(float(selector.score_))
    return {
        "orders": np.array(orders),
        "features": np.array(features),
        "errors": np.array(errors),
        "J": np.array(merits),
    }
