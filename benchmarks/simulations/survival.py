"""Times until an event: is noise left alone, and is the quoted concordance right?

    python -m benchmarks.simulations.survival --out survival.jsonl --jobs 1

On noise, how often is something recommended? Otherwise the quoted Uno's C is set beside the
concordance of the chosen method and size, trained on training parts of the same rows and tested on
many fresh rows of the same population that are followed until their event: events before the same
τ against all later ones, every model on its own, then averaged.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone

from backstay import CoxPath, CoxScore, Study
from backstay.study import Subsampling
from backstay.targets import as_target, survival
from benchmarks.simulations._run import arguments, repeat

METHODS = {
    "cox-score": CoxScore(),
    "cox-score shrunken": CoxScore(moderation="shrunken"),
    "cox-lasso": CoxPath(n_lambdas=20),
}
SIZES = [5, 20, 50]
# Rows, relevant features, log hazard ratio of each, share that is censored, and data sets.
CASES = {
    "noise, 30 % censored": (100, 0, 0.0, 0.3, 100),
    "noise, 70 % censored": (170, 0, 0.0, 0.7, 100),
    "proportional hazards": (150, 10, 0.35, 0.4, 40),
    "crossing hazards": (150, 10, 0.6, 0.4, 40),
}
N_FEATURES, N_TRAINING_SETS, N_FRESH = 300, 10, 2000


def draw(name, seed, n_rows=None):
    """Draw rows and their times until the event, uncensored.

    Crossing hazards: after the time 0.5, half of the relevant features act the other way round.
    """
    given, n_relevant, slope, _, _ = CASES[name]
    n = given if n_rows is None else n_rows
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_FEATURES))
    risk = slope * X[:, :n_relevant].sum(axis=1)
    left = rng.exponential(size=n)  # the cumulative hazard at the event
    early, late = np.exp(risk), np.exp(risk)
    if name == "crossing hazards":
        signs = np.where(np.arange(n_relevant) % 2, -1.0, 1.0)
        late = np.exp(slope * X[:, :n_relevant] @ signs)
    turn = 0.5
    time = np.where(left < turn * early, left / early, turn + (left - turn * early) / late)
    return X, time + 1e-6


def censored(name, time, seed):
    """Return times of rows that leave at exponential times, as many as the case says on average."""
    share, rng = CASES[name][3], np.random.default_rng(seed)
    # The rate at which that share of these times is censored, by halving.
    low, high = 1e-6, 1e6
    for _ in range(80):
        rate = np.sqrt(low * high)
        low, high = (rate, high) if (1 - np.exp(-rate * time)).mean() < share else (low, rate)
    end = rng.exponential(1 / rate, len(time)) + 1e-6
    return survival(np.minimum(time, end), time <= end)


def one(name, seed):
    X, time = draw(name, [seed, 21])
    y = censored(name, time, [seed, 22])
    study = Study(METHODS, Subsampling(30), sizes=SIZES, null=20, random_state=seed, verbose=0)
    results = study.run(X, y)
    answer, choice = results.recommend(), results.choice()
    found = {
        "events": int(y["event"].sum()),
        "recommended": answer.trusted is not None,
        "refused": answer.refused,
        "quoted": answer.score.value,
        "low": answer.score.low,
        "high": answer.score.high,
        "apparent": answer.apparent,
    }
    if CASES[name][1]:
        found["truth"] = fresh_c(choice, (X, y), draw(name, [seed, 23], N_FRESH), seed)
    return found


def concordance(time, risk, tau):
    """Return the share of pairs in order, events before `tau` against all later ones."""
    ordered = total = 0.0
    for i in np.flatnonzero(time < tau):
        later = risk[time > time[i]]
        ordered += (risk[i] > later).sum() + 0.5 * (risk[i] == later).sum()
        total += len(later)
    return ordered / total


def fresh_c(choice, data, fresh, seed):
    """Return the mean concordance on fresh rows of what training parts of the data give."""
    (X, y), target = data, as_target(data[1])
    model, found = target.default_models()[choice.model], []
    for train, _ in Subsampling(N_TRAINING_SETS, random_state=seed).split(X, target):
        ranker = clone(METHODS[choice.method]).fit(X[train], y[train])
        weights = ranker.feature_importances_
        best = np.sort(np.argsort(-weights, kind="stable")[: choice.size])
        fitted = clone(model).fit(X[np.ix_(train, best)], y[train])
        risk = fitted.predict(fresh[0][:, best])
        found.append(concordance(fresh[1], risk, target.follow_up.tau))
    return float(np.mean(found))


def main():
    args = arguments(__doc__, 100)
    sets = {name: min(case[-1], args.sets) for name, case in CASES.items()}
    cases = [(name, seed) for seed in range(args.sets) for name in CASES if seed < sets[name]]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["case"] = [case[0] for case in frame["case"]]
    if "truth" not in frame:
        frame["truth"] = np.nan
    frame["bias"] = frame["quoted"] - frame["truth"]
    frame["bias of the apparent"] = frame["apparent"] - frame["truth"]
    inside = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["covered"] = inside.where(frame["truth"].notna()).astype(float)
    shown = ["events", "recommended", "quoted", "truth", "bias", "bias of the apparent", "covered"]
    table = frame.groupby("case", sort=False)[shown].mean()
    table.insert(0, "data sets", frame.groupby("case").size())
    print(table.loc[[name for name in CASES if name in table.index]].round(3).to_string())


if __name__ == "__main__":
    main()
