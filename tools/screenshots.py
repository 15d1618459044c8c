"""Make the pictures of reports in the README and in the docs, from the code as it is.

    python -m tools.screenshots [report] [tutorial]
    python -m tools.screenshots genes --data FOLDER

The genes are README's: FOLDER holds breast_tcga_blocks.npz, the breast.TCGA data of the R package
mixOmics, with `mrna`, `mrna_names` and `y`. All need Debian's chromium and chromium-driver, and
selenium. Studies are kept in a folder for the next time; remove it after a change that concerns
results.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
KEPT = Path(tempfile.gettempdir()) / "backstay-screenshots"
WIDTH, SCALE = 1000, 1.5


def example_report() -> Path:
    """Write the report of data whose truth is known, as ``backstay demo`` has them."""
    from backstay.datasets import make_han_yu
    from backstay.study import Study, Subsampling, make_methods

    X, y, truth = make_han_yu(random_state=0)
    names = [f"relevant {j}" if truth[j] > 0 else f"noise {j}" for j in range(X.shape[1])]
    study = Study(
        make_methods(["t", "relieff", "svm-rfe"]),
        Subsampling(20),
        sizes=[10, 20, 50],
        null=5,
        store=KEPT / "example.db",
        random_state=0,
    )
    results = study.run(pd.DataFrame(X, columns=names), y, dataset="han-yu", truth=truth)
    return results.report(KEPT / "example.html")


def tutorial_report() -> Path:
    """Write the report of the tutorial, with its command."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    table = data.data.assign(diagnosis=data.target_names[data.target])
    table.to_csv(KEPT / "breast.csv", index=False)
    folder = KEPT / "breast-backstay"
    command = f"run {KEPT / 'breast.csv'} --target diagnosis --repeats 20"
    return _report(command, folder)


def genes_report(data: Path) -> Path:
    """Write the report of docs/gallery/index.md: genes of three kinds of breast tumour."""
    with np.load(data / "breast_tcga_blocks.npz") as blocks:
        names = [f"B{i:03}" for i in range(1, len(blocks["y"]) + 1)]
        index = pd.Index(names, name="sample")
        table = pd.DataFrame(blocks["mrna"], index, blocks["mrna_names"])
        table.insert(0, "subtype", blocks["y"])
    table.to_csv(KEPT / "genes.csv")
    methods = "--methods f,relieff,svm-rfe --sizes 5,10,20 --max-features 10"
    command = f"run {KEPT / 'genes.csv'} --target subtype {methods} --repeats 30 --null 5"
    return _report(f"{command} --planning 0", KEPT / "genes-backstay")


def _report(command: str, folder: Path) -> Path:
    """Run a command and return the report that it writes."""
    from backstay.cli import main

    try:
        main([*command.split(), "-q", "--out", str(folder)])
    except SystemExit as end:
        if end.code:
            raise
    return folder / "report.html"


# What to take of each report: the file, and the element at its top and the one below it.
PICTURES: dict[str, tuple[Any, list[tuple[str, str, str]]]] = {
    "report": (
        example_report,
        [
            ("docs/_images/report-signature.png", "#d0-signature", "#d0-features"),
            ("docs/_images/report-errors.png", "#d0-mistakes", "#d0-stability"),
        ],
    ),
    "genes": (
        genes_report,
        [
            ("docs/_images/genes.png", "#d0-answer", "#d0-not-shown"),
            ("docs/_images/genes-heatmap.png", "#d0-signature", "#d0-signature h4"),
        ],
    ),
    "tutorial": (tutorial_report, [("docs/assets/report-top.png", ".top", "#d0-not-shown")]),
}
EDGES = """
return Array.from(arguments).map(
  css => window.scrollY + document.querySelector(css).getBoundingClientRect().top);
"""


def browser() -> Any:
    """Return a browser without a window."""
    os.environ.setdefault("SE_OFFLINE", "true")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def take(driver: Any, report: Path, file: str, first: str, following: str) -> None:
    """Save the part of a report from one element to another."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.get(report.resolve().as_uri())
    top, end = driver.execute_script(EDGES, first, following)
    area = {"x": 0, "y": max(top - 12, 0), "width": WIDTH, "height": end - top, "scale": SCALE}
    picture = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": area}
    )
    _save_small(base64.b64decode(picture["data"]), ROOT / file)


def _save_small(picture: bytes, path: Path) -> None:
    """Save a picture with a palette, which takes a third of the space."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Make the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, help="folder of the data of the genes")
    given = parser.parse_args()
    names = given.names or [name for name in PICTURES if given.data or name != "genes"]
    KEPT.mkdir(exist_ok=True)
    driver = browser()
    try:
        for name in names:
            write, parts = PICTURES[name]
            report = write(given.data) if name == "genes" else write()
            for part in parts:
                take(driver, report, *part)
                sys.stdout.write(f"{part[0]}\n")
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
