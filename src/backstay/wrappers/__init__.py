"""Wrappers: search for a subset with an inducer's cross-validated accuracy as guide."""

from backstay.wrappers._selector import SequentialSelector

__all__ = ["SequentialSelector"]
