"""docs/what-holds.md: every claim has a verdict, figures that exist, and experiments that ran."""

import pytest

from reproduction import list_experiments
from tools import claims_page, coverage_page

CLAIMS = claims_page.claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["claim"])
def test_figures_and_experiments_exist(claim):
    named = claim["experiments"].split("; ")
    assert set(named) <= set(list_experiments()["name"])
    assert set(named) <= coverage_page.stored()
    assert claim["verdict"] in claims_page.VERDICTS
    assert claim["control"]
    found = claims_page.references(claim)
    assert found
    for reference in found:  # each names one row of a result that the claim links to
        assert claims_page.figure(reference)
        assert reference.split(";")[0] in named
    if "explained" in claim["verdict"]:
        assert claims_page.FIGURE.search(claim["control"])


def ends(reference):
    row = claims_page.lookup(reference)
    return tuple(float(end) for end in row["interval"].split(" to "))


def test_a_reference_names_one_row():
    with pytest.raises(ValueError, match="names 4 rows"):
        claims_page.lookup("han-fig7.3; method=IW SVM-RFE − SVM-RFE")
    with pytest.raises(KeyError):
        claims_page.lookup("han-fig7.3; nothing=1")


def test_verdicts_follow_from_intervals():
    """Of claims whose first figure is a difference that ought to be above 0."""
    by_claim = {claim["claim"]: claim for claim in CLAIMS}
    for text in (
        "Remainder-aware search is stabler, backward",
        "Accumulated evidence (SBG+) makes search stabler",
        "IW makes ReliefF stabler on microarrays",
    ):
        claim = by_claim[text]
        assert claim["verdict"].startswith("confirmed")
        assert ends(claims_page.references(claim)[0])[0] > 0
    for text in (
        "Remainder-aware search is stabler, forward",
        "SBG+ selects smaller subsets",
    ):
        claim = by_claim[text]
        assert claim["verdict"] == "not confirmed"
        low, high = ends(claims_page.references(claim)[0])
        assert low <= 0 <= high


def test_every_claim_is_in_the_coverage_table():
    listed = {row["item"] for row in coverage_page.rows() if row["kind"] == "claim"}
    assert listed == {claim["claim"] for claim in CLAIMS}


def test_the_page_is_current_and_one_screen():
    text = claims_page.PAGE.read_text(encoding="utf-8")
    assert text == claims_page.page()
    assert len(text.splitlines()) < 60
    for page in ("README.md", "docs/index.md"):
        assert "what-holds.md" in (claims_page.ROOT / page).read_text(encoding="utf-8")
