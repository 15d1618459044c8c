"""``backstay run``: one command from a table to a report."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from backstay._words import counted
from backstay.cli._cluster import connected
from backstay.cli._guard import Debug, command_line, guarded
from backstay.cli._options import grouped, of_output, options_named
from backstay.cli._outputs import (
    check_folder,
    make_folder,
    show_results,
    write_outputs,
    write_signature,
)
from backstay.cli._read import TableOptions
from backstay.cli._run_plan import PRELIMINARY, RunPlan, plan_run
from backstay.cli._show import listing, say, warn
from backstay.cli._study_options import StudyOptions

if TYPE_CHECKING:
    from backstay.datasets import LabelledTable
    from backstay.results import Results


SHOWN_KINDS = 8


@dataclass(frozen=True)
class OutputOptions:
    """The options of ``backstay run`` that say what is written and shown."""

    out: Path | None = of_output(
        "Folder for the results; the file's name with -backstay if omitted.", "--out", "-o"
    )
    quiet: bool = of_output("Warnings and errors only.", "--quiet", "-q", default=False)
    max_features: int | None = of_output(
        "The most features that you can afford; answers, report and signature keep to it.",
        min=1,
        metavar="N",
    )
    dry_run: bool = of_output("Say what would be done, and stop.", "--dry-run", default=False)


@guarded
@grouped
def run(
    reading: TableOptions, studying: StudyOptions, output: OutputOptions, debug: Debug = False
) -> None:
    """Find the features to trust in a table, and write a report.

    Writes report.html, features.csv, results.json, signature.json and more into a folder.
    If it is stopped, the same command continues where it was.

    For example:

    [bold]backstay run genes.tsv --samples sheet.csv -t diagnosis --log2 20 -o genes[/bold]

    [bold]backstay run genes.csv --time months --event dead --horizon 60[/bold]

    [bold]backstay run cells.csv -t diagnosis --groups patient --drop batch -m t,relieff[/bold]
    """  # fmt: skip
    # A quick look and a whole study are two studies, each with its own store.
    ending = "-backstay-quick" if studying.quick else "-backstay"
    folder = Path(f"{reading.stem}{ending}") if output.out is None else output.out
    check_folder(folder)
    reading.check_files()
    from backstay._workers import workers_at_hand

    shard, paired = studying.shard_given(), reading.pairs is not None
    store = folder / ("study.db" if shard is None else f"shard-{shard[0]}-of-{shard[1]}.db")
    here = studying.cluster is None and not output.dry_run
    with workers_at_hand(studying.jobs or -1) if here else nullcontext():
        table = reading.read()
        if here and studying.jobs != 1:
            from backstay.study import Dataset

            table = replace(table, X=Dataset.shared_table(table.X))
        plan = plan_run(table, studying, store, verbose=0 if output.quiet else 1, paired=paired)
        if not output.quiet:
            describe(table, plan, folder)
        for warning in [*table.warnings, *plan.warnings, *plan.suspected]:
            warn(warning)
        if output.dry_run:
            say("Nothing was run (--dry-run).")
            return
        make_folder(folder)
        with connected(studying.cluster):
            results = _study(table, plan, studying, reading)
    if studying.shard is not None:
        say(f"Shard {studying.shard}: {results.data.n_done} tasks are in {plan.study.store}.")
        say(f"After all shards: backstay merge {folder / 'shard-*.db'} -o {folder / 'study.db'}")
        return
    if output.max_features is not None:
        with options_named():
            results = results.at_most(output.max_features)
    if not output.quiet:
        say("Writing the report …")
    written = write_outputs(results, folder, table, command_line())
    signature = write_signature(results, plan.X, table, folder)
    if not output.quiet:
        show_results(results, written)
        say()
    say(f"Report: {folder / 'report.html'}")
    if not output.quiet:
        others = ["features.csv", "results.json", "dome.md", "study.db"]
        others += ["equivalents.csv"] if (folder / "equivalents.csv").exists() else []
        others += ["signature.json"] if signature else []
        say(f"Beside it: {', '.join(str(folder / name) for name in others)}")


def describe(table: LabelledTable, plan: RunPlan, folder: Path) -> None:
    """Show what was read and what will be done."""
    facts = table.summary()
    counts = [f"{name} ({n})" for name, n in plan.target.summary()] if plan.target.names else []
    more = f" and {len(counts) - SHOWN_KINDS} more" if len(counts) > SHOWN_KINDS else ""
    held = ", ".join(counts[:SHOWN_KINDS]) or plan.target.words().described
    kinds = f"{facts['numeric']} of numbers"
    if facts["categorical"]:
        kinds += f", {facts['categorical']} of categories"
    where = f"{counted(facts['missing_columns'], 'column')} and "
    where += counted(facts["missing_rows"], "row")
    lines = [
        ("file", table.details["file"]),
        ("rows", str(facts["rows"])),
        ("features", f"{facts['features']}: {kinds}"),
        (plan.target.kind, f"{table.target}: {held}{more}"),
        ("missing", f"{facts['missing']} in {where}" if facts["missing"] else "none"),
    ]
    if table.positive is not None:
        lines.append(("positive", str(table.positive)))
    if facts["groups"] is not None:
        lines.append(("groups", str(facts["groups"])))
    listing(lines)
    for note in [*table.notes, *plan.notes]:
        say(f"  {note}")
    say()
    listing([*plan.lines, ("results in", str(folder))])
    say()


def _study(
    table: LabelledTable, plan: RunPlan, options: StudyOptions, reading: TableOptions
) -> Results:
    facts = table.summary()
    provenance = {
        "command": command_line(),
        # What freeze needs to read the same table.
        "reading": {"options": reading.reading().to_json(), "categories": options.categories},
        **table.details,
        "target": table.target,
        **{name: facts[name] for name in ("rows", "features", "missing")},
        "done": [*table.notes, *plan.notes],
        "warnings": [*table.warnings, *plan.warnings],
    }
    if options.quick:
        provenance["preliminary"] = PRELIMINARY
    return plan.study.run(
        plan.X,
        plan.target,
        None if reading.pairs else table.groups,
        pairs=table.groups if reading.pairs else None,
        covariates=table.covariates,
        batch=table.batch,
        center_batches=options.center_batches,
        dataset=reading.stem,
        provenance=provenance,
        annotation=table.annotation,
        suspicions=table.suspicions,
        found=plan.found,
        shard=options.shard_given(),
        retry_failed=options.retry_failed,
    )
