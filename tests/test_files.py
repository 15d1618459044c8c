"""Files are written whole or not at all, and are safe to open in a spreadsheet."""

import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from backstay._files import draft_of, spreadsheet_cell, write_whole


def test_replaces_the_file_in_one_step_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "a [b].txt"
    assert write_whole(path, "old ü") == path
    assert path.read_text("utf-8") == "old ü"
    path.chmod(0o640)
    with path.open("rb") as reader:
        write_whole(path, b"new")
        assert reader.read() == "old ü".encode()  # whoever has it open keeps the old one
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link"
    link.symlink_to(path)
    write_whole(link, "through the link")
    assert link.is_symlink()
    assert path.read_text() == "through the link"
    assert sorted(os.listdir(tmp_path)) == ["a [b].txt", "link"]


def test_a_new_file_has_usual_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_not_a_file_is_refused_and_left(tmp_path):
    pipe, link = tmp_path / "report.html", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    before = os.stat(os.devnull).st_mode
    for path in (pipe, link, os.devnull):
        words = f"it is a pipe or a device, not a file, and was left as it is: '{path}'"
        with pytest.raises(OSError, match=words):
            write_whole(path, "text")
        with pytest.raises(OSError, match=words), draft_of(path):
            pytest.fail("nothing should be written")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_whole(tmp_path, "text")
    assert os.stat(os.devnull).st_mode == before
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "report.html"]


def test_a_draft_is_put_in_its_place_with_nothing_beside_it(tmp_path):
    path = tmp_path / "a [b].db"
    path.write_text("old")
    with draft_of(path) as draft:
        draft.write_text("new")
        draft.with_name(f"{draft.name}-wal").write_text("beside it")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(TypeError, match="must be str"), draft_of(path) as draft:
        draft.write_text(1)  # makes no more than an empty file
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == [path.name]
    missing = tmp_path / "none" / "file"
    with pytest.raises(FileNotFoundError, match=str(missing)), draft_of(missing):
        pytest.fail("there is no folder to write to")


def test_the_folder_is_synced_after_a_draft_is_put_in_its_place(tmp_path, monkeypatch):
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda n: (synced.append(os.fstat(n).st_ino), sync(n)))
    with draft_of(tmp_path / "file") as draft:
        draft.write_text("new")
    assert synced == [(tmp_path / "file").stat().st_ino, tmp_path.stat().st_ino]


def test_where_there_is_no_room_the_old_file_stays(tmp_path):
    code = (
        "import resource, sys\n"
        "from backstay._files import write_whole\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_whole(sys.argv[1], 'x' * 1000)\n"
        "try:\n"
        "    write_whole(sys.argv[1], 'y' * 1001)\n"
        "except OSError as error:\n"
        "    print(error.errno, error.filename)\n"
    )
    path = tmp_path / "file"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout == f"{errno.EFBIG} {path}\n", done.stderr
    assert path.read_text() == "x" * 1000
    assert os.listdir(tmp_path) == ["file"]


WRITERS = {
    "at once": "write_whole(sys.argv[1], 'half')\n",
    "by name": "with draft_of(sys.argv[1]) as draft:\n    draft.write_text('half')\n",
}


@pytest.mark.parametrize("writes", WRITERS.values(), ids=WRITERS)
def test_what_a_killed_writer_left_is_removed_but_no_running_ones(tmp_path, writes):
    code = (
        "import os, sys\n"
        "os.fsync = lambda file: (print('written', flush=True), input())\n"
        "from backstay._files import draft_of, write_whole\n"
        f"{writes}"
    )
    path = tmp_path / "file"
    writer = subprocess.Popen(
        [sys.executable, "-c", code, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "written\n"
    write_whole(path, "one")
    assert len(os.listdir(tmp_path)) == 2  # the other's draft is still there
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    write_whole(path, "two")
    assert os.listdir(tmp_path) == ["file"]
    assert path.read_text() == "two"


FORMULAS = ["=1+1", "+1", "-x", "@x", "  =1", "\tx", "\r=", "\x00", "\x1bx", "\uff1d1+1", "\uff20x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_become_text(text):
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["gene", "a=b", "", "1e-5", -1.5, 3, True, None, float("-inf")])
def test_all_else_stays_as_it_is(cell):
    assert spreadsheet_cell(cell) is cell
