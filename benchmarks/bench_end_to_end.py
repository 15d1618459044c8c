"""From a CSV file to a report: backstay beside the same study written the plain way."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from backstay.datasets import make_han_yu, read_table
from backstay.study import Study, Subsampling
from backstay.study._methods import make_methods
from backstay.study._protocols import NULL_RUNS, draw_null_splits, draw_splits
from backstay.targets import as_target
from benchmarks import _plain_study
from benchmarks._agreement import mean_overlap, share_of_same_sets
from benchmarks._measure import n_cores, seconds_of
from benchmarks._workload import Measurement, Target, fact
from reproduction import load_npz_dir

TARGET = "class"
# The defaults of `backstay run`.
SIZES = [1, 2, 5, 10, 20, 50, 100]
NULL = 20
# Where --data points: a folder of .npz files, of which the one of the right shape is taken.
REAL = "BACKSTAY_BENCH_DATA"


def table(n, d):
    """A table of a shape, and where it is from."""
    if os.environ.get(REAL):
        for name, held in load_npz_dir(os.environ[REAL]).items():
            if held.X.shape == (n, d):
                return np.asarray(held.X), np.asarray(held.y), f"real, {name}"
    # Features come in correlated blocks of 10, the last of which may be cut.
    X, y, _ = make_han_yu(n, n_features=-(-d // 10) * 10, random_state=0)
    return X[:, :d], y, "synthetic"


def write_csv(path, X, y):
    frame = pd.DataFrame(X.round(6), columns=[f"gene{j}" for j in range(X.shape[1])])
    frame[TARGET] = np.where(y == np.unique(y)[0], "normal", "tumour")
    frame.to_csv(path, index=False)


def ours(path, n_resamples, jobs, null=NULL):
    """What ``backstay run`` does: read, study, report. Seconds of each, and the results."""
    store = Path(tempfile.mkdtemp(dir=path.parent)) / "study.db"
    clock = [time.perf_counter()]
    read = read_table(path, TARGET)
    X, _, _ = read.numbers()
    clock.append(time.perf_counter())
    study = Study(
        make_methods(["papers"]),
        Subsampling(n_resamples),
        sizes=SIZES,
        null=null,
        store=store,
        n_jobs=jobs,
        random_state=0,
        verbose=0,
    )
    results = study.run(X, read.y)
    clock.append(time.perf_counter())
    results.report(path.with_suffix(".html"))
    clock.append(time.perf_counter())
    parts = dict(zip(("read", "study", "report"), np.diff(clock).tolist(), strict=True))
    return parts, results


def total(run):
    """Seconds of all parts."""
    return sum(run[0].values())


def shares_of_time(results, wall, jobs):
    """Where the study's time went, as shares of what the jobs had."""
    tasks = results._store.tasks(results.datasets[0])
    spent = {
        kind: sum(task["seconds"].get(kind, 0.0) for task in tasks) for kind in ("method", "model")
    }
    by_method = {}
    for task in tasks:
        name = task["method"]
        by_method[name] = by_method.get(name, 0.0) + task["seconds"].get("method", 0.0)
    shares = {kind: value / (jobs * wall) for kind, value in spent.items()}
    return shares, {name: value / (jobs * wall) for name, value in by_method.items()}


def sameness(results, plain):
    """Per method over resamples and sizes: share of identical best sets, overlap, score gap."""
    same = {}
    for name, orders in plain.items():
        place, weights = results.runs.orders(name), results.runs.weights(name)
        ours, theirs, gaps = [], [], [0.0]
        for i, order in enumerate(orders):
            for k in SIZES:
                ours.append(place[i][:k].tolist())
                theirs.append(order[:k].tolist())
                gaps.append(score_gap(weights[i], ours[-1], theirs[-1]))
        same[name] = {
            "same": share_of_same_sets(ours, theirs),
            "overlap": mean_overlap(ours, theirs),
            "gap": max(gaps),
        }
    return same


def score_gap(weights, ours, theirs):
    """Largest difference in score between a feature of the one set only and one of the other."""
    only_ours, only_theirs = set(ours) - set(theirs), set(theirs) - set(ours)
    if not only_ours:
        return 0.0
    highest = max(weights[f] for f in only_ours)
    return float((highest - min(weights[f] for f in only_theirs)) / np.ptp(weights))


def command_line(quick):
    """Seconds of the command itself: a new process, from nothing to a report."""
    n, d, n_resamples = (62, 110, 2) if quick else (62, 2000, 50)
    X, y, _ = table(n, d)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_csv(path, X, y)
        command = [sys.executable, "-m", "backstay", "run", str(path), "--target", TARGET]
        command += ["--repeats", str(n_resamples), "--jobs", str(n_cores())]
        command += ["--out", str(Path(folder) / "out")]
        taken, run = seconds_of(
            lambda: subprocess.run(command, capture_output=True, text=True, check=False)
        )
        if run.returncode:
            raise RuntimeError(f"backstay run failed: {run.stderr[-500:]}")
    return {"seconds": taken, "resamples": n_resamples}


def small_problem(folder, jobs):
    """A table to warm up on: workers started, modules loaded, kernels read from disk.

    Each side does so just before it is timed: joblib's workers are those of the last caller.
    """
    X, y, _ = make_han_yu(40, n_features=200, random_state=0)
    path = folder / "small.csv"
    write_csv(path, X, y)
    return path, drawn(y, 2 * jobs, 2)


def drawn(y, n_resamples, null):
    """The resamples that the study draws, and those with shuffled labels."""
    seeds = np.random.SeedSequence(0)
    target = as_target(y)
    splits = draw_splits(Subsampling(n_resamples), target, None, seeds)
    return splits, draw_null_splits(Subsampling(n_resamples), target, None, null, seeds)


def end_to_end(quick, n, d, n_resamples, n_plain, times=1):
    """Both ways on the same resamples; the plain way on fewer where it would take too long."""
    n_null = NULL
    if quick:
        d, n_resamples, n_plain, n_null = d // 10, 3, 3, 2
    jobs = n_cores()
    X, y, source = table(n, d)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = folder / "table.csv"
        write_csv(path, X, y)
        codes = np.unique(y, return_inverse=True)[1]
        splits, null = drawn(codes, n_resamples, n_null)
        small, small_drawn = small_problem(folder, jobs)

        ours(small, len(small_drawn[0]), jobs, 2)
        runs = sorted((ours(path, n_resamples, jobs, n_null) for _ in range(times)), key=total)
        parts, results = runs[times // 2]
        seconds = total(runs[times // 2])
        _plain_study.run(small, TARGET, *small_drawn, SIZES, jobs, NULL_RUNS)
        # Of both kinds of runs the same share, in whole permutations.
        n_permutations = -(-n_null * n_plain // n_resamples)
        some = splits[:n_plain], null[: n_permutations * NULL_RUNS]
        plain_seconds, orders = seconds_of(
            lambda: _plain_study.run(path, TARGET, *some, SIZES, jobs, NULL_RUNS)
        )
        shares, by_method = shares_of_time(results, parts["study"], jobs)
        facts = {
            "data": source,
            "jobs": jobs,
            "resamples": n_resamples,
            "plain_resamples": n_plain,
            "seconds": seconds,
            "seconds_low_high": [total(runs[0]), total(runs[-1])],
            "parts": parts,
            "plain_seconds": plain_seconds,
            # Reading and drawing are small and counted n/n_plain times as well: marked as
            # extrapolated on the page.
            "plain_seconds_all": plain_seconds * n_resamples / n_plain,
            "ratio": plain_seconds * n_resamples / n_plain / seconds,
            "shares": shares,
            "shares_of_methods": by_method,
            "sameness": sameness(results, orders),
        }
        facts["same_selections"] = float(
            np.mean([row["same"] for row in facts["sameness"].values()])
        )
        return facts


def cost_of_null(quick):
    """A run with shuffled labels beside one without them."""
    n, d, n_resamples, times = (62, 110, 4, 1) if quick else (62, 2000, 50, 3)
    jobs = n_cores()
    X, y, source = table(n, d)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = folder / "table.csv"
        write_csv(path, X, y)
        ours(small_problem(folder, jobs)[0], 2 * jobs, jobs, 2)
        # In turn, so that what else the machine does falls on both.
        both = [[total(ours(path, n_resamples, jobs, n)) for n in (NULL, 0)] for _ in range(times)]
    seconds, without = np.median(both, axis=0).tolist()
    return {
        "data": source,
        "resamples": n_resamples,
        "runs_with_shuffled_labels": NULL * NULL_RUNS,
        "seconds": seconds,
        "seconds_without": without,
        "cost": seconds / without - 1,
    }


def measurement(n, d, n_resamples, n_plain, targets=(), **more):
    return Measurement(
        f"end_to_end_{n}x{d}",
        f"From CSV to report: the papers' methods, {n_resamples} resamples of {n} × {d:,}",
        end_to_end,
        targets,
        arguments={"n": n, "d": d, "n_resamples": n_resamples, "n_plain": n_plain, **more},
    )


WORKLOADS = (
    measurement(
        62,
        2000,
        50,
        50,
        (
            Target("from CSV to report on 62 × 2,000", fact("ratio"), at_least=10),
            Target(
                "selections the same as the plain study's, 62 × 2,000",
                fact("same_selections"),
                at_least=0.95,
                unit="share",
                why="see the table of selections: what differs are ties within rounding",
            ),
        ),
        times=3,
    ),
    measurement(102, 12600, 10, 2),
    measurement(181, 12533, 10, 2),
    Measurement(
        "null_62x2000",
        "What shuffled labels cost: a run of the papers' methods on 62 × 2,000 with and without",
        cost_of_null,
        (
            Target(
                "further time for runs with shuffled labels, 62 × 2,000",
                fact("cost"),
                at_most=0.6,
                unit="share",
            ),
        ),
    ),
    Measurement(
        "command_62x2000",
        "`backstay run` on 62 × 2,000 as a command: 50 resamples, process start included",
        command_line,
    ),
)
