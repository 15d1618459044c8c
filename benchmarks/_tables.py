"""Tables of the page, each from records of the summary."""

from benchmarks._workload import OURS, Target, ratio_of
from benchmarks.bench_scaling import EXPECTED

LARGEST = Target(
    "largest process of any workload", lambda record: record["peak_mb"], at_most=2048, unit="MB"
)


def figure(value, digits=3):
    """Write a number with a few significant digits and thousands apart."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.1e}" if "e" in text else text


def amount(value, unit):
    """Write a measured value in its unit."""
    if unit == "×":
        return f"{figure(value)}×"
    if unit == "share":
        return f"{100 * value:.3g} %"
    return f"{figure(value)} {unit}".strip()


def targets(known, records):
    """Rows of the table of targets, by the file of their workload."""
    rows = []
    for name, (area, workload) in known.items():
        for target in workload.targets:
            absent = records[name].get("could_not")
            try:
                value = float(target.quantity(records[name]))
            except KeyError:
                if not absent:
                    raise
                why = "; ".join(f"{peer} could not be run: {why}" for peer, why in absent.items())
                rows.append(_row(area, target, "not measured", False, why))
                continue
            shown, met = amount(value, target.unit), target.met(value)
            reached = target.goal is None or value >= target.goal
            rows.append(_row(area, target, shown, met, target.why, reached))
    largest = max(record["peak_mb"] for record in records.values())
    rows.append(_row("memory", LARGEST, amount(largest, "MB"), LARGEST.met(largest), ""))
    return sorted(rows, key=lambda row: row["area"])


def _row(area, target, measured, met, why, reached=True):
    least = target.at_least is not None
    bound = target.at_least if least else target.at_most
    shown = f"{'≥' if least else '≤'} {amount(bound, target.unit)}"
    if target.goal is not None:
        shown += f", goal {amount(target.goal, target.unit)}"
    row = {"area": area, "what": target.what, "bound": shown, "verdict": "**missed**"}
    if met:
        row["verdict"] = "met" if reached else "met, below the goal"
    return row | {"measured": measured, "met": met, "why": why}


def peers(known, records):
    """One table for every file of workloads: ratios, agreement, memory."""
    parts, notes = [], []
    areas = dict.fromkeys(area for area, _ in known.values())
    for area in areas:
        rows = []
        for name, (home, workload) in known.items():
            if home == area and records[name]["kind"] == "beside":
                rows += _peer_rows(workload, records[name], notes)
        if rows:
            head = "| workload | beside | one thread | all cores | agreement | extra memory, MB |"
            parts.append(f"### {area.replace('_', ' ').capitalize()}")
            parts.append("\n".join([head, "|---|---|---|---|---|---|", *rows]))
    if notes:
        parts.append("\n".join(f"- {note}" for note in dict.fromkeys(notes)))
    return parts


def _peer_rows(workload, record, notes):
    counts = sorted(record["seconds"], key=int)
    rows = []
    for peer in workload.peers:
        if peer.name not in record["seconds"]["1"]:
            continue
        once = "¹" if peer.name in record["once"] else ""
        cells = [
            f"{figure(ratio_of(record, peer.name, count))}×{once}{_range(record, peer.name, count)}"
            if peer.name in record["seconds"][count]
            else ""
            for count in (counts[0], counts[-1])
        ]
        if len(counts) == 1 or not peer.parallel:
            cells[1] = ""
        name = f"*{peer.name}*" if not peer.same else peer.name
        agreement = record["agreement"].get(peer.name)
        said = ""
        if agreement is not None and agreement == agreement:
            said = f"{workload.agreement[0]} {figure(agreement, 4)}"
        memory = [record["memory"].get(OURS), record["memory"].get(peer.name)]
        grown = " / ".join("" if m is None else f"{max(m, 0):.0f}" for m in memory)
        title = workload.title if not rows else ""
        rows.append(f"| {title} | {name} | {cells[0]} | {cells[1]} | {said} | {grown} |")
        if peer.note:
            notes.append(f"{workload.title}, {peer.name}: {peer.note}.")
    return rows


def _range(record, peer, count):
    """Lowest and highest ratio of a turn, where there is more than one."""
    ends = record["seconds"][count][peer].get("ratio_low_high")
    return "" if ends is None else " ({}–{})".format(*map(figure, ends))


def growth(facts):
    """Exponents with intervals."""
    lines = [
        "| | in | from – to | exponent | 95 % interval | by the algorithm |",
        "|---|---|---|---|---|---|",
    ]
    for name, fitted in facts.items():
        method, parameter = name.split(" in ")
        sizes = f"{fitted['sizes'][0]:,} – {fitted['sizes'][-1]:,}"
        interval = f"{fitted['low']:.2f} to {fitted['high']:.2f}"
        lines.append(
            f"| {method} | {parameter} | {sizes} | {fitted['exponent']:.2f} | {interval} | "
            f"{EXPECTED[method, parameter]} |"
        )
    return "\n".join(lines)


def limits(reached):
    """Shares of the machine's limits."""
    lines = ["| | rate | limit | share | of what |", "|---|---|---|---|---|"]
    lines += [
        f"| {name} | {figure(row['rate'])} | {figure(row['limit'])} | "
        f"{figure(100 * row['share'], 2)} % | {row['unit']} |"
        for name, row in reached.items()
    ]
    return "\n".join(lines)


def end_to_end(ends):
    """Ratios of the whole way, and of its parts."""
    lines = [
        "| table | resamples | plain over backstay | read | study | report | same selections |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, facts in ends.items():
        shape = name.removeprefix("end_to_end_").replace("x", " × ")
        fewer = facts["plain_resamples"] < facts["resamples"]
        shares = [f"{taken / facts['seconds']:.0%}" for taken in facts["parts"].values()]
        slowest, fastest = (
            facts["ratio"] * facts["seconds"] / taken for taken in facts["seconds_low_high"][::-1]
        )
        ends = "" if slowest == fastest else f" ({figure(slowest)}–{figure(fastest)})"
        mark = f"² (plain: {facts['plain_resamples']})" if fewer else ""
        lines.append(
            f"| {shape} | {facts['resamples']}{mark} | {figure(facts['ratio'])}×{ends} | "
            + " | ".join(shares)
            + f" | {facts['same_selections']:.1%} |"
        )
    return "\n".join(lines)


def selections(ends):
    """Per method: its share of the study's time and how far selections are the same."""
    shapes = [name.removeprefix("end_to_end_").replace("x", " × ") for name in ends]
    head = " | ".join(f"{shape}: time | same sets (overlap)" for shape in shapes)
    lines = [f"| method | {head} |", "|---|" + "---|---|" * len(shapes)]
    # Records of other versions may have other methods.
    for method in dict.fromkeys(m for facts in ends.values() for m in facts["sameness"]):
        cells = []
        for facts in ends.values():
            if method not in facts["sameness"]:
                cells += ["–", "–"]
                continue
            row = facts["sameness"][method]
            cells.append(f"{facts['shares_of_methods'].get(method, 0):.1%}")
            cells.append(f"{row['same']:.1%} ({row['overlap']:.2%})")
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    cells = [f"{facts['shares']['model']:.1%} | " for facts in ends.values()]
    lines.append("| models, all methods | " + "| ".join(cells) + "|")
    return "\n".join(lines)


def exchanged(ends):
    """Say how near the features are that only one of two differing selections holds."""
    gaps = {
        (name.removeprefix("end_to_end_").replace("x", " × "), method): row["gap"]
        for name, facts in ends.items()
        for method, row in facts["sameness"].items()
        if row["same"] < 1
    }
    if not gaps:
        return "Every selection of every method is the same set."
    listed = "; ".join(f"{method} on {shape} {gap:.1e}" for (shape, method), gap in gaps.items())
    return (
        "Where sets differ, this is the largest difference between a feature that only we selected "
        "and one that only the plain study selected, in our own scores and as a share of their "
        f"range: {listed}. Scores of SVM-RFE are ranks, so neighbours differ by one over the "
        "number of features."
    )


def whole_commands(records):
    """Memory and store of the command on tables that must not be copied as a whole."""
    lines = [
        "| table | as numbers | splits | memory of all processes | store | of it once |",
        "|---|---|---|---|---|---|",
    ]
    commands = [records[name] for name in ("wide_command", "tall_command") if name in records]
    for facts in (record["facts"] for record in commands):
        size = 4e-6 * facts["rows"] * facts["features"]
        cells = [f"{facts['rows']:,} × {facts['features']:,}", f"{size:,.0f} MB"]
        cells += [f"{facts['splits']}", f"{facts['all_mb']:,.0f} MB"]
        cells += [f"{facts['store_mb']:.0f} MB", f"{facts['store_once_mb']:.0f} MB"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def start_table(facts):
    """Compile times by method, as shares of the sum, and what a second process takes."""
    total = facts["first_calls_of_everything_seconds"]
    lines = [
        "Kernels are compiled on the first call after installation and kept on disk. A second "
        f"process needs {facts['second_process_seconds'] / total:.1%} of that time. The "
        "dependencies alone account for "
        f"{facts['import_seconds_of_dependencies'] / facts['import_seconds']:.0%} of "
        "importing all of backstay; `import backstay` alone loads nothing of them.",
        "",
        "| first call, float64 and float32, in this order | share of the compile time |",
        "|---|---|",
    ]
    lines += [
        f"| {name} | {taken / total:.0%} |" for name, taken in facts["compile_seconds"].items()
    ]
    return "\n".join(lines)
