"""Write docs/gallery: a page for every script in examples/gallery, and pictures of the reports.

python -m tools.gallery                      writes the pages; a test says if they are current
python -m tools.gallery --pictures [NAME …]  runs the scripts and takes the pictures

Pictures need Debian's chromium and chromium-driver, and selenium. A script is text and code in
turn, told apart by lines of ``# %%``.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from tools.screenshots import KEPT, browser, take

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
PAGES = ROOT / "docs" / "gallery"
SOURCE = "https://example.org/backstay/blob/main/examples/gallery"
# A command of the shell, as the scripts call it.
CALL = re.compile(r"^check_call\((?P<words>.*?),\s*shell=True,?\s*\)$", re.DOTALL | re.MULTILINE)
# What is shown of each report: the file, and the element at the top and the one below.
SHOWN = {
    "genes_and_sheet": ("genes-backstay-quick/report.html", "#d0-answer", "#d0-not-shown"),
    "excel": ("biopsies-backstay-quick/report.html", "#d0-answer", "#d0-not-shown"),
    "geo": ("relapse/report.html", "#d0-answer", "#d0-not-shown"),
    "own_estimator": ("wine.html", "#d0-stability", "#d0-accuracy"),
    "second_cohort": ("plain/validation.html", "#answer", "#scores"),
    "covariates": ("diabetes-backstay-quick/report.html", "#d0-answer", "#d0-strips"),
    "survival": ("patients-backstay-quick/report.html", "#d0-answer", "#d0-not-shown"),
}
OPENED = ("covariates",)  # what is folded below the answer belongs to the picture


def scripts() -> list[Path]:
    """Return the scripts of the gallery, in the order in which they are shown."""
    return [SCRIPTS / f"{name}.py" for name in SHOWN]


def page(script: Path) -> str:
    """Return the page of a script: its text, its code, and its commands as a shell has them."""
    source = script.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(source)) or ""
    title, _, about = said.partition("\n")
    body = source.split('"""\n', 1)[1]
    parts = [f"# {title.rstrip('.')}", about.strip()]
    for cell in body.split("\n# %%\n")[1:]:
        lines = cell.strip("\n").split("\n")
        end = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
        text, code = lines[:end], "\n".join(lines[end:])
        parts += ["\n".join(line[2:] for line in text), *_blocks(code)]
    parts += [f"[The whole script]({SOURCE}/{script.name}) · [all cases](index.md)"]
    note = f"<!-- Written by tools/gallery.py from examples/gallery/{script.name}. -->"
    return "\n\n".join([parts[0], note, *parts[1:]]) + "\n"


def _blocks(code: str) -> list[str]:
    """Return the code of a cell as blocks, of Python and of the shell."""
    code = code.replace("from subprocess import check_call\n", "")
    blocks, end = [], 0
    for found in CALL.finditer(code):
        blocks += _python(code[end : found.start()])
        command = ast.literal_eval("(" + found["words"] + ")")
        blocks.append(f"```sh\n{command}\n```")
        end = found.end()
    return blocks + _python(code[end:])


def _python(code: str) -> list[str]:
    return [f"```python\n{code.strip()}\n```"] if code.strip() else []


def take_pictures(names: list[str]) -> None:
    """Run scripts in folders of their own, and save what is shown of their reports."""
    driver = browser()
    try:
        for name in names:
            folder = KEPT / "gallery" / name
            folder.mkdir(parents=True, exist_ok=True)
            report, first, following = SHOWN[name]
            if not (folder / report).exists():
                subprocess.run([sys.executable, SCRIPTS / f"{name}.py"], cwd=folder, check=True)
            shown = _opened(folder / report) if name in OPENED else folder / report
            take(driver, shown, f"docs/gallery/{name}.png", first, following)
            sys.stdout.write(f"docs/gallery/{name}.png\n")
    finally:
        driver.quit()


def _opened(report: Path) -> Path:
    """Return a copy of a report with what is folded below its answer."""
    before, answer, after = report.read_text(encoding="utf-8").partition('id="d0-answer"')
    copy = report.with_name("opened.html")
    copy.write_text(before + answer + after.replace("<details", "<details open", 1), "utf-8")
    return copy


def main() -> None:
    """Write the pages, or take the pictures."""
    if "--pictures" in sys.argv[1:]:
        take_pictures([name for name in SHOWN if name in sys.argv[1:]] or list(SHOWN))
        return
    for script in scripts():
        (PAGES / f"{script.stem}.md").write_text(page(script), encoding="utf-8")


if __name__ == "__main__":
    main()
