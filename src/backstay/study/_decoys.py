"""Are the features of the chosen method more than luck? Decoys compete with them on all rows.

Draws depend on the study's seed and their number alone, so more of them extend a store.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from backstay._scaling import table_near_one
from backstay._validation import seeded
from backstay.base import one_thread
from backstay.ensemble import DecoyControl
from backstay.results import Records, Results
from backstay.study._checks import CheckedStudy
from backstay.study._data import CheckedData
from backstay.study._progress import Progress
from backstay.study._protocols import MAX_SEED
from backstay.targets import Target

# Keeps the seeds of draws apart from those of splits and shuffled labels.
DRAWS = 0xDEC0


def run_decoys(
    study: CheckedStudy,
    data: CheckedData,
    records: Records,
    *,
    n_draws: int,
    seed: int,
    n_jobs: int | None,
    verbose: int | None,
) -> None:
    """Draw decoys for the method that the report is about, as often as the store lacks."""
    results = Results(records.store, records={data.name: records})
    name = results[data.name].choice().method
    left = [draw for draw in range(n_draws) if not records.holds(records.decoy_key(name, draw))]
    if not left:
        return
    try:
        X = table_near_one(data.X)
        if study.preprocess is not None:
            X = seeded(study.preprocess, seed % MAX_SEED).fit_transform(X, data.target.values)
        if X.shape[1] != data.X.shape[1]:
            raise ValueError(
                f"preprocess leaves {X.shape[1]} of {data.X.shape[1]} features; decoys must "
                "compete with all that could be selected."
            )
        calls = [
            delayed(_one_draw)(study.methods[name], X, data.target, data.design.pairs, seed, draw)
            for draw in left
        ]
        title = f"{data.name}, decoys"
        with one_thread(), Progress(n_draws, n_draws - len(left), verbose, title) as progress:
            drawn = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(calls)
            for draw, scores in zip(left, drawn, strict=True):
                records.add(records.decoy_key(name, draw), scores)
                progress.advance(False)
    except ValueError as error:
        warnings.warn(
            f"there are no q-values from decoys for {name!r} on {data.name!r}: {error}",
            UserWarning,
            stacklevel=6,  # the caller of Study.run
        )


def _one_draw(
    method: Any, X: Any, target: Target, pairs: NDArray[Any] | None, seed: int, draw: int
) -> NDArray[np.float64]:
    """Return the scores of the features and of their decoys: 2 × feature."""
    own = np.random.SeedSequence(seed, spawn_key=(DRAWS, draw)).generate_state(1)[0]
    control = DecoyControl(method, 1, random_state=int(own % MAX_SEED))
    control.fit(X, target.values_for(control, target.values), pairs=pairs)
    return np.concatenate([control.scores_, control.decoy_scores_])
