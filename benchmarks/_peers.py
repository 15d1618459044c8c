"""Calls of other libraries, each imported when it is called: a missing one is reported."""

import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np

WEKA = Path("/usr/share/java/weka.jar")  # where Debian's package puts it


def fast_select_relieff(X, y, jobs):
    """ReliefF of fast-select, in float32 as it always computes; all scores."""
    from fast_select import ReliefF

    ranker = ReliefF(n_features_to_select=1, n_neighbors=10, n_jobs=jobs)
    return ranker.fit(X, y).feature_importances_


def compile_fast_select():
    """Let fast-select compile: it keeps nothing on disk."""
    X = np.random.default_rng(0).normal(size=(40, 30)).astype(np.float32)
    fast_select_relieff(X, np.arange(40) % 2, 1)


def skrebate_relieff(X, y, jobs):
    """ReliefF of skrebate."""
    from skrebate import ReliefF

    return ReliefF(n_neighbors=10, n_jobs=jobs).fit(X, y).feature_importances_


def skfeature_relieff(X, y):
    """ReliefF of skfeature, which does not scale."""
    from skfeature.function.similarity_based import reliefF

    return np.asarray(reliefF.reliefF(X, y, k=10, mode="raw"))


def orange_relieff(X, y):
    """ReliefF of Orange, over all rows, with its table built beforehand."""
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess.score import ReliefF

    columns = [ContinuousVariable(f"x{j}") for j in range(X.shape[1])]
    table = Table.from_numpy(Domain(columns, DiscreteVariable("y", ("0", "1"))), X, y)
    return np.asarray(ReliefF(n_iterations=len(y), k_nearest=10, random_state=0)(table))


def itmo_relieff(X, y):
    """ReliefF of ITMO_FS."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a dependency complains about solvers nobody asked for
        from ITMO_FS.filters.univariate import reliefF_measure
    return np.asarray(reliefF_measure(X, y, 10))


def itmo_f_ratio(X, y):
    """Fisher's ratio of ITMO_FS."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ITMO_FS.filters.univariate import f_ratio_measure
    return np.asarray(f_ratio_measure(X, y))


def weka(X, y, evaluator, *options):
    """Scores of Weka's command line, with its start-up, writing and reading of the file."""
    if not WEKA.exists() or shutil.which("java") is None:
        raise FileNotFoundError("Debian's package weka and a Java runtime are not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        with path.open("w") as out:
            out.write("@relation r\n")
            out.writelines(f"@attribute x{j} numeric\n" for j in range(X.shape[1]))
            out.write("@attribute y {0,1}\n@data\n")
            out.writelines(
                ",".join(f"{v:.9g}" for v in row) + f",{c}\n" for row, c in zip(X, y, strict=True)
            )
        command = ["java", "-Xmx4g", "-cp", str(WEKA), f"weka.attributeSelection.{evaluator}"]
        command += ["-i", str(path), *options, "-s", "weka.attributeSelection.Ranker"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return _weka_scores(text, X.shape[1])


def _weka_scores(text, d):
    """Read Weka's list of 'score number name', best first."""
    scores = np.full(d, np.nan)
    for line in text.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[2].startswith("x") and parts[1].isdigit():
            scores[int(parts[1]) - 1] = float(parts[0].replace(",", "."))
    if np.isnan(scores).any():
        raise ValueError(f"Weka listed {int((~np.isnan(scores)).sum())} of {d} attributes")
    return scores


def pyensemblefs_nogueira(order, d, sizes):
    """Nogueira's measure of pyensemblefs at each size."""
    from pyensemblefs.stability.evaluator import StabilityEvaluator

    evaluator = StabilityEvaluator(["nogueira"])
    values = []
    for k in sizes:
        support = np.zeros((len(order), d), dtype=int)
        np.put_along_axis(support, order[:, :k], 1, axis=1)
        values.append(evaluator.compute(support).values["nogueira"])
    return np.array(values)


def pyensemblefs_bagged(selector, X, y, n_members, jobs):
    """Supports of a scikit-learn selector on bootstraps that pyensemblefs draws itself."""
    from pyensemblefs.ensemble.bootstrapper import Bootstrapper

    ensemble = Bootstrapper(selector, n_bootstraps=n_members, n_jobs=jobs, random_state=0)
    return [np.flatnonzero(row) for row in ensemble.fit(X, y).results_]


def coxnet_path(Z, y, l1_ratio, n_penalties, least):
    """Penalties and coefficients (penalty × feature) of scikit-survival's Cox path."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    model = CoxnetSurvivalAnalysis(
        n_alphas=n_penalties, alpha_min_ratio=least, l1_ratio=l1_ratio
    ).fit(Z, y)
    return model.alphas_, model.coef_.T


def lifelines_wald(X, y):
    """Size of Wald's statistic of every feature in a Cox model of its own, by lifelines."""
    import pandas as pd
    from lifelines import CoxPHFitter

    frame = pd.DataFrame({"time": y["time"], "event": y["event"]})
    found = []
    for column in X.T:
        fitted = CoxPHFitter().fit(frame.assign(x=column), "time", "event")
        found.append(abs(fitted.summary["z"]["x"]))
    return np.array(found)


def celer_path(Z, y, lambdas):
    """Celer's path of the logistic lasso: no intercept, no weights, no elastic net."""
    from celer import celer_path

    # Its loss is a sum over rows.
    path = celer_path(Z, 2.0 * y - 1, "logreg", alphas=lambdas * len(y), tol=1e-4)
    return path[1] != 0
