"""``backstay plan`` without a study: simulated rows, and features planted in a table."""

import numpy as np
import pandas as pd
import pytest

from backstay.cli import _plan_ahead
from backstay.study import Population, plan_ahead, planted_truth


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 12)).round(4)).add_prefix("gene")
    frame.insert(0, "class", np.where(np.arange(120) % 3, "well", "ill"))
    path = tmp_path_factory.mktemp("planted") / "table.csv"
    frame.to_csv(path, index=False)
    return path


def test_simulated_rows_are_shown_and_said_in_words(call):
    said = call("plan", "--features", "60", "--true", "5", "--effect", "0.8", "-j", "1",
                "--correlation", "0.2", "--method", "t", "--seed", "3")  # fmt: skip
    assert said.code == 0, said.err
    plan = plan_ahead(Population(60, 5, 0.8, 0.2), ["t"], random_state=3)
    for row in plan.frame().to_dict("records"):
        assert f"{row['replication']:.2f} [" in said.out
    assert "60 features, 5 of them with an effect of 0.8" in said.out
    assert f"AUC {plan.population.limit:.2f}, by the best rule" in said.out
    assert "Rows for a replication of 0.5: t about " in said.out
    assert f"Rows for AUC {plan.population.limit - 0.05:.2f}, 0.05 below the limit: t " in said.out


def test_planted_features_are_shown_and_the_best_method_is_named(call, table):
    said = call("plan", table, "-t", "class", "--planted", "--true", "3", "--effect", "0.7",
                "--method", "t,wilcoxon", "--size", "3", "-j", "1")  # fmt: skip
    assert said.code == 0, said.err
    frame = pd.read_csv(table)
    truth = planted_truth(
        frame.drop(columns="class"), frame["class"], ["t", "wilcoxon"],
        n_true=3, effect=0.7, sizes=[3], random_state=0,
    )  # fmt: skip
    assert "10 times 3 of 12 features" in said.out
    assert f"{truth.effect:.2f} standard deviations on average" in said.out
    first, second, last = truth.standings().to_dict("records")
    assert f"{first['method']} with 3 features finds most" in said.out
    assert f"  {second['method']} with 3: {second['behind']:.2f} [" in said.out
    assert f"  by chance with 3: {last['behind']:.2f} [" in said.out


def test_an_effect_out_of_reach_is_said(call, table):
    said = call("plan", table, "-t", "class", "--planted", "--true", "8", "--effect", "2",
                "--method", "t", "-j", "1")  # fmt: skip
    assert "No outcome of these rows gives 8 of these features at once a larger" in said.out


def test_without_an_effect_no_method_is_named(call, table):
    said = call("plan", table, "-t", "class", "--planted", "--true", "4", "--effect", "0",
                "--method", "t", "-j", "1")  # fmt: skip
    assert said.code == 0, said.err
    assert "No method finds clearly more of the planted features than random lists" in said.out
    assert "finds most" not in said.out


def test_gaps_are_filled_and_it_is_said(call, table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[::7, "gene3"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    said = call("plan", tmp_path / "gaps.csv", "-t", "class", "--planted", "--true", "3",
                "--method", "t", "-j", "1")  # fmt: skip
    assert said.code == 0, said.err
    assert "18 missing values are filled with the median" in said.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the study.db of a study, or simulate rows with --features N."),
        (["--true", "5"], "--true needs --features N, or a table and --planted."),
        (["--share", "0.3"], "--share needs --features N"),
        (["--planted"], "--planted needs a table"),
        (["--features", "30", "x.csv"], "--features needs no file"),
        (["x.csv", "--planted", "--correlation", "0.5"], "--correlation is for simulated rows"),
        (["x.csv", "--planted", "--features", "30"], "use only one."),
        (["--features", "30", "--model", "svm"], "--model is for a study that was run."),
        (["--features", "30", "--method", "tt"], "no method is called 'tt'"),
        (["--features", "30", "--true", "30"], "n_true=30 must lie between 1 and n_features=30"),
        (["nowhere.csv", "--planted"], "there is no file nowhere.csv."),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(call, words, message):
    said = call("plan", *words)
    assert said.code == 2
    assert message in said.err


def test_rows_that_no_sample_reached_are_said(capsys):
    plan = plan_ahead(Population(60, 5, 0.1), ["t"], rows=[10, 20], n_sets=2, random_state=0)
    _plan_ahead.print_ahead(plan)
    assert "Rows for a replication of 0.5: t more than 20." in capsys.readouterr().out
