"""The figures of the report, one by one, for a paper or a notebook.

Usage: python displays.py [number of resamples, 20 if not given]
"""

import sys
from pathlib import Path

import matplotlib as mpl

from backstay import SVMRFE, ReliefF, TTest
from backstay.datasets import make_han_yu
from backstay.report import (
    AccuracyDisplay,
    ParetoDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
)
from backstay.study import Study, Subsampling

mpl.use("Agg")
n_resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 20
X, y, truth = make_han_yu(100, n_features=400, n_relevant=40, random_state=0)
study = Study(
    {"t test": TTest(moderation="shrunken"), "ReliefF": ReliefF(), "SVM-RFE": SVMRFE()},
    Subsampling(n_resamples),
    sizes=[1, 2, 5, 10, 20, 40, 80, 160, 300, 390],
    random_state=0,
)
results = study.run(X, y, truth=truth)

displays = {
    "stability": StabilityDisplay.from_results(results),
    "stability, not corrected for chance": StabilityDisplay.from_results(results, "kalousis"),
    "accuracy": AccuracyDisplay.from_results(results),
    "stability and accuracy": ParetoDisplay.from_results(results),
    "selection frequency": SelectionFrequencyDisplay.from_results(results, size=40),
}
for name, display in displays.items():
    path = Path(name.replace(",", "").replace(" ", "_") + ".png")
    display.plot().figure_.savefig(path, dpi=120)
    print(f"{path}: {name}, {len(display.frame())} rows of data behind it")

frame = displays["stability"].frame()
print(frame.pivot(index="size", columns="method", values="value").round(2))
