"""Hypothesis: the same examples on every run, and no deadlines (kernels compile on first call).

Ctrl-C reaches the processes that tests start, also where a shell lets background jobs ignore it.
"""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "backstay",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("backstay")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
