"""All experiments by name, and how to run one or all of them."""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path

import pandas as pd

from reproduction._experiment import Experiment, ExperimentResult, RunSettings

__all__ = ["PAGES", "experiments", "list_experiments", "pages", "reproduce", "section"]

# The pages that sections of experiments stand on.
PAGES = {
    "han": "Han & Yu 2010 and Han's dissertation",
    "prat-relief": "Prat's thesis, chapters 2 to 5: measures, redundancy, Relief",
    "prat-wrappers": "Prat's thesis, chapters 6 and 7: wrappers",
    "prat-weights": "Prat's thesis, chapters 8 and 9, and Prat & Belanche: instance weights",
}
# Each holds a list EXPERIMENTS; in the order of their page.
MODULES = {
    "_han_synthetic": "han",
    "_han_real": "han",
    "_han_variance": "han",
    "_han_printed": "han",
    "_han_sample_size": "han",
    "_han_stability": "han",
    "_han_consensus": "han",
    "_han_margins": "han",
    "_prat_measures": "prat-relief",
    "_prat_measures_real": "prat-relief",
    "_prat_relief": "prat-relief",
    "_prat_noise": "prat-relief",
    "_prat_vdm": "prat-relief",
    "_prat_redundancy": "prat-relief",
    "_prat_bayes": "prat-relief",
    "_prat_evaluation": "prat-relief",
    "_prat_remainder": "prat-wrappers",
    "_prat_accumulated": "prat-wrappers",
    "_prat_budget": "prat-wrappers",
    "_prat_readings": "prat-wrappers",
    "_prat_tests": "prat-wrappers",
    "_prat_curves": "prat-wrappers",
    "_prat_xor": "prat-weights",
    "_prat_synthetic": "prat-weights",
    "_prat_weighting": "prat-weights",
    "_prat_draws": "prat-weights",
    "_prat_importance": "prat-weights",
    "_prat_future": "prat-weights",
}


@cache
def experiments() -> dict[str, Experiment]:
    """Return every experiment by name."""
    modules = (importlib.import_module(f"reproduction.{name}") for name in MODULES)
    return {one.name: one for module in modules for one in module.EXPERIMENTS}


@cache
def pages() -> dict[str, str]:
    """Return the page of every experiment."""
    return {
        one.name: page
        for name, page in MODULES.items()
        for one in importlib.import_module(f"reproduction.{name}").EXPERIMENTS
    }


def section(name: str) -> str:
    """Return where an experiment's section is, seen from beside the folder of pages."""
    return f"reproduction/{pages()[name]}.md#{name.replace('.', '-').lower()}"


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
