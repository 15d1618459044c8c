"""Compiled kernels: arrays in, arrays out; numpy and numba only."""
