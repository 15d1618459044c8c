"""Outcomes that are numbers: is noise left alone, and is the quoted R² right?

    python -m benchmarks.simulations.numbers --out numbers.jsonl --jobs 1

On noise, how often is something recommended? Otherwise the quoted R² is set beside that of the
chosen method, size and model, trained on training parts of the same rows and tested on many fresh
rows of the same population, all of them together.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import Ridge

from backstay import SlopeTest, Spearman, Study
from backstay.study import Subsampling
from backstay.targets import as_target
from benchmarks.simulations._run import arguments, repeat

METHODS = {"slope": SlopeTest(), "spearman": Spearman(), "ridge weights": Ridge(alpha=100.0)}
SIZES = [5, 10, 20, 50]
# Rows, relevant features, R² of all of them, what is special, and how many data sets.
CASES = {
    "noise, normal": (80, 0, 0.0, "", 100),
    "noise, heavy tails": (80, 0, 0.0, "heavy y", 100),
    "noise, blocks of ten": (80, 0, 0.0, "blocks", 100),
    "independent": (100, 10, 0.7, "", 40),
    "blocks of ten": (100, 30, 0.6, "blocks", 40),
    "heavy tails": (100, 10, 0.7, "heavy y", 40),
}
N_FEATURES, N_TRAINING_SETS, N_FRESH = 300, 10, 4000


def draw(name, seed, n_rows=None):
    """Draw rows; features of a block share 80 % of their variance, heavy tails are t with 4."""
    given, n_relevant, share, special, _ = CASES[name]
    n = given if n_rows is None else n_rows
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_FEATURES))
    if special == "blocks":
        shared = np.repeat(rng.normal(size=(n, N_FEATURES // 10)), 10, axis=1)
        X = np.sqrt(0.8) * shared + np.sqrt(0.2) * X
    noise = rng.standard_t(4, size=n) / np.sqrt(2) if special == "heavy y" else rng.normal(size=n)
    signal = X[:, :n_relevant].sum(axis=1)
    if not n_relevant:
        return X, noise
    deviation = np.sqrt(n_relevant * (0.8 * 9 + 1 if special == "blocks" else 1))
    return X, np.sqrt(share) * signal / deviation + np.sqrt(1 - share) * noise


def one(name, seed):
    X, y = draw(name, [seed, 11])
    study = Study(
        METHODS,
        Subsampling(50),
        sizes=SIZES,
        null=20,
        random_state=seed,
        verbose=0,
    )
    results = study.run(X, y)
    answer, choice = results.recommend(), results.choice()
    found = {
        "recommended": answer.trusted is not None,
        "refused": answer.refused,
        "quoted": answer.score.value,
        "low": answer.score.low,
        "high": answer.score.high,
        "apparent": answer.apparent,
    }
    if CASES[name][1]:
        fresh = draw(name, [seed, 12], N_FRESH)
        found["truth"] = fresh_r2(choice, (X, y), fresh, seed)
    return found


def fresh_r2(choice, data, fresh, seed):
    """Return R² on fresh rows of what training parts of the data give, all parts together."""
    (X, y), target = data, as_target(data[1])
    model, errors = target.default_models()[choice.model], np.zeros(2)
    protocol = Subsampling(N_TRAINING_SETS, random_state=seed)
    for train, _ in protocol.split(X, target):
        ranker = clone(METHODS[choice.method]).fit(X[train], y[train])
        weights = getattr(ranker, "feature_importances_", None)
        weights = np.abs(ranker.coef_) if weights is None else weights
        best = np.sort(np.argsort(-weights, kind="stable")[: choice.size])
        fitted = clone(model).fit(X[np.ix_(train, best)], y[train])
        errors += [
            ((fresh[1] - fitted.predict(fresh[0][:, best])) ** 2).sum(),
            ((fresh[1] - y[train].mean()) ** 2).sum(),
        ]
    return float(1 - errors[0] / errors[1])


def main():
    args = arguments(__doc__, 100)
    sets = {name: min(case[-1], args.sets) for name, case in CASES.items()}
    cases = [(name, seed) for seed in range(args.sets) for name in CASES if seed < sets[name]]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["case"] = [case[0] for case in frame["case"]]
    frame["bias"] = frame["quoted"] - frame["truth"]
    frame["bias of the apparent"] = frame["apparent"] - frame["truth"]
    inside = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["covered"] = inside.where(frame["truth"].notna()).astype(float)
    shown = ["quoted", "truth", "bias", "bias of the apparent", "covered"]
    table = frame.groupby("case", sort=False)[["recommended", *shown]].mean()
    table.insert(0, "data sets", frame.groupby("case").size())
    print(table.loc[[name for name in CASES if name in table.index]].round(3).to_string())


if __name__ == "__main__":
    main()
