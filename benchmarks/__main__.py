"""Run every benchmark file, or those named: ``python -m benchmarks [--quick] [NAME …]``."""

import importlib
import pkgutil
import sys

import benchmarks


def main(arguments):
    quick = "--quick" in arguments
    names = [a for a in arguments if not a.startswith("-")]
    for module in pkgutil.iter_modules(benchmarks.__path__):
        name = module.name.removeprefix("bench_")
        if module.name == name or (names and name not in names):
            continue
        print(f"\n=== {name} ===", flush=True)
        importlib.import_module(f"benchmarks.{module.name}").main(quick)


if __name__ == "__main__":
    main(sys.argv[1:])
