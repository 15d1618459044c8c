"""Synthetic data with known relevance."""

from backstay.datasets._synthetic import make_han_yu, make_xor

__all__ = ["make_han_yu", "make_xor"]
