"""Freeze the answer of a study and test it on a cohort from another platform."""

import numpy as np
import pandas as pd

from backstay import Signature, Study, TTest
from backstay.datasets import make_han_yu
from backstay.report import ValidationReport
from backstay.study import Subsampling

names = [f"gene {j}" for j in range(100)]


def cohort(n_samples, seed):
    X, y, _ = make_han_yu(n_samples, n_features=100, n_relevant=20, random_state=seed)
    return pd.DataFrame(X, columns=names), np.where(y, "ill", "well")


X, y = cohort(80, seed=0)
study = Study({"t": TTest()}, Subsampling(20), sizes=[5, 10], random_state=0, verbose=0)
study.run(X, y).freeze(X, y).save("signature.json")

# Somewhere else, with the file alone.
signature = Signature.load("signature.json")
X_new, y_new = cohort(100, seed=1)
print(signature)
print(ValidationReport(signature.validate(X_new, y_new)).sentence)

moved = X_new * 1.5 + 1  # another platform
for rescale in ("none", "zscore"):
    validation = signature.validate(moved, y_new, rescale=rescale)
    print(f"\nAnother platform, rescale={rescale}")
    print(validation.frame()[["metric", "found", "expected", "p_value", "verdict"]].round(3))
    for title, _ in ValidationReport(validation).cautions:
        print("-", title)
