"""Count the words of reports as a reader meets them, in Debian's chromium.

python -m tools.words FOLDER/report.html …

Four numbers per report, at a width of 1280 pixels: what is seen on opening (folded parts closed,
tables and the text of figures included), its sentences alone (without tables, figures and
contents), sentences with all folded parts open, and everything.
"""

import sys
from pathlib import Path

from tools.screenshots import browser

COUNT = """
const [open, without] = arguments;
document.querySelectorAll("details").forEach(one => { one.open = open; });
document.querySelectorAll(".tip, .out, .skip").forEach(one => one.remove());
const dropped = Array.from(document.querySelectorAll(without));
dropped.forEach(one => { one.style.display = "none"; });
const texts = document.body.innerText;
dropped.forEach(one => { one.style.display = ""; });
return texts.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length;
"""
SENTENCES = "table, .plot, nav, .legend, .tools"
COLUMNS = ("seen", "sentences seen", "all sentences", "everything")


def main() -> None:
    """Print a line per report."""
    driver = browser()
    try:
        driver.set_window_size(1280, 900)
        sys.stdout.write("\t".join(("report", *COLUMNS)) + "\n")
        for path in map(Path, sys.argv[1:]):
            driver.get(path.resolve().as_uri())
            ways = ((False, "x"), (False, SENTENCES), (True, SENTENCES), (True, "x"))
            counts = [driver.execute_script(COUNT, *way) for way in ways]
            sys.stdout.write("\t".join(map(str, (path, *counts))) + "\n")
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
