"""Try faults on purpose, count what happens, and write the table of docs/reliability.md.

python -m benchmarks.faults [--quick] [--again] [--page] [PART …]

The parts are kills, stores, edits, memory, scheduler, files, special and fits.

Trials that are in record.json are not run again, so the command can be stopped at any time and
goes on where it was; --again forgets those of the named parts. --quick runs a tenth, into a
record of its own. --page writes the table into the page.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from benchmarks.faults import edits, files, fits, kills, memory, scheduler, special, stores

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reliability.md"
START, END = "<!-- faults: written by python -m benchmarks.faults --page -->", "<!-- end -->"
PARTS = {
    part.__name__.rpartition(".")[2]: part
    for part in (kills, stores, edits, memory, scheduler, files, special, fits)
}


def load(path):
    return json.loads(path.read_text()) if path.exists() else {}


def run(name, record, path, quick):
    part, done = PARTS[name], record.setdefault(name, {})
    n = part.TRIALS // 10 if quick else part.TRIALS
    left = [seed for seed in range(n) if str(seed) not in done]
    if not left:
        return
    with part.laboratory() as trial:
        last = time.monotonic()
        for seed in left:
            done[str(seed)] = trial(seed)
            if time.monotonic() - last > 5 or seed == left[-1]:
                last = time.monotonic()
                # Another process may be at another part.
                record |= load(path) | {name: done}
                path.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")
                print(f"{name}: {len(done)} of {n}, {outcomes(done)}", flush=True)


def outcomes(done):
    counts = Counter(outcome.partition(":")[0] for outcome in done.values())
    return ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))


def table(record):
    lines = ["| fault | trials | what happened | promises broken |", "|---|---|---|---|"]
    for name, part in PARTS.items():
        done = record.get(name, {})
        broken = sum(outcome.partition(":")[0] in part.BROKEN for outcome in done.values())
        lines.append(f"| {part.FAULT} | {len(done)} | {outcomes(done)} | {broken} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the trials")
    parser.add_argument("--again", action="store_true", help="forget the trials of these parts")
    parser.add_argument("--page", action="store_true", help="write the table into the page")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    path = HERE / ("record-quick.json" if given.quick else "record.json")
    record = load(path)
    for name in given.parts or PARTS:
        if given.again:
            record.pop(name, None)
        run(name, record, path, given.quick)
    print(table(record))
    for name, part in PARTS.items():
        for seed, outcome in record.get(name, {}).items():
            if outcome.partition(":")[0] in part.BROKEN:
                print(f"{name} {seed}: {outcome}")
    if given.page:
        text = PAGE.read_text("utf-8")
        before, rest = text.split(START)
        PAGE.write_text(f"{before}{START}\n{table(record)}\n{END}{rest.split(END)[1]}", "utf-8")


if __name__ == "__main__":
    main()
