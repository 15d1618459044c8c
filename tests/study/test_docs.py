"""The page on the study names only what exists; tests/test_docs.py runs its code."""

import inspect
import re
from pathlib import Path

from backstay.results import Results

PAGE = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")


def test_every_result_named_exists():
    table = PAGE.split("## Results")[1].split("**Intervals.**")[0]
    names = re.findall(r"`([\w.]+)\(", table)
    assert len(names) > 12
    for name in names:
        group, _, method = name.rpartition(".")
        owner = Results
        if group:
            owner = inspect.signature(getattr(Results, group).fget, eval_str=True).return_annotation
        assert callable(getattr(owner, method)), name
