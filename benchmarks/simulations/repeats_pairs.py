"""Rows that belong together, without any signal: what do tests and recommendations say?

    python -m benchmarks.simulations.repeats_pairs --out repeats_pairs.jsonl

Three designs, each analysed as what it is and as if rows were independent. "repeats": 20 subjects
of one class each, 10 visits. "pairs": 24 subjects with a row of either class. "sides": 16 subjects
with 3 rows of either class, which share what is special about that side of the subject. Written
are, per data set, the shares of features with p < 0.05 and q < 0.05 in the table of features, the
same of the moderated t and of Wilcoxon's test, and whether a signature is recommended.
"""

import numpy as np

from backstay import ReliefF, Study, TTest, Wilcoxon
from backstay.study import Subsampling
from benchmarks.simulations._run import arguments, repeat

N_FEATURES = 200
METHODS = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}
KINDS = ("repeats", "pairs", "sides")


def noise(kind, rng):
    """Draw rows, classes and subjects."""
    n, classes, each = {"repeats": (20, 1, 10), "pairs": (24, 2, 1), "sides": (16, 2, 3)}[kind]
    subject = np.repeat(np.arange(n), classes * each)
    y = subject % 2 if classes == 1 else np.tile(np.repeat([0, 1], each), n)
    side = subject * 2 + y
    X = rng.normal(size=(n, N_FEATURES))[subject] + 0.5 * rng.normal(size=(len(y), N_FEATURES))
    if kind == "sides":
        X += 1.5 * rng.normal(size=(2 * n, N_FEATURES))[side]
    return X, y, subject


def task(kind, aware, seed):
    X, y, subject = noise(kind, np.random.default_rng([KINDS.index(kind), seed]))
    known = {}
    if aware:
        known = {"groups" if kind == "repeats" else "pairs": subject}
    study = Study(METHODS, Subsampling(20), sizes=[5, 20], random_state=seed, verbose=0)
    results = study.run(X, y, **known)
    frame = results.features("t", 5).frame()
    filters = {"t": TTest(moderation="moderated"), "wilcoxon": Wilcoxon()}
    return {
        "p": float((frame["p_value"] < 0.05).mean()),
        "q": float((frame["q_value"] < 0.05).mean()),
        **{
            name: float((one.fit(X, y, **known).pvalues_ < 0.05).mean())
            for name, one in filters.items()
        },
        "recommended": results.choice().kind == "recommended",
    }


def main():
    options = arguments(__doc__, 100)
    cases = [
        (kind, aware, seed)
        for seed in range(options.sets)
        for kind in KINDS
        for aware in (True, False)
    ]
    rows = repeat(task, cases, options.out, options.jobs)
    print("| design | analysed as | p < 0.05 | q < 0.05 | moderated t | Wilcoxon | recommended |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for aware in (True, False):
            own = [row for row in rows if row["case"][:2] == [kind, aware]]
            shares = {
                name: np.array([row[name] for row in own])
                for name in ("p", "q", "t", "wilcoxon", "recommended")
            }
            said = [
                f"{values.mean():.3f} ± {2 * values.std(ddof=1) / np.sqrt(len(own)):.3f}"
                for name, values in shares.items()
                if name != "recommended"
            ]
            found = f"{shares['recommended'].sum()} of {len(own)}"
            name = ("groups" if kind == "repeats" else "pairs") if aware else "rows"
            print("|", " | ".join([kind, name, *said, found]), "|")


if __name__ == "__main__":
    main()
