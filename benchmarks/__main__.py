"""The instrument: run workloads, write the page, or compare ratios with the stored ones.

python -m benchmarks [--quick] [--again | --keep] [NAME …]   run; NAMEs are files or workloads
python -m benchmarks page                                    write docs/performance.md
python -m benchmarks check                                   the quick subset for CI
python -m benchmarks list                                    names of all workloads
"""

import argparse
import multiprocessing
import os
import sys
import time

from joblib.externals.loky import get_reusable_executor

from benchmarks._registry import chosen, of_file, workloads
from benchmarks._workload import code_version, keep, kept


def run_here(mode, area, name):
    """Run one workload in this process and keep its record."""
    workload = next(w for w in of_file(area) if w.name == name)
    start = time.perf_counter()
    record = workload.run(mode)
    keep(mode, name, record, time.perf_counter() - start)
    for line in workload.lines(record):
        print(line)


def _run_and_dismiss(*workload):
    """Run one workload; joblib's workers, if there are any, would keep the process waiting."""
    try:
        run_here(*workload)
    finally:
        get_reusable_executor(reuse=True).shutdown(wait=True)


def _in_a_process(mode, area, name):
    """Run one workload in a process of its own that has everything imported; its exit code.

    Nothing has been computed here yet, so a copy of this process is as good as a new one, and
    several seconds earlier at work.
    """
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=_run_and_dismiss, args=(mode, area, name))
    child.start()
    child.join()
    return child.exitcode


def run(mode, names, again=False, any_code=False):
    """Run each workload in a process of its own; skip what has been measured with this code."""
    failed = []
    begun = time.perf_counter()
    code = code_version()
    for name, (area, workload) in chosen(names).items():
        if not workload.runs_in(mode):
            continue
        smaller = " (smaller here)" if mode == "quick" and not workload.check else ""
        print(f"\n{workload.title}{smaller}  [{name}]", flush=True)
        record = kept(mode, name)
        if record is not None and not again and (any_code or record["code"] == code):
            print("  measured before")
            continue
        if _in_a_process(mode, area, name):
            failed.append(name)
        print(f"  [{time.perf_counter() - begun:.0f} s so far]", flush=True)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="small problems, few repeats")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    parser.add_argument(
        "--keep", action="store_true", help="keep records of older code, measure what is missing"
    )
    parser.add_argument(
        "--data", metavar="FOLDER", help="real .npz tables for end_to_end, taken by their shape"
    )
    options = parser.parse_args(arguments)
    if options.data:
        os.environ["BACKSTAY_BENCH_DATA"] = options.data
    if options.names == ["list"]:
        print("\n".join(f"{name:36s}{w.title}" for name, (_, w) in workloads().items()))
        return 0
    if options.names == ["page"]:
        from benchmarks._page import write

        return write()
    if options.names == ["check"]:
        from benchmarks._check import check

        if run("check", [], again=True):
            return 1
        return check()
    return run("quick" if options.quick else "full", options.names, options.again, options.keep)


if __name__ == "__main__":
    sys.exit(main())
