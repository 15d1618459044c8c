"""backstay plan: a table, two answers with ranges, and what is said where there is no plan."""

import re

import numpy as np
import pandas as pd
import pytest

from backstay.report import Report
from backstay.results import Results

QUICK = ("--methods", "t", "--repeats", "8", "--sizes", "2,4", "--jobs", "1", "--null", "0", "-q")


def write_table(path, n=40, d=12):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, d)).round(3)
    X[:, :3] += y[:, None]
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(d)])
    frame.assign(kind=np.where(y, "ill", "well")).to_csv(path, index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, call):
    folder = tmp_path_factory.mktemp("plan")
    write_table(folder / "t.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Report, "write", lambda self, path: path)
        for name, more in (("with", ()), ("without", ("--planning", "0"))):
            run = ("run", folder / "t.csv", "-t", "kind", *QUICK, "-o", folder / name, *more)
            assert call(*run).code == 0
    return folder


def test_a_table_and_two_answers(folder, call):
    code, out, err = call("plan", folder / "with")
    assert code == 0, err
    assert re.search(r"rows +AUC +95 % band +overlap of two studies +95 % band +measured", out)
    lines = [line.split() for line in out.splitlines() if re.match(r" +\d+ ", line)]
    assert [int(line[0]) for line in lines] == [13, 20, 26, 40, 60, 80, 120, 160]
    assert [line[-1] for line in lines] == ["yes"] * 4 + ["no"] * 4
    plan = Results.load(folder / "with" / "study.db").plan()
    assert f"({plan.method}, {plan.size} features, {plan.configuration.model})" in out
    for aim in ("two studies to share half of their lists", "validation to pin the AUC to ±0.05"):
        (said,) = [line for line in out.splitlines() if aim in line]
        assert re.search(r"\((range: .+ to .+|all of the range is .+)\)\.$", said)
    assert "curves are followed to 160 rows, and not further" in out


def test_a_method_may_be_named(folder, call):
    code, out, _ = call("plan", folder / "with" / "study.db", "--method", "t", "--size", "4")
    assert code == 0
    assert "(t, 4 features, svm)" in out
    code, _, err = call("plan", folder / "with", "--method", "t")
    assert code == 2
    assert "give method and size together, or neither. The options are --method and --size." in err


def test_without_runs_on_parts_the_option_is_named(folder, call):
    code, out, err = call("plan", folder / "without")
    assert (code, out) == (2, "")
    assert "no runs on halves and thirds" in err
    assert "Run it again with --planning 4;" in err


def test_less_planning_than_stored_is_refused(folder, call):
    run = ("run", folder / "t.csv", "-t", "kind", *QUICK, "-o", folder / "with")
    code, _, err = call(*run, "--planning", "2")
    assert code == 2
    assert "planning is 4 in the store and 2 now" in err


def test_rows_that_are_too_few_are_not_dealt_unless_asked_for(call, tmp_path):
    write_table(tmp_path / "s.csv", n=18)
    run = ("run", tmp_path / "s.csv", "-t", "kind", "--dry-run")
    code, out, _ = call(*run)
    assert code == 0
    assert re.search(r"planning +none \(there are 18 independent rows or groups", out)
    write_table(tmp_path / "t.csv")
    quick = call("run", tmp_path / "t.csv", "-t", "kind", "--dry-run", "--quick").out
    assert re.search(r"planning +none \(--quick\)", quick)
