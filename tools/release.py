"""Build sdist and wheel, check them, and use the wheel as a newcomer would.

``python -m tools.release dist`` builds into ``dist``. Each Python from 3.11 to 3.14 that is on the
path installs the wheel into an empty environment, in a folder of its own away from the checkout,
and runs the demo and a short study of a file. A Python that some dependency has no wheel for is
named and left out; the one that runs this script must pass.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TABLE = """
from sklearn.datasets import load_breast_cancer
table = load_breast_cancer(as_frame=True).frame.head(200)
table["target"] = table["target"].map({0: "malignant", 1: "benign"})
table.to_csv("cells.csv", index=False)
"""


def built(out: Path) -> Path:
    """Build into a folder, check what the package index would show, and return the wheel."""
    shutil.rmtree(out, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", str(out), ".")
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, out.iterdir()))
    return next(out.glob("*.whl")).resolve()


def installed(python: str, wheel: Path, folder: Path) -> Path | None:
    """Install the wheel into an empty environment; None if a dependency has no wheel for it."""
    _run(python, "-m", "venv", "env", cwd=folder)
    scripts = folder / "env" / "bin"
    what = f"{wheel}[app,anndata]"
    command = [str(scripts / "python"), "-m", "pip", "install", "--quiet"]
    done = subprocess.run([*command, "--only-binary=:all:", what], cwd=folder, check=False)
    return scripts if done.returncode == 0 else None


def tried(scripts: Path, folder: Path, version: str) -> None:
    """Run the demo and a study of a file with the installed command, and look at what came out."""
    backstay = str(scripts / "backstay")
    said = _run(backstay, "--version", cwd=folder)
    if version not in said:
        raise SystemExit(f"the wheel says {said.strip()!r}, not version {version}")
    _run(backstay, "demo", "--out", "demo", cwd=folder)
    _run(str(scripts / "python"), "-c", TABLE, cwd=folder)
    _run(backstay, "run", "cells.csv", "-t", "target", "--quick", "-o", "cells", cwd=folder)
    _run(backstay, "predict", "cells/signature.json", "cells.csv", "-o", "said.csv", cwd=folder)
    found = json.loads((folder / "cells" / "results.json").read_text())["recommendation"]
    pages = sorted(page.relative_to(folder) for page in folder.glob("[dc]*/**/report.html"))
    if not pages or found["method"] is None:
        raise SystemExit("the installed wheel wrote no report or recommends nothing")
    print(f"  {len(pages)} reports; {found['method']}, {found['size']} features")


def version_of_release() -> str:
    """Return the version; it is that of CITATION.cff, and CHANGELOG.md has a section for it."""
    (version,) = re.findall(r'__version__ = "(.+)"', _text("src/backstay/__init__.py"))
    if f"\nversion: {version}\n" not in _text("CITATION.cff"):
        raise SystemExit(f"CITATION.cff does not name version {version}")
    if ".dev" not in version and f"\n## {version}" not in _text("CHANGELOG.md"):
        raise SystemExit(f"CHANGELOG.md has no section {version}")
    return version


def main(out: Path) -> None:
    """Build, check and try the release."""
    version = version_of_release()
    wheel = built(out)
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for number in VERSIONS:
        python = sys.executable if number == own else f"python{number}"
        if shutil.which(python) is None or subprocess.run([python, "-V"], check=False).returncode:
            print(f"Python {number}: not on this machine")
            continue
        print(f"Python {number}:")
        with tempfile.TemporaryDirectory() as name:
            scripts = installed(python, wheel, Path(name))
            if scripts is not None:
                tried(scripts, Path(name), version)
            elif number == own:
                raise SystemExit("the wheel could not be installed")
            else:
                print("  a dependency has no wheel for it yet")
    print(f"backstay {version}: {', '.join(sorted(path.name for path in out.iterdir()))}")


def _run(*command: str, cwd: Path | None = None) -> str:
    """Run a command without the checkout on its path; show what it said if it fails."""
    around = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=around, text=True, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
