"""The runs on microarrays that tables 7.2 to 7.6 and figures 7.1 to 7.9 share [Han 7.1]."""

from __future__ import annotations

from copy import copy
from typing import Any

from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay.base import InstanceWeighted
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE, ReliefF, TTest
from backstay.instance_weighting import MarginWeighting, UniformWeighting
from backstay.results import Results
from backstay.study import RepeatedStratifiedKFold, Subsampling
from reproduction._experiment import MissingDataError, RunSettings

__all__ = [
    "BASES",
    "DATA",
    "LUNG_FEATURES",
    "NEEDS",
    "PREPARATION",
    "Base",
    "available",
    "cross_validated",
    "cv_repeats",
    "n_splits",
    "orders",
    "preselection",
    "raw_splits",
    "repetitions",
    "splits",
]

# As named in table 7.1, with the file that carries them here.
DATA = {
    "Colon": "colon_alon",
    "Leukemia": "leukemia_golub",
    "Prostate": "prostate_singh",
    "Lung": "lung_gordon",
}
NEEDS = {
    "colon_alon": (62, 2000),
    "leukemia_golub": (72, 7129),
    "prostate_singh": (102, 12600),
    "lung_gordon": (181, 12533),
}
N_FOLDS = 10
CV_SIZES = (10, 20, 30, 40, 50)
SPLIT_SIZES = (10, 50, 100, 150, 200)
LUNG_FEATURES = 5000
# The dissertation weighs no classes. With n_jobs given, 1-NN is scikit-learn's own: the study's
# shortcut takes another of equally near rows, which floored intensities have.
CLASSIFIERS = {
    "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
    "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1, n_jobs=1)),
}

PREPARATION = (
    "Log2 of raw intensities floored at 20; the dissertation does not say what it used. Features "
    "scaled to [0, 1] by the training rows, C = 1 and 10 neighbours, which are Weka's defaults. "
    "Prostate has 12600 features here and 6034 in the dissertation. Lung keeps the 5000 best "
    "features of a t test, as published, but they are chosen on the training rows of each split; "
    "choosing them on all rows, as published, leaks. The ensemble sums the ranks of 20 bootstraps. "
    "'control' has uniform weights that sum to 1, as the published weights do, and 'mean 1' the "
    "published weights times n. ReliefF depends only on the proportions of the weights, so its "
    "control is ReliefF itself."
)


class Base:
    """The ways to select with one base ranker, by their names in the tables."""

    def __init__(self, name: str, ranker: Any, *, mass_matters: bool) -> None:
        self.name = name
        self.plain, self.ensemble, self.weighted = name, f"En {name}", f"IW {name}"
        # What the gain of weighting must be measured against.
        self.control = f"control {name}" if mass_matters else name
        self.roles = {name: "plain", self.ensemble: "ensemble", self.weighted: "weighted"}
        self.methods = {
            name: ranker,
            self.ensemble: BaggedRanker(ranker, 20),
            self.weighted: InstanceWeighted(ranker, MarginWeighting(scale="sum")),
        }
        if mass_matters:
            mean_one = f"IW {name}, mean 1"
            self.methods[self.control] = InstanceWeighted(ranker, UniformWeighting(scale="sum"))
            self.methods[mean_one] = InstanceWeighted(ranker, MarginWeighting(scale="mean"))
            self.roles |= {self.control: "control", mean_one: "weighted, mean 1"}

    def without_ensemble(self) -> Base:
        """Return the same without its slowest method."""
        other = copy(self)
        other.methods = {k: v for k, v in self.methods.items() if k != self.ensemble}
        return other

    @property
    def contrasts(self) -> list[tuple[str, str]]:
        """Pairs whose difference says something: the first two are published."""
        pairs = [(self.weighted, self.plain), (self.weighted, self.ensemble)]
        if self.control != self.plain:
            pairs += [(self.control, self.plain), (self.weighted, self.control)]
        return [pair for pair in pairs if set(pair) <= set(self.methods)]


BASES = {
    "SVM-RFE": Base("SVM-RFE", SVMRFE(tol=1e-3), mass_matters=True),
    "ReliefF": Base("ReliefF", ReliefF(), mass_matters=False),
}


def available(settings: RunSettings) -> list[str]:
    """Return the data sets whose files are there; the first one only if it is to be quick."""
    folder = settings.data
    if folder is None:
        raise MissingDataError("needs microarrays; name their folder with --data.")
    there = [name for name, file in DATA.items() if (folder / f"{file}.npz").is_file()]
    return there[:1] if settings.quick else there


def preselection(dataset: str) -> TTest | None:
    """Return what is applied to training rows before anything else."""
    return TTest(n_features_to_select=LUNG_FEATURES) if dataset == "Lung" else None


def cv_repeats(settings: RunSettings) -> int:
    """How often the 10 folds are drawn: as published."""
    return settings.count(10, 1)


def n_splits(settings: RunSettings) -> int:
    """How many random splits are drawn."""
    return settings.count(100, 6)


def cross_validated(
    settings: RunSettings, dataset: str, base: Base, *, raw: bool = False
) -> Results:
    """Run 10-fold cross-validation again and again, for 10 to 50 features."""
    n = cv_repeats(settings)
    kind = "cv-raw" if raw else "cv"
    name = f"han-{kind}-{DATA[dataset]}-{base.name}-{n}x{N_FOLDS}-seed{settings.seed}"
    folds = RepeatedStratifiedKFold(N_FOLDS, n)
    return _run(settings, name, dataset, base, folds, CV_SIZES, raw=raw)


def splits(settings: RunSettings, dataset: str, base: Base, *, raw: bool = False) -> Results:
    """Train on two thirds of each class again and again, for 10 to 200 features."""
    n = n_splits(settings)
    kind = "splits-raw" if raw else "splits"
    name = f"han-{kind}-{DATA[dataset]}-{base.name}-{n}-seed{settings.seed}"
    drawn = Subsampling(n, train_size=2 / 3)
    return _run(settings, name, dataset, base, drawn, SPLIT_SIZES, raw=raw)


def raw_splits(settings: RunSettings, dataset: str, base: Base) -> Results:
    """Select on the same splits from intensities as they are, without ensemble or classifiers.

    The dissertation does not say whether it took logarithms.
    """
    n = n_splits(settings)
    X, y = settings.load(DATA[dataset], raw=True)
    study = settings.study(
        f"han-raw-{DATA[dataset]}-{base.name}-{n}-seed{settings.seed}",
        {name: base.methods[name] for name in (base.plain, base.weighted, base.control)},
        Subsampling(n, train_size=2 / 3),
        models={},
        sizes=[min(50, X.shape[1])],
        preprocess=preselection(dataset),
        controls=False,
        verbose=0,
    )
    return study.run(X, y, dataset=dataset)


def _run(
    settings: RunSettings,
    name: str,
    dataset: str,
    base: Base,
    resampling: Any,
    sizes: tuple[int, ...],
    *,
    raw: bool,
) -> Results:
    X, y = settings.load(DATA[dataset], raw=raw)
    study = settings.study(
        name,
        base.methods,
        resampling,
        models=CLASSIFIERS,
        sizes=[size for size in sizes if size < X.shape[1]],
        scoring=("accuracy", "balanced_accuracy", "roc_auc"),
        preprocess=preselection(dataset),
        controls=False,
        verbose=0,
    )
    return study.run(X, y, dataset=dataset)


def orders(results: Results, method: str) -> NDArray[Any]:
    """Return the features from best to worst, one row per resample."""
    return results.runs.orders(method)


def repetitions(table: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut rows of folds into the repetitions of the cross-validation."""
    return [table[start : start + N_FOLDS] for start in range(0, len(table), N_FOLDS)]
