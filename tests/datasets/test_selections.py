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


RUNS = [[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1]]
GENES = ["TP53", "MYC", "EGFR", "KRAS"]
CHOSEN = [["TP53", "MYC"], ["TP53", "EGFR", "KRAS"], ["MYC", "KRAS"]]


def flags(table, lines, columns, corner=""):
    """Write 0 and 1 with names on either side, or without."""
    rows = [[*name, *map(str, row)] for name, row in zip(lines, table, strict=True)]
    if columns:
        rows.insert(0, [*([corner] if lines[0] else []), *columns])
    return "".join(",".join(row) + "\n" for row in rows)


def either_way(runs, genes, corners=("", "")):
    """Return the same selections with a run per line, and with a feature per line."""
    across = list(map(list, zip(*RUNS, strict=True)))
    named_runs, named_genes = [[r] if r else [] for r in runs], [[g] if g else [] for g in genes]
    forth = flags(RUNS, named_runs, [g for g in genes if g], corners[0])
    return forth, flags(across, named_genes, [r for r in runs if r], corners[1])


@pytest.mark.parametrize(
    ("runs", "corners"),
    [
        (["run1", "run2", "run3"], ("", "")),
        (["fold 2", "fold 4", "fold 7"], ("name", "name")),
        (["a", "b", "c"], ("run", "gene")),
        (["r1", "r2", "r3"], ("", "")),
        (["1", "2", "3"], ("", "")),
        (["", "", ""], ("", "")),
    ],
)
def test_a_table_of_flags_is_read_either_way(tmp_path, runs, corners):
    forth, back = either_way(runs, GENES, corners)
    found = read_selections(saved(tmp_path, forth))
    assert (found.runs, found.n_features) == (CHOSEN, 4)
    assert found.form.startswith("a line of 0 and 1 per run, 4 features in columns (by")
    found = read_selections(saved(tmp_path, back))
    assert (found.runs, found.n_features) == (CHOSEN, 4)
    assert found.form.startswith("a column of 0 and 1 per run, 4 features in lines (by")


def test_flags_that_do_not_show_what_a_line_is(tmp_path):
    unclear = [
        *either_way(["", "", ""], [""] * 4),
        *either_way(["a", "b", "c"], GENES),
        *either_way(["run1", "run2", "run3"], ["fold1", "fold2", "fold3", "fold4"]),
        "1,0\n0,1\n",
    ]
    for text in unclear:
        path = saved(tmp_path, text)
        with pytest.raises(TableError, match="a line is a run or a feature; give transpose=False"):
            read_selections(path)
        forth, back = (read_selections(path, transpose=way) for way in (False, True))
        assert "as asked" in forth.form
        assert forth.n_features == len(back.runs)
    forth, back = either_way(["", "", ""], [""] * 4)
    for text in (forth, back):
        found = read_selections(saved(tmp_path, text), n_features=4)
        assert found.runs == [["0", "1"], ["0", "2", "3"], ["1", "3"]]


def test_transpose_is_for_flags_only(tmp_path):
    with pytest.raises(TableError, match="transpose=True is for a table of 0 and 1"):
        read_selections(saved(tmp_path, "run,gene\n1,a\n2,b\n"), transpose=True)
