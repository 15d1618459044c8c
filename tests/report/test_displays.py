"""Displays show the tables of the results, nothing else, and draw without touching pyplot."""

import html
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal

from backstay import (
    SVMRFE,
    EffectRanker,
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    Study,
    TTest,
)
from backstay.datasets import make_han_yu
from backstay.report import (
    AccuracyDisplay,
    AgreementDisplay,
    ConfusionDisplay,
    HeatmapDisplay,
    ParetoDisplay,
    PlanDisplay,
    RocDisplay,
    SampleMapDisplay,
    SampleWeightsDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
    StripDisplay,
    UpSetDisplay,
    VolcanoDisplay,
)
from backstay.report._words import clean
from backstay.report.figures._style import styles
from backstay.results import Role, SampleWeights
from backstay.study import Subsampling
from backstay.targets import find_metric
from report.conftest import WEIGHTED, small_study, table

EVERY = {
    StabilityDisplay: {},
    AccuracyDisplay: {},
    ParetoDisplay: {"size": 5},
    PlanDisplay: {"kind": "replication"},
    SelectionFrequencyDisplay: {"size": 5},
    AgreementDisplay: {"size": 5},
    UpSetDisplay: {"size": 5},
    SampleWeightsDisplay: {},
    HeatmapDisplay: {},
    StripDisplay: {},
    VolcanoDisplay: {},
    SampleMapDisplay: {},
    ConfusionDisplay: {},
    RocDisplay: {"kind": "precision_recall"},
}


def test_frames_are_the_tables_of_the_results(results):
    accuracy = results.scores(results.data.metric).frame()
    second = accuracy[accuracy["model"] == "3nn"].reset_index(drop=True)
    pairs = [
        (StabilityDisplay.from_results(results), results.stability()),
        (StabilityDisplay.from_results(results, "dice"), results.stability("dice")),
        (SelectionFrequencyDisplay.from_results(results, 5), results.selections.frequency(5)),
        (AgreementDisplay.from_results(results, 5), results.selections.similarity(5)),
        (SampleWeightsDisplay.from_results(results), results.samples.weights()),
        (ParetoDisplay.from_results(results), results.comparisons.pareto()),
        (HeatmapDisplay.from_results(results), results.samples.values()),
        (ConfusionDisplay.from_results(results), results.predictions.table("confusion")),
        (RocDisplay.from_results(results), results.predictions.table("roc")),
        (PlanDisplay.from_results(results), results.plan()),
        (PlanDisplay.from_results(results, "replication"), results.plan()),
    ]
    for display, expected in pairs:
        assert_frame_equal(display.frame(), expected.frame())
    assert_frame_equal(AccuracyDisplay.from_results(results, None, "3nn").frame(), second)


def test_pareto_at_a_size_has_the_intervals_of_that_size(results):
    frame = ParetoDisplay.from_results(results, size=5, model="3nn").frame()
    stability = results.stability("nogueira", [5]).frame().set_index("method")
    accuracy = results.scores(results.data.metric).frame()
    accuracy = accuracy[(accuracy["size"] == 5) & (accuracy["model"] == "3nn")]
    accuracy = accuracy.set_index("method")
    for _, row in frame.iterrows():
        assert row["stability_low"] == stability.loc[row["method"], "low"]
        assert row["accuracy_high"] == accuracy.loc[row["method"], "high"]
        assert row["accuracy"] == pytest.approx(accuracy.loc[row["method"], "value"])


@pytest.mark.filterwarnings("ignore:Glyph")  # matplotlib's font has no Japanese
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_plot_draws_on_given_axes_or_its_own(results, kind):
    ax = Figure().subplots()
    display = kind.from_results(results, **EVERY[kind])
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    display.figure_.draw_without_rendering()  # names with $, < and other scripts do no harm
    before = plt.get_fignums()
    own = display.plot().figure_
    assert own is not ax.figure
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(own)


def test_a_frame_is_ones_own(results):
    display = StabilityDisplay.from_results(results)
    mine = display.frame()
    mine["value"] = -1.0
    assert_frame_equal(display.frame(), results.stability().frame())


def test_legend_names_every_method_outside_the_axes(results):
    display = StabilityDisplay.from_results(results).plot()
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == results.methods
    display.figure_.canvas.draw()
    assert legend.get_window_extent().x0 >= display.ax_.get_window_extent().x1
    plt.close(display.figure_)


def test_controls_share_the_hue_of_their_method_dashed_and_hollow(results):
    roles = results.data.methods
    control = roles[WEIGHTED].control
    looks = dict(StabilityDisplay.from_results(results).series())
    assert set(looks) == set(roles)
    assert looks[control].color == looks[WEIGHTED].color
    assert looks[control].line != looks[WEIGHTED].line
    assert looks[control].face != looks[WEIGHTED].face
    others = [m for m in roles if m != control]
    assert len({(looks[m].color, looks[m].marker) for m in others}) == len(others)


MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def test_many_methods_stay_apart():
    looks = styles({f"m{i}": Role() for i in range(40)})
    assert len({(look.color, look.marker) for look in looks.values()}) == 40
    assert {look.marker for look in looks.values()} == set(MARKERS)


def test_weighted_samples_below_the_fence_are_outlying(results):
    (lane,) = SampleWeightsDisplay.from_results(results).lanes
    assert lane.methods == [WEIGHTED]  # not its uniform control
    assert set(lane.fence) == set(results.data.target.names)
    for kind, rows in lane.rows.groupby("class"):
        lower, upper = np.quantile(rows["weight"], [0.25, 0.75])
        assert lane.fence[kind] == pytest.approx(lower - 1.5 * (upper - lower))
        low = rows[rows["weight"] < lane.fence[kind]]["name"]
        assert set(low) == set(lane.outlying[lane.outlying["class"] == kind]["name"])
    assert "patient <i>3</i>" in lane.outlying["name"].tolist()


def test_a_rare_class_with_low_weights_is_not_outlying():
    rows = pd.DataFrame(
        {
            "class": ["rare"] * 5 + ["common"] * 40,
            "name": [f"s{i}" for i in range(45)],
            "weight": [0.2, 0.21, 0.22, 0.23, 0.24, *np.linspace(1, 1.2, 39), 0.5],
        }
    )
    results = SampleWeights(["m"], rows, {"rare": 0.17, "common": 0.85})
    assert results.outlying["name"].tolist() == ["s44"]
    display = SampleWeightsDisplay(rows, {"m": Role()}, [results]).plot()
    fences = [
        collection.get_segments()[0][0][0]
        for collection in display.ax_.collections
        if isinstance(collection, LineCollection)
    ]
    assert fences == pytest.approx([0.17, 0.85])  # one in each lane
    assert "1 sample below the fence of the class" in display.finding()
    plt.close(display.figure_)


def test_shuffled_labels_are_a_quiet_band_under_the_highlighted_method():
    X, y, _ = table(40, 20)
    methods = {"t": TTest(), "svm": SVMRFE()}
    results = small_study(methods, 4, (2, 5, 20), models={}, null=3).run(X, y)
    null = results.null().frame()
    display = StabilityDisplay.from_results(results)
    frame = display.frame()
    assert frame["null_low"].to_numpy() == pytest.approx(null["low"].to_numpy(), nan_ok=True)
    bands, shuffled = len(_bands(display)), []
    assert "shuffled" not in display.finding()
    for method in methods:
        display.highlight = method
        (band,) = _bands(display)[:-bands]  # drawn first, under the curves
        own = null[(null["method"] == method) & (null["size"] < 20)]
        ends = band.get_paths()[0].get_extents()
        assert (ends.y0, ends.y1) == pytest.approx((own["low"].min(), own["high"].max()))
        assert f"With shuffled outcomes {method} is between" in display.finding()
        shuffled += [p.label for p in display.points_ if "with shuffled outcomes" in p.label]
    assert len(shuffled) == 4
    # A measure that is not 0 for random features has no such band.
    assert "null" not in StabilityDisplay.from_results(results, "dice").frame()


def _bands(display):
    plot = display.plot()
    plt.close(plot.figure_)
    return [c for c in plot.ax_.collections if isinstance(c, PolyCollection)]


@pytest.mark.parametrize("metric", ["mcc", "log_loss", "roc_auc"])
def test_the_axis_holds_every_score_of_any_metric(metric):
    X, y, _ = table(40, 20)
    results = small_study({"t": TTest()}, 4, (2, 5), metric=metric).run(X, y)
    display = AccuracyDisplay.from_results(results).plot()
    low, high = display.ax_.get_ylim()
    shown = [*display.frame()["value"], display.chance]
    assert low < min(shown)
    assert max(shown) < high
    assert display.ax_.get_ylabel() == find_metric(metric).title
    assert find_metric(metric).title[1:] in display.finding()
    plt.close(display.figure_)


def test_methods_of_one_weighting_share_a_lane():
    X, y, _ = table(40, 20)
    methods = {
        "p": InstanceWeighted(SVMRFE(), MarginWeighting()),
        "q": InstanceWeighted(TTest(), MarginWeighting()),
        "r": InstanceWeighted(TTest(), LogisticWeighting()),
    }
    results = small_study(methods, 3, (2,), models={}).run(X, y)
    display = SampleWeightsDisplay.from_results(results)
    assert [lane.methods for lane in display.lanes] == [["p", "q"], ["r"]]
    assert "p and q: " in display.finding()


def test_several_data_sets_are_refused_by_name():
    X, y, _ = table(40, 20)
    both = small_study({"t": TTest()}, 2, (2,)).run_many({"a": (X, y), "b": (X, y)})
    with pytest.raises(ValueError, match=r"2 data sets \(a, b\)"):
        StabilityDisplay.from_results(both)
    assert StabilityDisplay.from_results(both["b"]).frame()["dataset"].tolist() == ["b"]


def test_unknown_classifier_is_named(results):
    with pytest.raises(ValueError, match=r"'svc' was not studied; there are 1nn, 3nn"):
        AccuracyDisplay.from_results(results, model="svc")


def test_missing_matplotlib_is_one_sentence(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "backstay\[app\]"'):
        StabilityDisplay.from_results(results).plot()


def test_every_display_says_what_it_shows(results):
    for kind, options in EVERY.items():
        words = kind.from_results(results, **options).finding()
        assert re.search(r"\d", words)
        assert words.endswith(".")


def test_only_the_chosen_method_shows_its_interval(results):
    for display in (
        StabilityDisplay.from_results(results),
        AccuracyDisplay.from_results(results),
        ParetoDisplay.from_results(results, size=5),
    ):
        display.highlight = WEIGHTED
        ax = display.plot(Figure().subplots()).ax_
        place = [name for name, _ in display.series()].index(WEIGHTED)
        shown = {
            artist.get_gid()
            for artist in ax.collections
            if (artist.get_gid() or "").startswith("band") and artist.get_alpha()
        }
        assert shown == {f"band-{place}"}


def test_methods_lie_apart_in_the_plane():
    """Whatever their scores and intervals are, the methods take up most of the figure."""
    data = pd.DataFrame(
        {
            "method": ["a", "b", "c"],
            "stability": [0.35, 0.7, 1.0],
            "accuracy": [0.998, 1.0, 0.999],
            "on_front": True,
            "dominated_by": "",
            **{f"{name}_low": 0.2 for name in ("stability", "accuracy")},
            **{f"{name}_high": 1.0 for name in ("stability", "accuracy")},
        }
    )
    roles = {name: Role() for name in "abc"}
    display = ParetoDisplay(data, roles, 5, "svm", "roc_auc", 0.5)
    ax = display.plot(Figure(figsize=(11, 5)).subplots()).ax_
    assert display.chance not in [line.get_ydata()[0] for line in ax.lines]
    for name, (low, high) in (("stability", ax.get_xlim()), ("accuracy", ax.get_ylim())):
        values = data[name]
        assert low < values.min()
        assert values.max() <= high
    assert ax.get_xlabel() == "stability (Nogueira)"
    assert np.ptp(ax.get_xlim()) < 1.5 * np.ptp(data["stability"])
    assert np.ptp(ax.get_ylim()) < 0.03
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c"]


def test_the_dial_is_a_curve_in_the_plane():
    X, y, _ = make_han_yu(40, n_features=30, n_relevant=10, random_state=0)
    methods = {
        "late": EffectRanker(1.0),
        "t": TTest(),
        "first": EffectRanker(),
        "mid": EffectRanker(0.5),
    }
    results = Study(methods, Subsampling(4), sizes=[5], random_state=0, verbose=0).run(X, y)
    assert results.facts.dial == ["first", "mid", "late"]
    display = ParetoDisplay.from_results(results, size=5)
    ax = display.plot(Figure(figsize=(11, 5)).subplots()).ax_
    points = results.comparisons.pareto(size=5).frame().set_index("method")
    wanted = points.loc[["first", "mid", "late"], ["stability", "accuracy"]].to_numpy()
    assert any(np.array_equal(line.get_xydata(), wanted) for line in ax.lines)


def test_names_at_the_ends_of_curves_do_not_touch():
    sizes = [1, 2, 5, 10]
    rows = [
        {"method": name, "size": size, "value": value, "low": 0.0, "high": 1.0}
        for name, value in (("low", 0.1), ("first", 0.50), ("second", 0.505), ("top", 0.9))
        for size in sizes
    ]
    display = StabilityDisplay(
        pd.DataFrame(rows), {name: Role() for name in ("low", "first", "second", "top")}, "nogueira"
    )
    display.highlight = "second"
    shown = [text.get_text() for text in display.plot(Figure(figsize=(11, 5)).subplots()).ax_.texts]
    assert shown == ["second", "low", "top"]  # the strongest first; what would touch is left out


def test_samples_are_ordered_by_class_and_features_by_likeness(results):
    display = HeatmapDisplay.from_results(results)
    assert display.codes.tolist() == sorted(display.codes.tolist())
    table = results.samples.values().frame().pivot(index="name", columns="sample", values="value")
    shown = table.loc[display.features, display.samples].to_numpy()
    np.testing.assert_array_equal(shown, display.values)
    grid = display.grid()
    assert np.shape(grid["values"]) == (len(grid["rows"]), len(grid["columns"]))
    display.plot(Figure().subplots())
    first = display.points_[0].label
    value = f"{display.values[0, 0]:.2f}".replace("-", "−")
    assert first == f"{grid['columns'][0]}, {grid['rows'][0]}: {value}"


def test_a_map_names_what_is_worth_a_look(results):
    display = SampleMapDisplay.from_results(results)
    frame = display.frame()
    wrong = results.predictions.table("misclassified").frame().set_index("row")["share"]
    for row in frame.to_dict("records"):
        assert row["misclassified"] == pytest.approx(wrong.get(row["row"], np.nan), nan_ok=True)
    assert "patient <i>3</i>" in frame[frame["outlying"]]["name"].tolist()
    display.plot(Figure().subplots())
    (label,) = [p.label for p in display.points_ if p.label.startswith("patient <i>3</i> ")]
    assert label.endswith(", outlying by weight")


def test_a_bar_counts_what_the_marked_signatures_share_alone(results):
    display = UpSetDisplay.from_results(results, 5)
    given = ["t test", WEIGHTED]  # not the control that the study added
    own = {m: {clean(n) for n in results.signature(m, 5).frame()["name"]} for m in given}
    first, second = (own[method] for method in given)
    expected = {
        " ".join(given): first & second,
        given[0]: first - second,
        given[1]: second - first,
    }
    frame = display.frame()
    found = {
        m: set(n.split(", ")) for m, n in zip(frame["methods"], frame["features"], strict=True)
    }
    assert found == {methods: names for methods, names in expected.items() if names}
    assert frame["n_features"].tolist() == sorted(map(len, found.values()), reverse=True)
    assert f"Of {len(first | second)} features in the signatures of 2 methods" in display.finding()
    shared = len(first & second)
    assert f"{shared} {'is' if shared == 1 else 'are'} in all of them" in display.finding()
    assert f", {len(first ^ second)} in only one." in display.finding()


def test_of_many_intersections_the_largest_are_drawn():
    methods = {f"m{i}": [f"g{j}" for j in range(10) if (j + 3) * (i + 2) % 5 < 3] for i in range(9)}
    rows = [(method, name) for method, names in methods.items() for name in names]
    rows += [(f"m{i}", f"own{i}") for i in range(9)]
    display = UpSetDisplay(pd.DataFrame(rows, columns=["method", "name"]), {}, size=6)
    drawn = display.draw(display.narrow, "u").points
    assert len(drawn) == 12 < len(display.frame())
    assert max(point.y for point in drawn) == drawn[0].y
    assert drawn[0].label == "2 features in all methods: g2 and g7"
    assert display.frame()["features"][0] == "g2, g7"


def test_strips_show_every_sample_and_the_median_of_every_class(results):
    display = StripDisplay.from_results(results)
    values = results.samples.values().frame()
    by = values.groupby(["name", "class"], sort=False)["value"]
    shown = display.frame()
    assert shown["median"].tolist() == by.median().tolist()
    assert shown["n"].sum() == len(values)
    drawing = display.draw(display.wide, "t")
    assert drawing.svg.count("<use") == len(values)
    assert len(drawing.points) == len(shown)
    words = [html.unescape(w).strip("…") for w in re.findall(">([^<]+)</text>", drawing.svg)]
    names = map(clean, values["name"].unique())
    assert all(any(name.startswith(word) for word in words) for name in names)


def test_of_many_features_the_most_frequent_are_drawn(results):
    rows = [(f"g{j}", i, f"s{i}", "ab"[i % 2], i + j - 1.5) for j in range(50) for i in range(4)]
    data = pd.DataFrame(rows, columns=["name", "row", "sample", "class", "value"])
    expected = {f"g{j}" for j in range(40)}
    assert {name for name, _ in StripDisplay(data, ["a", "b"]).panels} == expected
    assert set(HeatmapDisplay(data, ["a", "b"]).features) == expected


def test_where_nothing_is_recommended_the_volcano_plot_names_no_signature(gallery):
    display = VolcanoDisplay.from_results(gallery["nothing"])
    assert "signature" not in display.finding()
    assert next(name for name, _ in display.series()) == "among the most often chosen"
    assert "signature" in VolcanoDisplay.from_results(gallery["two"]).finding()
