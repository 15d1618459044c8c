"""The log of a search's evaluations, in memory and, on request, in a file.

A search is a deterministic function of its evaluations. So the file holds
nothing but them: resuming runs the search again from the start, reading the
recorded scores in place of computing them, and goes on from where they end.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import joblib
import numba
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

__all__ = ["EvaluationLog", "fingerprint"]

Array = NDArray[np.float64]
Evaluation = tuple[Array, Array]  # J of the candidates; J of their remainders, or nothing
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

FORMAT = 1


def _describe(value: Any) -> str:
    """Return a text equal for equal parameter values, in this process or another."""
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if isinstance(value, BaseEstimator):
        inner = {key: _describe(v) for key, v in sorted(value.get_params(deep=False).items())}
        return f"{type(value).__qualname__}({inner})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_describe(v) for v in value)}]"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    try:
        return f"{type(value).__name__}#{joblib.hash(value)}"
    except Exception:  # what cannot be pickled cannot be hashed; its text must do
        return repr(value)


def fingerprint(
    X: Any, y: NDArray[Any], groups: Any, parameters: dict[str, Any]
) -> dict[str, dict[str, str]]:
    """Return what must be the same for a search to be continued."""
    return {
        "data": {"X": joblib.hash(X), "y": joblib.hash(y), "groups": _describe(groups)},
        "parameters": {name: _describe(value) for name, value in parameters.items()},
        "versions": {
            "checkpoint format": str(FORMAT),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
            "numba": numba.__version__,
        },
    }


class EvaluationLog:
    """Every evaluation in order; replayed first when there is a checkpoint.

    Parameters
    ----------
    path : path-like or None
        File to write after every evaluation, and to resume from if it exists.
    identity : dict
        See :func:`fingerprint`.
    folds : sequence of (train, test) pairs
        Folds of this search; a resumed search uses those it began with.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        identity: dict[str, dict[str, str]],
        folds: Iterable[Fold],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.identity = identity
        self.folds = list(folds)
        self.evaluations: list[Evaluation] = []
        self.replayed = 0
        if self.path is None:
            return
        if self.path.exists():
            self._load(self.path)
        else:
            try:
                self._write(self.path)  # a search must not find out at its first step
            except OSError as error:
                raise ValueError(
                    f"checkpoint={str(path)!r} cannot be written: {error}. "
                    "Give a file in an existing, writable directory."
                ) from error

    @property
    def n_recorded(self) -> int:
        """How many evaluations can be read instead of computed."""
        return len(self.evaluations) - self.replayed

    def evaluate(self, n_candidates: int, compute: Callable[[], Evaluation]) -> Evaluation:
        """Return the next evaluation: recorded if there is one, else computed and recorded."""
        if self.n_recorded:
            evaluation = self.evaluations[self.replayed]
            if len(evaluation[0]) != n_candidates:
                raise ValueError(
                    f"checkpoint={str(self.path)!r} is damaged: evaluation {self.replayed} holds "
                    f"{len(evaluation[0])} scores where the search has {n_candidates} candidates. "
                    "Delete the file to start anew."
                )
        else:
            evaluation = compute()
            self.evaluations.append(evaluation)
            if self.path is not None:
                self._write(self.path)
        self.replayed += 1
        return evaluation

    def _write(self, path: Path) -> None:
        """Replace the file in one go: a reader finds the old content or the new, never a part."""
        scores = [e[0] for e in self.evaluations]
        remainders = [e[1] for e in self.evaluations]
        draft = path.with_name(path.name + ".tmp")
        try:
            with open(draft, "wb") as file:
                np.savez(
                    file,
                    identity=np.array(json.dumps(self.identity)),
                    scores=np.concatenate([np.empty(0), *scores]),
                    n_scores=np.array([len(s) for s in scores], dtype=np.int64),
                    remainders=np.concatenate([np.empty(0), *remainders]),
                    n_remainders=np.array([len(r) for r in remainders], dtype=np.int64),
                    fold_rows=np.concatenate([rows for fold in self.folds for rows in fold]),
                    fold_sizes=np.array([len(rows) for fold in self.folds for rows in fold]),
                )
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()  # present only when something went wrong
        with contextlib.suppress(OSError):  # not every system lets a directory be synced
            directory = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def _load(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as file:
                content = {name: file[name] for name in file.files}
            identity = json.loads(str(content["identity"]))
            scores = np.split(content["scores"], np.cumsum(content["n_scores"])[:-1])
            remainders = np.split(content["remainders"], np.cumsum(content["n_remainders"])[:-1])
            rows = np.split(content["fold_rows"], np.cumsum(content["fold_sizes"])[:-1])
        except Exception as error:
            raise ValueError(
                f"checkpoint={str(path)!r} exists and is not a checkpoint of SequentialSelector "
                f"({type(error).__name__}: {error}). It is left alone; give another file name."
            ) from error
        self._refuse_other(path, identity)
        if len(content["n_scores"]):
            self.evaluations = list(zip(scores, remainders, strict=True))
        self.folds = list(zip(rows[0::2], rows[1::2], strict=True))

    def _refuse_other(self, path: Path, found: dict[str, dict[str, str]]) -> None:
        differences = []
        for part, expected in self.identity.items():
            other = found.get(part, {})
            for name, value in expected.items():
                if other.get(name) != value:
                    differences.append(
                        name
                        if part == "data"
                        else f"{name} ({other.get(name)} there, {value} here)"
                    )
        if differences:
            raise ValueError(
                f"checkpoint={str(path)!r} belongs to another search; different: "
                f"{', '.join(differences)}. It is left alone; "
                "delete it or give another file name to start anew."
            )
