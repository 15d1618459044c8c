"""What a search did, as frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.wrappers._search import Search
from backstay.wrappers._units import Indices, columns_of


def path_frame(
    search: Search, units: list[Indices], labels: list[Any], names: NDArray[Any] | None
) -> pd.DataFrame:
    """One row per visit."""
    rows = []
    for visit in search.visits:
        columns = columns_of(units, visit.members)
        started = visit.unit < 0
        rows.append(
            {
                "move": "start" if started else ("add" if visit.adding else "remove"),
                "feature": None if started else labels[visit.unit],
                "n_features": len(columns),
                "score": visit.score,
                "remainder_score": visit.remainder,
                "criterion": visit.criterion,
                "subset": tuple((columns if names is None else names[columns]).tolist()),
            }
        )
    frame = pd.DataFrame(rows).rename_axis("step")
    frame["feature"] = pd.Series([row["feature"] for row in rows], dtype=object)
    return frame


def scores_frame(search: Search, labels: list[Any]) -> pd.DataFrame:
    """One row per candidate."""
    led_to = {visit.examination: visit.unit for visit in search.visits}
    examinations = search.examinations

    def column(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0), *values]).astype(dtype)

    lengths = [len(e.moved) for e in examinations]
    moved = column([e.moved for e in examinations], np.intp)
    accepted = np.repeat([led_to.get(n, -1) for n in range(len(examinations))], lengths)
    remainders = [
        e.remainders if len(e.remainders) else np.full(len(e.moved), np.nan) for e in examinations
    ]
    return pd.DataFrame(
        {
            "step": np.repeat(np.arange(1, len(examinations) + 1), lengths),
            "move": np.repeat(["add" if e.adding else "remove" for e in examinations], lengths),
            "feature": pd.Series([labels[u] for u in moved], dtype=object),
            "n_features": column([e.n_features for e in examinations], np.intp),
            "score": column([e.scores for e in examinations], np.float64),
            "remainder_score": column(remainders, np.float64),
            "criterion": column([e.values for e in examinations], np.float64),
            "accepted": moved == accepted,
        }
    )
