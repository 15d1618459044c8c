"""The data sets of the thesis' appendix C, and its 5×2 protocol on them, over and over [Prat 8.4].

The printed errors say what was run. All are multiples of one over five halves
of the rows, so each is a mean of five test errors, and "musk" has 476 rows,
which is Musk 1, "wdbc" 569, "ma_prostate_cancer" 136. Constant predictions are
printed with a deviation of 0 and rates that are not those of stratified halves:
the five errors are of one and the same half. So one figure of stability is one
5×2 cross-validation, a block here, and one error is that of one half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.datasets import log2_floor
from backstay.stability import stability_curve
from backstay.study import FiveByTwo
from reproduction._estimates import Floats, mean_estimate
from reproduction._experiment import Arrays, RunSettings
from reproduction._folder import load_npz_dir
from reproduction._prat_genes import N_GENES, best_genes
from reproduction._prat_variants import Variant, instance_weights, rank, variants

__all__ = [
    "NOT_RUN",
    "WEIGHTING_PROBLEMS",
    "Measured",
    "WeightingProblem",
    "is_available",
    "load_problem",
    "measure",
    "needs",
    "predicted",
]

N_TREES, QUICK_TREES = 50, 10
MAX_TEST_ROWS = 500


@dataclass(frozen=True)
class WeightingProblem:
    """A data set of the tables.

    Attributes
    ----------
    file : str
        Its file without extension; empty for the one that comes with scikit-learn.
    shape : (int, int)
        Rows and features of the file.
    differs : str
        Why its figures cannot be expected to be the published ones, if so.
    intensities : bool
        Whether values are raw microarray intensities.
    genes : bool
        Whether 200 genes are chosen first, by all rows.
    first : int or None
        How many rows are used, from the top.
    large : bool
        Three blocks instead of five, no variants beyond the printed ones, and errors on
        at most 500 of the test rows.
    """

    file: str
    shape: tuple[int, int]
    differs: str = ""
    intensities: bool = False
    genes: bool = False
    first: int | None = None
    large: bool = False


def _array(file: str, shape: tuple[int, int], differs: str = "", intensities: bool = True) -> Any:
    return WeightingProblem(file, shape, differs, intensities, genes=True)


WEIGHTING_PROBLEMS: dict[str, WeightingProblem] = {
    "diabetes": WeightingProblem("pima", (768, 8)),
    "glass": WeightingProblem("glass", (214, 9), "9 features, printed with 10"),
    "heart_statlog": WeightingProblem("heart_statlog", (270, 13)),
    "ionosphere": WeightingProblem("ionosphere", (351, 34)),
    "landsat_train": WeightingProblem("landsat", (6435, 36), first=4435, large=True),
    "lsvt_voice": WeightingProblem("lsvt_voice", (126, 310)),
    "parkinsons": WeightingProblem("parkinsons", (195, 22)),
    "pop_failures": WeightingProblem("pop_failures", (540, 18)),
    "sonar": WeightingProblem("sonar", (208, 60)),
    "spectf": WeightingProblem("spectf", (267, 44)),
    "vehicle": WeightingProblem("vehicle", (846, 18)),
    "waveform": WeightingProblem("waveform21", (5000, 21), large=True),
    "wdbc": WeightingProblem("", (569, 30)),
    "ma_breast_cancer": _array(
        "breast_vantveer78", (78, 24481), "78 of 97 rows", intensities=False
    ),
    "ma_colon_tumor": _array("colon_alon", (62, 2000)),
    "ma_gcm": _array("gcm_ramaswamy_filtered", (190, 1363), "1363 of 16063 genes"),
    "ma_leukemia": _array("leukemia_golub", (72, 7129)),
    "ma_lung_cancer": _array("lung_gordon", (181, 12533)),
    "ma_prostate_cancer": _array("prostate_singh", (102, 12600), "102 of 136 rows"),
    "arcene": WeightingProblem("arcene", (200, 10000), large=True),
    "madelon": WeightingProblem("madelon", (2600, 500), large=True),
}
NOT_RUN = {
    "mammogram": "no file",
    "leaf": "no file",
    "musk": "its printed errors are those of Musk 1 (476 rows); only Musk 2 is at hand",
    "dexter": "20 000 features: left out to save time",
    "dorothea": "800 of 1150 rows and 100 000 features: too much work for another data set",
    "gisette": "168 of 7000 rows: another data set",
}
QUICK = ("heart_statlog", "sonar")


def needs() -> dict[str, tuple[int, int]]:
    """Return the data files and their shapes."""
    return {one.file: one.shape for one in WEIGHTING_PROBLEMS.values() if one.file}


@dataclass(frozen=True)
class Measured:
    """One variant on one problem.

    Attributes
    ----------
    stability : ndarray of shape (n_blocks,)
        Kuncheva's index of the ten rankings of a block, averaged over all subset sizes.
    errors : ndarray of shape (n_blocks, 10)
        Test errors.
    """

    stability: Floats
    errors: Floats

    def values(self, quantity: str) -> Floats:
        """Return the quantity of every block."""
        return self.stability if quantity == "stability" else self.errors.mean(axis=1)

    def printed(self, quantity: str) -> Floats:
        """Return figures as noisy as the printed ones: errors are those of single halves."""
        return self.stability if quantity == "stability" else self.errors.ravel()


def predicted(values: Floats) -> tuple[float, float, float]:
    """Return the mean and where one more figure made in the same way would lie, 95 %.

    A printed figure is one run of the protocol, not its expectation.
    """
    mean, low, high = mean_estimate(values)
    stretch = math.sqrt(len(values) + 1)
    return mean, mean - (mean - low) * stretch, mean + (high - mean) * stretch


def measure(settings: RunSettings) -> tuple[dict[str, dict[Variant, Measured]], list[str]]:
    """Run every problem whose file is there; return results, and the problems without a file."""
    at_hand = [
        name for name, problem in WEIGHTING_PROBLEMS.items() if is_available(settings, problem)
    ]
    chosen = [name for name in at_hand if name in QUICK] if settings.quick else at_hand
    trees = QUICK_TREES if settings.quick else N_TREES
    keys = [
        {"problem": name, "block": block, "trees": trees, "quick": settings.quick}
        for name in chosen
        for block in range(_n_blocks(settings, WEIGHTING_PROBLEMS[name]))
    ]
    # The longest first, so that no worker is left alone with one of them.
    keys.sort(key=lambda key: -_size(WEIGHTING_PROBLEMS[str(key["problem"])]))
    units = settings.kept_all("prat-weighting", keys, partial(_block, settings=settings))
    found: dict[str, dict[Variant, Measured]] = {}
    for name in chosen:
        blocks = [unit for key, unit in zip(keys, units, strict=True) if key["problem"] == name]
        stability = np.array([block["stability"] for block in blocks])
        errors = np.array([block["errors"] for block in blocks])
        found[name] = {
            one: Measured(stability[:, i], errors[:, i])
            for i, one in enumerate(_variants(name, settings.quick))
        }
    return found, [name for name in WEIGHTING_PROBLEMS if name not in at_hand]


def is_available(settings: RunSettings, problem: WeightingProblem) -> bool:
    """Say whether a problem can be run."""
    if not problem.file:
        return True
    return settings.data is not None and (settings.data / f"{problem.file}.npz").is_file()


def _n_blocks(settings: RunSettings, problem: WeightingProblem) -> int:
    return settings.count(3 if problem.large else 5, 2)


def _size(problem: WeightingProblem) -> int:
    n_rows = problem.first or problem.shape[0]
    return n_rows**2 * (N_GENES if problem.genes else problem.shape[1])


def _variants(name: str, quick: bool) -> list[Variant]:
    beyond = not (WEIGHTING_PROBLEMS[name].large or quick)
    return variants(scaled=beyond, unprinted=beyond)


def load_problem(settings: RunSettings, problem: WeightingProblem) -> tuple[Floats, NDArray[Any]]:
    """Return rows and labels; gaps get the mean of their column, which needs no labels."""
    if not problem.file or settings.data is None:
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(return_X_y=True)
    bunch = load_npz_dir(settings.data)[problem.file]
    X, y = np.asarray(bunch.X), np.asarray(bunch.y)
    X = log2_floor(X) if problem.intensities else X.astype(np.float64)
    X, y = X[: problem.first], y[: problem.first]
    gaps = np.isnan(X)
    if gaps.any():
        measured = ~gaps.all(axis=0)
        X, gaps = X[:, measured], gaps[:, measured]
        X = np.where(gaps, np.nanmean(X, axis=0), X)
    if problem.genes and X.shape[1] > N_GENES:
        X = X[:, best_genes(X, y)]
    return np.ascontiguousarray(X), y


def _block(key: Mapping[str, Any], seed: int, *, settings: RunSettings) -> Arrays:
    """Run one 5×2 cross-validation of all variants on one problem."""
    name = str(key["problem"])
    X, y = load_problem(settings, WEIGHTING_PROBLEMS[name])
    ways = _variants(name, bool(key["quick"]))
    folds = int(np.random.SeedSequence([seed, int(key["block"])]).generate_state(1)[0])
    rng = np.random.default_rng(folds)
    splits = list(FiveByTwo(random_state=folds).split(X, y))
    errors = np.empty((len(ways), len(splits)))
    orders = np.empty((len(ways), len(splits), X.shape[1]), dtype=np.intp)
    for j, (train, test) in enumerate(splits):
        chance = int(rng.integers(2**31 - 1000))
        inside, labels = np.ascontiguousarray(X[train]), y[train]
        tested = rng.permutation(test)[:MAX_TEST_ROWS] if WEIGHTING_PROBLEMS[name].large else test
        weights = {
            scaled: instance_weights(inside, labels, scaled, chance)
            for scaled in {one.scaled for one in ways}
        }
        for i, one in enumerate(ways):
            ranked = rank(one, inside, labels, weights[one.scaled], chance, int(key["trees"]))
            orders[i, j] = ranked.order
            errors[i, j] = ranked.error(one, inside, labels, X[tested], y[tested])
    return {
        "stability": np.array([stability_over_sizes(rows) for rows in orders]),
        "errors": errors,
    }


def stability_over_sizes(orders: NDArray[Any]) -> float:
    """Return Kuncheva's index averaged over the sizes 1..d−1; at d it is undefined."""
    sizes = range(1, orders.shape[1])
    return float(stability_curve(orders, "kuncheva", sizes, kind="order")["value"].mean())
