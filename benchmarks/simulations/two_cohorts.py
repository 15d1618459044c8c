"""Is what a validation says true? Pairs of cohorts from one generator, and shifted ones.

    python -m benchmarks.simulations.two_cohorts --out cohorts.jsonl

A study is run on the first cohort and its signature frozen. It is validated on a second one that
is drawn alike, measured on another platform (every feature with its own offset and gain), of
other class proportions, or that lacks half of the features.
"""

import numpy as np
import pandas as pd

from backstay import ReliefF, Study, TTest
from backstay.study import Subsampling
from backstay.targets import find_metric
from benchmarks.simulations._run import arguments, repeat
from benchmarks.simulations.quoted_score import draw

GENERATORS = ("independent", "blocks of ten")
NAMES = [f"g{j}" for j in range(300)]
# The interval of the expected score was settled on the pairs 0 to 49; it is judged on others.
FIRST_PAIR = 50


def one(seed):
    name = GENERATORS[seed % 2]
    X, y = draw(name, [seed, 6])
    methods = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}
    study = Study(methods, Subsampling(30), sizes=[5, 10, 20], random_state=seed, verbose=0)
    table = pd.DataFrame(X, columns=NAMES)
    results = study.run(table, y)
    if not results.recommend().answers:
        return {"found": None}
    signature = results.freeze(table, y)
    rng = np.random.default_rng([seed, 8])
    offset, gain = rng.normal(0, 1, 300), np.exp(rng.normal(0, 0.3, 300))
    alike, labels = draw(name, [seed, 7])
    fewer, rare = draw(name, [seed, 9], [20, 80])
    names = signature.feature_names_in_.tolist()
    cohorts = {
        "alike": (alike, labels, {}),
        "other platform": (alike * gain + offset, labels, {}),
        "other platform, zscore": (alike * gain + offset, labels, {"rescale": "zscore"}),
        "other proportions": (fewer, rare, {}),
        "half of the features": (alike, labels, {"allow_missing": True}),
    }
    found = {}
    for kind, (rows, truth, options) in cohorts.items():
        frame = pd.DataFrame(rows, columns=NAMES)
        if options.get("allow_missing"):
            frame = frame.drop(columns=names[::2])
        validation = signature.validate(frame, truth, **options)
        scores = {score.metric: score for score in validation.scores}
        found[kind] = {"cautions": [caution.kind for caution in validation.cautions]}
        for metric in ("roc_auc", "balanced_accuracy"):
            score = scores[metric]
            found[kind][metric] = [score.expected.value, score.found.value, score.verdict]
    return {"found": found}


def main():
    args = arguments(__doc__, 50)
    lines = []
    pairs = [(FIRST_PAIR + i,) for i in range(args.sets)]
    for row in repeat(one, pairs, args.out, args.jobs):
        for kind, found in (row["found"] or {}).items():
            line = {"cohort": kind}
            for metric in ("roc_auc", "balanced_accuracy"):
                title = find_metric(metric).title
                expected, value, verdict = found[metric]
                line |= {f"expected {title}": expected, title: value}
                line[f"{title} as expected"] = verdict == "as expected"
            for caution in ("platform", "proportions", "score"):
                line[f"warns: {caution}"] = caution in found["cautions"]
            lines.append(line)
    frame = pd.DataFrame(lines)
    table = frame.groupby("cohort", sort=False).mean()
    table.insert(0, "pairs", frame.groupby("cohort").size())
    print(table.round(3).T.to_string())


if __name__ == "__main__":
    main()
