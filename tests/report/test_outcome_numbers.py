"""The report of an outcome of numbers: its figures, its order of samples, and its words."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from backstay.cli._outputs import feature_frame
from backstay.report import (
    AccuracyDisplay,
    HeatmapDisplay,
    PredictedDisplay,
    Report,
    SampleMapDisplay,
)
from report.test_report import Page


@pytest.fixture(scope="module")
def results(gallery):
    return gallery["numbers"]


@pytest.fixture(scope="module")
def report(results):
    return Report(results)


def test_every_tested_row_is_a_point_at_its_mean_prediction(results):
    choice = results.choice()
    rows = results.predictions.rows(choice.method, choice.size, choice.model).frame()
    means = rows.groupby("row")["predicted"].mean()
    display = PredictedDisplay.from_results(results)
    data = display.frame().set_index("row")
    np.testing.assert_allclose(data["predicted"], means.loc[data.index])
    np.testing.assert_allclose(data["residual"], data["outcome"] - data["predicted"])
    points = display.plot(Figure().subplots()).points_
    assert [(p.x, p.y) for p in points] == list(
        zip(data["outcome"], data["predicted"], strict=True)
    )
    assert display.ax_.get_xlim() == display.ax_.get_ylim()  # no error lies on the diagonal
    assert f"of {len(data)} rows" in display.finding()
    worst = data.loc[data["error"].idxmax(), "name"]
    assert worst in display.finding()


def test_no_tested_row_is_no_error():
    columns = ["name", "outcome", "predicted", "spread", "residual", "error", "n_runs"]
    display = PredictedDisplay(pd.DataFrame(columns=columns, dtype=float))
    assert display.finding() == "Too few rows were tested."
    assert display.plot(Figure().subplots()).points_ == []


def test_rows_outside_of_their_prediction_intervals_stand_out():
    data = pd.DataFrame({"outcome": [1.0, 2.0, 4.0], "predicted": [1.1, 1.9, 3.0]})
    data = data.assign(**{"low 90%": data["predicted"] - 0.5, "high 90%": data["predicted"] + 0.5})
    display = PredictedDisplay(data)
    assert "67\u202f% of the rows are inside their prediction intervals" in display.finding()
    assert [point.series for point in display.plot(Figure().subplots()).points_] == [0, 0, 1]


def test_samples_are_in_order_of_the_outcome(results):
    display = HeatmapDisplay.from_results(results)
    values = results.samples.values().frame()
    outcome = values.drop_duplicates("sample").set_index("sample")["outcome"]
    assert outcome[display.samples].is_monotonic_increasing
    table = values.pivot(index="name", columns="sample", values="value")
    np.testing.assert_array_equal(table.loc[display.features, display.samples], display.values)
    rising = display.finding().partition("Rising with it: ")[2].rstrip(".").split(", ")
    ordered = table[outcome.sort_values().index]
    place = np.arange(ordered.shape[1]) - (ordered.shape[1] - 1) / 2
    assert set(rising) == set(ordered.index[(ordered @ place) > 0])
    lowest = f"{outcome.min():.3g}".replace("-", "−")
    assert display.columns[0].endswith(f"({lowest})")


def test_the_map_colours_samples_by_their_outcome(results):
    display = SampleMapDisplay.from_results(results)
    data = display.frame()
    assert "misclassified" not in data
    lines = display.plot(Figure().subplots()).ax_.lines
    strength = {line.get_xdata()[0]: line.get_alpha() for line in lines if len(line.get_xdata())}
    alphas = [strength[x] for x in data["first"]]
    assert np.corrcoef(alphas, data["outcome"])[0, 1] > 0.999
    assert len(display.points_) == results.data.n_samples


def test_scores_below_guessing_are_in_the_figure(results):
    data = AccuracyDisplay.from_results(results).frame()
    for value, bottom in ((-0.5, -0.6), (-40.0, -1.02)):  # the axis ends as far below as above
        data.loc[0, "value"] = value
        display = AccuracyDisplay(data, results.data.methods, "r2", "ridge", 0.0)
        low, high = display.plot(Figure().subplots()).ax_.get_ylim()
        assert (low, high) == pytest.approx((bottom, 1.02))
    rmse = AccuracyDisplay.from_results(results, "rmse")
    low, high = rmse.plot(Figure().subplots()).ax_.get_ylim()
    values = rmse.frame()["value"]
    assert low < values.min() < values.max() < high < 2 * values.max()


def test_sections_and_words(report, results, tmp_path):
    (part,) = report.to_dict()["datasets"]
    assert part["sections"] == ["predicted", "residuals"]
    assert {"predicted", "heatmap", "map"} <= set(part["figures"])
    assert not {"confusion", "roc", "precision_recall"} & set(part["figures"])
    errors = [row["error"] for row in part["residuals"]["rows"]]
    assert errors == sorted(errors, reverse=True)
    assert part["residuals"]["n"] == part["figures"]["predicted"]["n_rows"]
    page = Page(report.write(tmp_path / "r.html").read_text("utf-8"))
    words = "".join(page.words)
    y = results.data.target.values
    ends = " to ".join(f"{end:.4g}".replace("-", "−") for end in (y.min(), y.max()))
    assert f"features, numbers from {ends};" in words
    assert "rises with it" in words
    assert "falls with it" in words
    text = part["methods_text"]["text"]
    assert f"60 samples (numbers from {ends})" in text
    assert "Pearson's r" in text
    assert "Regression of a number" in report.dome()
    said = words.partition("var ")[0].lower() + text.lower() + report.dome().lower()
    for word in ("misclassified", "the classes", "class ", "labels", "confusion"):
        assert word not in said, word


def test_directions_are_those_of_the_slopes(results):
    frame = feature_frame(results)
    assert "high_in" not in frame
    way = np.where(frame["slope per SD"] > 0, "rises", "falls")
    assert frame["with_the_outcome"].tolist() == way.tolist()
