"""The project's own tools."""

import subprocess
import sys
from pathlib import Path

import pytest

grimp = pytest.importorskip("grimp")

ROOT = Path(__file__).parents[1]
# A public name is a promise: a new one should replace another.
MOST_PUBLIC_NAMES = 203


def checked(*imports, exempt=()):
    """Check a graph of imports; return the pairs that break the contract."""
    from tools.private_imports import PrivateImportsContract

    graph = grimp.ImportGraph()
    for importer, imported in imports:
        for module in (importer, imported):
            graph.add_module(module)
        graph.add_import(
            importer=importer, imported=imported, line_number=1, line_contents="import"
        )
    contract = PrivateImportsContract(
        "public names only", {"root_packages": ["house"]}, {"exempt_modules": list(exempt)}
    )
    found = contract.check(graph, verbose=False)
    pairs = [(importer, imported) for importer, imported, _ in found.metadata["found"]]
    assert found.kept == (not pairs)
    return pairs


def test_private_modules_are_for_their_own_package():
    allowed = [
        ("house.kitchen._stove", "house.cellar"),
        ("house.kitchen._stove", "house.kitchen._pots"),
        ("house.kitchen.stove._fire", "house.kitchen._pots"),
        ("house.kitchen", "elsewhere._private"),
    ]
    forbidden = [
        ("house", "house.cellar._wine"),
        ("house.kitchen", "house._pipes"),
        ("house.kitchen._stove", "house.cellar._wine"),
        ("house.kitchenette", "house.kitchen._pots"),
    ]
    assert checked(*allowed, *forbidden) == forbidden
    assert checked(*forbidden, exempt=["house.cellar", "house._pipes"]) == forbidden[-1:]


def test_there_are_few_public_names():
    from tools.public_names import public_names

    names = public_names()
    assert names["backstay.results.Results"] == ["backstay", "backstay.results"]
    assert not [name for name in names if "._" in name.removesuffix(".__version__")]
    assert len(names) <= MOST_PUBLIC_NAMES


def test_minimum_versions_are_those_of_the_package():
    code = [sys.executable, ROOT / "tools" / "minimum_versions.py", "test"]
    lines = subprocess.run(code, capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.partition("==")[0] for line in lines]
    assert {"numpy", "scipy", "scikit-learn", "pandas", "numba", "pytest"} <= set(names)
    assert [line for line in lines if "==" not in line] == ["hypothesis"]
