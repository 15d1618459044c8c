"""What a store keeps of the data, so that results and reports need no table."""

from __future__ import annotations

from backstay.results import (
    PARTNERS,
    SHARD,
    Records,
    Store,
    candidate_arrays,
    module_array,
    moment_arrays,
    partner_arrays,
)
from backstay.study._checks import CheckedData
from backstay.study._stored_study import PlannedRuns


def keep_of_data(store: Store, data: CheckedData) -> None:
    """Keep the moments of every feature and its module, unless they are kept already."""
    held = store.dataset_arrays(data.name)
    if "class mean" not in held:
        for key, array in moment_arrays(data.X, data.codes, len(data.classes)).items():
            store.set_array(data.name, key, array)
    if "module" not in held:
        store.set_array(data.name, "module", module_array(data.X))


def keep_of_selected(store: Store, runs: PlannedRuns, *, changed: bool, of_all: bool) -> None:
    """Keep correlated partners and values of features that may be in a signature.

    A shard knows only some of the runs, so it keeps them for all features that these selected.
    """
    data = runs.data
    held = store.dataset_arrays(data.name)
    names: tuple[str, ...] = SHARD if of_all else PARTNERS
    kept = "shard candidate" if of_all else "candidate"
    if not changed and names[0] in held and kept in held:
        return
    records = Records(store, data.name, runs.facts)
    found = partner_arrays(data.X, records, of_all=of_all)
    partners = dict(zip(names, found.values(), strict=True))
    values = candidate_arrays(data.X, records, of_all=of_all)
    store.set_arrays(data.name, partners | values)
