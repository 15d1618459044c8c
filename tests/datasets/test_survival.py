"""Times until an event from files: two columns in any format, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import Reading, read_cohort, read_table
from backstay.study import suspicions
from table_formats import write_h5ad

N = 60


def frame(**changed):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N, 3)).round(6), columns=["a", "b", "c"])
    table["months"] = (rng.exponential(20, N) + 1).round(3)
    table["dead"] = (np.arange(N) % 3 > 0).astype(int)
    return table.assign(**changed)


def written(table, folder, kind="csv"):
    path = folder / f"table.{kind}"
    if kind == "npz":
        columns = {name: table[name].to_numpy() for name in ("months", "dead")}
        np.savez(path, X=table[["a", "b", "c"]].to_numpy(), y=np.zeros(N), **columns)
    elif kind == "h5ad":
        numbers = table[["a", "b", "c"]].set_axis([f"s{i}" for i in range(N)])
        about = pd.DataFrame({"symbol": ["A", "B", "C"]})
        write_h5ad(path, numbers, table[["months", "dead"]], about)
    else:
        write = {"csv": table.to_csv, "parquet": table.to_parquet, "xlsx": table.to_excel}[kind]
        write(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "npz", "h5ad"])
def test_every_format_gives_the_same_times(kind, tmp_path):
    table = read_table(written(frame(), tmp_path, kind), time="months", event="dead", horizon=10)
    assert (table.kind, table.target, table.horizon) == ("survival", "months until dead", 10)
    assert table.X.shape == (N, 3)
    np.testing.assert_allclose(table.y["time"], frame()["months"])
    np.testing.assert_array_equal(table.y["event"], frame()["dead"] == 1)


def test_a_sheet_of_samples_may_hold_the_two_columns(tmp_path):
    names = [f"s{i}" for i in range(N)]
    frame()[["a", "b", "c"]].T.set_axis(names, axis=1).to_csv(tmp_path / "genes.csv")
    sheet = frame()[["months", "dead"]].assign(sample=names, age=50)
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    table = read_table(
        tmp_path / "genes.csv", samples=tmp_path / "sheet.csv", time="months", event="dead"
    )
    assert table.X.columns.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(table.y["time"], frame()["months"])


@pytest.mark.parametrize(
    ("values", "event_is"),
    [
        (["alive", "dead"], "dead"),
        ([1, 2], "2"),
        ([1.0, 2.0], "2"),
        (["FALSE", "True"], None),
        ([False, True], None),
    ],
)
def test_what_means_the_event(values, event_is, tmp_path):
    table = frame(dead=np.array(values, dtype=object)[frame()["dead"]])
    read = read_table(written(table, tmp_path), time="months", event="dead", event_is=event_is)
    np.testing.assert_array_equal(read.y["event"], frame()["dead"] == 1)
    cohort = read_cohort(
        written(table, tmp_path), ["a", "dead"], time="months", event="dead", event_is=event_is
    )
    assert cohort.X.columns.tolist() == ["a"]
    np.testing.assert_array_equal(cohort.y, read.y)


def with_cell(column, row, value):
    table = frame()
    table[column] = table[column].astype(object)
    table.loc[row, column] = value
    return table


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (with_cell("months", 4, -1.0), {}, "'months' is 0 or less in 1 row, first row 5; times"),
        (with_cell("months", 4, "12 m"), {}, "'months' holds '12 m' in row 5, which is no number"),
        (with_cell("months", 4, "2020-01-05"), {}, "a date; count the days"),
        (with_cell("months", 4, "inf"), {}, "'months' is infinite in 1 row, first row 5"),
        (with_cell("dead", 4, 2), {}, "'dead' holds 3 values, .*competing risks"),
        (frame(dead=frame()["dead"] + 1), {}, "'dead' holds .1.*2.; say with event_is"),
        (frame(), {"event_is": "3"}, "event_is='3' is no value of event"),
        (frame(dead=0), {}, "y has no events in 60 rows"),
        (frame(), {"horizon": 1e6}, "horizon=1e.06 must lie between"),
        (frame(), {"event": "months"}, "time, event must be different columns"),
        (frame(), {"event": "Dead"}, "has no column 'Dead'; did you mean 'dead'"),
        (frame(), {"event": None}, "need two columns, time and event; name both"),
        (frame(), {"target": "a"}, "time and event name the outcome; target is for another"),
        (frame(), {"positive": "1"}, "positive is for another"),
        (frame(), {"time": None, "event": None, "target": "a", "horizon": 3}, "name both"),
    ],
)
def test_bad_columns_are_refused_in_a_sentence(table, options, message, tmp_path):
    path = written(table, tmp_path)
    with pytest.raises(ValueError, match=message):
        read_table(path, **{"time": "months", "event": "dead", **options})


def test_rows_without_a_time_or_an_event_are_dropped_with_a_warning(tmp_path):
    table = with_cell("months", 4, None)
    table.loc[9, "dead"] = np.nan
    read = read_table(written(table, tmp_path), time="months", event="dead")
    assert len(read.y) == len(read.X) == N - 2
    assert "2 rows without a value of 'months' or 'dead' were dropped." in read.warnings


def test_reading_is_remembered():
    reading = Reading(time="months", event="dead", event_is="2", horizon=60)
    assert Reading.from_json(reading.to_json()) == reading
    assert reading.outcome == ("months", "dead")


@pytest.mark.parametrize("name", ["months", "Survival time", "follow_up", "days.to.event"])
def test_a_time_beside_an_event_does_not_go_without_a_word(name, tmp_path):
    path = written(frame().rename(columns={"months": name}), tmp_path)
    (found,) = [one for one in read_table(path, "dead").suspicions if one.kind == "follow_up"]
    assert found.severity == 2
    assert found.figures == {"columns": [[name, True]]}
    (found,) = read_table(path, "dead", drop=[name]).suspicions
    assert (found.kind, found.severity) == ("follow_up", 1)


def test_other_names_and_outcomes_are_not_suspected(tmp_path):
    for column in ("timeless", "OS9", "a.month2", "daylight"):
        path = written(frame().rename(columns={"months": column}), tmp_path)
        assert not [s for s in read_table(path, "dead").suspicions if s.kind == "follow_up"]
    path = written(frame(dead=np.array(["lean", "obese"])[frame()["dead"]]), tmp_path)
    assert not [s for s in read_table(path, "dead").suspicions if s.kind == "follow_up"]
    path = written(frame(), tmp_path)
    table = read_table(path, time="months", event="dead")
    assert table.suspicions == []
    assert suspicions(table.X, table.y) == []


def test_columns_that_go_with_the_time_are_suspected(tmp_path):
    table = frame()
    table["stage"] = np.where(table["months"] > table["months"].median(), "early", "late")
    read = read_table(written(table, tmp_path), time="months", event="dead", drop=["stage"])
    (found,) = read.suspicions
    assert (found.kind, found.figures["columns"][0][:2]) == ("confounded", ["stage", "concordance"])
