"""A store is damaged; it must be refused, or say exactly what it said before."""

import contextlib
import hashlib
import random
import tempfile
import warnings
from pathlib import Path

from sklearn.neighbors import KNeighborsClassifier

from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import NUMBERS, StoreError
from backstay.study import Study, Subsampling

FAULT = "store damaged: bits, bytes, pages, its end, its text"
TRIALS = 200
BROKEN = {"silent change", "wrong error"}
PAGE = 4096


def everything(path):
    """Return a hash of all that a store says."""
    results = Results.load(path)
    total = hashlib.sha256(repr((results.facts, results.datasets)).encode())
    for part in results._parts.values():
        total.update(repr(part.store.tasks(part.dataset)).encode())
        arrays = part.store.dataset_arrays(part.dataset)
        arrays |= part.store.computed_arrays(part.dataset)
        for name in sorted(arrays):
            total.update(name.encode() + arrays[name].tobytes())
        for method in part.methods:
            for name in ("order", "weights", "n_ranked", "sample_weight", "outputs"):
                for of in NUMBERS:
                    pairs = part.store.task_arrays(part.dataset, method, name, of=of)
                    for resample, array in pairs:
                        total.update(f"{method} {name} {resample}".encode() + array.tobytes())
    return total.hexdigest()


def damaged(data, draw):
    """Return the bytes of a store with one thing wrong, and what it is."""
    data = bytearray(data)
    kind = draw.choice(["bit", "bit", "bit in text", "bit in text", "byte", "page", "swap", "end"])
    at = draw.randrange(len(data))
    if kind == "bit in text":  # names and descriptions are text, most arrays are not
        text = [
            i for i in range(len(data) - 8) if data[i : i + 8].isascii() and 32 <= data[i] < 127
        ]
        at, kind = draw.choice(text), kind
        data[at] ^= 1 << draw.randrange(7)
    elif kind == "bit":
        data[at] ^= 1 << draw.randrange(8)
    elif kind == "byte":
        data[at] = draw.randrange(256)
    elif kind == "page":
        start = at // PAGE * PAGE
        data[start : start + PAGE] = bytes(PAGE)
    elif kind == "swap":
        one, two = (draw.randrange(len(data) // PAGE) * PAGE for _ in range(2))
        data[one : one + PAGE], data[two : two + PAGE] = (
            data[two : two + PAGE],
            data[one : one + PAGE],
        )
    else:
        del data[draw.randrange(1, len(data)) :]
    return bytes(data), kind


@contextlib.contextmanager
def laboratory():
    warnings.simplefilter("ignore")
    X, y, _ = make_han_yu(30, n_features=40, n_relevant=5, random_state=1)
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "sound.db"
        Study(
            {"t": TTest()},
            Subsampling(4),
            models={"1nn": KNeighborsClassifier(1)},
            sizes=[2, 10],
            store=sound,
            random_state=0,
        ).run(X, y, provenance={"file": "cells.csv", "note": "as downloaded"})
        before, data = everything(sound), sound.read_bytes()

        def trial(seed):
            path = Path(folder) / f"{seed}.db"
            content, kind = damaged(data, random.Random(seed))
            path.write_bytes(content)
            try:
                after = everything(path)
            except StoreError as error:
                return "refused" if path.name in str(error) else f"wrong error: {kind}: {error}"
            except Exception as error:
                return f"wrong error: {kind}: {type(error).__name__}: {error}"
            return "harmless" if after == before else f"silent change: {kind}"

        yield trial
