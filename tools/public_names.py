"""Count the public names of backstay: each one is a promise to keep.

python -m tools.public_names          writes the number of names
python -m tools.public_names --list   writes each name with the modules that offer it
"""

import importlib
import pkgutil
import sys
from collections import defaultdict
from types import ModuleType

import backstay


def public_modules(package: ModuleType) -> list[ModuleType]:
    """Return a package and the modules in it whose path has no private part."""
    modules = [package]
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if found.name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(found.name)
        modules += public_modules(module) if found.ispkg else [module]
    return modules


def public_names(package: ModuleType = backstay) -> dict[str, list[str]]:
    """Return the public names, each with the modules that offer it.

    An object that several modules offer counts once. Modules do not count.
    """
    offered: dict[tuple[str, int], list[str]] = defaultdict(list)
    for module in public_modules(package):
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not isinstance(thing, ModuleType):
                offered[name, id(thing)].append(module.__name__)
    return {f"{modules[-1]}.{name}": modules for (name, _), modules in sorted(offered.items())}


def main() -> int:
    """Write the number of names, or all of them."""
    names = public_names()
    if "--list" in sys.argv[1:]:
        for name, modules in names.items():
            sys.stdout.write(f"{name} ({', '.join(modules)})\n")
    sys.stdout.write(f"{len(names)} public names\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
