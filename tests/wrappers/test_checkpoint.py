"""Searches that are stopped and go on."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from backstay.datasets import make_anti_corral
from backstay.wrappers import SequentialSelector
from backstay.wrappers import _checkpoint as checkpoints

SCRIPT = """
import sys, time
from sklearn.naive_bayes import GaussianNB
from backstay.datasets import make_anti_corral
from backstay.wrappers import SequentialSelector

class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.004)
        return super().fit(X, y)

X, y, _ = make_anti_corral(random_state=0)
Slow.__module__, Slow.__qualname__ = GaussianNB.__module__, GaussianNB.__qualname__
SequentialSelector(Slow(), criterion="accumulated", cv=2, checkpoint=sys.argv[1]).fit(X, y)
print("finished")
"""


def selector(checkpoint=None, **options):
    options = {"criterion": "accumulated", "cv": 2, **options}
    return SequentialSelector(GaussianNB(), checkpoint=checkpoint, **options)


def same(a, b):
    return (
        a.path_.equals(b.path_)
        and a.scores_.equals(b.scores_)
        and np.array_equal(a.ranking_, b.ranking_)
        and np.array_equal(a.relevance_, b.relevance_)
    )


def n_evaluations(path):
    try:
        with np.load(path, allow_pickle=False) as file:
            return len(file["n_candidates"])
    except OSError:
        return 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_process_resumes_to_the_same_result(tmp_path, how):
    path = tmp_path / "search.npz"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 60
        while n_evaluations(path) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        seen = n_evaluations(path)
        os.kill(process.pid, how)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert b"finished" not in out
    kept = n_evaluations(path)
    X, y, _ = make_anti_corral(random_state=0)
    whole = selector().fit(X, y)
    n_all = len(whole.path_)
    assert 4 <= seen <= kept < n_all  # nothing that was on disk is lost
    computed = []
    resumed = selector(path, scoring=None)
    original = checkpoints.EvaluationLog._write
    try:
        checkpoints.EvaluationLog._write = lambda self, p: (computed.append(1), original(self, p))
        resumed.fit(X, y)
    finally:
        checkpoints.EvaluationLog._write = original
    assert len(computed) == n_all - kept  # and nothing is computed twice
    assert same(resumed, whole)


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("estimator", ["1nn", "lda"])
@pytest.mark.parametrize("options", [{"criterion": "remainder"}, {"moves": "floating"}])
def test_interrupt_anywhere(tmp_path, monkeypatch, estimator, options):
    X, y, _ = make_anti_corral(60, random_state=1)
    X = X[:, 5:]
    whole = SequentialSelector(estimator, random_state=3, **options).fit(X, y)
    path = tmp_path / "search"
    write = checkpoints.EvaluationLog._write
    fits = 0
    while True:
        written = []

        def limited(self, p, written=written):
            if len(written) == 2:
                raise Interrupted
            written.append(p)
            write(self, p)

        monkeypatch.setattr(checkpoints.EvaluationLog, "_write", limited)
        fits += 1
        try:
            again = SequentialSelector(estimator, random_state=3, checkpoint=path, **options)
            again.fit(X, y)
            break
        except Interrupted:
            assert fits < 30
    assert fits > 2
    assert again.path_.equals(whole.path_)
    assert again.scores_.equals(whole.scores_)
    monkeypatch.setattr(checkpoints.EvaluationLog, "_write", None)  # all is read, nothing written
    assert again.fit(X, y).path_.equals(whole.path_)


def test_unseeded_search_goes_on_with_its_own_folds(tmp_path):
    X, y, _ = make_anti_corral(60, random_state=1)
    first = SequentialSelector(checkpoint=tmp_path / "c").fit(X, y)
    second = SequentialSelector(checkpoint=tmp_path / "c").fit(X, y)
    assert first.scores_.equals(second.scores_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "backward"}, "direction is 'forward' in the checkpoint and 'backward' now"),
        ({"random_state": 1}, "random_state is 0 in the checkpoint and 1 now"),
        ({"estimator": "lda"}, "estimator is '1nn' in the checkpoint and 'lda' now"),
        ({"estimator": GaussianNB(var_smoothing=1e-3)}, "estimator is '1nn' in the checkpoint"),
        ({"feature_groups": [[0, 1]]}, r"feature_groups is \[\] in .* and \[\[0, 1\]\] now"),
        ({"fixed_features": [3]}, r"fixed_features is \[\] in .* and \[3\] now"),
        (
            {"scaling": None, "moves": (2, 0)},
            r"moves\[0\] is 1 in .* 2 now; .*scaling is 'minmax' in .* None now",
        ),
    ],
)
def test_checkpoint_of_another_search_is_refused(tmp_path, options, message):
    X, y, _ = make_anti_corral(60, random_state=1)
    path = tmp_path / "search"
    first = {"estimator": "1nn", "random_state": 0, "checkpoint": path}
    SequentialSelector(**first).fit(X, y)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"belongs to another search: .*{message}"):
        SequentialSelector(**{**first, **options}).fit(X, y)
    for bad in ((X + 1e-9, y), (X[:, :5], y), (X, y[::-1])):
        with pytest.raises(ValueError, match=r"another search: [Xy] is not the same as in"):
            SequentialSelector(**first).fit(*bad)
    assert path.read_bytes() == before
    SequentialSelector(**first, n_jobs=2, verbose=0).fit(X, y)  # these change no result


def rewrite_identity(path, change):
    """Write the file again with `change` made to what it says about its search."""
    with np.load(path) as file:
        content = dict(file)
    identity = json.loads(str(content["identity"]))
    with open(path, "wb") as file:
        np.savez(file, **{**content, "identity": np.array(json.dumps(change(identity)))})


def test_versions_and_foreign_files_are_refused(tmp_path):
    X, y, _ = make_anti_corral(60, random_state=1)
    path = tmp_path / "search"
    SequentialSelector(cv=2, checkpoint=path).fit(X, y)
    rewrite_identity(path, lambda now: {**now, "version of numpy": "1.0"})
    with pytest.raises(ValueError, match=r"version of numpy is '1\.0' in the checkpoint and '"):
        SequentialSelector(cv=2, checkpoint=path).fit(X, y)
    path.write_text("my thesis")
    with pytest.raises(ValueError, match="exists and is not a checkpoint of SequentialSelector"):
        SequentialSelector(cv=2, checkpoint=path).fit(X, y)
    assert path.read_text() == "my thesis"


def test_unwritable_checkpoint_is_noticed_before_the_search(tmp_path, monkeypatch):
    X, y, _ = make_anti_corral(60, random_state=1)

    def never(*args, **kwargs):
        raise AssertionError("the search has begun")

    monkeypatch.setattr(GaussianNB, "fit", never)
    (tmp_path / "file").touch()
    for path in (tmp_path / "missing" / "c", tmp_path / "file" / "c", "/dev/full/c"):
        with pytest.raises(ValueError, match=r"checkpoint='.*c' cannot be written: "):
            selector(path).fit(X, y)


def test_full_disk_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    X, y, _ = make_anti_corral(60, random_state=1)
    path = tmp_path / "search"
    replace, calls = os.replace, []

    def full(source, target):
        calls.append(1)
        if len(calls) == 4:
            raise OSError("no space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        selector(path).fit(X, y)
    assert n_evaluations(path) == 2
    assert os.listdir(tmp_path) == ["search"]
    monkeypatch.undo()
    assert same(selector(path).fit(X, y), selector().fit(X, y))


def test_resuming_says_so(tmp_path, capsys):
    X, y, _ = make_anti_corral(60, random_state=1)
    selector(tmp_path / "c").fit(X, y)
    selector(tmp_path / "c", verbose=1).fit(X, y)
    assert "resuming after 12 evaluations" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": lambda *_: 0.5}, "scoring=.* Give a function that can be imported by name"),
        (
            {"random_state": np.random.RandomState(0)},
            "random_state=.* Give random_state an integer",
        ),
        (
            {"cv": StratifiedKFold(2, shuffle=True, random_state=np.random.RandomState(0))},
            r"cv\.random_state=.* Give random_state an integer",
        ),
    ],
)
def test_parameters_no_later_search_would_recognise_are_refused(tmp_path, options, message):
    X, y, _ = make_anti_corral(60, random_state=1)
    found = f"checkpoint needs parameters that a later search can recognise. {message}"
    with pytest.raises(ValueError, match=found):
        selector(tmp_path / "c", **options).fit(X, y)
    assert not (tmp_path / "c").exists()
    selector(**options).fit(X, y)  # nothing to recognise without a checkpoint


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"scoring": make_scorer(fbeta_score, beta=2, average="macro")},
        lambda: {"feature_groups": (range(2), {3, 4}), "fixed_features": np.array([7])},
        lambda: {"cv": [(np.arange(0, 60, 2), np.arange(1, 60, 2))]},
        lambda: {"cv": StratifiedKFold(2, shuffle=True, random_state=0)},
    ],
    ids=["scorer", "groups", "folds", "splitter"],
)
def test_equal_parameters_are_recognised(tmp_path, capsys, make):
    X, y, _ = make_anti_corral(60, random_state=1)
    first = selector(tmp_path / "c", **make()).fit(X, y)
    again = selector(tmp_path / "c", verbose=1, **make()).fit(X, y)
    assert "resuming after" in capsys.readouterr().err
    assert again.scores_.equals(first.scores_)


def test_scorers_with_other_options_differ(tmp_path):
    X, y, _ = make_anti_corral(60, random_state=1)
    options = {"average": "macro"}
    selector(tmp_path / "c", scoring=make_scorer(fbeta_score, beta=2, **options)).fit(X, y)
    with pytest.raises(ValueError, match=r"_kwargs\.beta is 2 in the checkpoint and 1 now"):
        selector(tmp_path / "c", scoring=make_scorer(fbeta_score, beta=1, **options)).fit(X, y)
