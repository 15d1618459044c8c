"""docs/performance.md from the summary: no figure on it is typed."""

from pathlib import Path

from benchmarks._plot import draw
from benchmarks._registry import workloads
from benchmarks._summary import gather, load, store
from benchmarks._tables import (
    end_to_end,
    exchanged,
    figure,
    growth,
    limits,
    peers,
    selections,
    start_table,
    targets,
    whole_commands,
)
from benchmarks._workload import ONCE_ABOVE, kept

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

This page is written by `python -m benchmarks page` from what `make bench` measured
({minutes:.0f} minutes in all); no figure on it was typed by hand. Run it on your own machine:

```console
make bench          # everything; can be stopped and started again
make bench-quick    # small problems, to see that it works
make bench-check    # what CI watches: have ratios to peers fallen?
```

**The machine of this run.** {cpu}, {cores} cores, {memory_gb:g} GB of memory, {system}, Linux
{kernel}, Python {python}. {versions}.

**How to read it.** A ratio says how many times as long the other program takes. Above 1, backstay
is faster. Both run in the same process, taking turns, on the same arrays. After a warm-up we take
the median of at least five runs, or of three where one takes more than a second and a half. The
brackets hold the lowest and the highest ratio of a single turn. What takes more than {once:g}
seconds is run once and marked ¹. Compile time is left out here and has its own section below.
*One thread* limits BLAS, OpenMP and numba to one thread on both sides. Memory is how much the
process grows during one call. A peer that computes a different quantity is shown in italics and
not counted. Ratios between two programs carry over to other machines roughly. Seconds do not, so
they appear only among the targets.
"""

AGREEMENT = """\
Agreement compares the results of the two calls that were timed: Spearman's correlation of the
scores, the overlap of selections, or the largest difference.
"""

SCALING = """\
We fit time as a power of the size: least squares on logarithms, one thread, medians of three runs.
The 95 % interval of the exponent comes from the residuals of the fit. "By the algorithm" is the
exponent of the dominant term at large sizes. Small sizes and fixed costs lower the measured one.

![Time over size, both relative to the smallest; exponents in the legend]({image})
"""

WIDE_AND_TALL = """\
`backstay run --methods t,relieff,svm-rfe --jobs 2` on NPZ files of single precision, from the file
to the report. Memory is that of the command and its workers together, each page of memory counted
once. A store holds some figures of every feature once; what a run adds does not grow with the
number of features.
"""

LIMITS = """\
The same run measured what the machine can do: {gemm} GFLOP/s in matrix products of float64 on one
thread ({gemm_all} on all cores), {bandwidth} GB/s read from memory by one thread, and {f32}
(float32) and {f64} (float64) times 10⁹ absolute differences a second, summed in cache. The share
compares the method's rate of that operation, over its whole run time, with this limit. It can
exceed 100 % where a table stays in the cache, which is faster than memory.
"""

END_TO_END = """\
A study of `backstay run --methods papers`, from a CSV file to an HTML report, beside the same one
written with pandas, SciPy, scikit-learn and fast-select (`benchmarks/_plain_study.py`). Both use
the same methods and controls, the same resamples and seeds, the same models at the same
sizes, and the same number of jobs. Workers are started and kernels compiled beforehand on both
sides. The tables are {data}. Where the plain study would take too long, it ran on fewer resamples
and its time was scaled up; these are marked ². Each study runs once, except ours on 62 × 2,000:
that one is the median of three runs, with the ratios of the slowest and the fastest in brackets.
"""


def mixed(codes):
    """Say so when the records were not all measured with the same code."""
    if codes == 1:
        return "All records were measured with the same code."
    return f"The records were measured with {codes} versions of the code."


def could_not(records):
    """What could not be run, and why."""
    lines = [
        f"- {peer}, {record['title']}: could not be run: {why}"
        for record in records.values()
        for peer, why in record.get("could_not", {}).items()
    ]
    return lines or ["Every peer of `benchmarks/requirements.txt` could be run."]


def missed(rows):
    """Sentences on what is below its target."""
    lines = [
        f"- **{row['what']}**: {row['measured']}; the target is {row['bound']}."
        + (f" {row['why'][0].upper()}{row['why'][1:]}." if row["why"] else "")
        for row in rows
        if not row["met"]
    ]
    return lines or ["Nothing: every target above is met."]


def text(summary):
    """Return the page."""
    records = summary["records"]
    # Workloads younger than the summary have nothing to show yet.
    known = {name: found for name, found in workloads().items() if name in records}
    machine = summary["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    rows = targets(known, records)
    met = sum(row["met"] for row in rows)
    rates = records["limits"]["facts"]["limits"]
    ends = {n: r["facts"] for n, r in records.items() if n.startswith("end_to_end_")}
    highest = max(
        (record["peak_mb"], record["title"])
        for record in records.values()
        if record["kind"] == "beside"
    )
    parts = [
        INTRODUCTION.format(
            **(machine | {"versions": versions}), minutes=summary["minutes"], once=ONCE_ABOVE
        ),
        mixed(summary["codes"]),
        "## Targets",
        f"The targets that this project sets itself: {met} of {len(rows)} are met. Seconds and "
        "memory are those of this machine.",
        _target_table(rows),
        "### Missed, and why",
        "\n".join(missed(rows)),
        "## Beside others",
        AGREEMENT,
        *peers(known, records),
        "### Could not be run",
        "\n".join(could_not(records)),
        "## From a file to a report",
        END_TO_END.format(data=" and ".join(sorted({facts["data"] for facts in ends.values()}))),
        end_to_end(ends),
        "Where our study spends its time, as shares of the time of all jobs, and how many of its "
        "selections (the best k for every k, on every resample) are the same sets as in the plain "
        "study:",
        selections(ends),
        exchanged(ends),
        "In a study of seven methods on 100 subsamples of 62 × 2,000 with a store, "
        f"{records['study_62x2000']['facts']['overhead']:.1%} of the jobs' time is spent neither "
        "in methods nor in models. A bare joblib loop over the same methods and models, "
        "which keeps nothing but accuracies, takes "
        f"{figure(records['study_beside_loop']['facts']['ratio'])} times as long as the study "
        "on ten subsamples.",
        "## How cost grows",
        SCALING.format(image="_images/scaling.svg"),
        growth(records["growth"]["facts"]),
        "### Wide and tall tables",
        WIDE_AND_TALL,
        whole_commands(records),
        "### Beside what the machine can do",
        LIMITS.format(
            gemm=figure(rates["gemm_gflops_1"]),
            gemm_all=figure(rates[f"gemm_gflops_{machine['cores']}"]),
            bandwidth=figure(rates["bandwidth_gb_per_s"]),
            f32=figure(rates["differences_float32_g_per_s"]),
            f64=figure(rates["differences_float64_g_per_s"]),
        ),
        limits(records["limits"]["facts"]["reached"]),
        "## Compiling and starting",
        start_table(records["start"]["facts"]),
        (Path(__file__).parent / "before_after.md").read_text(),
        "## Memory",
        f"The largest process of all comparisons, before any peer ran in it, took "
        f"{figure(highest[0])} MB ({highest[1]}). A study's process grows by "
        f"{figure(records['study_memory']['facts']['mb_per_resample'])} MB with each further "
        "resample.",
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _target_table(rows):
    lines = ["| area | what | target | measured | |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['area'].replace('_', ' ')} | {row['what']} | {row['bound']} | "
        f"{row['measured']} | {row['verdict']} |"
        for row in rows
    ]
    return "\n".join(lines)


def write():
    """Write the summary from new records, if there are any, then plot and page."""
    if any(kept("full", name) for name in workloads()):
        store(gather())
    summary = load()
    draw(summary["records"]["growth"]["facts"])
    PAGE.write_text(text(summary))
    print(f"wrote {PAGE.name} from {len(summary['records'])} records")
    return 0
