"""Benchmarks: every workload beside its peers, in one run. ``make bench`` runs them all."""
