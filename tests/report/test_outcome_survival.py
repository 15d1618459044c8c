"""The report of times until an event: its curves, its order of samples, and its words."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from backstay.report import (
    HeatmapDisplay,
    Report,
    RiskGroupsDisplay,
    SampleMapDisplay,
)
from backstay.report.figures._survival import AucOverTimeDisplay
from reference import survival as reference
from report.test_report import Page


@pytest.fixture(scope="module")
def results(gallery):
    return gallery["times"]


@pytest.fixture(scope="module")
def report(results):
    return Report(results)


@pytest.fixture(scope="module")
def tested(results):
    choice = results.choice()
    return results.predictions.rows(choice.method, choice.size, choice.model).frame()


def test_curves_are_those_of_the_groups_that_runs_put_rows_into(results, tested):
    display = RiskGroupsDisplay.from_results(results)
    assert display.groups == ["low", "middle", "high"]
    share = pd.crosstab(tested["row"], tested["group"], normalize="index")
    target = results.data.target
    frame = display.frame()
    for place, name in enumerate(display.groups):
        steps = frame[frame["group"] == name]
        weight = share[place].reindex(range(len(target)), fill_value=0.0).to_numpy()
        left = 1.0
        for t, survival in zip(steps["time"], steps["survival"], strict=True):
            at_risk = weight[target.time >= t].sum()
            left *= 1 - weight[(target.time == t) & target.event].sum() / at_risk
            assert survival == pytest.approx(left)
        assert (steps["low"] <= steps["survival"]).all()
        assert (steps["survival"] <= steps["high"]).all()
    shares = display.finding().split(": ")[1]
    assert shares.count("of group") == 3


def test_curves_start_with_all_rows_and_count_them_below(results):
    display = RiskGroupsDisplay.from_results(results)
    ax = display.plot(Figure().subplots()).ax_
    curves = [line for line in ax.lines if line.get_gid() and "series" in line.get_gid()]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in curves] == [(0, 1)] * 3
    assert all((np.diff(line.get_ydata()) <= 0).all() for line in curves)
    said = [text.get_text() for text in ax.texts]
    first = display.frame().groupby("group", sort=False)["at_risk"].first()
    assert said[:: len(said) // 3] == [f"{n:.0f}" for n in first]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[-3:] == display.groups
    assert display.points_


def test_nothing_tested_is_no_error():
    empty = pd.DataFrame(columns=["group", "time", "survival", "low", "high", "at_risk"])
    display = RiskGroupsDisplay(empty, 1.0)
    assert display.finding() == "There are no risk groups."
    assert display.plot(Figure().subplots()).points_ == []
    none = AucOverTimeDisplay(pd.DataFrame(columns=["time", "auc", "low", "high"]), 1.0)
    assert none.finding() == "The AUC is not defined at any time."
    assert none.plot(Figure().subplots()).points_ == []


def test_surprises_are_deviance_residuals_of_mean_risks(results, tested):
    table = results.predictions.table("surprises").frame().set_index("row")
    risk = tested.groupby("row")["risk"].mean()
    np.testing.assert_allclose(table["risk"].sort_index(), risk)
    target = results.data.target.take(risk.index.to_numpy())
    rows = list(zip(target.time.tolist(), target.event.tolist(), strict=True))
    steps = reference.hazard(rows, risk.to_numpy(), np.ones(len(rows)))
    for place, row in enumerate(risk.index):
        passed = [total for t, total in steps if t <= target.time[place]]
        expected = np.exp(risk[row]) * (passed[-1] if passed else 0.0)
        assert table.loc[row, "expected"] == pytest.approx(expected)
        beyond = target.event[place] - expected
        size = beyond + (np.log(expected) if target.event[place] else 0.0)
        residual = np.sign(beyond) * np.sqrt(-2 * size)
        assert table.loc[row, "residual"] == pytest.approx(residual, abs=1e-6)
    assert table["residual"].abs().is_monotonic_decreasing
    assert table["expected"].sum() == pytest.approx(table["event"].sum())  # Breslow's hazard


def test_samples_are_in_order_of_follow_up_and_events_are_marked(results):
    display = HeatmapDisplay.from_results(results)
    target = results.data.target
    order = [int(name.split()[1]) for name in display.samples]
    assert (np.diff(target.time[order]) >= 0).all()
    ax = display.plot(Figure().subplots()).ax_
    marks = sorted(round(patch.get_x() + 0.5) for patch in ax.patches)
    assert marks == np.flatnonzero(target.event[order]).tolist()
    censored = next(i for i in range(len(order)) if not target.event[order[i]])
    assert display.columns[censored].endswith("+)")
    assert "in order of follow-up" in display.finding()
    shown = SampleMapDisplay.from_results(results).plot(Figure().subplots())
    assert len(shown.points_) == len(target)


def test_sections_and_words(report, results, tmp_path):
    (part,) = report.to_dict()["datasets"]
    assert part["sections"] == ["follow_up", "risk_groups", "horizon", "surprises"]
    assert {"risk_groups", "horizon", "auc_over_time", "heatmap", "map"} <= set(part["figures"])
    assert not {"confusion", "roc", "predicted"} & set(part["figures"])
    page = Page(report.write(tmp_path / "r.html").read_text("utf-8"))
    words = "".join(page.words)
    known = results.data.target.follow_up
    for said in (
        f"median {known.median:.4g} (reverse Kaplan–Meier)",
        f"{known.horizon:.4g}: survival is predicted up to this time",
        f"compares events up to τ = {known.tau:.4g}",
        "There is no p-value:",
        "higher risk",
        "Samples that surprise the model",
    ):
        assert said in words, said
    text = part["methods_text"]["text"]
    assert "Cox regression" in text
    assert "the score test of Cox regression" in text
    assert "time until an event" in report.dome()
    said = words.partition("var ")[0].lower() + text.lower() + report.dome().lower()
    wrong = ("misclassified", "the classes", "class ", "labels", "confusion", "log-rank p", "r²")
    for word in wrong:
        assert word not in said, word
