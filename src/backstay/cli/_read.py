"""Which table is read, and how: the options of ``backstay run`` on its file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay.cli._guard import WrongUse
from backstay.cli._options import of_table

if TYPE_CHECKING:
    from backstay.datasets import LabelledTable

Names = list[str] | None
MaxSize = Annotated[
    float | None,
    of_table("Gigabytes that a compressed file may unpack to; 4 if omitted.", metavar="GB"),
]


@dataclass(frozen=True)
class TableOptions:
    """The options of ``backstay run`` that say what to read."""

    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="CSV, TSV, GCT, series matrix of GEO (each also .gz), Excel, AnnData, Parquet, "
            "ARFF, NPZ or MATLAB file.",
        ),
    ]
    target: Annotated[
        str | None,
        of_table("Column of the classes; y of NPZ and MATLAB files if omitted.", "--target", "-t"),
    ] = None
    samples: Annotated[
        Path | None,
        of_table("Sheet of the samples, where the table holds numbers only.", metavar="FILE"),
    ] = None
    sample_id: Annotated[
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
    covariate: Annotated[
        Names, of_table("Column of the sheet to use as a feature; may be repeated.")
    ] = None
    groups: Annotated[
        str | None, of_table("Column that says which rows belong together, such as a patient's.")
    ] = None
    time: Annotated[
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
    transpose: Annotated[
        bool, of_table("The file has a feature per row and a sample per column.", "--transpose")
    ] = False
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
    max_size: MaxSize = None

    @property
    def stem(self) -> str:
        """Name of the table's file without its endings."""
        name = self.data.name.removesuffix(".gz")
        return Path(name).stem or name

    def read(self) -> LabelledTable:
        """Read the table; an error that asks for a parameter names the option instead."""
        for path in (self.data, self.samples):
            _check_path(path)
        if self.logged and self.log2 is not None:
            raise WrongUse("--logged says that the values are log2 already; leave out --log2.")
        from backstay.datasets import TableError, read_table

        try:
            table = read_table(self.data, self.target, **self._parameters())
        except TableError as error:
            text = str(error)
            for part, option in HINTS.items():
                if part in text:
                    raise TableError(f"{text} {option}") from error
            raise
        except ValueError as error:  # such as a floor of 0
            raise WrongUse(str(error)) from error
        return replace(table, details={**table.details, "scale": "log2"}) if self.logged else table

    def _parameters(self) -> dict[str, Any]:
        alike = (
            "samples", "allow_unmatched", "groups", "time", "min_class_size", "positive",
            "transpose", "log2", "dedupe", "sheet", "layer", "decimal", "encoding", "max_size",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in alike},
            "ids": self.sample_id,
            "annotation": split_at_commas(self.annotation),
            "delimiter": delimiter_of(self.delimiter),
            # A column's name may hold commas, so names of columns are taken as they are.
            "covariates": self.covariate or [],
            "drop": self.drop or [],
            "keep": self.keep or [],
            "categories": self.category or [],
            "exclude_classes": self.exclude_class or [],
            "missing": tuple(self.missing or ()),
        }


# The option for what the reader's message asks for.
HINTS = {
    "which column holds the classes": "Give --target.",
    "name its encoding": "The option is --encoding.",
    "name the encoding": "The option is --encoding.",
    "name the delimiter": "The option is --delimiter.",
    "say so with decimal": "The option is --decimal ','.",
    "as a missing value, treat": "The options are --missing, --category and --drop.",
    "as a missing value, or drop": "The option is --missing.",
    "out with allow_unmatched": "The option is --allow-unmatched.",
    "say with ids which": "The option is --id.",
    "say what to do with dedupe": "The option is --dedupe.",
    "max_size": "The option is --max-size.",
    "has no sheet '": "The option is --sheet.",
    "give that as the sheet of samples": "The option is --samples.",
}


def _check_path(path: Path | None) -> None:
    """Refuse what is not there before anything heavy is loaded."""
    if path is None:
        return
    if path.is_dir():
        raise WrongUse(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise WrongUse(f"there is no file {path}.")


def split_at_commas(names: list[str] | None) -> list[str]:
    """Return names that were typed at once, one by one, or both."""
    return [part.strip() for text in names or () for part in text.split(",") if part.strip()]


def delimiter_of(text: str | None) -> str | None:
    """Return the character that a name of a delimiter stands for."""
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text) if text else None
