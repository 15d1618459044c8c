"""The log of a search's evaluations, in memory and, on request, in a file.

A search is a deterministic function of its evaluations. So the file holds
nothing but them: resuming runs the search again from the start, reading the
recorded scores in place of computing them, and goes on from where they end.
"""

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._files import write_whole
from backstay._identity import describe, difference, digest, fingerprint, versions
from backstay.base import Array
from backstay.wrappers._folds import Fold

PACKAGES = ("numpy", "scikit-learn", "numba")  # another version may round scores differently


def search_identity(
    X: Any, y: NDArray[Any], groups: Any, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe what must be the same for a search to be continued."""
    installed = versions()
    try:
        described = {name: describe(value, name) for name, value in parameters.items()}
    except ValueError as error:
        raise ValueError(
            f"checkpoint needs parameters that a later search can recognise. {error}"
        ) from error
    return {
        "X": fingerprint(X),
        "column types": [str(dtype) for dtype in X.dtypes] if hasattr(X, "columns") else None,
        "y": digest(y),
        "groups": None if groups is None else digest(np.asarray(groups)),
        **described,
        **{f"version of {name}": installed[name] for name in PACKAGES},
    }


class EvaluationLog:
    """Every evaluation in order; replayed first when there is a checkpoint to resume from.

    `path` is written after every evaluation. A resumed search uses the folds it began with.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        identity: Mapping[str, Any],
        folds: list[Fold],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.identity = dict(identity)
        self.folds = folds
        # J of the candidates in the first row of each, of their remainders (or nan) in the second
        self.evaluations: list[Array] = []
        self.replayed = 0
        if self.path is not None and self.path.exists():
            self._load(self.path)
        elif self.path is not None:
            try:
                self._write(self.path)  # not at the first step, when work would be lost
            except OSError as error:
                raise ValueError(
                    f"checkpoint={str(path)!r} cannot be written: {error}. "
                    "Give a file in an existing, writable directory."
                ) from error

    @property
    def n_recorded(self) -> int:
        """How many evaluations can be read instead of computed."""
        return len(self.evaluations) - self.replayed

    def evaluate(self, compute: Callable[[], Array]) -> Array:
        """Return the next evaluation: recorded if there is one, else computed and recorded."""
        if self.n_recorded:
            evaluation = self.evaluations[self.replayed]
        else:
            evaluation = compute()
            self.evaluations.append(evaluation)
            if self.path is not None:
                self._write(self.path)
        self.replayed += 1
        return evaluation

    def _write(self, path: Path) -> None:
        """Replace the file in one go: a reader finds the old content or the new, never a part."""
        rows = [part for fold in self.folds for part in fold]
        content = io.BytesIO()
        np.savez(
            content,
            identity=np.array(json.dumps(self.identity)),
            evaluations=np.hstack([np.empty((2, 0)), *self.evaluations]),
            n_candidates=np.array([e.shape[1] for e in self.evaluations], dtype=np.int64),
            fold_rows=np.concatenate(rows),
            fold_sizes=np.array([len(part) for part in rows], dtype=np.int64),
        )
        write_whole(path, content.getvalue())

    def _load(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as file:
                content = {name: file[name] for name in file.files}
            identity = json.loads(str(content["identity"]))
            ends = np.cumsum(content["n_candidates"])
            evaluations = np.split(content["evaluations"], ends, axis=1)[:-1]
            rows = np.split(content["fold_rows"], np.cumsum(content["fold_sizes"])[:-1])
        except Exception as error:
            raise ValueError(
                f"checkpoint={str(path)!r} exists and is not a checkpoint of SequentialSelector "
                f"({type(error).__name__}: {error}). It is left alone; give another file name."
            ) from error
        differences = [
            difference(identity.get(name), self.identity.get(name), name, "the checkpoint")
            for name in {**self.identity, **identity}
        ]
        if any(differences):
            raise ValueError(
                f"checkpoint={str(path)!r} belongs to another search: "
                f"{'; '.join(filter(None, differences))}. It is left alone; delete it or give "
                "another file name to start anew."
            )
        self.evaluations = evaluations
        self.folds = list(zip(rows[0::2], rows[1::2], strict=True))
