"""Selections of other programs, in every form, give the same figures."""

import json

import pytest

from backstay.cli import main
from backstay.stability import stability_score

RUNS = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["a", "b", "c"]]
NAMES = "abcdefgh"
FORMS = {
    "long": "run,feature\n" + "".join(f"{i},{f}\n" for i, run in enumerate(RUNS) for f in run),
    "long, other names": "gene\tfold\tscore\n"
    + "".join(f"{f}\t{i}\t0.5\n" for i, run in enumerate(RUNS) for f in run),
    "rows": "".join(",".join(run) + "\n" for run in RUNS),
    "rows, named": "".join(f"run{i};{';'.join(run)}\n" for i, run in enumerate(RUNS)),
    "rows, numbered": "".join(f"{i} {' '.join(run)}\n" for i, run in enumerate(RUNS)),
    "columns": ",".join(f"r{i}" for i in range(4))
    + "\n"
    + "".join(",".join(run[k] for run in RUNS) + "\n" for k in range(3)),
    "matrix": ",".join(NAMES)
    + "\n"
    + "".join(",".join(str(int(n in run)) for n in NAMES) + "\n" for run in RUNS),
    "matrix, named": "run,"
    + ",".join(NAMES)
    + "\n"
    + "".join(
        f"r{i}," + ",".join(str(n in run) for n in NAMES) + "\n" for i, run in enumerate(RUNS)
    ),
    "matrix, bare": "".join(",".join(str(int(n in run)) for n in NAMES) + "\n" for run in RUNS),
}


def saved(tmp_path, text):
    path = tmp_path / "runs.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_recognised(tmp_path, capsys, form):
    path = saved(tmp_path, FORMS[form])
    with pytest.raises(SystemExit) as stop:
        main(["stability", str(path), "--n-features", "8", "--json"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_runs"] == 4
    assert found["sizes"] == [3]
    expected = stability_score([["abcdefgh".index(f) for f in run] for run in RUNS], 8)
    rows = {row["measure"]: row for row in found["measures"]}
    assert rows["nogueira"]["value"] == pytest.approx(expected.value)
    assert rows["nogueira"]["low"] == pytest.approx(expected.confidence_interval.low)
    assert rows["kalousis"]["low"] < rows["kalousis"]["value"]
    assert rows["pogr"]["left_out"] == "needs the correlations of the features"


def test_the_table_says_the_form_and_the_intervals(tmp_path, capsys):
    uneven = "run,feature\n1,a\n1,b\n2,a\n2,b\n2,c\n3,a\n3,d\n"
    with pytest.raises(SystemExit):
        main(["stability", str(saved(tmp_path, uneven)), "-n", "50"])
    out = capsys.readouterr().out
    assert "a run and a feature per line ('run', 'feature')" in out
    assert "4 ever selected of 50" in out
    assert "2 to 3" in out
    assert "needs runs of equal size" in out


def test_a_table_with_a_line_per_feature_is_turned_and_it_says_so(tmp_path, capsys):
    header = "gene," + ",".join(f"run{i}" for i in range(4)) + "\n"
    lines = "".join(f"{n}," + ",".join(str(int(n in run)) for run in RUNS) + "\n" for n in NAMES)
    with pytest.raises(SystemExit) as stop:
        main(["stability", str(saved(tmp_path, header + lines))])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "a column of 0 and 1 per run, 8 features in lines (by the runs' names)" in out
    expected = stability_score([[NAMES.index(f) for f in run] for run in RUNS], 8).value
    assert f"nogueira         {expected:.3f}" in out


UNCLEAR = "1,0,0,1\n0,1,1,1\n0,1,1,0\n1,1,0,0\n"


@pytest.mark.parametrize(("option", "per"), [("--transpose", "column"), ("--no-transpose", "line")])
def test_the_user_may_say_what_a_line_is(tmp_path, capsys, option, per):
    with pytest.raises(SystemExit) as stop:
        main(["stability", str(saved(tmp_path, UNCLEAR)), option])
    assert stop.value.code == 0
    assert f"a {per} of 0 and 1 per run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        (FORMS["rows"], (), "give the number of all features with --n-features"),
        (FORMS["rows"], ("-n", "3"), "less than the 4"),
        (FORMS["matrix"], ("-n", "9"), "contradicts the matrix"),
        ("", ("-n", "9"), "is empty"),
        ("a,b,a\na,c,d\n", ("-n", "9"), "selects 'a' more than once"),
        ("run,feature\n1,a\n", ("-n", "9"), "at least 2 runs; got 1"),
        ("run,feature\n1,a\n2,\n", ("-n", "9"), "line 3 must name a run and a feature"),
        (
            FORMS["rows"],
            ("-n", "9", "--form", "tall"),
            "form='tall' must be one of",
        ),
        (UNCLEAR, (), "--transpose for a feature."),
        (
            FORMS["rows"],
            ("-n", "9", "--transpose"),
            "--transpose is for a table of 0 and 1; got form='rows'.",
        ),
    ],
)
def test_wrong_use(tmp_path, capsys, text, arguments, words):
    with pytest.raises(SystemExit) as stop:
        main(["stability", str(saved(tmp_path, text)), *arguments])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err
