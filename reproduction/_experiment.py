"""One published result, run again: what it needs, how it runs, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from backstay.base import one_thread
from backstay.datasets import log2_floor
from backstay.study import Study
from reproduction._estimates import COLUMNS
from reproduction._folder import load_npz_dir

__all__ = [
    "Experiment",
    "ExperimentResult",
    "MissingDataError",
    "RunSettings",
    "published_table",
]

# Raw intensities; everything else in the folder is used as it is (van 't Veer's are log ratios).
MICROARRAYS = {"colon_alon", "leukemia_golub", "prostate_singh", "lung_gordon"}
PUBLISHED_FOLDER = Path(__file__).parent / "published"
Arrays = dict[str, NDArray[Any]]


class MissingDataError(RuntimeError):
    """An experiment needs a file of real data that was not given."""


@dataclass(frozen=True)
class RunSettings:
    """How an experiment is to be run.

    Attributes
    ----------
    out : path
        Folder for tables, figures and everything that a stopped run resumes from.
    data : path or None
        Folder of ``.npz`` files with real data.
    repeats : int or None
        Resamples or repetitions; None leaves it to the experiment.
    quick : bool
        Few repetitions, to see that everything runs; nothing to conclude from.
    n_jobs : int
        Tasks at the same time; changes no result.
    seed : int
        Of everything.
    """

    out: Path
    data: Path | None = None
    repeats: int | None = None
    quick: bool = False
    n_jobs: int = 1
    seed: int = 0

    def count(self, full: int, quick: int) -> int:
        """Return the number of repetitions: the one given, or the experiment's own."""
        if self.repeats is not None:
            return self.repeats
        return quick if self.quick else full

    def load(self, name: str, *, raw: bool = False) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return rows and labels of a real data set.

        Of raw intensities the log2, floored at 20, unless they are to be left `raw`.
        """
        if self.data is None:
            raise MissingDataError(f"needs {name}.npz; name its folder with --data.")
        found = load_npz_dir(self.data)
        if name not in found:
            raise MissingDataError(f"needs {name}.npz, which is not in the folder of --data.")
        bunch = found[name]
        intensities = name in MICROARRAYS and not raw
        X = log2_floor(bunch.X, 20) if intensities else np.asarray(bunch.X, np.float64)
        return X, np.asarray(bunch.y)

    def study(
        self, name: str, methods: Mapping[str, Any], resampling: Any, **options: Any
    ) -> Study:
        """Return a study whose store lies in the folder, so that it resumes.

        `name` must say what is studied and how often: other settings need another store.
        """
        folder = self.out / "stores"
        folder.mkdir(parents=True, exist_ok=True)
        return Study(
            methods,
            resampling,
            store=folder / f"{name}.db",
            n_jobs=self.n_jobs,
            random_state=self.seed,
            **options,
        )

    def kept(self, name: str, key: Mapping[str, Any], compute: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of an earlier run with this name and key, or compute and keep them."""
        text = json.dumps({**key, "seed": self.seed}, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = self.out / "kept" / name / f"{digest}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as held:
                return dict(held)
        arrays = compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{digest}.{os.getpid()}.tmp.npz")
        np.savez(unfinished, **arrays)  # type: ignore[arg-type]
        unfinished.replace(path)  # a stopped run leaves no half-written file behind
        return arrays

    def kept_all(
        self,
        name: str,
        keys: Iterable[Mapping[str, Any]],
        compute: Callable[[Mapping[str, Any], int], Arrays],
    ) -> list[Arrays]:
        """Return the arrays for every key, `n_jobs` at the same time.

        `compute` gets a key and the seed; it must be a function of a module, so
        that worker processes can find it.
        """
        tasks = (delayed(_keep)(self, name, key, compute) for key in keys)
        return list(Parallel(n_jobs=self.n_jobs)(tasks))


def _keep(
    settings: RunSettings,
    name: str,
    key: Mapping[str, Any],
    compute: Callable[[Mapping[str, Any], int], Arrays],
) -> Arrays:
    with one_thread():
        return settings.kept(name, key, lambda: compute(key, settings.seed))


def published_table(name: str, **options: Any) -> pd.DataFrame:
    """Return a table of published figures, ``published/NAME.csv``; options are pandas' own."""
    return pd.read_csv(PUBLISHED_FOLDER / f"{name}.csv", **options)


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment found.

    Attributes
    ----------
    table : DataFrame
        Columns that say what a row is about, then published, measured, interval, agrees.
    finding : str
        What agrees and what does not, in a sentence or two made from the figures.
    repeats : str
        How often, e.g. "100 splits".
    draw : callable
        Draws on a matplotlib figure.
    """

    table: pd.DataFrame
    finding: str
    repeats: str
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Experiment:
    """A published result and how to run it again.

    Attributes
    ----------
    name, title, source : str
        E.g. "han-tab7.6", what it shows, and where it was published.
    claim : str
        What the source concludes.
    protocol : str
        What was run here, and where it differs from the source and why.
    run : callable
        RunSettings → ExperimentResult.
    needs : dict of str to (int, int)
        Real data files without extension, with rows and features; empty for synthetic data.
    """

    name: str
    title: str
    source: str
    claim: str
    protocol: str
    run: Callable[[RunSettings], ExperimentResult]
    needs: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def reproduce(self, settings: RunSettings) -> ExperimentResult:
        """Run it and write NAME.csv, NAME.svg and NAME.json into the folder."""
        missing = [name for name in self.needs if not _there(settings.data, name)]
        if len(missing) == len(self.needs) and missing:
            raise MissingDataError(f"{self.name} needs {self.wanted(missing)}.")
        settings.out.mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        result = self.run(settings)
        lacking = set(COLUMNS) - set(result.table.columns)
        if lacking:
            raise ValueError(f"the table of {self.name} lacks {', '.join(sorted(lacking))}.")
        result.table.to_csv(settings.out / f"{self.name}.csv", index=False, float_format="%.6g")
        _save_figure(result, settings.out / f"{self.name}.svg")
        about = {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "claim": self.claim,
            "protocol": self.protocol,
            "finding": result.finding,
            "repeats": result.repeats,
            "quick": settings.quick,
            "seed": settings.seed,
            "without": missing,
            "seconds": round(time.perf_counter() - start, 1),
        }
        text = json.dumps(about, indent=1, ensure_ascii=False)
        (settings.out / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")
        return result

    def wanted(self, names: list[str]) -> str:
        """Name files and their shapes."""
        files = (f"{name}.npz ({self.needs[name][0]} × {self.needs[name][1]})" for name in names)
        return ", ".join(files) + " in the folder given with --data"


def _there(folder: Path | None, name: str) -> bool:
    return folder is not None and (folder / f"{name}.npz").is_file()


def _save_figure(result: ExperimentResult, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "backstay", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.5, 4.5), layout="constrained")
        result.draw(figure)
        figure.savefig(path, metadata={"Date": None})
