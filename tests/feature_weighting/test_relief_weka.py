"""Weka's own ReliefF figures (Debian's weka 3.6.14, all instances, full precision)."""

import json
from pathlib import Path

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from backstay import ReliefF

CASES = json.loads((Path(__file__).parents[1] / "data" / "weka_relieff.json").read_text())
FIGURES = [(case, figure) for case in CASES for figure in case["scores"]]


@pytest.mark.parametrize(("case", "figure"), FIGURES, ids=lambda v: v.get("name", ""))
def test_scores_agree(case, figure):
    X = pd.DataFrame(case["X"], columns=[f"a{j}" for j in range(len(case["X"][0]))])
    ranker = ReliefF(figure["n_neighbors"], sigma=figure["sigma"], missing="worst")
    ranker.fit(X, case["y"])
    assert_allclose(ranker.feature_importances_, figure["weka"], atol=1e-9, rtol=0)
