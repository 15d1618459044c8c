"""``backstay run``: one command from a table to a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay.cli._guard import Debug, WrongUse, command_line, guarded
from backstay.cli._outputs import check_folder, make_folder, show_results, write_outputs
from backstay.cli._plan import RunPlan, StudyOptions, make_plan, smaller_than_stored
from backstay.cli._show import listing, say, warn

if TYPE_CHECKING:
    from backstay.datasets import LabelledTable
    from backstay.results import Results


SHOWN_CLASSES = 8


def _option(panel: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


of_table, of_study, of_output = (
    partial(_option, panel) for panel in ("The table", "The study", "Output")
)


@guarded
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="CSV, TSV (also .gz), Parquet, ARFF, NPZ or MATLAB file."
        ),
    ],
    target: Annotated[
        str | None,
        of_table("Column of the classes; y of NPZ and MATLAB files if omitted.", "--target", "-t"),
    ] = None,
    methods: Annotated[
        list[str] | None,
        of_study(
            "Methods by name, separated by commas; see backstay methods. 'default' stands for "
            "the default panel.",
            "--methods",
            "-m",
        ),
    ] = None,
    protocol: Annotated[str, of_study("subsample, 5x2 or 10x10.")] = "subsample",
    repeats: Annotated[
        int | None, of_study("Splits of subsample (50 if omitted), or repeats of 10x10 (10).")
    ] = None,
    sizes: Annotated[
        str | None,
        of_study("Numbers of features to select, such as 5,10,20; 1, 2, 5, 10, … 100 if omitted."),
    ] = None,
    metric: Annotated[
        str | None,
        of_study(
            "What decides: roc_auc (if omitted), average_precision, accuracy, balanced_accuracy, "
            "f1_macro, mcc, log_loss or brier.",
            metavar="NAME",
        ),
    ] = None,
    null: Annotated[
        int,
        of_study(
            "Permutations of the labels that show what stability is worth; 0 for none.",
            min=0,
            metavar="N",
        ),
    ] = 20,
    out: Annotated[
        Path | None,
        of_output(
            "Folder for the results; the file's name with -backstay if omitted.", "--out", "-o"
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        of_study("Tasks at the same time; all cores if omitted.", "--jobs", "-j", min=1),
    ] = None,
    groups: Annotated[
        str | None, of_table("Column that says which rows belong together, such as a patient's.")
    ] = None,
    drop: Annotated[list[str] | None, of_table("Column to leave out; may be repeated.")] = None,
    keep: Annotated[
        list[str] | None,
        of_table("Column to keep although it looks like row numbers; may be repeated."),
    ] = None,
    sample_id: Annotated[str | None, of_table("Column that names the rows.", "--id")] = None,
    category: Annotated[
        list[str] | None,
        of_table("Column of categories although it holds numbers; may be repeated."),
    ] = None,
    categories: Annotated[
        str,
        of_table(
            "code: categories become 0, 1, 2, …; drop: columns of more than two are left out."
        ),
    ] = "code",
    transpose: Annotated[
        bool, of_table("The file has a feature per row and a sample per column.", "--transpose")
    ] = False,
    log2: Annotated[
        float | None,
        of_table(
            "Raise values to this floor and take log2; 20 is usual for raw microarrays.",
            metavar="FLOOR",
        ),
    ] = None,
    delimiter: Annotated[
        str | None, of_table("Between fields; 'tab' for a tab. Found out if omitted.")
    ] = None,
    decimal: Annotated[str, of_table("Decimal point or comma.")] = ".",
    encoding: Annotated[str, of_table("Of text files.")] = "utf-8",
    missing: Annotated[
        list[str] | None,
        of_table("Text that means a missing value, beside NA, ? and empty; may be repeated."),
    ] = None,
    seed: Annotated[int, of_study("Seed of everything random.", min=0)] = 0,
    shard: Annotated[
        str | None,
        of_study(
            "Run one part of the tasks, such as 3/10, into a store of its own; backstay merge puts "
            "the parts together.",
            metavar="K/N",
        ),
    ] = None,
    quiet: Annotated[bool, of_output("Warnings and errors only.", "--quiet", "-q")] = False,
    dry_run: Annotated[bool, of_output("Say what would be done, and stop.", "--dry-run")] = False,
    debug: Debug = False,
) -> None:
    """Find the features to trust in a table, and write a report.

    Writes report.html, features.csv, results.json and study.db into the folder. If it is stopped,
    the same command continues where it was.

    For example:

    [bold]backstay run cells.csv --target diagnosis[/bold]

    [bold]backstay run genes.tsv -t class --transpose --log2 20 -o genes[/bold]

    [bold]backstay run cells.csv -t diagnosis --groups patient --drop batch -m t,relieff[/bold]
    """  # fmt: skip
    options = StudyOptions(
        _split_at_commas(methods), protocol, repeats, sizes, categories, jobs, seed, metric, null,
        shard,
    )  # fmt: skip
    folder = Path(f"{_stem(data)}-backstay") if out is None else out
    check_folder(folder)
    # A column's name may hold commas, so names of columns are taken as they are.
    table = _read(
        data, target, drop=drop or [], keep=keep or [], groups=groups, ids=sample_id,
        categories=category or [], log2=log2, transpose=transpose,
        delimiter=_delimiter(delimiter), decimal=decimal, encoding=encoding,
        missing=tuple(missing or ()),
    )  # fmt: skip
    plan = make_plan(table, options, folder / options.store_name(), verbose=0 if quiet else 1)
    if not quiet:
        describe(table, plan, folder)
    for warning in [*table.warnings, *plan.warnings]:
        warn(warning)
    if dry_run:
        say("Nothing was run (--dry-run).")
        return
    make_folder(folder)
    results = _study(table, plan, options, _stem(data))
    if shard is not None:
        say(f"Shard {shard}: {results.data.n_done} tasks are in {plan.study.store}.")
        say(f"With all shards: backstay merge {folder / 'shard-*.db'} -o {folder / 'study.db'}")
        return
    written = write_outputs(results, folder, table, command_line())
    if not quiet:
        show_results(results, written)
        say()
    say(f"Report: {folder / 'report.html'}")
    if not quiet:
        others = ("features.csv", "results.json", "study.db")
        say(f"Beside it: {', '.join(str(folder / name) for name in others)}")


def _split_at_commas(names: list[str] | None) -> list[str]:
    """Return names that were typed at once, one by one, or both."""
    return [part.strip() for text in names or () for part in text.split(",") if part.strip()]


def _delimiter(text: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text) if text else None


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return Path(name).stem or name


def _read(data: Path, target: str | None, **options: Any) -> LabelledTable:
    """Read the table; an error that asks for a parameter names the option instead."""
    if data.is_dir():
        raise WrongUse(f"{data} is a folder; name a file in it.")
    if not data.exists():  # answered before anything heavy is loaded
        raise WrongUse(f"there is no file {data}.")
    from backstay.datasets import TableError, read_table

    try:
        return read_table(data, target, **options)
    except TableError as error:
        text = str(error)
        for part, option in HINTS.items():
            if part in text:
                raise TableError(f"{text} {option}") from error
        raise
    except ValueError as error:  # such as a floor of 0
        raise WrongUse(str(error)) from error


# The option for what the reader's message asks for.
HINTS = {
    "which column holds the classes": "Give --target.",
    "name its encoding": "The option is --encoding.",
    "name the encoding": "The option is --encoding.",
    "name the delimiter": "The option is --delimiter.",
    "say so with decimal": "The option is --decimal ','.",
    "as a missing value, treat": "The options are --missing, --category and --drop.",
}


def describe(table: LabelledTable, plan: RunPlan, folder: Path) -> None:
    """Show what was read and what will be done."""
    facts = table.summary()
    counts = [f"{name} ({n})" for name, n in facts["classes"].items()]
    more = f" and {len(counts) - SHOWN_CLASSES} more" if len(counts) > SHOWN_CLASSES else ""
    kinds = f"{facts['numeric']} of numbers"
    if facts["categorical"]:
        kinds += f", {facts['categorical']} of categories"
    where = f"{facts['missing_columns']} columns and {facts['missing_rows']} rows"
    lines = [
        ("file", table.details["file"]),
        ("rows", str(facts["rows"])),
        ("features", f"{facts['features']}: {kinds}"),
        ("classes", f"{table.target}: " + ", ".join(counts[:SHOWN_CLASSES]) + more),
        ("missing", f"{facts['missing']} in {where}" if facts["missing"] else "none"),
    ]
    if facts["groups"] is not None:
        lines.append(("groups", str(facts["groups"])))
    listing(lines)
    for note in [*table.notes, *plan.notes]:
        say(f"  {note}")
    say()
    listing([*plan.lines, ("results in", str(folder))])
    say()


def _study(table: LabelledTable, plan: RunPlan, options: StudyOptions, name: str) -> Results:
    from backstay.study import SmallerStudyError

    facts = table.summary()
    provenance = {
        "command": command_line(),
        **table.details,
        "target": table.target,
        **{name: facts[name] for name in ("rows", "features", "missing")},
        "done": [*table.notes, *plan.notes],
        "warnings": [*table.warnings, *plan.warnings],
    }
    try:
        return plan.study.run(
            plan.X,
            table.y,
            table.groups,
            dataset=name,
            provenance=provenance,
            shard=options.shard_given(),
        )
    except SmallerStudyError as error:
        raise smaller_than_stored(error, options, plan.study.store) from error
