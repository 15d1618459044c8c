"""Synthetic data with known relevance."""

from backstay.datasets._concepts import make_majority, make_modulo, make_non_monotonic
from backstay.datasets._correlation import make_anti_corral, make_corral
from backstay.datasets._decision_lists import make_decision_list
from backstay.datasets._rbf import make_random_rbf
from backstay.datasets._separability import separability
from backstay.datasets._synthetic import make_han_yu, make_xor

__all__ = [
    "make_anti_corral",
    "make_corral",
    "make_decision_list",
    "make_han_yu",
    "make_majority",
    "make_modulo",
    "make_non_monotonic",
    "make_random_rbf",
    "make_xor",
    "separability",
]
