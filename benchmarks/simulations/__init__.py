"""Simulations behind the statistical rules: error rates, bias and coverage, on generated data."""
