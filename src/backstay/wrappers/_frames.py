"""What a search did, as frames."""

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
    visits = search.visits
    columns = [columns_of(units, visit.members) for visit in visits]
    names = np.arange(search.sizes.sum()) if names is None else names
    moves = ["add" if visit.adding else "remove" for visit in visits[1:]]
    moved = [labels[visit.unit] for visit in visits[1:]]
    return pd.DataFrame(
        {
            "move": ["start", *moves],
            "feature": pd.Series([None, *moved], dtype=object),
            "n_features": [len(part) for part in columns],
            "score": [visit.score for visit in visits],
            "remainder_score": [visit.remainder for visit in visits],
            "criterion": [visit.criterion for visit in visits],
            "subset": [tuple(names[part].tolist()) for part in columns],
        }
    ).rename_axis("step")


def scores_frame(search: Search, labels: list[Any]) -> pd.DataFrame:
    """One row per candidate."""
    led_to = {visit.examination: visit.unit for visit in search.visits}
    examinations = search.examinations

    def column(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0), *values]).astype(dtype)

    lengths = [len(e.moved) for e in examinations]
    moved = column([e.moved for e in examinations], np.intp)
    accepted = np.repeat([led_to.get(n, -1) for n in range(len(examinations))], lengths)
    return pd.DataFrame(
        {
            "step": np.repeat(np.arange(1, len(examinations) + 1), lengths),
            "move": np.repeat(["add" if e.adding else "remove" for e in examinations], lengths),
            "feature": pd.Series([labels[u] for u in moved], dtype=object),
            "n_features": column([e.n_features for e in examinations], np.intp),
            "score": column([e.scores for e in examinations], np.float64),
            "remainder_score": column([e.remainders for e in examinations], np.float64),
            "criterion": column([e.values for e in examinations], np.float64),
            "accepted": moved == accepted,
        }
    )
