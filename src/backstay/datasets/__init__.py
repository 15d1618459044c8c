"""Synthetic data with known relevance, and tables and selections read from files."""

from backstay.datasets._columns import log2_floor
from backstay.datasets._concepts import (
    make_corral,
    make_decision_list,
    make_majority,
    make_modulo,
    make_non_monotonic,
    make_xor,
    separability,
)
from backstay.datasets._distributions import (
    make_anti_corral,
    make_han_yu,
    make_random_rbf,
    make_regression_blocks,
)
from backstay.datasets._labelled import LabelledTable, TableError
from backstay.datasets._read_cohort import CohortTable, read_cohort
from backstay.datasets._read_selections import Selections, read_selections
from backstay.datasets._read_table import read_table
from backstay.datasets._reading import Reading

__all__ = [
    "CohortTable",
    "LabelledTable",
    "Reading",
    "Selections",
    "TableError",
    "log2_floor",
    "make_anti_corral",
    "make_corral",
    "make_decision_list",
    "make_han_yu",
    "make_majority",
    "make_modulo",
    "make_non_monotonic",
    "make_random_rbf",
    "make_regression_blocks",
    "make_xor",
    "read_cohort",
    "read_selections",
    "read_table",
    "separability",
]
