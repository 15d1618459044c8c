"""Tables on narrow terminals: no word and no interval is broken."""

import io
import sys

import pytest

from backstay.cli._show import say, table

COLUMNS = ["method", "stability", "of modules", "AUC of svm", "runs", "filled at random"]
ROW = [
    "information-gain",
    "0.49 [0.41, 0.56]",
    "0.33 [-0.22, 0.43]",
    "0.92 [0.82, 1.00]",
    10,
    "4 %",
]


def written(monkeypatch, width, *given, by=table):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", stream)
    by(*given)
    return stream.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_words_and_intervals_stay_whole(monkeypatch, width):
    text = written(monkeypatch, width, COLUMNS, [ROW, ROW], "Two methods")
    assert max(map(len, text.splitlines())) <= width
    for word in [*" ".join(COLUMNS).split(), "information-gain", "[-0.22, 0.43]", "[0.82, 1.00]"]:
        assert word in text
    assert ("0.92 [0.82, 1.00]" in text) == (width != 80)
    assert ("stability: 0.49" in text) == (width < 80)


def test_rows_become_paragraphs_where_columns_are_too_narrow(monkeypatch):
    rows = [["t", " ".join(["of many words"] * 30), None, "Student 1908"]]
    text = written(monkeypatch, 60, ["name", "what", "most features", "source"], rows, "Methods")
    head, name, *lines = text.rstrip().splitlines()
    assert (head, name) == ("Methods", "t")
    said = " ".join(" ".join(lines).split())
    assert said == f"what: {rows[0][1]}; source: Student 1908"
    assert all(line.startswith("  ") and len(line) <= 60 for line in lines)


def test_a_number_stays_with_its_percent_sign(monkeypatch):
    text = written(monkeypatch, 19, "chosen on about 43 % of draws [0.29, 0.43]", by=say)
    assert text.splitlines() == ["chosen on about", "43 % of draws", "[0.29, 0.43]"]
