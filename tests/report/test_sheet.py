"""A sheet against matplotlib: the same marks, ticks and markers, in the same places."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.ticker import MaxNLocator

from backstay.report.figures._sheet import Sheet, round_ticks
from backstay.report.figures._svg import outline, path, text_width
from report.test_displays import EVERY, MARKERS


def numbers(text):
    return [float(found) for found in re.findall(r"-?[\d.]+", text)]


def shown(svg):
    """The tree of a drawing, and its marks by class and series."""
    root = ElementTree.fromstring(svg)
    return root, {(node.get("class"), node.get("data-s")) for node in root.iter("g")}


@pytest.mark.filterwarnings("ignore:Glyph")  # matplotlib's font has no Japanese
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_a_display_shows_the_same_on_a_sheet_and_on_axes(results, kind):
    display = kind.from_results(results, **EVERY[kind])
    drawing = display.draw(display.wide, "p")
    size = (display.wide[0] / 72, display.wide[1] / 72)
    figure = Figure(figsize=size, dpi=72, layout="constrained")
    ax = figure.subplots()
    display.plot(ax, legend=False)
    figure.draw_without_rendering()
    assert drawing.points == display.points_

    root, marks = shown(drawing.svg)
    gids = {artist.get_gid() for artist in figure.findobj() if artist.get_gid()}
    assert {f"{kind}-{series}" for kind, series in marks if kind} == gids
    labels = {
        line
        for axis in (ax.xaxis, ax.yaxis)
        for text in (*axis.get_ticklabels(), axis.label)
        for line in text.get_text().split("\n")
        if line and text.get_visible()
    }
    # matplotlib keeps labels beyond the limits, which it does not draw.
    words = {node.text for node in root.iter("text")} - {text.get_text() for text in ax.texts}
    assert words <= labels
    assert len(words) >= len(labels) - 4
    # Margins may differ by a few pixels: a sheet does not know the font.
    places = ax.transData.transform([(p.x, p.y) for p in drawing.points])
    places[:, 1] = display.wide[1] - places[:, 1]
    assert np.abs(np.array(drawing.places)[:, :2] - places).max() < 15


@pytest.mark.parametrize("seed", range(15))
def test_ticks_are_those_of_matplotlib(seed):
    rng = np.random.default_rng(seed)
    low = rng.normal() * 10.0 ** rng.integers(-3, 3)
    high = low + rng.uniform(0.5, 10) * 10.0 ** rng.integers(-3, 3)
    n = int(rng.integers(1, 10))
    ticks, names = round_ticks(low, high, n)
    expected = MaxNLocator(n, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    expected = expected[(expected >= low - slack) & (expected <= high + slack)]
    np.testing.assert_allclose(ticks, expected, atol=slack)
    written = [float(name.replace("−", "-")) for name in names]
    np.testing.assert_allclose(written, expected, atol=slack)


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_are_those_of_matplotlib(marker):
    style = MarkerStyle(marker)
    corners = style.get_path().transformed(style.get_transform()).vertices * 8
    found = outline(marker, 8)
    if marker == "o":
        assert found.startswith("M-4 0a4 4 ")
        return
    ours = np.array(numbers(found)).reshape(-1, 2)
    # Upwards is positive there, and negative here.
    theirs = {tuple(corner) for corner in (corners * [1, -1]).round(1) + 0.0}
    assert {tuple(corner) for corner in ours.round(1) + 0.0} == theirs


def sheet(**limits):
    made = Sheet(400, 300, "p")
    made.set_xlim(*limits.get("x", (0, 10)))
    made.set_ylim(*limits.get("y", (0, 1)))
    return made


def test_a_curve_is_broken_where_it_is_undefined():
    assert path([0, 1, 2, 3], [0, np.nan, 1, 2]) == "M0 0M2 1L3 2"
    made = sheet()
    x, y = np.arange(5), np.array([0.1, np.nan, 0.2, 0.3, 0.2])
    looks = {"marker": "s", "markerfacecolor": "white", "markersize": 4}
    made.fill_between(x, y - 0.1, y + 0.1, color="red", alpha=0.5, linewidth=0, gid="band-0")
    made.plot(x, y, color="red", gid="series-0", **looks)
    root, marks = shown(made.svg())
    assert {("band", "0"), ("series", "0")} <= marks
    assert len(list(root.iter("use"))) == 4
    area = next(node.find("path") for node in root.iter("g") if node.get("class") == "band")
    assert area.get("d").count("z") == 2


def test_steps_change_halfway():
    made = sheet()
    made.plot([1, 2, 3], [0, 1, 0.5], color="red", gid="series-0", drawstyle="steps-mid")
    root, _ = shown(made.svg())
    line = next(node.find("path") for node in root.iter("g") if node.get("class") == "series")
    drawn = np.array(numbers(line.get("d"))).reshape(-1, 2)
    x, y = made.pixels([1, 1.5, 1.5, 2.5, 2.5, 3], [0, 0, 1, 1, 0.5, 0.5])
    np.testing.assert_allclose(drawn, np.column_stack([x, y]), atol=0.01)


def test_long_labels_stay_on_the_sheet():
    made = sheet(x=(0, 123456))
    made.set_yticks([0, 1], ["a name of\nsome length", "WWWWWWWWWW"])
    made.set_ylabel("accuracy")
    root, _ = shown(made.svg())
    for node in root.iter("text"):
        width, x = text_width(node.text, 11), float(node.get("x"))
        anchor = re.search(r"text-anchor:(\w+)", node.get("style"))[1]
        if not node.get("transform"):
            left = x - width * {"end": 1, "middle": 0.5}[anchor]
            assert left >= 0
            assert left + width <= 400.5


@pytest.mark.parametrize("high", [8.7e-5, 0.0021, 0.3, 7, 123456])
def test_labels_of_ticks_stay_apart(high):
    made = Sheet(350, 200, "p")
    made.set_xlim(0, high)
    root, _ = shown(made.svg())
    found = [node for node in root.iter("text") if float(node.get("y")) > 185]
    ends = [(float(n.get("x")), text_width(n.text, 11) / 2) for n in found]
    assert len(ends) >= 2
    assert all(a + half < b - other for (a, half), (b, other) in pairwise(ends))
