"""The committed summary: all records of the last full run, without single times."""

import json
import time
from pathlib import Path

import numpy as np

from benchmarks._measure import machine
from benchmarks._registry import workloads
from benchmarks._workload import OURS, kept

SUMMARY = Path(__file__).parent / "summary.json"


def _rounded(value):
    """Round to four digits, more than a timing is good for."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _condensed(record):
    """Keep, of a call's times, the median, the extremes, and those of its ratio to ours."""
    if record["kind"] == "beside":
        seconds = {
            count: {name: _times(taken, calls[OURS]) for name, taken in calls.items()}
            for count, calls in record["seconds"].items()
        }
        record = record | {"seconds": seconds}
    return _rounded(record)


def _times(taken, ours):
    found = {
        "median": float(np.median(taken)),
        "low": min(taken),
        "high": max(taken),
        "times": len(taken),
    }
    if len(taken) > 1:  # turn by turn, so that what slows a turn slows both
        ratios = [theirs / mine for theirs, mine in zip(taken, ours, strict=False)]
        found["ratio_low_high"] = [min(ratios), max(ratios)]
    return found


def gather():
    """Merge the records of the full run into one summary.

    What was not measured again keeps its record of the summary before; the page says how many
    versions of the code there are. What was never measured is not on the page.
    """
    before = load()["records"] if SUMMARY.exists() else {}
    records = dict(before)
    for name in workloads():
        record = kept("full", name)
        if record is not None:
            records[name] = _condensed(record)
    return {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": machine(),
        "codes": len({record["code"] for record in records.values()}),
        "minutes": sum(record["taken"] for record in records.values()) / 60,
        "records": records,
    }


def load():
    """Read the committed summary."""
    if not SUMMARY.exists():
        raise SystemExit("there is no benchmarks/summary.json; run `make bench` and `page` first.")
    return json.loads(SUMMARY.read_text())


def store(summary):
    """Write the summary to be committed."""
    SUMMARY.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
