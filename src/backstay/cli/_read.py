"""Which table is read, and how: the options of ``run``, ``predict`` and ``validate`` on a file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backstay.cli._guard import WrongUse
from backstay.cli._options import ALIASES, of_table, option_of, options_named

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from backstay.datasets import LabelledTable, Reading

Names = list[str] | None


@dataclass(frozen=True)
class CohortOptions:
    """The options that say how any table is read; `Reading` of ``backstay.datasets`` has them."""

    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="CSV, TSV, GCT, series matrix of GEO (each also .gz), Excel, AnnData, Parquet, "
            "ARFF, NPZ or MATLAB file.",
        ),
    ]
    samples: Annotated[
        Path | None,
        of_table("Sheet of the samples, where the table holds numbers only.", metavar="FILE"),
    ] = None
    ids: Annotated[
        str | None,
        of_table("Column that names the rows; with --samples, of the sheet.", "--id"),
    ] = None
    allow_unmatched: Annotated[
        bool,
        of_table("Leave out samples that table or sheet lacks.", "--allow-unmatched"),
    ] = False
    annotation: Annotated[
        Names,
        of_table(
            "Columns that describe the features of a file with a feature per row, separated by "
            "commas; leading columns of text if omitted."
        ),
    ] = None
    also: Annotated[
        Names, of_table("Column of the sheet to use as a feature, too; may be repeated.")
    ] = None
    transpose: Annotated[
        bool, of_table("The file has a feature per row and a sample per column.", "--transpose")
    ] = False
    log2: Annotated[
        float | None,
        of_table("Floor before log2, 0 for none; as in training if omitted.", metavar="FLOOR"),
    ] = None
    dedupe: Annotated[
        str | None,
        of_table(
            "Features of the same name: first, mean or max-variance; refused if omitted.",
            metavar="HOW",
        ),
    ] = None
    sheet: Annotated[
        str | None, of_table("Sheet of an Excel file, by name or number; the first if omitted.")
    ] = None
    layer: Annotated[str | None, of_table("Layer of an AnnData file; X if omitted.")] = None
    delimiter: Annotated[
        str | None, of_table("Between fields; 'tab' for a tab. Found out if omitted.")
    ] = None
    decimal: Annotated[str, of_table("Decimal point or comma.")] = "."
    encoding: Annotated[str, of_table("Of text files.")] = "utf-8"
    missing: Annotated[
        Names,
        of_table("Text that means a missing value, beside NA, ? and empty; may be repeated."),
    ] = None
    max_size: Annotated[
        float | None,
        of_table("Gigabytes that a compressed file may unpack to; 4 if omitted.", metavar="GB"),
    ] = None

    @property
    def stem(self) -> str:
        """Name of the table's file without its endings."""
        name = self.data.name.removesuffix(".gz")
        return Path(name).stem or name

    def check_files(self, *others: Path) -> None:
        """Refuse files that are not there before anything heavy is loaded."""
        for path in (*others, self.data, self.samples):
            if path is not None and path.is_dir():
                raise WrongUse(f"{path} is a folder; name a file in it.")
            if path is not None and not path.exists():
                raise WrongUse(f"there is no file {path}.")

    def reading(self) -> Reading:
        """Return these options as the readers take them."""
        from backstay.datasets import Reading

        given = {field.name: getattr(self, field.name) for field in fields(self)}
        parameters = {name: field for name, field in ALIASES.items() if field in given}
        given |= {name: given.pop(field) for name, field in parameters.items()}
        del given["data"]
        given["annotation"] = split_at_commas(self.annotation)
        given["delimiter"] = delimiter_of(self.delimiter)
        # None stands for the default; a column's name may hold commas, so others are not split.
        return Reading(**{name: value for name, value in given.items() if value is not None})

    def naming(self) -> AbstractContextManager[None]:
        """Let errors name the options that would put them right, if there are such here."""
        return options_named({option_of(field.name) for field in fields(self)})


@dataclass(frozen=True)
class TableOptions(CohortOptions):
    """The options of ``backstay run`` on its table: also which columns, rows and classes count."""

    target: Annotated[
        str | None,
        of_table("Column of the classes; y of NPZ and MATLAB files if omitted.", "--target", "-t"),
    ] = None
    groups: Annotated[
        str | None, of_table("Column that says which rows belong together, such as a patient's.")
    ] = None
    measured: Annotated[
        str | None,
        of_table("Column of the time of measurement: no feature, and a warning if classes differ."),
    ] = None
    drop: Annotated[Names, of_table("Column to leave out; may be repeated.")] = None
    keep: Annotated[
        Names, of_table("Column to keep although it looks like row numbers; may be repeated.")
    ] = None
    category: Annotated[
        Names, of_table("Column of categories although it holds numbers; may be repeated.")
    ] = None
    exclude_class: Annotated[Names, of_table("Class to leave out; may be repeated.")] = None
    min_class_size: Annotated[
        int | None, of_table("Leave out classes of fewer rows.", min=2, metavar="N")
    ] = None
    positive: Annotated[
        str | None,
        of_table("Of two classes, the one that average precision is about.", metavar="CLASS"),
    ] = None
    log2: Annotated[
        float | None,
        of_table(
            "Raise values to this floor and take log2; 20 is usual for raw microarrays, 1 for "
            "counts.",
            metavar="FLOOR",
        ),
    ] = None
    logged: Annotated[
        bool,
        of_table("The values are log2 already: differences are log2 fold changes.", "--logged"),
    ] = False

    def read(self) -> LabelledTable:
        """Read the table."""
        self.check_files()
        from backstay.datasets import read_table

        with self.naming():
            return read_table(self.data, reading=self.reading())


def split_at_commas(names: list[str] | None) -> list[str]:
    """Return names that were typed at once, one by one, or both."""
    return [part.strip() for text in names or () for part in text.split(",") if part.strip()]


def delimiter_of(text: str | None) -> str | None:
    """Return the character that a name of a delimiter stands for."""
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text) if text else None
