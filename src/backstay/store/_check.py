"""Whether everything in a store is as it was written."""

import os
from dataclasses import dataclass

from backstay.store._store import Store

# How many of the rows that are damaged are named; the others are counted.
N_NAMED = 20


@dataclass
class StoreCheck:
    """What a store holds, and what of it is damaged."""

    name: str  # of the file
    counts: dict[str, int]  # number of rows by table: "study", "datasets", "tasks" and "arrays"
    missing: dict[str, int]  # tasks that are planned and not done, by data set
    samples: dict[str, list[str]]  # "values" of features, "names" that are kept
    damages: list[str]  # a sentence each

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.damages


def check_store(path: str | os.PathLike[str]) -> StoreCheck:
    """Read everything in a store and compare it with its checksums; nothing is changed.

    A study may be running on it. What is no store, or cannot be opened, is a StoreError.

    Examples
    --------
    >>> import tempfile
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> from backstay.store import check_store
    >>> from backstay.study import Study, Subsampling
    >>> X, y, _ = make_xor(60, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/study.db"
    ...     _ = Study({"relieff": ReliefF()}, Subsampling(3), sizes=[2], store=path).run(X, y)
    ...     check = check_store(path)
    >>> check.sound, check.counts["tasks"]
    (True, 3)
    """
    with Store(path, write=False, incomplete=True) as store, store.snapshot():
        problems = store.problems()
        datasets = [] if problems else list(store.datasets())
        missing = {name: len(store.planned(name)) - len(store.done(name)) for name in datasets}
        samples = {name: store.kept_of_samples(name) for name in datasets}
        counts = store.counts()
    more = [f"and {len(problems) - N_NAMED} more"] if len(problems) > N_NAMED else []
    return StoreCheck(store.name, counts, missing, samples, problems[:N_NAMED] + more)
