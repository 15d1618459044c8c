"""Selections of other programs, read from files; their forms are tested in tests/cli."""

import pytest

from backstay.datasets import TableError, read_selections


def saved(tmp_path, text):
    path = tmp_path / "runs.csv"
    path.write_text(text)
    return path


def test_a_form_may_be_given(tmp_path):
    path = saved(tmp_path, "a,b\nc,d\ne,f\n")  # nothing in common: columns by the rule
    assert read_selections(path).runs == [["c", "e"], ["d", "f"]]
    assert read_selections(str(path), "rows").runs == [["a", "b"], ["c", "d"], ["e", "f"]]


@pytest.mark.parametrize(("form", "text"), [("long", "a\n"), ("matrix", "a,b\n")])
def test_a_form_that_does_not_fit(tmp_path, form, text):
    with pytest.raises(TableError, match=f"form='{form}' needs"):
        read_selections(saved(tmp_path, text), form, ",")


def test_what_is_no_text_file(tmp_path):
    with pytest.raises(TableError, match="no file"):
        read_selections(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_selections(tmp_path)
    path = tmp_path / "runs.csv"
    path.write_bytes("é,b\nc,d\n".encode("latin-1"))
    with pytest.raises(TableError, match="not utf-8 text"):
        read_selections(path)
