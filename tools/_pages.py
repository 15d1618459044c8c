"""Pages of the documentation that are written from tables."""

import sys
from collections.abc import Callable
from pathlib import Path


def write_or_check(page: Callable[[], str], path: Path, target: str) -> int:
    """Write a page, or with ``--check`` say whether it is current; `target` of make writes it."""
    text = page()
    if "--check" in sys.argv[1:]:
        current = path.exists() and path.read_text(encoding="utf-8") == text
        if not current:
            sys.stderr.write(f"docs/{path.name} is not current; run make {target}.\n")
        return 0 if current else 1
    path.write_text(text, encoding="utf-8")
    return 0
