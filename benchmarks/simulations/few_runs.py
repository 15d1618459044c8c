"""How often do intervals hold the truth after few runs: normal ones, and Student's t?

    python -m benchmarks.simulations.few_runs

Two procedures whose stability is known: features selected independently of each other, and
subsets drawn from six fixed ones. The truth is what infinitely many runs would show.
"""

import argparse

import numpy as np
import pandas as pd
from scipy import stats

from backstay.stability import compare_stability, stability_score

N_RUNS = (5, 10, 20, 30, 100)
SHARES = np.random.default_rng(7).beta(0.4, 0.9, size=40)
FIXED = [[0, 1, 2], [0, 1, 3], [0, 2, 4], [0, 1, 5], [6, 7, 1], [8, 9, 10]]
CHANCES = np.array([0.35, 0.2, 0.15, 0.15, 0.1, 0.05])
MASKS = np.array([np.isin(np.arange(12), chosen) for chosen in FIXED])
Z = stats.norm.ppf(0.975)


def independent(rng, n_runs):
    return rng.random((n_runs, len(SHARES))) < SHARES


def fixed(rng, n_runs):
    return MASKS[rng.choice(len(MASKS), size=n_runs, p=CHANCES)]


def stability(shares):
    return 1 - (shares * (1 - shares)).mean() / (shares.mean() * (1 - shares.mean()))


def coverage(draw, truth, n_runs, variance_from, n_studies):
    """Share of studies whose interval holds the truth: normal, and Student's t."""
    held = np.zeros(2)
    for seed in range(n_studies):
        runs = draw(np.random.default_rng(seed), n_runs)
        result = stability_score(runs, variance_from=variance_from)
        half = Z * np.sqrt(result.variance)
        normal = (result.value - half, result.value + half)
        held += [low <= truth <= high for low, high in (normal, result.confidence_interval)]
    return held / n_studies


def level(n_runs, n_studies):
    """Share of p-values below 5 % between two samples of one procedure."""
    rejected = np.zeros(2)
    for seed in range(n_studies):
        runs = independent(np.random.default_rng(seed), 2 * n_runs)
        found = compare_stability(runs[:n_runs], runs[n_runs:])
        rejected += [abs(found.statistic) > Z, found.p_value < 0.05]
    return rejected / n_studies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    n_studies = parser.parse_args().studies
    procedures = {
        "independent": (independent, stability(SHARES)),
        "fixed": (fixed, stability(CHANCES @ MASKS)),
    }
    lines = []
    for n_runs in N_RUNS:
        figures = {"runs": n_runs}
        for name, (draw, truth) in procedures.items():
            for source in ("analytic", "jackknife"):
                figures[f"{name}, {source}"] = coverage(draw, truth, n_runs, source, n_studies)
        figures["level of the two-sample test"] = level(n_runs, n_studies)
        lines.append(
            {k: v if k == "runs" else f"{v[0]:.2f} → {v[1]:.2f}" for k, v in figures.items()}
        )
    print(pd.DataFrame(lines).to_string(index=False))


if __name__ == "__main__":
    main()
