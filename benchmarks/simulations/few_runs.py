"""How often do intervals of stability hold the truth after few runs?

    python -m benchmarks.simulations.few_runs

Runs are independent draws of procedures whose stability is known: it is what infinitely many runs
would show. Every run scores the features, effect + noise, and selects the k best. "before" is
Nogueira's formula with Student's t; "now" the default, a jackknife with a least variance. "same"
is the share of studies in which all runs were the same: their interval has no width and can hold
nothing but 1. The last table has procedures of other kinds: features selected independently of
each other, and subsets drawn from six fixed ones; and the level of the two-sample test.
"""

import argparse

import numpy as np
import pandas as pd

from backstay.stability import compare_stability, stability_score
from backstay.stability._intervals import interval_around
from backstay.stability._runs import read_subsets
from backstay.stability._score import nogueira_variance

N_RUNS = (5, 10, 20, 50)
SIZES = (1, 5, 20)
N_FEATURES = (100, 1000)
SHARES = np.random.default_rng(7).beta(0.4, 0.9, size=40)
FIXED = [[0, 1, 2], [0, 1, 3], [0, 2, 4], [0, 1, 5], [6, 7, 1], [8, 9, 10]]
CHANCES = np.array([0.35, 0.2, 0.15, 0.15, 0.1, 0.05])
MASKS = np.array([np.isin(np.arange(12), chosen) for chosen in FIXED])


def effects(k, d):
    """Profiles of effects by name, in units of the noise."""
    some = max(2 * k, 3)
    return {
        "none": np.zeros(d),
        "core": np.where(
            np.arange(d) < k // 2, 20.0, 0.0
        ),  # half of k always, the others at random
        "sparse": np.r_[np.linspace(4, 1, some), np.zeros(d - some)],
        "clear": np.r_[np.linspace(6, 4, k), 2.5, np.zeros(d - k - 1)],
        "decay": 8 / np.sqrt(np.arange(1, d + 1)),
        "normal": np.random.default_rng(5).normal(0, 2, d),
    }


def best(rng, n_runs, effect, k):
    """Return the masks of the k best features of every run."""
    noisy = effect + rng.normal(size=(n_runs, effect.size))
    chosen = np.zeros(noisy.shape, dtype=bool)
    np.put_along_axis(chosen, np.argpartition(-noisy, k - 1, axis=1)[:, :k], True, axis=1)
    return chosen


def independent(rng, n_runs):
    return rng.random((n_runs, len(SHARES))) < SHARES


def fixed(rng, n_runs):
    return MASKS[rng.choice(len(MASKS), size=n_runs, p=CHANCES)]


def stability(shares):
    return 1 - (shares * (1 - shares)).mean() / (shares.mean() * (1 - shares.mean()))


def truth_by_draws(draw, n_batches=40, n_runs=1000):
    """Return the stability that many runs show, without the bias of their number."""
    counts = sum(draw(np.random.default_rng([9, i]), n_runs).sum(axis=0) for i in range(n_batches))
    m, p = n_batches * n_runs, counts.size
    spread = (counts * (m - counts)).sum() / (m * (m - 1)) / p
    mean = counts.sum() / m / p
    return 1 - spread / (mean * (1 - mean))


def coverage(draw, truth, n_runs, n_studies):
    """Return the share of studies whose interval holds the truth, before and now, and the same."""
    found = []
    for seed in range(n_studies):
        runs = draw(np.random.default_rng([n_runs, seed]), n_runs)
        result = stability_score(runs)
        formula = nogueira_variance(read_subsets(runs, None))
        ends = interval_around(result.value, formula, 0.95, n_runs), result.confidence_interval
        held = [low - 1e-9 <= truth <= high + 1e-9 for low, high in ends]
        found.append([*held, bool((runs == runs[0]).all())])
    return np.mean(found, axis=0)


def level(n_runs, n_studies):
    """Return the share of p-values below 5 % between two samples of one procedure."""
    rejected = 0
    for seed in range(n_studies):
        runs = independent(np.random.default_rng(seed), 2 * n_runs)
        rejected += compare_stability(runs[:n_runs], runs[n_runs:]).p_value < 0.05
    return rejected / n_studies


def by_profile(n_studies):
    """Return one line per profile, size and number of features."""
    lines = []
    for k in SIZES:
        for d in N_FEATURES:
            for name, effect in effects(k, d).items():

                def draw(rng, n_runs, effect=effect, k=k):
                    return best(rng, n_runs, effect, k)

                truth = truth_by_draws(draw)
                line = {"effects": name, "k": k, "d": d, "stability": f"{truth:.2f}"}
                for n_runs in N_RUNS:
                    before, now, same = coverage(draw, truth, n_runs, n_studies)
                    line[f"{n_runs} runs"] = f"{before:.2f} → {now:.2f}"
                    line[f"same of {n_runs}"] = f"{same:.2f}"
                lines.append(line)
    return pd.DataFrame(lines)


def of_other_kinds(n_studies):
    """Return one line per number of runs."""
    procedures = {
        "independent": (independent, stability(SHARES)),
        "fixed": (fixed, stability(CHANCES @ MASKS)),
    }
    lines = []
    for n_runs in N_RUNS:
        line = {"runs": n_runs}
        for name, (draw, truth) in procedures.items():
            before, now, _ = coverage(draw, truth, n_runs, n_studies)
            line[name] = f"{before:.2f} → {now:.2f}"
        lines.append({**line, "level of the two-sample test": f"{level(n_runs, n_studies):.3f}"})
    return pd.DataFrame(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    n_studies = parser.parse_args().studies
    print(by_profile(n_studies).to_string(index=False))
    print(of_other_kinds(n_studies).to_string(index=False))


if __name__ == "__main__":
    main()
