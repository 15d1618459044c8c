"""``backstay predict``: a frozen signature on the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay._files import spreadsheet_cell, write_whole
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._options import of_table
from backstay.cli._read import HINTS, MaxSize, delimiter_of
from backstay.cli._show import features, say, warn

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import CohortTable
    from backstay.signature import Cohort, Signature

Frozen = Annotated[Path, typer.Argument(metavar="SIGNATURE", help="signature.json of a study.")]
Cells = Annotated[
    Path, typer.Argument(metavar="DATA", help="Table with the signature's features as columns.")
]
AllowMissing = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Take a correlated stand-in, or the training mean, for features that are missing.",
    ),
]
Rescale = Annotated[
    str,
    typer.Option(
        help="none, zscore or quantile: move features to where they lay in the training rows.",
        metavar="HOW",
    ),
]
Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", help="Type that a skops model may load; may be repeated."),
]
Ids = Annotated[str | None, of_table("Column that names the rows.", "--id")]
Log2 = Annotated[
    float | None,
    of_table("Floor before log2, 0 for none; as in training if omitted.", metavar="FLOOR"),
]
Transpose = Annotated[
    bool, of_table("The file has a feature per row and a sample per column.", "--transpose")
]
Delimiter = Annotated[str | None, of_table("Between fields; 'tab' for a tab.")]
Decimal = Annotated[str, of_table("Decimal point or comma.")]
Encoding = Annotated[str, of_table("Of text files.")]
# What the reader's messages ask for and these commands have an option for, too.
NAMED_OPTIONS = ("name its encoding", "name the encoding", "name the delimiter", "max_size")
Missing = Annotated[list[str] | None, of_table("Text that means a missing value; may be repeated.")]


@guarded
def predict(
    signature: Frozen,
    data: Cells,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file of predictions.")] = Path(
        "predictions.csv"
    ),
    allow_missing: AllowMissing = False,
    rescale: Rescale = "none",
    trust: Trust = None,
    sample_id: Ids = None,
    log2: Log2 = None,
    transpose: Transpose = False,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    max_size: MaxSize = None,
    debug: Debug = False,
) -> None:
    """Predict the classes of new rows with a frozen signature.

    For example:

    [bold]backstay predict colon-backstay/signature.json new.csv[/bold]

    [bold]backstay predict signature.json new.csv --id sample -o predictions.csv[/bold]
    """
    frozen = load_signature(signature, data, trust)
    table = read_for(
        frozen, data, None, ids=sample_id, log2=log2, transpose=transpose,
        delimiter=delimiter, decimal=decimal, encoding=encoding, missing=tuple(missing or ()),
        max_size=max_size,
    )  # fmt: skip
    import pandas as pd

    cohort = read_features(frozen, table, allow_missing, rescale)
    frame = frozen.predictions(cohort)
    named = not isinstance(table.X.index, pd.RangeIndex)
    frame.index = table.X.index if named else pd.RangeIndex(1, len(table.X) + 1)
    write_predictions(frame, out)
    shifts = frozen.shifts(cohort)
    moved = [one.feature for one in shifts if one.moved]
    if moved:
        warn(
            f"{len(moved)} of {len(shifts)} features differ from the training rows in mean or "
            "spread: another platform, or other class proportions. --rescale moves them."
        )
    counts = frame["predicted"].value_counts()
    said = ", ".join(f"{name} {n}" for name, n in counts.items())
    say(f"Predictions: {out} ({len(frame)} row{'s' if len(frame) > 1 else ''}: {said})")
    if not frozen.has_probabilities:
        say(f"Without probabilities: {frozen.document['probabilities']}.")


def write_predictions(frame: pd.DataFrame, path: Path) -> None:
    """Write a row per sample, safe to open in a spreadsheet."""
    safe = frame.rename(columns=spreadsheet_cell, index=spreadsheet_cell)
    for name in ("class", "predicted"):
        if name in safe:
            safe[name] = safe[name].map(spreadsheet_cell)
    write_whole(path, safe.to_csv(index_label="row", float_format="%.10g"))


def load_signature(path: Path, data: Path, trust: list[str] | None) -> Signature:
    """Load a signature; what is wrong with it, or with the path of the table, is said at once."""
    for file in (path, data):
        if not file.exists():  # answered before anything heavy is loaded
            raise WrongUse(f"there is no file {file}.")
        if file.is_dir():
            raise WrongUse(f"{file} is a folder; name a file in it.")
    from backstay.signature import Signature, SignatureError

    try:
        return Signature.load(path, trusted=trust or ())
    except SignatureError as error:
        text = str(error)
        if "name them as trusted" in text:
            text += " The option is --trust."
        raise WrongUse(text) from error


def read_for(
    signature: Signature,
    data: Path,
    target: str | None,
    *,
    log2: float | None,
    delimiter: str | None,
    **options: Any,
) -> CohortTable:
    """Read what a signature needs of a table, log2 taken as of the training rows."""
    from backstay.datasets import TableError, read_cohort

    wanted = {
        name
        for feature in signature.document["features"]
        for name in (feature["name"], *(one["name"] for one in feature["stand_ins"]))
    }
    floor = signature.document["training"]["log2"] if log2 is None else log2 or None
    if floor is not None and log2 is None:
        say(f"Values are raised to {floor:g}, then log2 is taken, as in training (--log2 0 not).")
    try:
        return read_cohort(
            data, wanted, target, log2=floor, delimiter=delimiter_of(delimiter), **options
        )
    except TableError as error:
        for part in NAMED_OPTIONS:
            if part in str(error):
                raise TableError(f"{error} {HINTS[part]}") from error
        raise


def read_features(
    signature: Signature, table: CohortTable, allow_missing: bool, rescale: str
) -> Cohort:
    """Return the features; errors name the options."""
    from backstay.signature import SignatureError

    try:
        cohort = signature.read(table.X, allow_missing=allow_missing, rescale=rescale)
    except SignatureError as error:
        hint = " The option is --allow-missing." if "stand-in" in str(error) else ""
        raise WrongUse(f"{error}{hint}") from error
    except ValueError as error:
        raise WrongUse(str(error).replace("rescale=", "--rescale ")) from error
    for one in cohort.stand_ins:
        how = "the training mean" if one.by is None else f"{one.by} (r = {one.correlation:.2f})"
        warn(f"{one.feature} is not in the table; {how} stands in for it.")
    n = signature.n_features_in_
    if cohort.stand_ins:
        say(f"{n - len(cohort.stand_ins)} of {features(n)} were found.")
    return cohort
