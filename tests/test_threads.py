import threading

import numpy as np
from threadpoolctl import threadpool_info

from backstay import MarginWeighting
from backstay.base import one_thread


def pool_sizes():
    return sorted(pool["num_threads"] for pool in threadpool_info())


def test_overlapping_uses_restore_the_pools():
    # First in, first out: each naive use would restore what the other had set.
    MarginWeighting().fit(np.eye(4), [0, 0, 1, 1])  # loads every library
    before = pool_sizes()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))
    inside = []

    def first():
        with one_thread():
            first_in.set()
            second_in.wait()
        first_out.set()

    def second():
        first_in.wait()
        with one_thread():
            second_in.set()
            first_out.wait()
            inside.append(pool_sizes())

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(inside[0]) == {1}
    assert pool_sizes() == before
