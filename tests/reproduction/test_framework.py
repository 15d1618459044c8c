"""One shape for every experiment: files written, runs resumed, missing data said, a page made."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reproduction import Experiment, ExperimentResult, MissingDataError, RunSettings, reproduce
from reproduction import _page as page
from reproduction._estimates import claimed, compared, mean_estimate
from reproduction._registry import PAGES, experiments, pages


def draw(figure):
    figure.add_subplot().plot([0, 1])


def experiment(run=None, **options):
    def default(settings):
        n = settings.count(7, 2)
        row = {"method": "a | b", **compared(0.5, 0.52, 0.4, 0.6)}
        return ExperimentResult(pd.DataFrame([row]), f"found with {n}", f"{n} runs", draw)

    names = {"name": "toy-1.2", "title": "a toy", "source": "[T]", "claim": "c", "protocol": "p"}
    return Experiment(**{**names, "run": run or default, **options})


def test_a_run_leaves_table_figure_and_what_it_was(tmp_path):
    result = experiment().reproduce(RunSettings(tmp_path))
    assert result.finding == "found with 7"
    table = pd.read_csv(tmp_path / "toy-1.2.csv")
    assert table.columns.tolist() == ["method", "published", "measured", "interval", "agrees"]
    about = json.loads((tmp_path / "toy-1.2.json").read_text())
    assert about["repeats"] == "7 runs"
    assert about["quick"] is False
    first = (tmp_path / "toy-1.2.svg").read_bytes()
    experiment().reproduce(RunSettings(tmp_path))
    assert (tmp_path / "toy-1.2.svg").read_bytes() == first


def test_repeats_asked_for_win_over_quick(tmp_path):
    assert RunSettings(tmp_path, quick=True).count(100, 3) == 3
    assert RunSettings(tmp_path, quick=True, repeats=5).count(100, 3) == 5


def test_a_table_without_the_four_columns_is_refused(tmp_path):
    bad = experiment(lambda s: ExperimentResult(pd.DataFrame({"published": [1]}), "", "", draw))
    with pytest.raises(ValueError, match="lacks agrees, interval, measured"):
        bad.reproduce(RunSettings(tmp_path))


def test_what_was_computed_is_kept(tmp_path):
    settings, calls = RunSettings(tmp_path), []

    def compute():
        calls.append(1)
        return {"x": np.arange(3)}

    for _ in range(2):
        assert settings.kept("n", {"a": 1}, compute)["x"].tolist() == [0, 1, 2]
    assert len(calls) == 1
    settings.kept("n", {"a": 2}, compute)
    RunSettings(tmp_path, seed=1).kept("n", {"a": 1}, compute)
    assert len(calls) == 3
    assert not list(tmp_path.rglob("*.tmp*"))


def test_missing_data_are_named_with_their_shape(tmp_path):
    needs = {"colon_alon": (62, 2000)}
    with pytest.raises(MissingDataError, match=r"colon_alon\.npz \(62 × 2000\)"):
        experiment(needs=needs).reproduce(RunSettings(tmp_path))
    with pytest.raises(MissingDataError, match="--data"):
        RunSettings(tmp_path).load("colon_alon")
    np.savez(tmp_path / "other.npz", X=np.eye(2), y=np.array([0, 1]))
    with pytest.raises(MissingDataError, match="not in the folder"):
        RunSettings(tmp_path, data=tmp_path).load("colon_alon")


def test_an_experiment_runs_with_part_of_its_data(tmp_path):
    np.savez(tmp_path / "here.npz", X=np.eye(4), y=np.array([0, 1, 0, 1]))
    one = experiment(needs={"here": (4, 4), "gone": (9, 9)})
    one.reproduce(RunSettings(tmp_path / "out", data=tmp_path))
    assert json.loads((tmp_path / "out" / "toy-1.2.json").read_text())["without"] == ["gone"]


def test_microarrays_are_floored_and_logged(tmp_path):
    X = np.array([[1.0, 64.0], [32.0, 20.0]])
    for name in ("colon_alon", "sonar"):
        np.savez(tmp_path / f"{name}.npz", X=X, y=np.array([0, 1]))
    settings = RunSettings(tmp_path, data=tmp_path)
    assert np.allclose(settings.load("colon_alon")[0], np.log2([[20, 64], [32, 20]]))
    assert np.array_equal(settings.load("sonar")[0], X)


def test_agreement_is_the_published_number_in_the_interval_up_to_rounding():
    assert compared(0.605, 0.5, 0.4, 0.6)["agrees"] == "yes"
    assert compared(0.61, 0.5, 0.4, 0.6)["agrees"] == "no"
    assert compared(0.61, 0.5, 0.4, 0.6, digits=1)["agrees"] == "yes"
    assert compared(None, 0.5, 0.4, 0.6)["agrees"] == ""
    assert compared(0.5, 0.5, math.nan, math.nan)["interval"] == ""
    assert claimed("more", False, 1.0, 0.5, 1.5)["agrees"] == "no"


def test_mean_and_its_t_interval():
    mean, low, high = mean_estimate([1.0, 2.0, 3.0, np.nan])
    # t_{0.975, 2} = 4.302653, standard error 1/√3
    assert (mean, high - mean) == (2.0, pytest.approx(4.302653 / math.sqrt(3), rel=1e-6))
    assert low == pytest.approx(2 * mean - high)
    assert math.isnan(mean_estimate([1.0])[1])


def test_unknown_names_and_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="no experiment; there are han-"):
        reproduce("nothing", out=tmp_path)
    with pytest.raises(ValueError, match="at least 2"):
        reproduce("han-fig6.1", out=tmp_path, repeats=1)
    with pytest.raises(ValueError, match="not a folder"):
        reproduce("han-fig6.1", out=tmp_path, data=tmp_path / "no")


def test_the_page_holds_what_ran_and_names_what_did_not(tmp_path, monkeypatch):
    known = {"toy-1.2": experiment(), "toy-2": experiment(name="toy-2", needs={"x": (2, 3)})}
    monkeypatch.setattr(page, "experiments", lambda: known)
    monkeypatch.setattr(page, "pages", lambda: dict.fromkeys(known, "han"))
    with pytest.raises(ValueError, match="no experiment's files"):
        page.write_page(tmp_path, tmp_path / "page.md")
    known["toy-1.2"].reproduce(RunSettings(tmp_path / "files"))
    (tmp_path / "page.md").write_text("# Mine\n\n<!-- generated -->\nyesterday\n")
    text = page.write_page(tmp_path / "files", tmp_path / "page.md").read_text()
    assert text.startswith("# Mine\n\n<!-- generated -->")
    assert "yesterday" not in text
    assert "| [toy-1.2](page/han.md#toy-1-2) | a toy | 7 runs | 1 | 0 | 0 |" in text
    assert "| toy-2 | a toy | x.npz (2 × 3)" in text
    section = (tmp_path / "page" / "han.md").read_text()
    assert "## toy-1.2: a toy { #toy-1-2 }" in section
    assert "| a \\| b | 0.5 | 0.52 | 0.4 to 0.6 | yes |" in section
    assert "**Found:** found with 7" in section
    assert "(../files/toy-1.2.svg)" in section
    assert "(../page.md)" in section


def test_pages_are_short_and_hold_every_experiment_once():
    docs = Path(__file__).parents[2] / "docs"
    sections = [docs / "reproduction" / f"{name}.md" for name in PAGES]
    for path in (docs / "reproduction.md", *sections):
        assert len(path.read_text("utf-8").splitlines()) < 600, path.name
    anchors = re.findall(r"\{ #([\w-]+) \}", "".join(path.read_text("utf-8") for path in sections))
    assert len(set(anchors)) == len(anchors)
    stored = {
        path.stem.replace(".", "-").lower() for path in (docs / "_reproduction").glob("*.csv")
    }
    assert set(anchors) == stored
    assert set(pages()) == set(experiments())
    assert set(pages().values()) == set(PAGES)
