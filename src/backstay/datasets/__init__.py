"""Synthetic data with known relevance."""

from backstay.datasets._correlation import make_anti_corral, make_corral
from backstay.datasets._synthetic import make_han_yu, make_xor

__all__ = ["make_anti_corral", "make_corral", "make_han_yu", "make_xor"]
