"""Nothing heavy is loaded before it is needed, and lazy names are complete."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import backstay

HEAVY = {"numpy", "scipy", "pandas", "sklearn", "numba", "joblib", "matplotlib", "jinja2", "dask"}


def heavy_after(code, cwd):
    """Return the heavy packages in memory when code has run in a process of its own."""
    code += f"\nimport sys; print('loaded:', *sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines()[-1].split()[1:])


def test_the_import_loads_nothing_heavy(tmp_path):
    assert heavy_after("import backstay; backstay.__version__; dir(backstay)", tmp_path) == set()


def test_help_and_wrong_use_load_nothing_heavy(tmp_path):
    code = f"""
import sys
from backstay.cli import main
for words in (
    "--help", "--version", "run --help", "jump", "run", "run nofile.csv",
    "run nofile.csv --nonsense", "run nofile.csv --protocol 3x3", "run nofile.csv --sizes many",
    "report nostore.db", "compare nostore.db",
):
    try:
        main(words.split())
    except SystemExit as stop:
        assert stop.code == (0 if words.endswith(("--help", "--version")) else 2), words
    assert not {HEAVY} & set(sys.modules), words
"""
    assert heavy_after(code, tmp_path) == set()


def test_a_ranker_loads_neither_study_nor_report(tmp_path):
    code = """
import sys
from backstay import ReliefF
loaded = {name.split(".")[1] for name in sys.modules if name.startswith("backstay.")}
above = {"cli", "report", "study", "results", "comparison", "ensemble", "wrappers", "stability"}
assert not loaded & above, loaded
"""
    # And sub-packages are attributes.
    code += "import backstay; backstay.stability.stability_score; backstay.datasets.make_xor"
    assert not heavy_after(code, tmp_path) & {"matplotlib", "jinja2", "dask"}


def all_of(module, alias):
    """Return the names that an import of a type checker's block brings."""
    if alias.name == "*":
        return importlib.import_module(module).__all__
    assert alias.asname == alias.name  # exported, by the rule of type checkers
    return [alias.name]


def test_type_checkers_see_the_names_that_are_loaded():
    tree = ast.parse(Path(backstay.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        name: f"{line.module}.{name}"
        for line in block.body
        for alias in line.names
        for name in all_of(line.module, alias)
    }
    packages = {
        name
        for _, name, _ in pkgutil.iter_modules(backstay.__path__)
        if not name.startswith("_") and name != "cli"
    }
    assert set(seen) == packages | set(backstay.__all__) - {"__version__"}
    for name, path in seen.items():
        home, _, attribute = path.rpartition(".")
        expected = (
            importlib.import_module(path)
            if name in packages
            else getattr(importlib.import_module(home), attribute)
        )
        assert getattr(backstay, name) is expected
    assert set(seen) <= set(dir(backstay))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'backstay' has no attribute 'relief_f'"):
        backstay.relief_f  # noqa: B018
