"""docs/coverage.md names what exists, and says why whatever is not there is not."""

import importlib
import inspect
import re

import pytest

from reproduction import list_experiments
from tools import coverage_page

ROWS = coverage_page.rows()
FULL = [row for row in ROWS if row["status"] == "full"]
NAME = re.compile(r"(?P<module>\w+)\.(?P<name>\w+)(?:\((?P<arguments>[^)]*)\))?$")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['place']}: {row['item']}")
def test_everything_named_exists(row):
    for full in coverage_page.parts(row["name"]):
        found = NAME.match(full)
        assert found, full
        module = importlib.import_module(f"backstay.{found['module']}")
        assert found["name"] in module.__all__
        known = inspect.signature(getattr(module, found["name"])).parameters
        asked = (found["arguments"] or "").split(",")
        for argument in filter(None, (a.partition("=")[0].strip() for a in asked)):
            assert argument in known, full
    if row["page"]:
        assert (coverage_page.ROOT / "docs" / row["page"]).is_file()
    for test in coverage_page.parts(row["test"]):
        assert (coverage_page.ROOT / test).is_file(), test
    known = set(list_experiments()["name"])
    assert set(coverage_page.parts(row["experiment"])) <= known


def test_every_row_is_complete():
    assert len({(row["document"], row["place"], row["item"]) for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row["status"] in coverage_page.STATUSES, row["item"]
        assert row["kind"] in coverage_page.KINDS, row["item"]
        assert row["document"], row["item"]
        assert row["place"], row["item"]
        if row["status"] == "full":
            assert row["page"], row["item"]
            assert row["test"], row["item"]
            assert row["name"] or row["experiment"], row["item"]
        else:
            assert row["note"].endswith("."), row["item"]


@pytest.mark.parametrize("row", FULL, ids=lambda row: f"{row['place']}: {row['item']}")
def test_pages_and_tests_are_about_what_they_stand_beside(row):
    """Reproductions reach what they use through an experiment, so they need not name it."""
    page = (coverage_page.ROOT / "docs" / row["page"]).read_text(encoding="utf-8")
    tests = [coverage_page.ROOT / test for test in coverage_page.parts(row["test"])]
    code = "".join(test.read_text(encoding="utf-8") for test in tests)
    for full in coverage_page.parts(row["name"]):
        found = NAME.match(full)
        for word in re.findall(r"\w+", f"{found['name']} {found['arguments'] or ''}"):
            assert row["page"] == "reproduction.md" or word in page, f"{word} in {row['page']}"
        assert "reproduction/" in row["test"] or found["name"] in code, full


@pytest.mark.parametrize("row", FULL, ids=lambda row: f"{row['place']}: {row['item']}")
def test_experiments_of_what_is_full_were_run(row):
    """Whichever was not run is named in the note, with the reason."""
    for name in set(coverage_page.parts(row["experiment"])) - coverage_page.stored():
        assert name in row["note"], f"no result of {name} in docs/_reproduction"


def test_every_experiment_has_a_row():
    named = {name for row in ROWS for name in coverage_page.parts(row["experiment"])}
    assert set(list_experiments()["name"]) <= named


def test_the_page_is_current():
    assert coverage_page.PAGE.read_text(encoding="utf-8") == coverage_page.page()
