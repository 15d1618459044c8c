"""The faults that are tried on purpose: a few of each that needs no processes of its own."""

import random

import numpy as np
import pytest

from benchmarks.faults import __main__ as faults
from benchmarks.faults import edits, files, fits, stores


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("part", "seeds"),
    [(stores, range(15)), (edits, range(0, 585, 8)), (files, range(8)), (fits, [0])],
)
def test_promises_are_kept(part, seeds):
    with part.laboratory() as trial:
        found = [trial(seed) for seed in seeds]
    assert not {outcome.partition(":")[0] for outcome in found} & part.BROKEN, found


def test_damage_is_damage():

    sound = bytes(np.random.default_rng(0).integers(0, 256, 3 * stores.PAGE, dtype=np.uint8))
    changed = [stores.damaged(sound, random.Random(seed))[0] != sound for seed in range(40)]
    assert sum(changed) >= 35  # a page may be swapped with itself


def test_the_table_counts_outcomes_and_broken_promises():
    record = {"stores": {"0": "refused", "1": "silent change: bit", "2": "refused"}}
    line = faults.table(record).splitlines()[3]
    assert line.endswith("| 3 | 2 refused, 1 silent change | 1 |")
