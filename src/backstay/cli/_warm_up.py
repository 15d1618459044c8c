"""``backstay warm-up``: compile beforehand, such as when an image is built."""

from __future__ import annotations

import time

from backstay.cli._guard import Debug, guarded
from backstay.cli._show import say


@guarded
def warm_up(debug: Debug = False) -> None:
    """Compile what the default methods need, so that the first run need not, such as in an image.

    Compiled code is kept where backstay is installed or, if that cannot be written, in the user's
    cache folder; NUMBA_CACHE_DIR names another.

    For example:

    [bold]backstay warm-up[/bold]
    """
    import numpy as np

    from backstay._kernels._linkage import set_numbers
    from backstay.study import Study, Subsampling, make_methods
    from backstay.targets import as_target, survival

    start = time.perf_counter()
    X, classes = np.random.default_rng(0).normal(size=(96, 40)), np.arange(96) % 2
    X[:, :3] += 2 * classes[:, None]
    for y in (classes, X[:, 0], survival(1 + np.arange(96), classes)):
        target = as_target(y)
        panel = make_methods(["default", "quick"], kind=target.kind)
        Study(panel, Subsampling(2), sizes=[5], random_state=0, verbose=0).run(X, target)
    say(f"Compiled in {time.perf_counter() - start:.0f} s, kept in {set_numbers.stats.cache_path}")
