"""Code in the pages runs, prints what the pages say, and the pages name what exists."""

import contextlib
import importlib
import io
import pkgutil
import re
import shlex
from pathlib import Path

import matplotlib as mpl
import pytest

import backstay
from backstay.datasets import make_han_yu

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "gallery").glob("*.md")),
]
# Run by test_pages.py, as is docs/gallery.
PLAYED = ("README.md", "index.md", "install.md", "tutorial.md")
BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+ -->\n)?```python\n(?P<code>.*?)```"
    r"(?:\n+<!-- output -->\n```text\n(?P<output>.*?)```)?",
    flags=re.DOTALL,
)
# The pages' examples with fewer repetitions.
FEWER = [
    (r"(Subsampling\(|ShuffleSplit\(|n_estimators=|n_repeats=|n_resamples=)\d+", r"\g<1>5"),
    (r"n_jobs=2", "n_jobs=1"),
]


def blocks(page):
    return [found for found in BLOCK.finditer(page.read_text("utf-8")) if not found["skip"]]


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if blocks(page) and page.name not in PLAYED and page.parent.name != "gallery"
    ],
    ids=lambda page: page.name,
)
def test_code_of_the_page_runs_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    # A page may say X and y where its reader has rows and labels.
    X, y, _ = make_han_yu(60, n_features=60, n_relevant=20, random_state=0)
    given = {"X": X, "y": y}
    for found in blocks(page):
        code = found["code"]
        for pattern, fewer in FEWER:
            code = re.sub(pattern, fewer, code)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, page.name, "exec"), given)
        if found["output"] is not None:
            assert said.getvalue().split() == found["output"].split()


def public_modules():
    found = [name for _, name, _ in pkgutil.iter_modules(backstay.__path__, "backstay.")]
    return [name for name in found if not name.rpartition(".")[2].startswith("_")]


@pytest.mark.parametrize("name", public_modules())
def test_every_public_module_has_a_page(name):
    if name in ("backstay.base", "backstay.cli"):
        return  # exported by backstay itself; described by cli.md
    page = ROOT / "docs" / "api" / f"{name.rpartition('.')[2]}.md"
    assert f"\n::: {name}\n" in page.read_text("utf-8")


@pytest.mark.parametrize("name", ["backstay", *public_modules()])
def test_everything_public_is_documented(name):
    module = importlib.import_module(name)
    for public in set(getattr(module, "__all__", [])) - {"__version__"}:
        assert getattr(module, public).__doc__, public


def test_top_level_names_are_described_with_a_sub_package():
    elsewhere = {
        public
        for name in public_modules()
        for public in getattr(importlib.import_module(name), "__all__", [])
    }
    assert set(backstay.__all__) - elsewhere == {"__version__"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_in_backticks_that_look_like_ours_exist(page):
    known = set(dir(backstay)) | {
        public for name in public_modules() for public in dir(importlib.import_module(name))
    }
    text = page.read_text("utf-8")
    named = set(re.findall(r"`((?:make|load|read)_\w+)", text))
    named |= set(re.findall(r"`(\w+(?:Weighting|Ranker|Selector|Display|Importance))\b", text))
    missing = named - known
    assert missing == set()


def test_files_that_the_map_names_exist():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+|(?:\w+/)*\w+\.(?:py|md))`", page))
    package = ROOT / "src" / "backstay"
    roots = [ROOT, package, package / "results"]  # the table of questions is about that folder
    missing = {name for name in named if not any((root / name).exists() for root in roots)}
    assert missing == set()


# An author and a year, as code and pages cite: "Chu 2001", "Saeys et al. 2008", "Smyth (2004)".
CITED = re.compile(r"([^\W\d_][\w’-]+)(?: et al\.)?,? \(?((?:19|20)\d\d)\b(?!\s*[×x])")


def test_every_cited_paper_is_in_the_references():
    entries = (ROOT / "docs" / "references.md").read_text("utf-8").split("\n- ")
    entries += entries.pop(0).splitlines()
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md")]
    cited = {
        found.groups()
        for source in sources
        if source.name not in ("references.md", "reproduction.md", "performance.md")
        for found in CITED.finditer(source.read_text("utf-8"))
        if found[1][0].isupper()
    }
    assert len(cited) > 40
    missing = {
        (author, year)
        for author, year in cited
        if not any(author in entry and year in entry for entry in entries)
    }
    assert missing == set()


def commands():
    """Every command line in the pages: (page, words)."""
    for page in PAGES:
        for shell in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in shell.splitlines():
                if line.removeprefix("$ ").startswith("backstay "):
                    yield pytest.param(
                        shlex.split(line.removeprefix("$ ")), id=f"{page.stem}:{line}"
                    )


@pytest.mark.parametrize("words", list(commands()))
def test_command_lines_have_options_that_exist(words, call):
    if words[1].startswith("-"):
        assert words[1] in ("--help", "--version")
        return
    shown = call(words[1], "--help")
    assert shown.code == 0
    known = {"-h", *re.findall(r"(?<![\w-])--?[a-z][\w-]*", shown.out)}
    given = {word.partition("=")[0] for word in words[2:] if word.startswith("-")}
    assert given <= known
