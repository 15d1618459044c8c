"""What can be known of replication from one table? Two limits, with three cheap rankings.

    python -m benchmarks.simulations.replication_limits --out limits.jsonl

A table is drawn and split into halves several times. One half says what a second sample would
share with it, the other half shows it. (1) How far does the mean over a table's splits err, by the
luck of that table and the error of the estimate? (2) Of the configurations, the one with the
highest figure is chosen. Does it help to choose by half of the runs and to read the figure from
the other half?
"""

import numpy as np
import pandas as pd

from backstay.stability import Standings
from benchmarks.simulations._run import arguments, repeat
from examples.replication import GENERATORS, SIZES

N_SPLITS, N_RUNS, TRAIN = 3, 50, 2 / 3
NOISE = TRAIN / (1 - TRAIN)


def part(y, share, rng):
    """Draw a share of the rows of every class."""
    classes = [rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)]
    drawn = [rows[: round(len(rows) * share)] for rows in classes]
    return np.isin(np.arange(len(y)), np.concatenate(drawn))


def orders(X, y, rng):
    """Return the best features of every run, by t, shrunken t and the difference of means."""
    runs = np.array([part(y, TRAIN, rng) for _ in range(N_RUNS)], dtype=float)
    mean, within, n = [], 0.0, []
    for label in (0, 1):
        weight = runs * (y == label)
        n.append(weight.sum(axis=1, keepdims=True))
        mean.append(weight @ X / n[-1])
        within = within + weight @ X**2 - n[-1] * mean[-1] ** 2
    apart = np.abs(mean[1] - mean[0])
    error = np.sqrt(within / (n[0] + n[1] - 2) * (1 / n[0] + 1 / n[1]))
    shrunken = apart / (error + np.median(error, axis=1, keepdims=True))
    scores = {"t": apart / error, "shrunken t": shrunken, "difference": apart}
    return {name: np.argsort(-one, axis=1)[:, : max(SIZES)] for name, one in scores.items()}


def expected(chosen, n_features):
    counts = np.bincount(chosen.ravel(), minlength=n_features)
    return Standings.fit(counts, len(chosen), NOISE).overlap()


def signature(chosen, n_features):
    counts = np.bincount(chosen.ravel(), minlength=n_features)
    return np.argsort(-counts, kind="stable")[: chosen.shape[1]]


def one(name, seed):
    draw, n = GENERATORS[name]
    rng = np.random.default_rng([seed, 7])
    X, y = draw(2 * n, rng)
    shuffled = rng.permutation(X.shape[1])
    X, d, rows = X[:, shuffled], X.shape[1], []
    for _ in range(N_SPLITS):
        first = part(y, 0.5, rng)
        here, there = orders(X[first], y[first], rng), orders(X[~first], y[~first], rng)
        found, said, early, late = [], [], [], []
        for method in here:
            for size in SIZES:
                own, other = here[method][:, :size], there[method][:, :size]
                shared = len(np.intersect1d(signature(own, d), signature(other, d)))
                at_random = size**2 / d
                found.append((shared - at_random) / (size - at_random))
                said.append(expected(own, d))
                early.append(expected(own[: N_RUNS // 2], d))
                late.append(expected(own[N_RUNS // 2 :], d))
        best, at_first = int(np.argmax(said)), int(np.argmax(early))
        rows.append(
            {
                "expected": np.mean(said),
                "found": np.mean(found),
                "chosen, expected": said[best],
                "chosen, found": found[best],
                "by half of the runs": early[at_first],
                "by the other half": late[at_first],
                "its overlap": found[at_first],
            }
        )
    return pd.DataFrame(rows).mean().to_dict()


def main():
    args = arguments(__doc__, 30)
    names = [name for name in GENERATORS if name != "noise"]
    cases = [(name, seed) for seed in range(args.sets) for name in names]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["case"] = [case[0] for case in frame["case"]]
    frame["error"] = frame["expected"] - frame["found"]
    frame["beyond 0.1"] = frame["error"].abs() > 0.1
    by = frame.groupby("case", sort=False)
    table = by.mean()
    table.insert(0, "sd of error", by["error"].std())
    table.insert(0, "tables", by.size())
    print(table.round(3).T.to_string())


if __name__ == "__main__":
    main()
