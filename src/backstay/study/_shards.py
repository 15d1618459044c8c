"""Parts of a study that run on their own, and how their stores become that of the whole."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Self

from backstay._files import draft_of
from backstay._identity import difference
from backstay.results import Records
from backstay.store import Store, StoreError, TaskRecord
from backstay.study._describe import candidates_among
from backstay.study._partners import partners_among

# What a store says of the study: its parameters and its seed. And what it says of itself.
SAME, OWN = ("facts", "entropy"), ("shard", "versions")

Task = tuple[str, int]


@dataclass(frozen=True)
class Shard:
    """Part `number` of `total`, counted from 1."""

    number: int
    total: int

    @classmethod
    def of(cls, given: Any, random_state: Any) -> Self:
        """Return the part that a pair of numbers stands for."""
        if random_state is None:
            raise ValueError(
                "shard needs random_state: every part must draw the same splits and seeds."
            )
        pair = isinstance(given, Sequence) and len(given) == 2
        whole = pair and all(isinstance(n, Integral) and not isinstance(n, bool) for n in given)
        if not whole or not 1 <= given[0] <= given[1]:
            raise ValueError(
                f"shard={given!r} must be two integers, a part and the number of parts, such as "
                "(3, 10)."
            )
        return cls(int(given[0]), int(given[1]))

    def part(self, tasks: list[Task], methods: list[str]) -> list[Task]:
        """Return the tasks of this part.

        Diagonals of methods × runs: slow methods and fast ones are spread over all parts. A
        study that has grown by runs leaves every task in its part.
        """
        place = {method: j for j, method in enumerate(methods)}
        return [
            (method, run)
            for method, run in tasks
            if (place[method] + (run if run >= 0 else -1 - run)) % self.total == self.number - 1
        ]


def merge_stores(paths: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Path:
    """Put the stores of a study's shards together; the result is that of one run.

    Parameters
    ----------
    paths : list of path
        Stores that ``Study.run(…, shard=…)`` wrote. They stay as they are.
    out : path
        The store to write; a file that does not exist yet.

    Returns
    -------
    Path
        Of the new store. A StoreError if one is damaged or of another study, or if tasks are
        missing.

    Examples
    --------
    >>> import tempfile
    >>> from backstay.datasets import make_xor
    >>> from backstay.results import Results
    >>> from backstay.study import Study, merge_stores
    >>> X, y, _ = make_xor(60, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shards = [f"{folder}/1.db", f"{folder}/2.db"]
    ...     for number, path in enumerate(shards, start=1):
    ...         study = Study("relieff", 4, sizes=[2], store=path, random_state=0)
    ...         _ = study.run(X, y, shard=(number, 2))
    ...     Results.load(merge_stores(shards, f"{folder}/study.db")).data.n_done
    4
    """
    target = Path(out)
    if target.exists():
        raise StoreError(f"{target} exists already; it was left as it is.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: its folder does not exist.")
    unique = list(dict.fromkeys(map(Path, paths)))
    if not unique:
        raise ValueError("there are no stores to merge.")
    with ExitStack() as stack:
        stores = [stack.enter_context(Store(path, write=False)) for path in unique]
        _check_same(stores)
        _check_complete(stores)
        with draft_of(target) as draft:
            _write(stores, draft, name=str(target))
    return target


def _check_same(stores: list[Store]) -> None:
    """Refuse stores that do not hold parts of one study."""
    first = stores[0]
    study, datasets = first.study(), first.datasets()
    if "facts" not in study or not datasets:
        raise StoreError(f"{first.name} holds no study yet.")
    for store in stores[1:]:
        other = store.study()
        ours, theirs = ({key: one.get(key) for key in SAME} for one in (study, other))
        differs = difference(ours, theirs, where=first.name)
        differs = differs or difference(datasets, store.datasets(), where=first.name)
        if differs:
            raise StoreError(
                f"{store.name} is not of the same study as {first.name}: {differs}. Merge the "
                "shards of one study only."
            )
    if len({str(store.study()["versions"]) for store in stores}) > 1:
        warnings.warn(
            "the stores were made with different versions of packages; results may differ from "
            "those of one run in their last digits.",
            UserWarning,
            stacklevel=3,
        )


def _check_complete(stores: list[Store]) -> None:
    """Refuse stores that together lack tasks, and name these."""
    for dataset in stores[0].datasets():
        planned = stores[0].planned(dataset)
        done = set().union(*(store.done(dataset) for store in stores))
        missing = [task for task in planned if task not in done]
        if missing:
            method, number = missing[0]
            raise StoreError(
                f"{len(missing)} of {len(planned)} tasks on {dataset!r} are in none of the "
                f"{len(stores)} stores, first {method!r} on run {number}.{_absent_shards(stores)}"
            )


def _absent_shards(stores: list[Store]) -> str:
    """Say which shards there are not."""
    shards = [store.study().get("shard") or [1, 1] for store in stores]
    total = max(total for _, total in shards)
    absent = [str(n) for n in range(1, total + 1) if [n, total] not in shards]
    if not absent:
        return " All shards are there; run those again that were stopped."
    return f" Of {total} shards there is no {', '.join(absent)}."


def _write(stores: list[Store], path: Path, *, name: str) -> None:
    """Write the store of the whole; errors call it by its name."""
    first = stores[0]
    said = {key: value for key, value in first.study().items() if key not in OWN}
    seen: list[Any] = []
    for store in stores:
        seen += [versions for versions in store.study()["versions"] if versions not in seen]
    private = any(facts.get("keep_samples", True) for facts in first.datasets().values())
    with Store(path, name=name, private=private) as whole:
        whole.describe_study({**said, "versions": seen})
        for dataset, facts in first.datasets().items():
            whole.add_dataset(dataset, facts, first.dataset_arrays(dataset))
            whole.write_all(dataset, _records(stores, dataset))
            records = Records(whole, dataset, facts)
            held = [store.computed_arrays(dataset) for store in stores]
            records.keep(partners_among(held, records) | candidates_among(held, records))
        whole.gather()


def _records(stores: list[Store], dataset: str) -> Iterator[TaskRecord]:
    """Yield every task once; of a task that several stores hold, one that went well."""
    tasks = [(task, store) for store in stores for task in store.tasks(dataset)]
    where: dict[Task, Store] = {}
    for task, store in sorted(tasks, key=lambda pair: pair[0]["error"] is not None):
        where.setdefault((task["method"], task["resample"]), store)
    for key in stores[0].planned(dataset):
        if key in where:
            yield where[key].record(dataset, *key)
