"""Tasks that find too little memory: fewer at a time, and failed only if alone."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse

from backstay import ReliefF, _leftovers, _validation
from backstay._validation import SharedRows
from backstay.base import FeatureRanker
from backstay.datasets import make_xor
from backstay.feature_weighting import SVMRFE, BetweenWithinRatio, RReliefF, TTest, _svm
from backstay.study import Dataset, Study, Subsampling, _parallel, _rows
from backstay.study._protocols import Split
from reference.study import contents

X, y, _ = make_xor(40, random_state=0)


class Hungry(FeatureRanker):
    """Finds too little memory beside other tasks, or where a file says so."""

    def __init__(self, famine=None, *, n_features_to_select=None):
        self.famine = famine
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        alone = threading.current_thread() is threading.main_thread()
        if not alone or (self.famine and os.path.exists(self.famine)):
            np.empty(2**50)  # numpy's own kind of MemoryError
        return np.abs(X.mean(axis=0))


def run(n_jobs, store=None, famine=None, **options):
    methods = {"h": Hungry(famine), "t": TTest()}
    study = Study(
        methods, Subsampling(3), models={}, sizes=[2], n_jobs=n_jobs, random_state=0, store=store
    )
    with parallel_config("threading"):
        return study.run(X, y, **options)


def test_tasks_without_memory_run_again_fewer_at_a_time():
    expected = contents(run(1))
    said = "tasks found too little memory; the 3 tasks left are started again, 1 at a time"
    with pytest.warns(RuntimeWarning, match=said):
        assert contents(run(2)) == expected


def test_a_task_without_memory_when_alone_has_failed_and_can_be_retried(tmp_path):
    famine, store = tmp_path / "famine", tmp_path / "s.db"
    famine.touch()
    with pytest.warns(UserWarning, match="3 of 6 tasks on 'data' failed.*MemoryError: Unable"):
        failed = run(1, store, str(famine))
    assert set(failed.runs.errors().frame()["method"]) == {"h"}
    famine.unlink()
    with pytest.warns(UserWarning, match="3 of 6 tasks"):
        run(1, store, str(famine))
    assert run(1, store, str(famine), retry_failed=True).runs.errors().frame().empty


def test_a_study_that_needs_more_memory_than_there_is_says_so(monkeypatch):
    monkeypatch.setattr(_parallel, "bytes_free", lambda: 700e6)
    with (
        pytest.warns(UserWarning, match=r"4 tasks at a time may need about 0\.8 GB of memory") as w,
        parallel_config("threading"),
    ):
        Study({"t": TTest()}, Subsampling(2), models={}, sizes=[2], n_jobs=4).run(X, y)
    assert str(w[0].message).endswith("and 0.7 GB are free. Use --jobs 3 (n_jobs=3).")
    monkeypatch.setattr(_parallel, "bytes_free", lambda: None)
    Study({"t": TTest()}, Subsampling(2), models={}, sizes=[2], n_jobs=1).run(X, y)


def test_the_estimate_counts_rows_kernels_and_stored_cells():
    splits = {0: Split(np.arange(60), np.arange(60, 90), 0), 1: Split(np.arange(50), [], 0)}
    wide = np.zeros((90, 1000))
    assert _parallel.bytes_of_task(wide, splits) == 200e6 + 8 * (4 * 60 * 1000 + 2 * 60**2)
    single = pd.DataFrame(wide.astype(np.float32))
    assert _parallel.bytes_of_task(single, splits) == 200e6 + 4 * 4 * 60 * 1000 + 8 * 2 * 60**2
    assert _parallel.bytes_of_task(sparse.csr_array(wide), splits) == 200e6 + 8 * 2 * 60**2
    assert _parallel.bytes_free() is None or _parallel.bytes_free() > 0


def test_failed_tasks_are_retried_on_the_command_line(tmp_path, call, monkeypatch):
    rows = "\n".join(f"{a:.3f},{b:.3f},{'xy'[k % 2]}" for k, (a, b) in enumerate(X[:, :2]))
    (tmp_path / "t.csv").write_text(f"a,b,kind\n{rows}\n")
    command = ["run", tmp_path / "t.csv", "-t", "kind", "-m", "t,f", "--repeats", "3", "-j", "1"]
    command += ["--null", "0", "--sizes", "1", "-o", tmp_path / "out"]

    def starve(self, X, y, sample_weight):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(TTest, "_score", starve)
        assert "3 of 6 tasks on 't' failed" in call(*command).err
    assert "3 of 6 tasks on 't' failed" in call(*command).err
    assert "failed" not in call(*command, "--retry-failed").err


ODD = np.random.default_rng(0).normal(size=(60, 300)).astype(np.float32)
ODD[:, 7] = 1
TAKEN = np.random.default_rng(1).permutation(60)[:40]


@pytest.mark.parametrize(
    "method",
    [
        ReliefF(),
        ReliefF(metric="euclidean"),
        RReliefF(),
        SVMRFE(),
        SVMRFE(scaling="standard"),
        SVMRFE(scaling=None),
        TTest(),
        BetweenWithinRatio(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("single_cells", [100, 2**24])
def test_methods_find_the_same_in_shared_rows_as_in_copies(method, single_cells, monkeypatch):
    monkeypatch.setattr(_validation, "PART_CELLS", 1000)
    monkeypatch.setattr(_svm, "SINGLE_CELLS", single_cells)
    table, classes = ODD.copy(), np.arange(40) % 3
    outcome = np.sqrt(1 + np.arange(40)) if isinstance(method, RReliefF) else classes
    copied = method.fit(table[TAKEN], outcome).feature_importances_
    shared = method.fit(SharedRows(table, TAKEN), outcome)
    np.testing.assert_array_equal(shared.feature_importances_, copied)
    np.testing.assert_array_equal(table, ODD)
    assert shared.n_features_in_ == 300


def test_gaps_in_shared_rows_are_found_or_refused_as_in_copies(monkeypatch):
    monkeypatch.setattr(_validation, "PART_CELLS", 1000)
    table = ODD.copy()
    table[TAKEN[-1], 5] = np.nan
    shared, classes = SharedRows(table, TAKEN), np.arange(40) % 2
    with pytest.raises(ValueError, match="Input X contains NaN"):
        TTest().fit(shared, classes)
    found = ReliefF().fit(shared, classes).feature_importances_
    np.testing.assert_array_equal(found, ReliefF().fit(table[TAKEN], classes).feature_importances_)


def test_a_study_shares_one_table_and_finds_the_same(tmp_path, monkeypatch):
    frame = pd.DataFrame(ODD).add_prefix("g")

    def run_on(table):
        methods = {"t": TTest(), "relieff": ReliefF(), "svm-rfe": SVMRFE()}
        study = Study(methods, Subsampling(2), sizes=[2], n_jobs=2, random_state=0)
        return contents(study.run(table, np.arange(60) % 2))

    expected = run_on(frame)
    assert Dataset.shared_table(frame) is frame  # it is small
    monkeypatch.setattr(_rows, "SHARED_CELLS", 0)
    shared = Dataset.shared_table(frame)
    pd.testing.assert_frame_equal(shared, frame)
    values = _rows.numbers_of(shared)
    while not isinstance(values, np.memmap):
        values = values.base
    assert str(values.filename).startswith(str(_leftovers.own_folder(os.getpid())))
    assert run_on(shared) == expected
    texts = frame.assign(kind="a")
    assert Dataset.shared_table(texts) is texts


def test_without_room_a_table_stays_where_it_is(monkeypatch):
    resource = pytest.importorskip("resource")  # not on Windows
    monkeypatch.setattr(_rows, "SHARED_CELLS", 0)
    frame, folder = pd.DataFrame(ODD), _leftovers.own_folder(os.getpid())
    before = os.listdir(folder)
    bounds = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, bounds[1]))
    try:
        assert Dataset.shared_table(frame) is frame
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, bounds)
        signal.signal(signal.SIGXFSZ, ignored)
    assert os.listdir(folder) == before
