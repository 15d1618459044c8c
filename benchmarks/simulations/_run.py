"""Generators, the study that is simulated, and a loop over seeds that can be stopped."""

import argparse
import json
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from backstay import SVMRFE, ReliefF, Study, TTest
from backstay.study import Subsampling

METHODS = {
    "t": TTest(moderation="shrunken"),
    "relieff": ReliefF(),
    "svm-rfe": SVMRFE(),
    "svm-rfe-soft": SVMRFE(C=0.02),
}
SIZES = [5, 10, 20, 50]


def rows(rng, counts, n_features=300, n_relevant=0, shift=0.0, block=1):
    """Draw rows of classes with given counts; relevant features differ in mean between classes.

    Features of a block share 80 % of their variance; class c has the relevant features
    number c, c + C, … of C classes shifted.
    """
    y = np.repeat(np.arange(len(counts)), counts)
    shared = np.repeat(rng.normal(size=(len(y), n_features // block)), block, axis=1)
    own = rng.normal(size=(len(y), n_features))
    X = own if block == 1 else np.sqrt(0.8) * shared + np.sqrt(0.2) * own
    for c in range(len(counts)):
        X[y == c, c : n_relevant : len(counts)] += shift
    return X, y


def study(n_splits, seed, **options):
    return Study(
        METHODS,
        Subsampling(n_splits),
        sizes=SIZES,
        random_state=seed,
        verbose=0,
        **options,
    )


def repeat(task, cases, out, jobs):
    """Run task(*case) for every case that the file does not hold yet; return all rows."""
    out = Path(out)
    done = []
    if out.exists():
        done = [json.loads(line) for line in out.read_text().splitlines()]
    known = {tuple(row["case"]) for row in done}
    left = [case for case in cases if case not in known]
    with out.open("a") as file:
        running = Parallel(n_jobs=jobs, return_as="generator_unordered")(
            delayed(_one)(task, case) for case in left
        )
        for row in running:
            file.write(json.dumps(row) + "\n")
            file.flush()
            done.append(row)
    return [row for row in done if tuple(row["case"]) in set(cases)]


def _one(task, case):
    return {"case": list(case), **task(*case)}


def parser(description, n):
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--sets", type=int, default=n, help="data sets of each kind")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--out", type=Path, required=True, help="file of results, to resume from")
    return options


def arguments(description, n):
    return parser(description, n).parse_args()
