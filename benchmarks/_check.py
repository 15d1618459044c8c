"""The check for CI: have the ratios to peers fallen far below the stored ones?"""

from benchmarks._registry import workloads
from benchmarks._summary import load
from benchmarks._workload import OURS, kept, ratio_of

# Ratios of the same code differ between machines by up to about two.
MARGIN = 3.0
# Agreements that are shares or correlations must not fall by more than this.
AGREEMENT_MARGIN = 0.05


def compare(name, stored, now):
    """Compare a workload's fresh record with its stored one.

    Returns
    -------
    list of (peer, stored ratio, ratio now, complaint or None)
    """
    rows = []
    for peer in now["seconds"]["1"]:
        if peer == OURS or peer not in stored["seconds"].get("1", {}):
            continue
        before, after = ratio_of(stored, peer), ratio_of(now, peer)
        complaint = None
        if after * MARGIN < before:
            complaint = f"fell from {before:.2f} to {after:.2f}, more than {MARGIN:g} times"
        agreed, agrees = stored["agreement"].get(peer), now["agreement"].get(peer)
        if agreed is not None and agrees is not None and _disagree(agreed, agrees):
            complaint = f"results agreed to {agreed:.4g} and now to {agrees:.4g}"
        rows.append((peer, before, after, complaint))
    return rows


def _disagree(stored, now):
    """Whether an agreement got worse: a share fell, or a difference near 0 rose."""
    if stored > 0.5:
        return now < stored - AGREEMENT_MARGIN
    return now > max(10 * stored, 1e-6)


def check():
    """Print the comparison; 1 if a ratio fell too far or nothing could be compared."""
    stored = load()["records"]
    complaints, compared = [], 0
    for name, (_, workload) in workloads().items():
        if not workload.runs_in("check"):
            continue
        if name not in stored:
            print(f"{name}: not in the summary yet")
            continue
        for peer, before, after, complaint in compare(name, stored[name], kept("check", name)):
            compared += 1
            said = complaint or "ok"
            print(f"{name:32s}{peer:28s}stored{before:8.2f} ×  now{after:8.2f} ×  {said}")
            if complaint:
                complaints.append(f"{name}, {peer}: {complaint}")
    if not compared:
        print("nothing was compared: no stored ratio belongs to a workload that ran")
        return 1
    if complaints:
        print("\n" + "\n".join(complaints))
    return 1 if complaints else 0
