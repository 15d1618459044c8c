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
)
from benchmarks._workload import ONCE_ABOVE, kept

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

This page is written by `python -m benchmarks page` from one run of `make bench`
({minutes:.0f} minutes); no figure on it was typed by hand. Run it on your own machine:

```console
make bench          # everything; can be stopped and started again
make bench-quick    # small problems, to see that it works
make bench-check    # what CI watches: have ratios to peers fallen?
```

**The machine of this run.** {cpu}, {cores} cores, {memory_gb:g} GB of memory, {system}, Linux
{kernel}, Python {python}. {versions}.

**How to read it.** A ratio is how many times as long the other one takes: above 1, backstay is
faster. Both run in the same process, by turns, on the same arrays; the median of at least five
runs after a warm-up counts, of three where one takes more than a second and a half; in brackets
the lowest and the highest ratio of a turn. What takes more than {once:g} seconds is run once, and
marked ¹. Compiling is not in the times; it has a
section of its own. *One thread* holds BLAS, OpenMP and numba to one thread on both sides.
Memory is how far the process grows during one call. A peer whose result is another quantity is
shown in italics and not counted. Ratios between two programs carry over to other machines
roughly; seconds do not, so they appear only among the targets.
"""

AGREEMENT = """\
Agreement compares the results of the two calls that were timed: Spearman's correlation of the
scores, the overlap of selections, or the largest difference.
"""

SCALING = """\
Time is fitted as a power of the size, by least squares on logarithms, one thread, medians of
three runs. The exponent has a 95 % interval from the fit's residuals; "by the algorithm" is
the exponent of the largest term for large sizes. Small sizes and fixed costs lower it.

![Time over size, both relative to the smallest; exponents in the legend]({image})
"""

LIMITS = """\
What the machine can do was measured in the same run: {gemm} GFLOP/s in matrix products of
float64 on one thread ({gemm_all} on all cores), {bandwidth} GB/s read from memory by one
thread, and {f32} (float32) and {f64} (float64) times 10⁹ absolute differences a second summed
in cache. The share is the method's rate of that operation, over its whole time, in these units. A
table that stays in the cache can be read faster than memory.
"""

END_TO_END = """\
The default study of `backstay run`, from a CSV file to an HTML report, beside the same study
written with pandas, SciPy, scikit-learn and fast-select (`benchmarks/_plain_study.py`): same
methods with their controls, same resamples and seeds, same classifiers at the same sizes, as
many jobs. Workers are started and kernels compiled beforehand on both sides. The tables are
{data}. Where the plain study would take too long it ran on fewer resamples and its
time was multiplied, which is marked ². Each runs once, except that ours on 62 × 2,000 is the median
of three runs, with the ratios of the slowest and the fastest in brackets.
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
        f"- **{row['what']}**: {row['measured']} where {row['bound']} was asked for."
        + (f" {row['why'][0].upper()}{row['why'][1:]}." if row["why"] else "")
        for row in rows
        if not row["met"]
    ]
    return lines or ["Nothing: every target above is met."]


def text(summary):
    """Return the page."""
    records, known = summary["records"], workloads()
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
        f"Every target of the issues, {met} of {len(rows)} met. Seconds and memory are this "
        "machine's.",
        _target_table(rows),
        "### Below target, and why",
        "\n".join(missed(rows)),
        "## Beside others",
        AGREEMENT,
        *peers(known, records),
        "### Could not be run",
        "\n".join(could_not(records)),
        "## From a file to a report",
        END_TO_END.format(data=" and ".join(sorted({facts["data"] for facts in ends.values()}))),
        end_to_end(ends),
        "Where the time of our study goes, as shares of what the jobs had, and how many of the "
        "plain study's selections (best k for every k, on every resample) are the same sets:",
        selections(ends),
        exchanged(ends),
        "Of a study of seven methods on 100 subsamples of 62 × 2,000 with a store, "
        f"{records['study_62x2000']['facts']['overhead']:.1%} of the jobs' time goes neither into "
        "methods nor into classifiers. A bare joblib loop over the same methods and classifiers, "
        "ten subsamples, which keeps nothing but accuracies, takes "
        f"{figure(records['study_beside_loop']['facts']['ratio'])} times as long as the study.",
        "## How cost grows",
        SCALING.format(image="_images/scaling.svg"),
        growth(records["growth"]["facts"]),
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
        "## Memory",
        f"The largest process of the comparisons, before any peer ran in it: "
        f"{figure(highest[0])} MB ({highest[1]}). A study's process grows by "
        f"{figure(records['study_memory']['facts']['mb_per_resample'])} MB with each further "
        "resample.",
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _target_table(rows):
    lines = ["| issue | target | asked for | measured | |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['issue']} | {row['what']} | {row['bound']} | {row['measured']} | {row['said']} |"
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
