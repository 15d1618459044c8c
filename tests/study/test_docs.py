"""The page's first example runs, and names only what exists."""

import re
from pathlib import Path

import backstay.study
from backstay.study import Results

PAGE = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")


def test_the_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code, _) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    code = code.replace("n_jobs=2", "n_jobs=1").replace("Subsampling(20", "Subsampling(5")
    exec(compile(code, "docs/study.md", "exec"), {})


def test_every_result_named_exists():
    table = PAGE.split("## Results")[1].split("**Intervals.**")[0]
    names = re.findall(r"`?(\w+)\(", table)
    assert len(names) > 12
    for name in names:
        assert callable(getattr(Results, name)), name


def test_everything_public_is_documented():
    for name in backstay.study.__all__:
        assert getattr(backstay.study, name).__doc__
