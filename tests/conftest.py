"""Hypothesis: the same examples on every run, and no deadlines (kernels compile on first call)."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "backstay",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("backstay")
