from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_info

from backstay import MarginWeighting
from backstay.base import one_thread


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def inner(_):
    with one_thread():
        during = blas_threads()
    return during, blas_threads()


def test_held_around_threads_it_holds_inside_and_is_restored():
    MarginWeighting().fit(np.eye(4), [0, 0, 1, 1])  # loads every library
    before = blas_threads()
    with one_thread(), ThreadPoolExecutor(3) as pool:
        seen = list(pool.map(inner, range(12)))
    assert {n for during, after in seen for n in during | after} == {1}
    assert blas_threads() == before


def test_it_holds_in_a_thread_after_use_elsewhere():
    before = blas_threads()
    with one_thread():
        assert blas_threads() == {1}
    with ThreadPoolExecutor(1) as pool:
        during, after = pool.submit(inner, None).result()
    assert during == {1}
    assert after == before == blas_threads()
