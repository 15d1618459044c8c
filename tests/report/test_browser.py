"""The report in a real browser: quiet, offline, usable by mouse and keys, nothing overlapping."""

import json
import os
from pathlib import Path

import pytest

from report.conftest import AWKWARD, WEIGHTED

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
AXE = Path(
    os.environ.get("BACKSTAY_AXE", "")
    or Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"
)
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
    """The shown texts of a column of the feature table."""
    script = """
        return Array.from(document.getElementById("d0-table").tBodies[0].rows)
          .filter(row => !row.hidden).map(row => row.cells[arguments[0]].textContent.trim())
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
    place = next(i for i, th in enumerate(head) if "Mean rank" in th.text)
    button = head[place].find_element("tag name", "button")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    ranks = [float(text) for text in column(page, place)]
    assert ranks == sorted(ranks)
    assert head[place].get_attribute("aria-sort") == "ascending"
    press(button, "ENTER")
    assert [float(text) for text in column(page, place)] == sorted(ranks, reverse=True)
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


@pytest.mark.skipif(
    not AXE.exists(), reason="needs axe-core (npm install --prefix .venv/axe axe-core)"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, report, scheme):
    page = show(browser, report, scheme=scheme)
    page.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.execute_script(AXE.read_text(encoding="utf-8"))
    page.set_script_timeout(120)
    found = page.execute_async_script(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(done)"
    )
    assert found["passes"] is not None
    serious = [
        (rule["id"], rule["impact"], [node["html"][:160] for node in rule["nodes"][:3]])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
    assert serious == []
