"""All experiments by name, and how to run one or all of them."""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path

import pandas as pd

from reproduction._experiment import Experiment, ExperimentResult, RunSettings

__all__ = ["experiments", "list_experiments", "reproduce"]

# Each holds a list EXPERIMENTS; in the order of the page.
MODULES = (
    "_han_synthetic",
    "_han_real",
    "_han_variance",
    "_han_stability",
    "_han_consensus",
    "_han_margins",
    "_prat_measures",
    "_prat_measures_real",
    "_prat_xor",
    "_prat_relief",
    "_prat_noise",
    "_prat_redundancy",
    "_prat_bayes",
    "_prat_evaluation",
    "_prat_remainder",
    "_prat_accumulated",
    "_prat_readings",
    "_prat_tests",
    "_prat_curves",
    "_prat_synthetic",
    "_prat_weighting",
    "_prat_importance",
)


@cache
def experiments() -> dict[str, Experiment]:
    """Return every experiment by name."""
    modules = (importlib.import_module(f"reproduction.{name}") for name in MODULES)
    return {one.name: one for module in modules for one in module.EXPERIMENTS}


def list_experiments() -> pd.DataFrame:
    """Return the table of experiments: name, title, source, data files needed.

    Examples
    --------
    >>> from reproduction import list_experiments
    >>> list_experiments().columns.tolist()
    ['name', 'title', 'source', 'needs']
    """
    rows = [
        {"name": one.name, "title": one.title, "source": one.source, "needs": ", ".join(one.needs)}
        for one in experiments().values()
    ]
    return pd.DataFrame(rows)


def reproduce(
    name: str,
    *,
    out: str | os.PathLike[str],
    data: str | os.PathLike[str] | None = None,
    repeats: int | None = None,
    n_jobs: int = 1,
    quick: bool = False,
    seed: int = 0,
) -> ExperimentResult:
    """Run a published experiment again and write its table and figure.

    Parameters
    ----------
    name : str
        One of :func:`list_experiments`.
    out : path
        Folder for NAME.csv, NAME.svg, NAME.json and what a stopped run resumes from.
    data : path, optional
        Folder of ``.npz`` files with real data, for the experiments that need them.
    repeats : int, optional
        Resamples or repetitions; the experiment's own if None.
    n_jobs : int, default=1
        Tasks at the same time; changes no result.
    quick : bool, default=False
        Few repetitions: to see that it runs, not to conclude from.
    seed : int, default=0
        Of everything.

    Returns
    -------
    ExperimentResult
        With ``table`` (published, measured, interval, agrees) and ``finding``.
    """
    known = experiments()
    if name not in known:
        raise ValueError(f"name={name!r} is no experiment; there are {', '.join(known)}.")
    if repeats is not None and repeats < 2:
        raise ValueError(f"repeats={repeats!r} must be at least 2.")
    folder = None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise ValueError(f"data={str(data)!r} is not a folder.")
    return known[name].reproduce(RunSettings(Path(out), folder, repeats, quick, n_jobs, seed))
