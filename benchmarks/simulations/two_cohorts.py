"""Is what a validation says true? Pairs of cohorts from one generator, and shifted ones.

    python -m benchmarks.simulations.two_cohorts --out cohorts.jsonl

A study is run on the first cohort and its signature frozen. It is validated on a second one that
is drawn alike, measured on another platform (every feature with its own offset and gain), of
other class proportions, or that lacks half of the features. Then come cohorts of 20, 40 and 100
rows, drawn alike or with a smaller difference between the classes. Many fresh rows tell what the
signature truly scores there, and what a signature made from a part of the rows truly scores, which
is what the study expects. The interval of the difference should cover the true one.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from backstay import ReliefF, Study, TTest
from backstay.study import Subsampling
from backstay.targets import as_target, find_metric
from benchmarks.simulations._run import arguments, repeat, rows
from benchmarks.simulations.quoted_score import GENERATORS, draw

NAMES = [f"g{j}" for j in range(300)]
# The interval of the expected score was settled on the pairs 0 to 49; it is judged on others.
FIRST_PAIR = 50
METRICS = ("roc_auc", "balanced_accuracy")
VERDICTS = ("worse", "cannot be told apart", "at least as good", "as good", "better")
N_ROWS, N_FRESH, N_TRAINING_SETS = (20, 40, 100), 4000, 10
# Differences between the classes, as shares of those in the first cohort.
STRENGTHS = {"alike": 1.0, "a little weaker": 0.75, "weaker": 0.5}
METHODS = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}


def one(seed):
    name = ("independent", "blocks of ten")[seed % 2]
    X, y = draw(name, [seed, 6])
    study = Study(METHODS, Subsampling(30), sizes=[5, 10, 20], random_state=seed, verbose=0)
    table = pd.DataFrame(X, columns=NAMES)
    results = study.run(table, y)
    if not results.recommend().answers:
        return {"found": None}
    signature = results.freeze(table, y)
    rng = np.random.default_rng([seed, 8])
    offset, gain = rng.normal(0, 1, 300), np.exp(rng.normal(0, 0.3, 300))
    alike, labels = draw(name, [seed, 7])
    fewer, rare = draw(name, [seed, 9], [20, 80])
    cohorts = {
        "alike": (alike, labels, {}),
        "other platform": (alike * gain + offset, labels, {}),
        "other platform, zscore": (alike * gain + offset, labels, {"rescale": "zscore"}),
        "other proportions": (fewer, rare, {}),
        "half of the features": (alike, labels, {"allow_missing": True}),
    }
    expected = _expected(signature.document["choice"], X, y, _rows(name, "alike", N_FRESH, seed))
    truth = {}
    for kind in STRENGTHS:
        values, classes = _rows(name, kind, N_FRESH, seed)
        truth[kind] = _scores(signature, pd.DataFrame(values, columns=NAMES), classes)
        for n in N_ROWS:
            cohorts[f"{kind}, {n} rows"] = (*_rows(name, kind, n, seed), {})
    found = {}
    for kind, (values, classes, options) in cohorts.items():
        frame = pd.DataFrame(values, columns=NAMES)
        if options.get("allow_missing"):
            frame = frame.drop(columns=signature.feature_names_in_.tolist()[::2])
        validation = signature.validate(frame, classes, **options)
        scores = {score.metric: score for score in validation.scores}
        found[kind] = {"cautions": [caution.kind for caution in validation.cautions]}
        for metric in METRICS:
            known = scores[metric].to_dict()
            if kind.endswith("rows"):
                here, alike = (truth[one][metric] for one in (kind.split(",")[0], "alike"))
                known |= {"truth": here - expected[metric], "loss": here - alike}
            found[kind][metric] = known
    return {"found": found}


def _rows(name, kind, n, seed):
    """Draw n rows of two equal classes that differ as much as the kind of cohort says."""
    _, n_relevant, shift, block = GENERATORS[name]
    rng = np.random.default_rng([seed, 10, n, list(STRENGTHS).index(kind)])
    return rows(rng, [n // 2] * 2, 300, n_relevant, shift * STRENGTHS[kind], block)


def _expected(choice, X, y, fresh):
    """Return the mean true scores of what the study chose, trained on parts of the rows."""
    parts = StratifiedShuffleSplit(N_TRAINING_SETS, train_size=2 / 3, random_state=0)
    scores = []
    for train, _ in parts.split(X, y):
        ranking = clone(METHODS[choice["method"]]).fit(X[train], y[train]).ranking_
        best = ranking <= choice["size"]
        model = clone(as_target(y).default_models()[choice["model"]])
        scores.append(_scores(model.fit(X[train][:, best], y[train]), fresh[0][:, best], fresh[1]))
    return {metric: float(np.mean([one[metric] for one in scores])) for metric in METRICS}


def _scores(model, X, y):
    return {
        "roc_auc": float(roc_auc_score(y, model.decision_function(X))),
        "balanced_accuracy": float(balanced_accuracy_score(y, model.predict(X))),
    }


def main():
    args = arguments(__doc__, 210)
    lines = []
    pairs = [(FIRST_PAIR + i,) for i in range(args.sets)]
    for row in repeat(one, pairs, args.out, args.jobs):
        for kind, found in (row["found"] or {}).items():
            for metric in METRICS:
                known = found[metric]
                ends, truth = known["difference"], known.get("truth")
                line = {"metric": find_metric(metric).title, "cohort": kind}
                line |= {name: known[name]["value"] for name in ("expected", "found")}
                line |= {"true difference": truth, "width": ends["high"] - ends["low"]}
                if truth is not None:
                    line["covered"] = ends["low"] <= truth <= ends["high"]
                    line["truth below"], line["truth above"] = (
                        truth < ends["low"],
                        truth > ends["high"],
                    )
                    line["lost"] = known["loss"]
                    line["loss covered"] = ends["low"] <= known["loss"] <= ends["high"]
                    line["really as good"] = truth >= -known["tolerance"]
                line |= {verdict: known["verdict"] == verdict for verdict in VERDICTS}
                if truth is not None:
                    good = known["verdict"] in ("as good", "at least as good", "better")
                    line["as good, wrongly"] = good and truth < -known["tolerance"]
                for caution in ("platform", "proportions", "score", "chance"):
                    line[f"warns: {caution}"] = caution in found["cautions"]
                lines.append(line)
    frame = pd.DataFrame(lines)
    parts = frame.groupby(["metric", "cohort"], sort=False)
    table = parts.mean().astype(float)
    table.insert(0, "pairs", parts.size())
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
