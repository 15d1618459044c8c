"""ReliefF, Simba, eliminations and the filters, beside libraries and plain loops."""

import numpy as np
from numba import njit
from scipy.stats import ttest_ind
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale, scale

from backstay import CoxPath, CoxScore, ReliefF, RidgeRFE, RReliefF, Simba
from backstay._kernels._cox import cox_path
from backstay.datasets import make_han_yu, make_regression_blocks
from backstay.feature_weighting import (
    SVMRFE,
    FStatistic,
    InformationGain,
    LassoPath,
    TTest,
)
from backstay.feature_weighting import _elimination as elimination
from backstay.feature_weighting import _svm_elimination as svm
from benchmarks import _peers, _plain
from benchmarks._agreement import SAME_SET, SPEARMAN, share_of_same_sets
from benchmarks._measure import in_fresh_process
from benchmarks._workload import Peer, Target, Workload, fact, ratio, ratio_of, seconds

KEEP = 10
SEEDS = 20


def noise(n, d, dtype=np.float64):
    """Normal features, the first ten a little shifted by class."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    X[:, : min(10, d)] += y[:, None] * 0.5
    return X.astype(dtype), y


# ReliefF. The problem holds the table in float32 and in float64.


def both_precisions(n, d):
    X, y = noise(n, d)
    return X.astype(np.float32), X, y


FAST_SELECT = Peer(
    "fast-select",
    lambda p, jobs: _peers.fast_select_relieff(p[0], p[2], jobs),
    prepare=lambda p: _peers.compile_fast_select(),
)
DOUBLE = Peer(
    "backstay, float64",
    lambda p, jobs: ReliefF(n_jobs=jobs).fit(p[1], p[2]).feature_importances_,
    ours=True,
    prepare=lambda p: ReliefF().fit(p[1][:50], p[2][:50]),
)


def relieff_targets(n, d):
    shape = f"{n:,} × {d:,}"
    for count, said in ((1, "one thread"), ("all", "all cores")):
        yield Target(
            f"ReliefF float32 beside fast-select, {shape}, {said}",
            ratio("fast-select", count),
            at_least=1,
            goal=2,
        )
        yield Target(
            f"ReliefF float64 no slower than fast-select's float32, {shape}, {said}",
            ratio("fast-select", count, "backstay, float64"),
            at_least=1,
        )


def relieff(n, d, check=False, quick=None, extra=None, more=()):
    return Workload(
        f"relieff_{n}x{d}",
        f"ReliefF, k = 10, {n:,} × {d:,}, float32",
        lambda: both_precisions(n, d),
        lambda p, jobs: ReliefF(n_jobs=jobs).fit(p[0], p[2]).feature_importances_,
        (DOUBLE, FAST_SELECT),
        SPEARMAN,
        (*relieff_targets(n, d), *more),
        quick and (lambda: both_precisions(*quick)),
        check,
        extra=extra,
    )


MEMORY = """
import sys
import numpy as np
from backstay import ReliefF
from benchmarks._measure import peak_extra_megabytes
n, d = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
ReliefF().fit(X[:100], y[:100])
print(peak_extra_megabytes(lambda: ReliefF(n_jobs=2).fit(X, y))[0])
"""


def relieff_memory(p):
    """Extra memory in a process that has done nothing else."""
    return {"extra_mb": float(in_fresh_process(MEMORY, *p[0].shape))}


def slow(name, call, note=""):
    return Peer(name, call, parallel=False, note=note)


SMALL_PEERS = (
    slow("skrebate", lambda p, jobs: _peers.skrebate_relieff(*p, 1)),
    slow("ITMO_FS", lambda p, jobs: _peers.itmo_relieff(*p)),
)
ORANGE = "building its table included; it draws as many rows as there are, with replacement"
SLOW_PEERS = (
    slow("skfeature", lambda p, jobs: _peers.skfeature_relieff(*p)),
    slow("Orange3", lambda p, jobs: _peers.orange_relieff(*p), ORANGE),
    slow(
        "Weka",
        lambda p, jobs: _peers.weka(*p, "ReliefFAttributeEval", "-K", "10"),
        "from the command line, start-up and files included",
    ),
)


def far_ahead(*names):
    """Targets: at least ten times as fast as the slower libraries."""
    return tuple(Target(f"ReliefF far ahead of {name}", ratio(name), at_least=10) for name in names)


def in_unit_range(n, d):
    """Features from 0 to 1: some libraries do not scale them, and would score another table."""
    X, y = noise(n, d)
    return minmax_scale(X), y


def relieff_beside_slow(n, d, peers, quick):
    return Workload(
        f"relieff_slow_peers_{n}x{d}",
        f"ReliefF, k = 10, {n:,} × {d:,}, float64, slower libraries",
        lambda: in_unit_range(n, d),
        lambda p, jobs: ReliefF(n_jobs=1).fit(*p).feature_importances_,
        peers,
        SPEARMAN,
        far_ahead(*(peer.name for peer in peers)),
        quick=lambda: in_unit_range(*quick),
        parallel=False,
    )


# Simba, beside reading its table once for every visit.


@njit(fastmath=True, nogil=True)
def read(X, times):
    """Sum a matrix over and over: what reading it costs."""
    total = 0.0
    for _ in range(times):
        for i in range(X.shape[0]):
            row = 0.0
            for f in range(X.shape[1]):
                row += X[i, f]
            total = max(total, row)
        X[0, 0] += 1e-12  # a new matrix for the compiler
    return total


def simba(n, d, quick=None):
    reading = "reading the table n times"
    return Workload(
        f"simba_{n}x{d}",
        f"Simba, one epoch, {n:,} × {d:,}",
        lambda: noise(n, d),
        lambda p, jobs: Simba(random_state=0).fit(*p).feature_importances_,
        (
            Peer(reading, lambda p, jobs: read(p[0], len(p[1])), same=False, parallel=False),
            Peer("plain numpy", lambda p, jobs: _plain_simba(*p), parallel=False),
        ),
        ("Spearman", lambda a, b: SPEARMAN[1](a, b) if np.ndim(b) else np.nan),
        (
            Target(
                f"Simba {n:,} × {d:,}, as a multiple of reading the table n times",
                lambda record: 1 / ratio_of(record, reading),
                at_most=3,
            ),
        ),
        quick=quick and (lambda: noise(*quick)),
        parallel=False,
    )


def _plain_simba(X, y):
    return _plain.simba(X, y, np.random.RandomState(0).permutation(len(y)))


# SVM-RFE.


def han_yu(n, d, seed=0):
    X, y, _ = make_han_yu(n, n_features=d, random_state=seed)
    return X, y


def best_by_rfe(X, y):
    """Our own goes on down to one feature, for a complete ranking."""
    return SVMRFE(n_features_to_select=KEEP).fit(X, y).get_support(indices=True)


def downdating_error(X, y):
    """Largest error of the Gram matrix along the path, relative to its largest entry."""
    machines = svm._Machines(minmax_scale(X), y, np.ones(len(y)), _plain.TOL, None)
    worst = 0.0
    while machines.remaining > 1:
        features = machines.features[: machines.remaining]
        count = elimination._n_dropped(0.1, elimination.LIFT["down"], machines.remaining)
        machines.drop(elimination.smallest(machines.weights(), features, count))
        rest = machines.rows[:, : machines.remaining]
        exact = rest @ rest.T
        worst = max(worst, np.abs(machines.gram - exact).max() / np.abs(exact).max())
    return float(worst)


def same_over_seeds(p):
    """Share of other data sets of this shape on which the loop keeps the same features."""
    n, d = p[0].shape
    data = [han_yu(n, d, seed) for seed in range(SEEDS)]
    ours = [best_by_rfe(*each) for each in data]
    loops = [_plain.svm_rfe(minmax_scale(X), y, KEEP)[:KEEP] for X, y in data]
    return {
        "same_features": share_of_same_sets(ours, loops),
        "data_sets": SEEDS,
        "downdating_error": downdating_error(*p),
    }


LOOP = "loop over SVC"


def loop_over_svc(note):
    return Peer(
        LOOP,
        lambda p, jobs: _plain.svm_rfe(minmax_scale(p[0]), p[1], KEEP)[:KEEP],
        parallel=False,
        note=note,
    )


def svm_rfe(n, d, check=False):
    return Workload(
        f"svm_rfe_{n}x{d}",
        f"SVM-RFE, 10 % of the remaining a round, {n:,} × {d:,}",
        lambda: han_yu(n, d),
        lambda p, jobs: best_by_rfe(*p),
        (
            loop_over_svc("down to 10 features; ours goes on to one"),
            Peer(
                "loop over SVC, Gram matrix",
                lambda p, jobs: _plain.svm_rfe_by_gram(minmax_scale(p[0]), p[1], KEEP),
                parallel=False,
            ),
        ),
        SAME_SET,
        (
            Target(
                f"SVM-RFE beside a loop over SVC, {n:,} × {d:,}", ratio(LOOP), at_least=3, goal=5
            ),
            Target(
                f"the same features as that loop, share of {SEEDS} data sets of {n:,} × {d:,}",
                fact("same_features"),
                at_least=0.95,
                unit="share",
            ),
        ),
        check=check,
        parallel=False,
        extra=same_over_seeds,
    )


def overlapping(n, d):
    """Two classes that no line separates: a third of their rows are on the wrong side of any."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[y == 1, :20] += 0.2
    return X, y


def svm_rfe_tall(n, d, said, make):
    note = "at a tolerance of 1e-3, ours at 1e-8; down to 10 features, ours to one"
    what = f"{n:,} × {d:,}, {said}"
    return Workload(
        f"svm_rfe_tall_{n}x{d}",
        f"SVM-RFE on more rows than features, {what}",
        lambda: make(n, d),
        lambda p, jobs: best_by_rfe(*p),
        (loop_over_svc(note),),
        SAME_SET,
        (Target(f"SVM-RFE beside a loop over SVC, {what}", ratio(LOOP), at_least=3, goal=5),),
        parallel=False,
    )


# Numbers: RReliefF, and elimination by ridge regression.


def blocks(n, d):
    X, y, _ = make_regression_blocks(n, n_features=d, random_state=0)
    return X, y


def rrelieff(n, d, quick):
    return Workload(
        f"rrelieff_{n}x{d}",
        f"RReliefF, k = 10, {n:,} × {d:,}, float64",
        lambda: blocks(n, d),
        lambda p, jobs: RReliefF(n_jobs=1).fit(*p).feature_importances_,
        (
            slow(
                "skrebate",
                lambda p, jobs: _peers.skrebate_relieff(*p, 1),
                "its own variant for a continuous endpoint, which cuts y at its deviation",
            ),
        ),
        SPEARMAN,
        (Target(f"RReliefF beside skrebate, {n:,} × {d:,}", ratio("skrebate"), at_least=20),),
        quick=lambda: blocks(*quick),
        parallel=False,
    )


def ridge_rfe(n, d, quick):
    loop = "loop over Ridge"
    return Workload(
        f"ridge_rfe_{n}x{d}",
        f"Elimination by ridge regression, 10 % of the remaining a round, {n:,} × {d:,}",
        lambda: blocks(n, d),
        lambda p, jobs: RidgeRFE(n_features_to_select=KEEP).fit(*p).get_support(indices=True),
        (
            Peer(
                loop,
                lambda p, jobs: _plain.ridge_rfe(scale(p[0]), p[1], KEEP),
                parallel=False,
                note="down to 10 features; ours goes on to one",
            ),
        ),
        SAME_SET,
        (Target(f"RidgeRFE beside a loop over Ridge, {n:,} × {d:,}", ratio(loop), at_least=5),),
        quick=lambda: blocks(*quick),
        parallel=False,
    )


# The lasso. All run the same grid of 100 penalties on standardised features.


def best_by_path(path):
    """The features that enter first."""
    entered = np.where(path.any(axis=0), path.argmax(axis=0), len(path))
    return np.argsort(entered, kind="stable")[:KEEP]


def lasso_problem(n, d):
    X, y = han_yu(n, d)
    return X, y, np.asfortranarray(scale(X)), LassoPath().fit(X, y).lambdas_


def liblinear_path(Z, y, lambdas):
    """One model a penalty; a large column of ones makes the penalty on the intercept small."""
    model = LogisticRegression(l1_ratio=1, solver="liblinear", intercept_scaling=100, max_iter=1000)
    fits = (model.set_params(C=1 / (len(y) * penalty)).fit(Z, y).coef_[0] for penalty in lambdas)
    return np.array([coef != 0 for coef in fits])


def lasso(n, d, quick):
    celer, liblinear = "celer", "scikit-learn, liblinear"
    return Workload(
        f"lasso_{n}x{d}",
        f"The path of the logistic lasso, 100 penalties, {n:,} × {d:,}",
        lambda: lasso_problem(n, d),
        lambda p, jobs: best_by_path(LassoPath().fit(p[0], p[1]).selection_path_),
        (
            Peer(
                celer,
                lambda p, jobs: best_by_path(_peers.celer_path(p[2], p[1], p[3]).T),
                parallel=False,
                note="no intercept, no weights, two classes only",
            ),
            Peer(
                liblinear,
                lambda p, jobs: best_by_path(liblinear_path(p[2], p[1], p[3])),
                parallel=False,
                note="every penalty anew; saga, which could go on from the last, is slower still",
            ),
        ),
        SAME_SET,
        (
            Target(f"the lasso's path, {n:,} × {d:,}", seconds(), at_most=1, unit="s"),
            Target(f"the lasso's path beside celer, {n:,} × {d:,}", ratio(celer), at_least=1),
            Target(
                f"the lasso's path beside liblinear, {n:,} × {d:,}", ratio(liblinear), at_least=10
            ),
        ),
        quick=lambda: lasso_problem(*quick),
        parallel=False,
    )


# Times until an event: score tests, and the path of the Cox model.

SOME = 20  # features that the loop over models gets


def followed(n, d):
    """Standard features, five of which raise the hazard; four in ten rows are censored."""
    rng = np.random.default_rng(0)
    X = scale(rng.normal(size=(n, d)))
    time, last = rng.exponential(np.exp(-0.5 * X[:, :5].sum(axis=1))), rng.exponential(1.5, n)
    y = np.empty(n, dtype=[("event", "?"), ("time", "<f8")])
    y["event"], y["time"] = time <= last, np.minimum(time, last)
    return X, y


def losses(path):
    """What the path minimises, at every penalty; no two events are at one time."""
    (X, y), l1_ratio, penalties, coefficients = path
    order = np.argsort(y["time"])
    eta, event = (coefficients @ X.T)[:, order], y["event"][order]
    at_risk = np.logaddexp.accumulate(eta[:, ::-1], axis=1)[:, ::-1]
    l1, l2 = np.abs(coefficients).sum(axis=1), (coefficients**2).sum(axis=1)
    size = l1_ratio * l1 + (1 - l1_ratio) * l2 / 2
    return (at_risk - eta)[:, event].sum(axis=1) / len(y) + penalties * size


def our_cox_path(p, l1_ratio):
    X, y = p
    time, event, ones = y["time"].copy(), y["event"].copy(), np.ones(len(y))
    options = {"least": 0.05, "tol": CoxPath().tol}
    return p, l1_ratio, *cox_path(X, time, event, ones, l1_ratio, 50, ones[:1], **options)


def cox_net(n, d, l1_ratio, name, quick):
    coxnet = "scikit-survival, Coxnet"
    what = f"The path of the Cox {name}, 50 penalties, {n:,} × {d:,}"
    return Workload(
        f"cox_{name.replace(' ', '_')}_{n}x{d}",
        what,
        lambda: followed(n, d),
        lambda p, jobs: our_cox_path(p, l1_ratio),
        (
            Peer(
                coxnet,
                lambda p, jobs: (p, l1_ratio, *_peers.coxnet_path(*p, l1_ratio, 50, 0.05)),
                parallel=False,
                note="at its own tolerance",
            ),
        ),
        ("its loss above ours", lambda ours, theirs: (losses(theirs) - losses(ours)).max()),
        (Target(f"{what}, beside Coxnet", ratio(coxnet), at_least=1),),
        quick=lambda: followed(*quick),
        parallel=False,
    )


def cox_score(n, d, quick):
    loop = "lifelines, one by one"
    what = f"Cox score tests of {d:,} features, {n:,} rows"
    return Workload(
        f"cox_score_{n}x{d}",
        what,
        lambda: followed(n, d),
        lambda p, jobs: CoxScore().fit(*p).feature_importances_[:SOME],
        (
            slow(
                loop,
                lambda p, jobs: _peers.lifelines_wald(p[0][:, :SOME], p[1]),
                f"a model for each of {SOME} features only; ours tests all of them",
            ),
        ),
        SPEARMAN,
        (Target(f"{what}, beside {SOME} models of lifelines", ratio(loop), at_least=10),),
        quick=lambda: followed(*quick),
        parallel=False,
    )


# Filters.


def filters():
    shape = (200, 10000)
    yield Workload(
        "information_gain_200x10000",
        "Information gain after MDL discretisation, 200 × 10,000",
        lambda: han_yu(*shape),
        lambda p, jobs: InformationGain().fit(*p).feature_importances_,
        (slow("Weka", lambda p, jobs: _peers.weka(*p, "InfoGainAttributeEval")),),
        SPEARMAN,
        (Target("information gain with MDL, 200 × 10,000", seconds(), at_most=10, unit="s"),),
        quick=lambda: han_yu(100, 1000),
        parallel=False,
    )
    yield Workload(
        "f_statistic_200x10000",
        "F statistic, 200 × 10,000",
        lambda: han_yu(*shape),
        lambda p, jobs: FStatistic().fit(*p).feature_importances_,
        (
            Peer("scikit-learn", lambda p, jobs: f_classif(*p)[0], parallel=False),
            Peer(
                "ITMO_FS",
                lambda p, jobs: _peers.itmo_f_ratio(*p),
                same=False,
                parallel=False,
                note="Fisher's ratio, not the F statistic",
            ),
        ),
        SPEARMAN,
        check=True,
        parallel=False,
    )
    yield Workload(
        "t_statistic_200x10000",
        "t statistic, 200 × 10,000",
        lambda: han_yu(*shape),
        lambda p, jobs: TTest().fit(*p).feature_importances_,
        (Peer("SciPy", lambda p, jobs: _absolute_t(*p), parallel=False),),
        SPEARMAN,
        parallel=False,
    )


def _absolute_t(X, y):
    return np.abs(ttest_ind(X[y == 0], X[y == 1], equal_var=True)[0])


WORKLOADS = (
    relieff(1000, 1000, check=True),
    relieff(200, 10000),
    relieff(5000, 100, quick=(1500, 100)),
    relieff(
        20000,
        50,
        extra=relieff_memory,
        more=(
            Target(
                "ReliefF 20,000 × 50, extra memory",
                fact("extra_mb"),
                at_most=300,
                unit="MB",
            ),
        ),
    ),
    relieff_beside_slow(400, 400, SMALL_PEERS, quick=(60, 40)),
    relieff_beside_slow(1000, 1000, SLOW_PEERS, quick=(100, 50)),
    simba(200, 10000),
    simba(5000, 100, quick=(500, 100)),
    svm_rfe(100, 1000, check=True),
    svm_rfe(100, 10000),
    svm_rfe_tall(2000, 200, "classes that overlap", overlapping),
    svm_rfe_tall(5000, 100, "classes that a line separates", han_yu),
    rrelieff(400, 400, quick=(60, 40)),
    ridge_rfe(100, 10000, quick=(60, 500)),
    lasso(100, 10000, quick=(60, 500)),
    cox_net(100, 10000, 1.0, "lasso", quick=(60, 500)),
    cox_net(100, 10000, 0.5, "elastic net", quick=(60, 500)),
    cox_score(100, 10000, quick=(60, 500)),
    *filters(),
)
