"""What a workload is: our call and the peers' on one problem, or a measurement of its own."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import backstay
from benchmarks._measure import (
    ONCE_ABOVE,
    n_cores,
    peak_extra_megabytes,
    peak_megabytes,
    repeats_after,
    seconds_of,
    take_turns,
    threads,
)

OURS = "backstay"


@dataclass(frozen=True)
class Target:
    """A bound that this project sets for a workload.

    `quantity` reads the measured value off the workload's record. `why` says what
    holds it back, and is shown only where the bound is missed.
    """

    what: str
    quantity: Callable[[dict], float]
    at_least: float | None = None
    at_most: float | None = None
    unit: str = "×"
    goal: float | None = None
    why: str = ""

    def met(self, value):
        """Whether a measured value keeps the bound."""
        if self.at_least is not None:
            return value >= self.at_least
        return value <= self.at_most


@dataclass(frozen=True)
class Peer:
    """Another way to the same quantity; ``same=False`` where it is another quantity.

    `call` takes the problem and a number of threads. One that cannot use threads
    has ``parallel=False`` and is timed with one only. `ours` marks our own variants;
    `prepare`, of the problem, compiles what would else be compiled in the first call.
    """

    name: str
    call: Callable[[Any, int], Any]
    same: bool = True
    parallel: bool = True
    ours: bool = False
    note: str = ""
    prepare: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Workload:
    """Our call beside the peers' on the same problem.

    Attributes
    ----------
    problem, quick : callables
        Make the problem, for the full run and for the quick one; without `quick`
        the quick run leaves the workload out.
    agreement : pair of str and callable
        Name of the measure, and a function of our result and a peer's.
    check : bool
        Whether CI watches its ratios. Its size is then the same in every run, and its
        peers are scikit-learn, fast-select or plain numpy.
    extra : callable of the problem, optional
        Facts beyond times; run last.
    """

    name: str
    title: str
    problem: Callable[[], Any]
    call: Callable[[Any, int], Any]
    peers: tuple[Peer, ...] = ()
    agreement: tuple[str, Callable[[Any, Any], float]] | None = None
    targets: tuple[Target, ...] = ()
    quick: Callable[[], Any] | None = None
    check: bool = False
    parallel: bool = True
    extra: Callable[[Any], dict] | None = None

    def runs_in(self, mode):
        """Whether a mode, "full", "quick" or "check", has this workload."""
        return mode == "full" or self.check or (mode == "quick" and self.quick is not None)

    def run(self, mode):
        """Time everything and hand back a record that JSON can hold."""
        make = self.problem if self.quick is None or mode != "quick" else self.quick
        problem = make()
        counts = (1,) if mode == "check" or not self.parallel else sorted({1, n_cores()})
        record = {
            **{"kind": "beside", "title": self.title, "seconds": {}, "memory": {}},
            **{"could_not": {}, "agreement": {}, "once": []},
        }
        first, ours = seconds_of(lambda: self.call(problem, 1))
        record["first_call"] = first
        record["peak_mb"] = peak_megabytes()  # of the process, before any peer has run
        if mode != "check":
            record["memory"][OURS] = peak_extra_megabytes(lambda: self.call(problem, 1))[0]
        for count in counts:
            with threads(count):
                record["seconds"][str(count)] = self._times(problem, count, ours, record, mode)
        if self.extra is not None and mode != "check":
            record["extra"] = self.extra(problem)
        return record

    def _times(self, problem, count, ours, record, mode):
        own = Peer(OURS, self.call, ours=True)
        calls, counts, times = {}, {}, {}
        for peer in (own, *self.peers):
            if peer.name in record["could_not"] or not (peer.parallel or count == 1):
                continue

            def call(peer=peer):
                return peer.call(problem, count)

            try:
                if peer.prepare is not None and count == 1:
                    peer.prepare(problem)
                warm_up, extra, result = self._warm_up(call, mode)
            except Exception as error:
                if peer is own:
                    raise
                record["could_not"][peer.name] = f"{type(error).__name__}: {error}"[:300]
                continue
            counts[peer.name] = repeats_after(warm_up) if peer is not own else 0
            calls[peer.name] = call
            if counts[peer.name] == 0 and peer is not own:
                times[peer.name] = [warm_up]
                record["once"].append(peer.name)
            if count == 1 and peer is not own:
                if extra is not None:
                    record["memory"][peer.name] = extra
                if self.agreement is not None:
                    record["agreement"][peer.name] = float(self.agreement[1](ours, result))
        # Ours meets every turn of the peers, and at least five.
        counts[OURS] = max(5, *counts.values()) if counts else 5
        if mode == "check":
            counts = {name: min(count, 5) for name, count in counts.items()}
        taken = take_turns(calls, counts)
        return {name: times.get(name) or taken[name] for name in calls}

    @staticmethod
    def _warm_up(call, mode):
        """First call, with its seconds, its extra memory and its result."""
        if mode == "check":
            taken, result = seconds_of(call)
            return taken, None, result
        taken, (extra, result) = seconds_of(lambda: peak_extra_megabytes(call, 0.005))
        return taken, extra, result

    def lines(self, record):
        """Write the record as lines for a terminal."""
        for count, seconds in record["seconds"].items():
            ours = np.median(seconds[OURS])
            yield f"  {count} thread{'s' if count != '1' else ''}"
            for name, taken in seconds.items():
                ratio = "" if name == OURS else f"{np.median(taken) / ours:10.2f} × ours"
                yield f"    {name:30s}{np.median(taken) * 1e3:12.2f} ms{ratio}"
        for name, value in record["agreement"].items():
            yield f"  {self.agreement[0]} with {name}: {value:.4g}"
        for name, why in record["could_not"].items():
            yield f"  {name} could not be run: {why}"
        memory = ", ".join(f"{name} {value:.0f}" for name, value in record["memory"].items())
        yield f"  extra memory, MB: {memory}; process {record['peak_mb']:.0f}"
        if record.get("extra"):
            yield f"  {record['extra']}"


@dataclass(frozen=True)
class Measurement:
    """A workload that measures itself: `measure` of (quick,) returns facts by name."""

    name: str
    title: str
    measure: Callable[[bool], dict]
    targets: tuple[Target, ...] = ()
    in_quick: bool = True
    arguments: dict = field(default_factory=dict)
    check: bool = False

    def runs_in(self, mode):
        """Whether a mode has this measurement."""
        return mode == "full" or (mode == "quick" and self.in_quick)

    def run(self, mode):
        """Measure, and hand back a record that JSON can hold."""
        facts = self.measure(mode == "quick", **self.arguments)
        return {"kind": "facts", "title": self.title, "facts": facts, "peak_mb": peak_megabytes()}

    def lines(self, record):
        """Write the record as lines for a terminal."""
        for name, value in record["facts"].items():
            shown = f"{value:.4g}" if isinstance(value, float) else value
            yield f"  {name}: {shown}"


# Reading values off records.


def median_of(record, name=OURS, count=1):
    """Median seconds of a call with a number of threads, of a full record or a summary's."""
    taken = record["seconds"][str(count)][name]
    return float(taken["median"] if isinstance(taken, dict) else np.median(taken))


def ratio_of(record, peer, count=1, ours=OURS):
    """How many times as long a peer takes."""
    return median_of(record, peer, count) / median_of(record, ours, count)


def ratio(peer, count=1, ours=OURS):
    """Quantity: how many times as long a peer takes; with all cores for ``count="all"``."""

    def read(record):
        return ratio_of(
            record, peer, max(map(int, record["seconds"])) if count == "all" else count, ours
        )

    return read


def fact(name):
    """Quantity: a fact of a measurement, or an extra of a workload."""
    return lambda record: record.get("facts", record.get("extra", {}))[name]


def seconds(name=OURS, count=1):
    """Quantity: median seconds."""
    return lambda record: median_of(record, name, count)


# Records on disk, one file per workload, so that a run can be resumed.

FOLDER = Path(__file__).parent / "results"


# Files that only write: changing them does not make a record stale.
WRITERS = ("_page", "_tables", "_summary", "_check", "__main__", "_plot")


def code_version():
    """Digest of the package's source and of this instrument: what a record was measured with."""
    digest = hashlib.sha256()
    sources = [*Path(backstay.__file__).parent.rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    for path in sorted(sources):
        if not path.name.startswith(WRITERS):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def record_path(mode, name):
    """Where the record of a workload is kept."""
    return FOLDER / mode / f"{name}.json"


def keep(mode, name, record, taken):
    """Write a record, with when and with what it was measured."""
    path = record_path(mode, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    record |= {"taken": taken, "code": code_version(), "day": day}
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(record, indent=1))
    partial.replace(path)


def kept(mode, name):
    """Read a record; None if there is none."""
    path = record_path(mode, name)
    return json.loads(path.read_text()) if path.exists() else None


__all__ = [
    "ONCE_ABOVE",
    "OURS",
    "Measurement",
    "Peer",
    "Target",
    "Workload",
    "fact",
    "keep",
    "kept",
    "median_of",
    "ratio",
    "ratio_of",
    "seconds",
]
