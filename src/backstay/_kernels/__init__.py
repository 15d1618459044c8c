"""Compiled kernels: arrays in, arrays out; numpy and numba only."""

from backstay._kernels import _turns  # noqa: F401 - listens to the compiler
