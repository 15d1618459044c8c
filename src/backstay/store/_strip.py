"""What a store keeps of single samples, and a copy of it without that."""

from __future__ import annotations

import os
from pathlib import Path

from backstay._files import draft_of
from backstay.store._file import StoreError
from backstay.store._store import Store

# Arrays that hold a number for every sample and feature.
VALUES = ("candidate values", "shard candidate values")


def kept_of_samples(store: Store, dataset: str) -> list[str]:
    """Return what a store keeps of the samples of a data set: "values", "names", both or none."""
    held = store.computed_arrays(dataset)
    values = any(held[name].size for name in VALUES if name in held)
    names = store.datasets()[dataset]["sample_names"] is not None
    return ["values"] * values + ["names"] * names


def strip_store(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> Path:
    """Write a copy of a store without values of features and names of samples.

    What was found stays: rankings, weights, splits, outcomes and predictions of every row. A study
    that goes on in the copy needs ``keep_samples=False``.

    Parameters
    ----------
    path : path
        Of the store; it stays as it is.
    out : path
        The store to write; a file that does not exist yet.

    Returns
    -------
    Path
        Of the new store.

    Raises
    ------
    StoreError
        If the store is damaged, or `out` exists.

    Examples
    --------
    >>> import tempfile
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> from backstay.store import check_store, strip_store
    >>> from backstay.study import Study, Subsampling
    >>> X, y, _ = make_xor(60, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/study.db"
    ...     _ = Study({"relieff": ReliefF()}, Subsampling(3), sizes=[2], store=path).run(X, y)
    ...     copy = strip_store(path, f"{folder}/shareable.db")
    ...     check_store(path).samples, check_store(copy).samples
    ({'data': ['values']}, {'data': []})
    """
    target = Path(out)
    if target.exists():
        raise StoreError(f"{target} exists already; it was left as it is.")
    # Rows are written anew: those deleted from a copy could still be found in its free pages.
    with (
        Store(path, write=False) as store,
        draft_of(target) as draft,
        Store(draft, name=str(target), private=False) as copy,
    ):
        origin = "provenance of "
        copy.describe_study(
            {
                key: store.without_names(said) if key.startswith(origin) and said else said
                for key, said in store.study().items()
            }
        )
        for dataset, facts in store.datasets().items():
            nameless = {**facts, "sample_names": None, "keep_samples": False}
            copy.add_dataset(dataset, nameless, store.dataset_arrays(dataset))
            tasks = [(task["method"], task["resample"]) for task in store.tasks(dataset)]
            copy.write_all(dataset, (store.record(dataset, *task) for task in tasks))
            computed = store.computed_arrays(dataset)
            copy.set_computed(
                dataset, {name: computed[name] for name in computed if name not in VALUES}
            )
        copy.gather()
    return target
