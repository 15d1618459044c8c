"""Which table is read, and how: the options of ``run``, ``predict`` and ``validate`` on a file."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from backstay.cli._guard import WrongUse
from backstay.cli._options import ALIASES, of_table, option_of, options_named

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from backstay.datasets import LabelledTable, Reading

Names = list[str] | None
TABLE = typer.Argument(
    metavar="DATA",
    help="CSV, TSV, GCT, series matrix of GEO (each also .gz), Excel, AnnData, Parquet or NPZ.",
)


@dataclass(frozen=True)
class CohortOptions:
    """The options that say how any table is read; `Reading` of ``backstay.datasets`` has them."""

    data: Path = field(metadata={"typer": TABLE})
    samples: Path | None = of_table(
        "Sheet of samples of a table that holds numbers only.", metavar="FILE"
    )
    ids: str | None = of_table("Column that names the rows; with --samples, of the sheet.", "--id")
    allow_unmatched: bool = of_table(
        "Leave out samples that table or sheet lacks.", "--allow-unmatched", default=False
    )
    annotation: Names = of_table(
        "Columns that describe the features of a file with a feature per row, separated by "
        "commas; leading columns of text if omitted."
    )
    also: Names = of_table("Column of the sheet to use as a feature, too; may be repeated.")
    transpose: bool = of_table(
        "The file has a feature per row and a sample per column.", "--transpose", default=False
    )
    log2: float | None = of_table(
        "Floor before log2, 0: none; as in training if omitted.", metavar="FLOOR"
    )
    dedupe: str | None = of_table(
        "Features of the same name: first, mean or max-variance; refused if omitted.", metavar="HOW"
    )
    sheet: str | None = of_table("Sheet of an Excel file, by name or number; the first if omitted.")
    layer: str | None = of_table("Layer of an AnnData file; X if omitted.")
    delimiter: str | None = of_table("Between fields; 'tab' for a tab. Found out if omitted.")
    decimal: str = of_table("Decimal point or comma.", default=".")
    encoding: str = of_table("Of text files.", default="utf-8")
    skip: int = of_table(
        "Lines above the names of the columns, such as a title.", default=0, min=0, metavar="N"
    )
    missing: Names = of_table(
        "Texts that mean a missing value, beside NA, ? and empty, such as n.d.,-999; separated by "
        "commas. A signature adds those of its training."
    )
    lod: str | None = of_table(
        "Values below a limit of detection become half of it; refused if omitted.", metavar="half"
    )
    max_size: float | None = of_table(
        "Gigabytes that a compressed file may unpack to; 4 if omitted.", metavar="GB"
    )

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

        given = {one.name: getattr(self, one.name) for one in fields(self)}
        parameters = {name: option for name, option in ALIASES.items() if option in given}
        given |= {name: given.pop(option) for name, option in parameters.items()}
        del given["data"]
        if (pairs := given.pop("pairs", None)) is not None:
            if given["groups"] is not None:
                raise WrongUse("--pairs keeps rows together as --groups does; use one of them.")
            given["groups"] = pairs
        given["annotation"] = split_at_commas(self.annotation)
        given["missing"] = split_at_commas(self.missing)
        if "adjust" in given:
            given["adjust"] = split_at_commas(given["adjust"])
        given["delimiter"] = delimiter_of(self.delimiter)
        # None stands for the default; a column's name may hold commas, so others are not split.
        return Reading(**{name: value for name, value in given.items() if value is not None})

    def naming(self, *others: Any) -> AbstractContextManager[None]:
        """Let errors name the options that would put them right, if there are such here."""
        known = [one.name for options in (self, *others) for one in fields(options)]
        return options_named({option_of(name) for name in known})


@dataclass(frozen=True)
class OutcomeOptions:
    """The options that name the outcome."""

    target: str | None = of_table(
        "Column of the outcome, classes or numbers; y of NPZ files if omitted.", "--target", "-t"
    )
    time: str | None = of_table(
        "Column of the time until an event, or until a row was followed no longer; with --event."
    )
    event: str | None = of_table("Column that says whether the event happened then; with --time.")
    event_is: str | None = of_table(
        "Value of --event that means it happened; needed unless it is 0 and 1, or true and false.",
        metavar="VALUE",
    )

    def named(self) -> dict[str, str]:
        """Return what was given, by parameter of the readers."""
        given = {one.name: getattr(self, one.name) for one in fields(OutcomeOptions)}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class TableOptions(OutcomeOptions, CohortOptions):
    """The options of ``backstay run`` on its table: also which outcome, columns and rows count."""

    horizon: float | None = of_table(
        "Time at which survival is predicted; the median time of the events if omitted."
    )
    kind: str | None = of_table(
        "What the target holds, classes or numbers; found out if omitted.", metavar="KIND"
    )
    groups: str | None = of_table("Column that says which rows belong together, as a patient's.")
    adjust: Names = of_table(
        "Columns that features are adjusted for, such as age,sex; covariates, no features."
    )
    batch: str | None = of_table(
        "Column that names the batch of a row, such as a site: splits and shuffled outcomes stay "
        "within batches."
    )
    pairs: str | None = of_table(
        "Column that pairs rows of two classes, such as the patient, to compare within pairs."
    )
    measured: str | None = of_table(
        "Column of the time of measurement: no feature, and a warning if the outcome goes with it."
    )
    drop: Names = of_table("Column to leave out; may be repeated.")
    keep: Names = of_table("Column to keep although it looks like row numbers; may be repeated.")
    category: Names = of_table("Column of categories although it holds numbers; may be repeated.")
    exclude_class: Names = of_table("Class to leave out; may be repeated.")
    min_class_size: int | None = of_table("Leave out classes of fewer rows.", min=2, metavar="N")
    positive: str | None = of_table(
        "Of two classes, the one that average precision is about.", metavar="CLASS"
    )
    log2: float | None = of_table(
        "Raise values to this floor and take log2; 20 is usual for raw microarrays, 1 for counts.",
        metavar="FLOOR",
    )
    logged: bool = of_table(
        "The values are log2 already: differences are log2 fold changes.", "--logged", default=False
    )

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
