"""Print every dependency at the lowest version that pyproject.toml allows.

``python tools/minimum_versions.py`` takes the dependencies of the package;
names of dependency groups as arguments add theirs.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

__all__ = ["lowest", "main"]


def lowest(requirement: str) -> str:
    """Return a requirement pinned to its lower bound, if it has one.

    Examples
    --------
    >>> lowest("numpy>=1.26")
    'numpy==1.26'
    >>> lowest("mkdocs>=1.6,<2")
    'mkdocs==1.6'
    >>> lowest("hypothesis")
    'hypothesis'
    """
    found = re.fullmatch(r"([\w.\[\]-]+)(?:>=([\w.]+)(?:,.*)?)?", requirement.replace(" ", ""))
    if found is None:
        raise ValueError(f"requirement {requirement!r} must be name>=version, or a name.")
    return f"{found[1]}=={found[2]}" if found[2] else found[1]


def main(groups: list[str]) -> None:
    """Print the pinned requirements of the package and of dependency groups."""
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
    requirements = list(project["project"]["dependencies"])
    for group in groups:
        requirements += project["dependency-groups"][group]
    sys.stdout.write("".join(f"{lowest(requirement)}\n" for requirement in requirements))


if __name__ == "__main__":
    main(sys.argv[1:])
