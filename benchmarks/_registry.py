"""All workloads, found in the bench files."""

import importlib
import pkgutil
from functools import cache

import benchmarks


def of_file(area):
    """Workloads of one file."""
    return importlib.import_module(f"benchmarks.bench_{area}").WORKLOADS


@cache
def workloads():
    """Workloads by name, each with the name of its file, in the order of the files."""
    found = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__)):
        if not module.startswith("bench_"):
            continue
        area = module.removeprefix("bench_")
        for workload in of_file(area):
            if workload.name in found:
                raise ValueError(f"two workloads are called {workload.name!r}")
            found[workload.name] = (area, workload)
    return found


def chosen(names):
    """Workloads named, by file or by themselves; all if none is.

    Raises
    ------
    SystemExit
        If a name is neither.
    """
    everything = workloads()
    known = {area for area, _ in everything.values()} | set(everything)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no benchmark is called {unknown[0]!r}; `list` shows the names.")
    return {
        name: (area, workload)
        for name, (area, workload) in everything.items()
        if not names or name in names or area in names
    }
