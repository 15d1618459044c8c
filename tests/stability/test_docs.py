"""The page for newcomers says what the table of measures says."""

from pathlib import Path

import pytest

from backstay.stability import list_measures, stability_score

PAGE = Path(__file__).parents[2] / "docs" / "stability.md"


def rows():
    """The table of docs/stability.md, from the metadata."""
    for entry in list_measures().itertuples():
        low, high = (
            bound if isinstance(bound, str) else f"{bound:g}".replace("inf", "∞")
            for bound in (entry.lower, entry.upper)
        )
        marks = [
            *(["chance-corrected"] if entry.chance_corrected else []),
            *([] if entry.higher_is_stabler else ["lower is stabler"]),
            *(["equal sizes"] if entry.equal_sizes else []),
            *(["needs similarity"] if entry.needs_similarity else []),
            *(["analytic interval"] if entry.analytic_variance else []),
        ]
        cells = [
            f"`{entry.name}`", entry.input, entry.definition, f"[{low}, {high}]",
            "; ".join(marks), entry.note, entry.reference,
        ]  # fmt: skip
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@pytest.mark.parametrize("row", list(rows()))
def test_the_page_has_the_row(row):
    assert row in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_has_no_other_row():
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| `") for line in page) == len(list_measures())


def test_the_docstring_names_every_option():
    for options in list_measures().query("input == 'subsets'").options:
        for option in options:
            assert f"``{option}``" in stability_score.__doc__
