"""The command line in this process: what it prints, what it writes, how it fails."""

import contextlib
import errno
import json
import os
import re
import shutil
import sqlite3
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from backstay import __version__
from backstay.cli import _outputs, main
from backstay.report import Report
from backstay.results import Results
from reference.study import contents, forget_tasks

COMMANDS = (
    "run",
    "demo",
    "compare",
    "plan",
    "report",
    "check",
    "strip",
    "merge",
    "freeze",
    "predict",
    "validate",
    "stability",
    "methods",
    "measures",
    "warm-up",
)
QUICK = ("--methods", "t,iw-relieff", "--repeats", "4", "--sizes", "2,4", "--jobs", "1")
QUICK += ("--planning", "0", "--null", "2")


def table(seed=0, n=40, d=12):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, d)).round(3)
    X[:, :3] += 2 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(d)])
    frame.insert(0, "patient", [f"p{i}" for i in range(n)])
    return frame.assign(diagnosis=np.where(y, "tumour", "normal"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


@pytest.fixture
def no_report(monkeypatch):
    """Leave report.html out where a test is about something else: it takes seconds."""
    monkeypatch.setattr(Report, "write", lambda self, path: path)


@pytest.fixture(scope="module")
def done(folder, call):
    """Two finished runs, and what the second said."""
    for seed, name in enumerate(("two", "one")):
        table(seed).to_csv(folder / f"{name}.csv", index=False)
        arguments = ["run", folder / f"{name}.csv", "-t", "diagnosis", *QUICK, "-o", folder / name]
        with pytest.MonkeyPatch.context() as patch:
            if name == "two":
                patch.setattr(Report, "write", lambda self, path: path)
            result = call(*arguments)
        assert result.code == 0, result.err
    return folder, result


def fails(call, code, *arguments):
    """Return the sentence of a command that fails."""
    found, out, err = call(*arguments)
    assert found == code, err
    assert err.startswith("backstay: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err + out
    return err


def test_version_and_help(call):
    assert call("--version") == (0, f"backstay {__version__}\n", "")
    code, out, _ = call("--help")
    assert code == 0
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        code, out, _ = call(name, "--help")
        assert code == 0
        assert "For example:" in out
        assert f"backstay {name}" in out
        assert "<" not in out  # no names of Python's types


def test_a_run_says_what_it_read_and_what_it_does(done):
    folder, result = done
    out = result.out
    assert re.search(r"rows +40\n", out)
    assert re.search(r"features +12: 12 of numbers\n", out)
    assert "diagnosis: normal (20), tumour (20)" in out
    assert re.search(r"missing +none", out)
    assert "Fields are separated by commas." in out
    assert "4 random splits" in out
    assert "ReliefF, ReliefF (control, mean 1)" in out
    assert re.search(r"models +linear SVM, which weighs classes by their rarity, and", out)
    assert re.search(r"metric +AUC decides\n", out)
    assert re.search(r"null +2 permutations of the outcomes × 2 runs, without models\n", out)
    tasks = "4 methods × 4 splits = 16, and 4 × 4 with shuffled outcomes = 16; 32 in all"
    assert f"{tasks}, 1 at a time, seed 0" in out
    assert "class ratio" not in out
    assert "Rows are named by column 'patient'." in out
    assert "'patient'" not in result.err
    assert "Recommendation" in out
    advice = Results.load(folder / "one" / "study.db").recommend()
    for answer in advice.answers.values():
        assert re.search(rf"features .*\b{answer.size}\b", out)
    methods = " +".join(re.escape(answer.method) for answer in advice.answers.values())
    assert re.search(rf"answer +trusted +short +accurate\n.*\n *method +{methods}\n", out)
    lines = "method|features|model|draws|again|stability|shuffled outcomes|AUC|against trusted"
    for name in lines.split("|"):
        assert re.search(rf"\n *{name} ", out), name
    assert re.search(r"expect an AUC of .*; guessing: 0.50\), balanced accuracy", out)
    named = ", ".join(n + "*" * (n in advice.core) for n in advice.signature)
    assert f"Signature of {len(advice.signature)} features: {named}." in out
    assert re.search(r"method +stability +of modules +AUC of (svm|1nn) +runs\n", out)
    assert "-0.00" not in out
    assert f"Report: {folder / 'one' / 'report.html'}" in out.replace("\n", "")
    assert "\x1b" not in result.out + result.err  # no colours where there is no terminal


def test_the_files_of_a_run(done):
    folder, _ = done
    features = pd.read_csv(folder / "one" / "features.csv")
    assert features.columns.tolist() == [
        "feature",
        "column",
        "in_signature",
        "core",
        "frequency",
        "frequency_low",
        "frequency_high",
        "again",
        "mean_rank",
        "weight",
        "mean in normal",
        "mean in tumour",
        "high_in",
        "difference",
        "effect",
        "effect_low",
        "effect_high",
        "p_value",
        "q_value",
    ]
    found = json.loads((folder / "one" / "results.json").read_text(), parse_constant=pytest.fail)
    results = Results.load(folder / "one" / "study.db")
    assert sorted(features["feature"]) == sorted(results.data.feature_names)  # every one
    advice = results.recommend()
    assert found["recommendation"]["method"] == advice.method
    assert found["recommendation"]["sentence"] == Report(results).parts[0].recommendation
    assert found["recommendation"]["metric"] == "roc_auc"
    assert found["recommendation"]["score"] == pytest.approx(vars(advice.score))
    assert found["recommendation"]["core"] == advice.core
    for name, answer in advice.answers.items():
        written = found["recommendation"]["answers"][name]
        assert written["configuration"] == vars(answer.configuration)
        assert written["stability"]["value"] == pytest.approx(answer.stability.value)
        assert written["null"] == pytest.approx(answer.null)
        assert set(written["costs"]) == set(answer.costs)
        for other, (score, stability) in answer.costs.items():
            assert written["costs"][other]["score"]["difference"] == score.difference
            assert written["costs"][other]["stability"]["n"] == stability.n
    assert {row["runs"] for row in found["evidence"]} == {4}
    assert found["data"]["classes"] == {"normal": 20, "tumour": 20}
    assert found["backstay"] == __version__
    signature = features.loc[features["in_signature"], "feature"]
    assert sorted(signature) == sorted(advice.signature)
    assert len(signature) == advice.size
    core = features["in_signature"] & (features["frequency"] > 0.5)
    assert features["core"].tolist() == core.tolist()
    assert sorted(features.loc[core, "feature"]) == sorted(advice.core)
    orders = results.runs.orders(advice.method)
    first = features.iloc[0]
    ranks = [int(np.flatnonzero(order == first["column"] - 1)[0]) + 1 for order in orders]
    assert first["mean_rank"] == pytest.approx(np.mean(ranks))
    assert first["frequency"] == np.mean([rank <= advice.size for rank in ranks])
    html = (folder / "one" / "report.html").read_text()
    assert "gene0" in html


def test_where_the_data_came_from_is_kept(done):
    folder, _ = done
    facts = Results.load(folder / "one" / "study.db").data
    about = facts.provenance
    assert about["file"] == "one.csv"
    assert len(about["sha256"]) == 64
    assert about["target"] == "diagnosis"
    assert about["command"].startswith(f"backstay run {folder / 'one.csv'} -t diagnosis ")
    assert not any("patient" in warning for warning in about["warnings"])
    assert facts.sample_names[:2] == ["p0", "p1"]


def test_the_same_command_again_runs_nothing_and_another_is_refused(done, call, no_report):
    folder, _ = done
    command = ("run", folder / "one.csv", "-t", "diagnosis", *QUICK, "-o", folder / "one")
    code, out, _ = call(*command, "--quiet")
    assert code == 0
    assert out.startswith("Report: ")
    assert out.count("\n") == 1
    text = fails(call, 2, *command, "-q", "--seed", "5", "--drop", "patient")
    assert "holds a study with other parameters" in text
    text = fails(call, 2, *command, "--seed", "5", "-q", "--id", "patient")
    assert "random_state is 0 in the store and 5 now" in text


def test_a_dry_run_writes_nothing(done, call, tmp_path):
    folder, _ = done
    out = tmp_path / "none"
    code, text, _ = call("run", folder / "one.csv", "-t", "diagnosis", "-o", out, "--dry-run")
    assert code == 0
    assert "t, wilcoxon, mrmr-f, relieff, elastic-net, svm-rfe" in text
    assert "50 random splits" in text
    assert "20 permutations of the outcomes × 2 runs, without models" in text
    assert "4 deals of the rows into halves and into thirds" in text
    assert "6 methods × 50 splits = 300, and 6 × 40 with shuffled outcomes = 240, and " in text
    assert "6 × 20 on parts of the rows = 120; 660 in all" in text
    assert "Nothing was run" in text
    assert not out.exists()


def test_the_plan_says_what_decides_and_what_unequal_classes_mean(call, tmp_path):
    given = table(n=40).assign(diagnosis=["rare"] * 8 + ["common"] * 32)
    given.to_csv(tmp_path / "t.csv", index=False)
    command = ("run", tmp_path / "t.csv", "-t", "diagnosis", "--dry-run")
    _, out, _ = call(*command, "--metric", "average_precision", "--null", "0")
    assert re.search(r"metric +average precision decides\n", out)
    assert re.search(r"null +none \(--null 0\)", out)
    assert "6 methods × 50 splits = 300, " in out
    words = "accuracy would be misleading; AUC and balanced accuracy are not"
    assert re.search(rf"class ratio +4:1 of largest and smallest; {words}\n", out)
    _, out, _ = call(*command, "--metric", "brier")
    assert "logistic regression on features scaled to [0, 1], as the Brier score needs" in out


def test_the_metric_that_was_asked_for_decides(call, tmp_path, no_report):
    table().to_csv(tmp_path / "t.csv", index=False)
    code, text, err = call(
        "run", tmp_path / "t.csv", "-t", "diagnosis", *QUICK[:-1], "0", "--metric", "log_loss",
        "-o", tmp_path / "out",
    )  # fmt: skip
    assert code == 0, err
    data = Results.load(tmp_path / "out" / "study.db").data
    assert (data.metric, data.null) == ("log_loss", 0)
    assert re.search(r"shuffled outcomes .*\n *log loss ", text)
    assert "not run" in text
    found = json.loads((tmp_path / "out" / "results.json").read_text(), parse_constant=pytest.fail)
    assert found["recommendation"]["metric"] == "log_loss"
    assert found["recommendation"]["answers"]["trusted"]["null"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-t", "diagnoses"), "did you mean 'diagnosis'?"),
        ((), "The option is --target."),
        (("-t", "gene0", "--positive", "x"), "holds numbers; positive is for classes"),
        (("-t", "diagnosis", "--methods", "relief-f"), "did you mean relieff"),
        (("-t", "diagnosis", "--protocol", "3x3"), "must be subsample or 10x10 or 5x2"),
        (("-t", "diagnosis", "--protocol", "5x2", "--repeats", "3"), "5x2 has 5 repeats"),
        (("-t", "diagnosis", "--repeats", "1"), "--repeats 1 is too few"),
        (("-t", "diagnosis", "--sizes", "5,many"), "must be whole numbers"),
        (("-t", "diagnosis", "--sizes", "99"), "there are 12 features"),
        (("-t", "diagnosis", "--drop", "nothing"), "no column 'nothing'"),
        (("-t", "diagnosis", "--log2", "0"), "must be above 0"),
        (("-t", "diagnosis", "--categories", "maybe"), "code or drop"),
        (("-t", "diagnosis", "--jobs", "0"), "--jobs"),
        (("-t", "diagnosis", "--metric", "auc"), "is unknown; did you mean 'roc_auc'?"),
        (("-t", "diagnosis", "--null", "-1"), "--null"),
        (("-t", "diagnosis", "--encoding", "klingon"), "is unknown"),
        (("--nonsense",), "backstay run --help"),
    ],
)
def test_wrong_use_of_run(done, call, tmp_path, arguments, words):
    folder, _ = done
    path = folder / "one.csv"
    assert words in fails(call, 2, "run", path, *arguments, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_other_wrong_uses(done, call, tmp_path):
    folder, _ = done
    assert "there is no file" in fails(call, 2, "run", tmp_path / "no.csv", "-t", "x")
    assert "No such command" in fails(call, 2, "jump")
    assert "Missing argument" in fails(call, 2, "run")
    file = tmp_path / "file"
    file.write_text("x")
    text = fails(call, 2, "run", folder / "one.csv", "-t", "diagnosis", "-q", "--drop", "patient",
                 "-o", file)  # fmt: skip
    assert "is a file" in text
    assert "there is no store" in fails(call, 2, "report", tmp_path / "no.db")
    assert "is not a study's store" in fails(call, 2, "report", file)
    assert "--size 3 is not in all" in fails(call, 2, "compare", folder / "one", "--size", 3)


def test_classes_too_small_for_the_protocol(call, tmp_path):
    small = table().assign(diagnosis=["a"] * 38 + ["b"] * 2)
    small.to_csv(tmp_path / "t.csv", index=False)
    command = ("run", tmp_path / "t.csv", "-t", "diagnosis", "--drop", "patient", "-q")
    assert "class 'b' of 'diagnosis' has 2 rows; protocol subsample needs at least 3" in fails(
        call, 2, *command
    )
    assert "needs at least 10" in fails(call, 2, *command, "--protocol", "10x10")


def test_debug_shows_where(tmp_path):
    with pytest.raises(Exception, match="there is no file"):
        main(["run", str(tmp_path / "no.csv"), "--debug"])


def test_gaps_categories_and_groups(call, tmp_path, no_report):
    given = table().drop(columns="patient")
    given.loc[[1, 5], "gene1"] = np.nan
    given["sex"] = np.resize(["f", "m"], len(given))
    given["site"] = np.resize(["a", "b", "c"], len(given))
    given["patient"] = np.arange(len(given)) // 2
    given.to_csv(tmp_path / "t.csv", index=False)
    code, out, err = call(
        "run", tmp_path / "t.csv", "-t", "diagnosis", "--groups", "patient", *QUICK, "-o",
        tmp_path / "out",
    )  # fmt: skip
    assert code == 0, err
    assert "2 missing values are filled with the median of the training rows" in out
    assert "sex (1 is m)" in out
    assert "whole groups together" in out
    assert "an order that may mean nothing: 'site'" in err
    names = Results.load(tmp_path / "out" / "study.db").data.feature_names
    assert names[-2:] == ["sex", "site"]


def test_names_of_features_are_not_commands_to_the_terminal(call, tmp_path):
    given = table().rename(columns={"gene0": "[red]\x1b[31mgene", "gene1": "<b>x</b>"})
    given.to_csv(tmp_path / "t.csv", index=False)
    code, out, err = call(
        "run", tmp_path / "t.csv", "-t", "diagnosis", *QUICK, "-o", tmp_path / "o"
    )
    assert code == 0, err
    assert "\x1b" not in out + err
    features = pd.read_csv(tmp_path / "o" / "features.csv")["feature"].tolist()
    assert "<b>x</b>" in features
    assert "[red]\x1b[31mgene" in features
    html = (tmp_path / "o" / "report.html").read_text()
    assert "<b>x</b>" not in html


def test_noise_is_not_recommended(call, tmp_path, no_report):
    rng = np.random.default_rng(3)
    noise = pd.DataFrame(rng.normal(size=(20, 10))).add_prefix("x")
    noise.assign(kind=np.resize(["a", "b"], 20)).to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = call("run", tmp_path / "t.csv", "-t", "kind", *QUICK, "-o", tmp_path / "o")
    assert code == 0
    assert "No method is recommended" in out
    features = pd.read_csv(tmp_path / "o" / "features.csv")
    assert len(features) == 10
    assert not features["in_signature"].any()


def test_compare(done, call):
    folder, _ = done
    code, out, _ = call("compare", folder / "one" / "study.db", folder / "two")
    assert code == 0
    assert out.startswith("Data sets where the first is better / equal / worse")
    assert "\none\n" in out
    assert "Unfinished" not in out
    assert "\ntwo\n" in out
    assert "the first is better / equal / worse at 5 %" in out
    assert "first minus second" in out
    assert re.search(r"\n t +iw-relieff +2 ", out)
    assert "needs three" in out
    assert out.count("4 features") == 4  # two data sets, the pairs, and the last line
    assert "2 features" not in out
    results = Results.load(folder / "one" / "study.db", folder / "two" / "study.db")
    line = (
        results.comparisons.summary(size=4)
        .frame()
        .query("first == 't' and second == 'iw-relieff'")
        .iloc[0]
    )
    shown = re.search(r"\n t +iw-relieff +2 +\d / \d / \d, +(\S+) +\d / \d / \d, +(\S+)", out)
    assert float(shown[1]) == pytest.approx(line.stability_difference, abs=6e-4)
    assert float(shown[2]) == pytest.approx(line.accuracy_difference, abs=6e-4)
    copy = folder / "three.db"
    Results.load(folder / "one" / "study.db").save(copy)
    code, out, _ = call("compare", folder / "one", folder / "two", copy, "--size", "2")
    assert code == 0
    assert "Friedman's test of stability, corrected for ties, at 2 features: p =" in out
    assert "Friedman's test of AUC, corrected for ties, at 2 features: p =" in out
    code, out, _ = call("compare", folder / "one", "--metric", "balanced_accuracy")
    assert code == 0
    assert "balanced accuracy of svm" in out
    text = fails(call, 2, "compare", folder / "one", "--metric", "auc")
    assert "is not available; did you mean 'roc_auc'?" in text
    assert text.endswith("The option is --metric.\n")


@pytest.mark.parametrize("n_done", [0, 1, 2])
def test_a_study_that_has_only_begun(done, call, tmp_path, n_done):
    shutil.copy(done[0] / "one" / "study.db", tmp_path / "study.db")
    forget_tasks(tmp_path / "study.db", f"id > {n_done}")
    for command in ("report", "compare"):
        text = fails(call, 2, command, tmp_path)
        assert f"{n_done} of 32 tasks on 'one' are finished, and no method has the two runs" in text


def test_a_method_without_a_run_does_not_stop_the_others(done, call, tmp_path, no_report):
    shutil.copy(done[0] / "one" / "study.db", tmp_path / "study.db")
    forget_tasks(tmp_path / "study.db", "method = 't'")
    code, out, err = call("compare", tmp_path)
    assert code == 0, err
    assert re.search(r"\n t +no result +undefined +0 of \d+, too few to compare\n", out)
    assert not re.search(r"\n t +iw-relieff", out)
    assert "Unfinished: 24 of 32 tasks on 'one'; run it again." in out
    forget_tasks(tmp_path / "study.db", "method != 'iw-relieff'")
    code, out, err = call("compare", tmp_path)
    assert code == 0, err
    assert "No two methods have enough runs on the same data set" in out
    assert Results.load(tmp_path / "study.db").recommend().method != "t"


def test_report(done, call, tmp_path):
    folder, _ = done
    code, out, _ = call("report", folder / "one", "-o", tmp_path / "r.html")
    assert (code, out) == (0, f"Report: {tmp_path / 'r.html'}\n")
    assert (tmp_path / "r.html").stat().st_size > 1000
    assert "does not exist" in fails(call, 2, "report", folder / "one", "-o", tmp_path / "a/b.html")


def test_the_same_command_with_more_extends_the_run(done, call, tmp_path, no_report):
    table = done[0] / "one.csv"
    fixed = ("run", table, "-t", "diagnosis", "--sizes", "2,4", "--jobs", "1", "-o", tmp_path)
    fixed += ("--planning", "0")
    first = ("--repeats", "4", "--null", "2", "--methods", "t")
    assert call(*fixed, *first)[0] == 0
    code, _, err = call(*fixed, "--repeats", "6", "--null", "3", "--methods", "t,f")
    assert code == 0, err
    assert "8 of 24 tasks were done before" in err
    data = Results.load(tmp_path / "study.db").data
    assert (data.n_resamples, data.null, data.n_done) == (6, 3, 24)
    for less, words in (
        (("4", "3", "t,f"), "holds 6 splits of 'one', and now there are 4"),
        (("6", "2", "t,f"), "null is 3 in the store and 2 now"),
        (("6", "3", "f,relieff"), "methods.t is in the store only. It has t, f"),
    ):
        options = zip(("--repeats", "--null", "--methods"), less, strict=True)
        text = fails_at_the_end(call, *fixed, *(word for pair in options for word in pair))
        assert f"{words}. A study can grow, not shrink" in text


def fails_at_the_end(call, *arguments):
    code, _, err = call(*arguments)
    assert code == 2, err
    return err


def test_shards_are_merged_into_the_run(done, call, tmp_path, no_report):
    folder, _ = done
    command = ("run", folder / "one.csv", "-t", "diagnosis", *QUICK, "-o", tmp_path)
    for part in ("1/3", "3/3"):
        code, out, err = call(*command, "--shard", part)
        assert code == 0, err
    assert "Shard 3/3: " in out
    assert f"backstay merge {tmp_path}/shard-*.db -o {tmp_path}/study.db" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["shard-1-of-3.db", "shard-3-of-3.db"]
    merge = ("merge", *tmp_path.glob("shard-*"), "-o", tmp_path / "study.db")
    text = fails(call, 2, *merge)
    assert (
        "10 of 32 tasks on 'one' are in none of the 2 stores, first 'iw-relieff' on run 0" in text
    )
    assert "Of 3 shards there is no 2." in text
    assert not (tmp_path / "study.db").exists()
    assert call(*command, "--shard", "2/3")[0] == 0
    code, out, err = call("merge", *tmp_path.glob("shard-*"), "-o", tmp_path / "study.db")
    assert (code, err) == (0, "")
    assert "32 of 32 tasks on 'one'" in out
    expected = contents(Results.load(folder / "one" / "study.db"))
    assert contents(Results.load(tmp_path / "study.db")) == expected
    code, _, err = call(*command)  # writes everything else
    assert (code, (tmp_path / "features.csv").exists()) == (0, True)
    assert contents(Results.load(tmp_path / "study.db")) == expected
    assert "exists already" in fails(call, 2, *merge)
    assert "--shard 4/3 must be" in fails(call, 2, *command, "--shard", "4/3")
    other = ("merge", tmp_path / "shard-1-of-3.db", folder / "two" / "study.db")
    assert "is not of the same study" in fails(call, 2, *other, "-o", tmp_path / "x.db")


def test_check(done, call, tmp_path):
    folder, _ = done
    code, out, err = call("check", folder / "one", folder / "two" / "study.db")
    assert (code, err) == (0, "")
    assert out.count("Everything in it is as it was written.") == 2
    assert "1 data set, 32 tasks" in out
    broken = tmp_path / "study.db"
    shutil.copy(folder / "one" / "study.db", broken)
    with contextlib.closing(sqlite3.connect(broken)) as store, store:
        store.execute("UPDATE datasets SET facts = replace(facts, 'gene5', 'gene6')")
    text = fails(call, 2, "check", broken)
    assert f"{broken} is damaged: the description of data set 'one' does not check" in text
    assert "does not check" in fails(call, 2, "report", broken)
    assert "there is no store" in fails(call, 2, "check", tmp_path / "none.db")
    (tmp_path / "notes.db").write_text("notes")
    assert "is not a study's store" in fails(call, 2, "check", tmp_path / "notes.db")


def test_lists(call):
    code, out, _ = call("methods")
    assert code == 0
    assert re.search(r"elastic-net +lasso +yes", out)
    assert len(json.loads(call("methods", "--json")[1])) > 50
    assert "nogueira" in call("measures")[1]
    assert json.loads(call("measures", "--json")[1])[0]["name"] == "dunne"


def test_features_csv_holds_no_formulas(done, tmp_path, monkeypatch):
    results = Results.load(done[0] / "one" / "study.db")
    frame = _outputs.feature_frame(results).assign(feature="=HYPERLINK(1)", weight=-0.5)
    monkeypatch.setattr(_outputs, "feature_frame", lambda results: frame)
    _outputs.write_outputs(results, tmp_path, None, "backstay run")
    written = pd.read_csv(tmp_path / "features.csv")
    assert set(written["feature"]) == {"'=HYPERLINK(1)"}
    assert set(written["weight"]) == {-0.5}
    assert sorted(os.listdir(tmp_path)) == [
        "dome.md",
        "equivalents.csv",
        "features.csv",
        "report.html",
        "results.json",
    ]


def test_a_full_disk_names_the_file(done, call, tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "report.html"
    text = fails(call, 1, "report", done[0] / "one", "-o", path)
    assert text == f"backstay: {path}: No space left on device.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(done, call, tmp_path):
    path = tmp_path / "report.html"
    os.mkfifo(path)
    text = fails(call, 1, "report", done[0] / "one", "-o", path)
    assert (
        text == f"backstay: {path}: it is a pipe or a device, not a file, and was left as it is.\n"
    )


def test_files_of_an_earlier_run_stay_until_new_ones_are_there(done, tmp_path, monkeypatch):
    results = Results.load(done[0] / "one" / "study.db")
    frame = Report(results).parts[0].evidence.equivalents
    for name in ("equivalents.csv", "signature.json"):
        (tmp_path / name).write_text("old")

    def killed(path, content):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_outputs, "write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            _outputs.write_outputs(results, tmp_path, None, "backstay run")
        patch.setattr(Results, "freeze", lambda *_, **options: killed(None, None))
        table = SimpleNamespace(y=None, covariates=None, batch=None)
        recommended = SimpleNamespace(kind="recommended")
        patch.setattr(Results, "choice", lambda self: recommended)
        with pytest.raises(KeyboardInterrupt):
            _outputs.write_signature(results, None, table, tmp_path)
    assert (tmp_path / "equivalents.csv").read_text() == "old"
    assert (tmp_path / "signature.json").read_text() == "old"
    monkeypatch.setattr(Results, "choice", lambda self: SimpleNamespace(kind="nothing"))
    assert _outputs.write_signature(results, None, table, tmp_path) is None
    assert not (tmp_path / "signature.json").exists()
    monkeypatch.undo()
    _outputs.write_outputs(results, tmp_path, None, "backstay run")
    assert (tmp_path / "equivalents.csv").exists() == (not frame.empty)
    if not frame.empty:
        assert (tmp_path / "equivalents.csv").read_text() != "old"


def test_one_of_anything_is_not_many(call, tmp_path):
    table().to_csv(tmp_path / "t.csv", index=False)
    run = ("run", tmp_path / "t.csv", "-t", "diagnosis", "--methods", "t", "--repeats", "5")
    code, out, err = call(*run, "--null", "1", "--dry-run")
    assert code == 0, err
    assert "1 method × 5 splits = 5, " in out
    assert "1 permutation of the outcomes × " in out
