"""Processes take turns at compiling kernels."""

import os
from types import SimpleNamespace

import pytest

from backstay._kernels import _compile, _lasso

fcntl = pytest.importorskip("fcntl")


def compiling(dispatcher):
    return SimpleNamespace(data={"dispatcher": dispatcher})


def is_free(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def test_a_file_is_locked_while_any_of_its_kernels_is_compiled():
    turns = _compile.Turns()
    turns.on_start(compiling(_lasso.slopes))
    turns.on_start(compiling(_lasso._soft))  # which the first one calls
    assert not is_free(_lasso.__file__)
    turns.on_end(compiling(_lasso._soft))
    assert not is_free(_lasso.__file__)
    turns.on_end(compiling(_lasso.slopes))
    assert is_free(_lasso.__file__)
    assert turns.held == {}


def test_what_is_not_ours_or_cannot_be_read_is_compiled_without_a_lock(monkeypatch):
    turns = _compile.Turns()
    other = SimpleNamespace(py_func=os.path.join)
    turns.on_start(compiling(other))
    turns.on_end(compiling(other))
    monkeypatch.setattr(_compile.os, "open", lambda *_: (_ for _ in ()).throw(OSError()))
    turns.on_start(compiling(_lasso.slopes))
    assert turns.held == {}
    turns.on_end(compiling(_lasso.slopes))
