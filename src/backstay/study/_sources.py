"""How much of a method's instability is the sample, its criterion's folds, its own chance."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone

from backstay._validation import take
from backstay.stability import stability_score
from backstay.study._protocols import MAX_SEED, RepeatedStratifiedKFold, Subsampling
from backstay.targets import as_target

SOURCES = ("sample", "folds", "own chance")
EVERYTHING = "all together"


def sources_of_instability(
    ranker: Any,
    X: Any,
    y: Any,
    *,
    size: int,
    n_blocks: int = 4,
    n_repeats: int = 4,
    random_state: int | None = None,
) -> pd.DataFrame:
    """Split the instability of a ranker into the sources it comes from [Prat 1.0.1].

    One source varies at a time, the others are held fixed: the rows (random two thirds); the
    folds on which a method judges its candidates, if it has a parameter ``cv``; and the chance
    inside the method, if it has a ``random_state``. At last all vary together.

    Parameters
    ----------
    ranker : FeatureRanker, SequentialSelector or other selector with ``ranking_``
        The method. Its own random states, and a ``cv`` that is None (taken as 5×2 folds) or a
        number of folds, are replaced; other settings stay.
    X, y : array-like
        Rows and their outcome.
    size : int
        Number of best features that are compared.
    n_blocks : int, default=4
        Times that all is done anew; the intervals are over these.
    n_repeats : int, default=4
        Fits that are compared within a block; at least 2.
    random_state : int, optional
        Of everything.

    Returns
    -------
    DataFrame
        One row per source: ``instability`` (1 minus Nogueira's stability, 0 if nothing
        changes and about 1 for features drawn at random), ``low`` and ``high`` (95 % t interval
        over blocks) and ``fits``. A source that the method does not have is 0 without a fit.

    Notes
    -----
    Parts do not add up to the whole: other rows are cut into other folds, so that the folds' part
    is also in the sample's. "sample" is what another two thirds of this table would change.

    Examples
    --------
    >>> from backstay import ForestImportance
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.study import sources_of_instability
    >>> X, y, _ = make_han_yu(60, n_features=40, n_relevant=10, random_state=0)
    >>> found = sources_of_instability(ForestImportance(20), X, y, size=5, random_state=0)
    >>> found["fits"].tolist()
    [16, 0, 12, 12]
    """
    if n_blocks < 2 or n_repeats < 2:
        raise ValueError(f"n_blocks={n_blocks!r} and n_repeats={n_repeats!r} must be at least 2.")
    params = ranker.get_params(deep=True)
    states = [name for name in params if name.split("__")[-1] == "random_state"]
    folds = [
        name
        for name, value in params.items()
        if name.split("__")[-1] == "cv" and (value is None or isinstance(value, int))
    ]
    has = {"sample": True, "folds": bool(folds), "own chance": bool(states), EVERYTHING: True}
    target, labels = as_target(y), np.asarray(y)
    rng = np.random.default_rng(random_state)

    def fit(rows: int, fold: int, chance: int) -> NDArray[np.intp]:
        """Return the best features for one draw of rows, of folds and of chance."""
        train = next(Subsampling(1, random_state=rows).split(X, target))[0]
        part = labels[train]
        given: dict[str, Any] = dict.fromkeys(states, chance)
        for name in folds:
            k, times = (2, 5) if params[name] is None else (params[name], 1)
            drawn = RepeatedStratifiedKFold(k, times, random_state=fold)
            given[name] = list(drawn.split(part, as_target(part)))
        fitted = clone(ranker).set_params(**given).fit(take(X, train), part)
        return np.argsort(fitted.ranking_, kind="stable")[:size]

    unstable: dict[str, list[float]] = {name: [] for name in (*SOURCES, EVERYTHING)}
    for _ in range(n_blocks):
        seeds = rng.integers(MAX_SEED, size=(n_repeats, len(SOURCES)))
        first = fit(*seeds[0].tolist())
        for name, found in unstable.items():
            runs = [first]
            for other in seeds[1:] if has[name] else ():
                varied = [name in (source, EVERYTHING) for source in SOURCES]
                runs.append(fit(*np.where(varied, other, seeds[0]).tolist()))
            same = len(runs) == 1
            found.append(0.0 if same else 1 - stability_score(runs, np.shape(X)[1]).value)
    rows = []
    for name, found in unstable.items():
        half = stats.t.ppf(0.975, n_blocks - 1) * np.std(found, ddof=1) / np.sqrt(n_blocks)
        mean, n_fits = float(np.mean(found)), n_blocks * (n_repeats - 1) * has[name]
        n_fits += n_blocks * (name == "sample")  # the first of every block serves all sources
        rows.append((name, mean, max(mean - half, 0.0), mean + half, n_fits))
    columns = ["source", "instability", "low", "high", "fits"]
    return pd.DataFrame(rows, columns=columns).set_index("source")
