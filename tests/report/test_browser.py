"""The report in a real browser: quiet, offline, usable by mouse and keys, nothing overlapping."""

import json
import os
from pathlib import Path

import pytest

from backstay import TTest
from report.conftest import AWKWARD, WEIGHTED, small_study, table
from report.gallery import GALLERY

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
AXE = Path(
    os.environ.get("BACKSTAY_AXE", "")
    or Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"
)
REQUEST = "Network.requestWillBeSent"
DESKTOP, PHONE = (1280, 900), (375, 800)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (CHROMIUM.exists() and DRIVER.exists()),
        reason="needs Debian's chromium and chromium-driver (apt-get install chromium-driver)",
    ),
]


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


def show(browser, report, size=DESKTOP, scheme="light", media="screen"):
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(report.as_uri())
    browser.execute_script("try { localStorage.clear() } catch (refused) {}")
    browser.refresh()
    return browser


@pytest.fixture
def page(browser, report):
    return show(browser, report)


def one(page, css):
    return page.find_element("css selector", css)


def column(page, number):
    """What a column of the feature table holds: its numbers, or the texts that are shown."""
    script = """
        return Array.from(document.getElementById("d0-table").tBodies[0].rows)
          .filter(row => !row.hidden).map(row => row.cells[arguments[0]])
          .map(cell => cell.dataset.v || (cell.querySelector(".name") || cell).textContent.trim())
    """
    return page.execute_script(script, number)


def press(element, key):
    from selenium.webdriver.common.keys import Keys

    element.send_keys(getattr(Keys, key))


def test_quiet_and_offline(page, report):
    page.get_log("browser")
    page.get_log("performance")
    page.refresh()
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert all(url.startswith(("file:", "data:")) for url in asked), asked
    assert sum(url.startswith("file:") for url in asked) == 1


def test_names_are_text(page):
    counts = page.execute_script(
        "return ['img', 'script', 'main u', 'main em']"
        ".map(css => document.querySelectorAll(css).length)"
    )
    assert counts == [0, 2, 0, 0]
    names = set(column(page, 0))
    shown = [name for name in AWKWARD[:5] if name in names]
    assert len(shown) >= 3, names
    assert page.execute_script("return document.title").startswith("<em>data</em>")


def test_sorting_by_click_and_by_key(page):
    head = page.find_elements("css selector", "#d0-table thead th")
    place = next(i for i, th in enumerate(head) if th.text.startswith("q"))
    button = head[place].find_element("tag name", "button")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    values = [float(text) for text in column(page, place)]
    assert values == sorted(values)
    assert len(set(values)) > 5
    assert head[place].get_attribute("aria-sort") == "ascending"
    press(button, "ENTER")
    assert [float(text) for text in column(page, place)] == sorted(values, reverse=True)
    assert head[place].get_attribute("aria-sort") == "descending"
    name = head[0].find_element("tag name", "button")
    press(name, "SPACE")
    assert head[0].get_attribute("aria-sort") == "ascending"
    assert head[place].get_attribute("aria-sort") is None
    assert column(page, 0) != []


def test_search(page):
    everything = column(page, 0)
    box = one(page, ".search input")
    box.send_keys("<IMG")
    assert column(page, 0) == [AWKWARD[0]] or AWKWARD[0] in column(page, 0)
    assert len(column(page, 0)) < len(everything)
    assert f"of {len(everything)} rows" in one(page, ".search output").text
    box.clear()
    box.send_keys("no such feature")
    assert column(page, 0) == []
    box.clear()
    press(box, "SPACE")
    assert column(page, 0) == everything


def background(page):
    return page.execute_script("return getComputedStyle(document.body).backgroundColor")


def test_theme_follows_the_system_until_told(browser, report):
    page = show(browser, report)
    light = background(page)
    toggle = one(page, "#theme")
    assert toggle.text == "Dark theme"
    toggle.click()
    dark = background(page)
    assert dark != light
    assert toggle.text == "Light theme"
    page = show(browser, report, scheme="dark")
    assert background(page) == dark
    one(page, "#theme").click()
    assert background(page) == light


def test_points_tell_their_numbers(page):
    from selenium.webdriver import ActionChains

    figures = json.loads(
        page.execute_script("return document.getElementById('figures').textContent")
    )
    data = figures["d0-stability"]
    plot = one(page, "[data-figure=d0-stability]")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    tip = plot.find_element("css selector", ".tip")
    assert not tip.is_displayed()
    x, y, _ = data["wide"][2]
    svg = plot.find_element("css selector", ".wide svg")
    wide = float(svg.get_dom_attribute("viewBox").split()[2])
    scale = svg.rect["width"] / wide
    dx, dy = x * scale - svg.rect["width"] / 2, y * scale - svg.rect["height"] / 2
    ActionChains(page).move_to_element_with_offset(svg, round(dx), round(dy)).perform()
    assert tip.is_displayed()
    near = [
        label
        for label, place in zip(data["labels"], data["wide"], strict=True)
        if abs(place[0] - x) < 2 and abs(place[1] - y) < 4
    ]
    assert tip.get_property("textContent") in near
    press(plot, "ESCAPE")
    assert not tip.is_displayed()
    for expected in data["labels"][:3]:
        press(plot, "ARROW_RIGHT")
        assert tip.get_property("textContent") == expected
        assert one(page, "#spoken").get_property("textContent") == expected
    press(plot, "END")
    assert tip.get_property("textContent") == data["labels"][-1]


def test_legend_shows_one_curve_alone(page):
    group = one(page, "#d0-stability .group")
    buttons = group.find_elements("css selector", ".legend button")
    assert WEIGHTED in [button.text for button in buttons]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", buttons[1])
    press(buttons[1], "ENTER")
    assert buttons[1].get_attribute("aria-pressed") == "true"
    faint = page.execute_script(
        "return Array.from(arguments[0].querySelectorAll('.wide .series'))"
        ".map(part => Number(getComputedStyle(part).opacity) < 1)",
        group,
    )
    assert faint.count(False) == 1
    press(buttons[1], "ENTER")
    assert buttons[1].get_attribute("aria-pressed") == "false"


OVERLAPS = """
const found = [];
for (const plot of document.querySelectorAll(".plot")) {
  const texts = Array.from(plot.querySelectorAll("svg text"))
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0);
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const [a, p] = texts[i], [b, q] = texts[j];
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    // Boxes of lines hold some air above and below the letters.
    if (wide > 1 && high > 3) found.push([plot.dataset.figure, a, b, wide, high]);
  }
}
return found;
"""
ESCAPES = """
const width = document.documentElement.clientWidth;
return Array.from(document.querySelectorAll("body *")).filter(element => {
  if (element.closest(".scroll, .contents, .out, .skip")) return false;
  const box = element.getBoundingClientRect();
  return box.width > 0 && (box.right > width + 1 || box.left < -1);
}).map(element => element.outerHTML.slice(0, 120));
"""


@pytest.mark.parametrize("size", [DESKTOP, (800, 900), PHONE], ids=["desktop", "tablet", "phone"])
def test_nothing_overlaps_or_sticks_out(browser, report, size):
    page = show(browser, report, size)
    wide = page.execute_script("return document.documentElement.scrollWidth")
    assert wide <= size[0]
    assert page.execute_script(ESCAPES) == []
    texts = page.execute_script("return document.querySelectorAll('.plot svg text').length")
    assert texts > 100
    assert page.execute_script(OVERLAPS) == []


def test_text_in_figures_is_legible_on_a_phone(browser, report):
    page = show(browser, report, PHONE)
    heights = page.execute_script(
        "return Array.from(document.querySelectorAll('.plot .narrow svg')).map(svg =>"
        " svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
    )
    assert min(heights) > 0.8  # labels are 11 px at full size


def test_on_paper(browser, report):
    page = show(browser, report, (720, 1000), scheme="dark", media="print")
    for css in (".contents", "#theme", ".search", ".tools"):
        assert not one(page, css).is_displayed(), css
    ink = page.execute_script("return getComputedStyle(document.body).color")
    assert ink == "rgb(28, 37, 48)"
    assert page.execute_script(OVERLAPS) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= 720


# Studies of every kind: two, four and eleven classes, unequal ones, nothing found, unfinished,
# and an outcome of numbers.


@pytest.fixture(scope="module", params=list(GALLERY))
def shown_study(request, gallery, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / f"{request.param}.html"
    return request.param, gallery[request.param].report(path)


def test_every_kind_of_study_is_quiet_and_nothing_overlaps(browser, shown_study):
    name, report = shown_study
    for size, scheme in ((PHONE, "light"), ((800, 900), "dark"), (DESKTOP, "light")):
        page = show(browser, report, size, scheme)
        page.get_log("performance")
        assert page.execute_script("return document.documentElement.scrollWidth") <= size[0]
        assert page.execute_script(ESCAPES) == []
        assert page.execute_script(OVERLAPS) == []
        if size == PHONE:
            assert one(page, ".sideways").is_displayed()  # a table scrolls there, and says so
    page.refresh()
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == REQUEST]
    assert sum(url.startswith("file:") for url in asked) == 1
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    _the_table_of_features_fits(page)
    _every_figure_answers_to_keys(page, name)


def _every_figure_answers_to_keys(page, name):
    plots = page.find_elements("css selector", ".plot")
    kinds = {plot.get_attribute("data-figure").split("-")[1] for plot in plots}
    samples = {"heatmap", "map"}
    assert (samples <= kinds) == (name not in ("nothing", "unfinished"))
    others = {"numbers": {"predicted"}, "times": {"risk_groups", "horizon", "auc_over_time"}}
    own = others.get(name, {"confusion", "roc", "precision_recall"})
    assert own | {"stability", "pareto"} <= kinds
    for plot in plots:
        # In a folded part there is nothing to point at.
        if not plot.is_displayed():
            continue
        press(plot, "ARROW_RIGHT")
        tip = plot.find_element("css selector", ".tip")
        assert tip.is_displayed()
        assert tip.get_property("textContent") == one(page, "#spoken").get_property("textContent")


def _the_table_of_features_fits(page):
    wide, frame = page.execute_script(
        "const box = document.getElementById('d0-table').parentElement;"
        "return [box.scrollWidth, box.clientWidth]"
    )
    assert wide <= frame + 1 or one(page, "#d0-features .sideways").is_displayed()


LINES = """
return Array.from(document.querySelectorAll(".signature .name, .features .name")).map(name => {
  const letters = document.createRange();
  letters.selectNodeContents(name.firstChild);
  return [name.firstChild.textContent, name.scrollWidth - name.clientWidth,
    new Set(Array.from(letters.getClientRects(), line => Math.round(line.top))).size];
});
"""


def test_names_are_whole_and_on_one_line(browser, tmp_path_factory):
    X, y, _ = table(60, 20)
    X.columns = [f"Phosphatidylcholine_diacyl_C36:{j}_negative_mode" for j in range(20)]
    symbols = [f"COL{j}A1" for j in range(20)]
    found = small_study({"t": TTest()}, sizes=(8,)).run(X, y, annotation={"symbol": symbols})
    report = found.report(tmp_path_factory.mktemp("long") / "r.html")
    page = show(browser, report)
    names = page.execute_script(LINES)
    assert len(names) > 16
    assert [one for one in names if one[1] > 0 or one[2] > 1] == []
    page = show(browser, report, PHONE)
    assert page.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert [one for one in page.execute_script(LINES) if one[1] > 0] == []  # broken, but not cut


def test_a_cell_of_the_heat_map_tells_its_value(browser, gallery, tmp_path_factory):
    results = gallery["two"]
    page = show(browser, results.report(tmp_path_factory.mktemp("heat") / "r.html"))
    plot = one(page, "[data-figure=d0-heatmap]")
    press(plot, "ARROW_RIGHT")
    said = plot.find_element("css selector", ".tip").get_property("textContent")
    sample, rest = said.split(", ")
    feature, value = rest.split(": ")
    values = results.samples.values().frame()
    row = values[(values["name"] == feature) & (values["sample"] == sample.split(" (")[0])]
    assert float(value.replace("−", "-")) == pytest.approx(row["value"].item(), abs=0.0051)
    assert sample.endswith(f"({row['class'].item()})")


def test_a_curve_that_is_pointed_at_shows_its_band(page):
    plot = one(page, "[data-figure=d0-stability]")
    shown = (
        "return Array.from(arguments[0].querySelectorAll('.wide .band path'))"
        ".map(path => Number(getComputedStyle(path).fillOpacity) > 0)"
    )
    assert page.execute_script(shown, plot).count(True) == 1  # of the recommended method
    places = json.loads(
        page.execute_script("return document.getElementById('figures').textContent")
    )["d0-stability"]["wide"]
    first = [place[2] for place in places].index(0)
    for _ in range(first + 1):
        press(plot, "ARROW_RIGHT")
    bands = page.execute_script(shown, plot)
    assert bands[0]
    assert bands.count(True) <= 2
    press(plot, "ESCAPE")
    assert page.execute_script(shown, plot).count(True) == 1


SAVED = """
const done = arguments[arguments.length - 1], found = [];
HTMLAnchorElement.prototype.click = function () {
  found.push([this.download, this.href]);
  if (found.length === 2) done(found);
};
document.querySelectorAll("#" + arguments[0] + " [data-save]").forEach(button => button.click());
"""


def test_figures_are_saved_as_pictures(browser, gallery, tmp_path_factory):
    from urllib.parse import unquote
    from xml.etree import ElementTree

    page = show(browser, gallery["two"].report(tmp_path_factory.mktemp("saved") / "r.html"))
    page.set_script_timeout(20)
    (svg, vector), (png, raster) = sorted(
        page.execute_async_script(SAVED, "d0-stability"), key=lambda pair: pair[0], reverse=True
    )
    assert (svg, png) == ("d0-stability.svg", "d0-stability.png")
    text = unquote(vector.split(",", 1)[1])
    root = ElementTree.fromstring(text)
    assert "var(" not in text  # colours of its own, outside of the page
    words = {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"stability (Nogueira)", "relieff"} <= words  # axes and legend
    assert raster.startswith("data:image/png;base64,")
    assert len(raster) > 10_000


def test_a_link_into_a_folded_part_opens_it(browser, report):
    page = show(browser, report)
    assert not one(page, "#d0-gains details table").is_displayed()
    one(page, ".contents a[href='#d0-gains']").click()
    assert one(page, "#d0-gains details table").is_displayed()


@pytest.mark.skipif(
    not AXE.exists(), reason="needs axe-core (npm install --prefix .venv/axe axe-core)"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, report, scheme):
    assert _serious(show(browser, report, scheme=scheme), "details") == []


def _serious(page, folded):
    """What axe-core takes for a serious fault, with what is folded there open."""
    unfold = "document.querySelectorAll(arguments[0]).forEach(one => { one.open = true })"
    page.execute_script(unfold, folded)
    page.execute_script(AXE.read_text(encoding="utf-8"))
    page.set_script_timeout(120)
    found = page.execute_async_script(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(done)"
    )
    assert found["passes"] is not None
    return [
        (rule["id"], rule["impact"], [node["html"][:160] for node in rule["nodes"][:3]])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


@pytest.mark.skipif(
    not AXE.exists(), reason="needs axe-core (npm install --prefix .venv/axe axe-core)"
)
def test_axe_finds_nothing_serious_in_any_kind_of_study(browser, shown_study):
    # Both themes of a large report are tested above; here each has one of them.
    name, report = shown_study
    scheme = ("light", "dark")[list(GALLERY).index(name) % 2]
    assert _serious(show(browser, report, scheme=scheme), "details.more") == []
