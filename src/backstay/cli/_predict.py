"""``backstay predict``: a frozen signature on the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay._files import spreadsheet_cell, write_whole
from backstay._words import counted
from backstay.cli._guard import Debug, guarded
from backstay.cli._options import grouped, of_signature, options_named
from backstay.cli._read import CohortOptions, OutcomeOptions
from backstay.cli._show import say, warn

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import CohortTable
    from backstay.signature import Signature

Frozen = Annotated[Path, typer.Argument(metavar="SIGNATURE", help="signature.json of a study.")]


@dataclass(frozen=True)
class SignatureOptions:
    """The options that say how a signature is applied to a table."""

    allow_missing: bool = of_signature(
        "Take a correlated stand-in, or the training mean, for features that are missing.",
        "--allow-missing",
        default=False,
    )
    rescale: str = of_signature(
        "none or zscore: move features to where they lay in the training rows.",
        default="none",
        metavar="HOW",
    )
    trust: list[str] | None = of_signature(
        "Type a skops model may load; may be repeated.", "--trust"
    )

    def load(self, path: Path) -> Signature:
        """Load a signature."""
        from backstay.signature import Signature

        with options_named():
            return Signature.load(path, trusted=self.trust or ())


@guarded
@grouped
def predict(
    signature: Frozen,
    reading: CohortOptions,
    applied: SignatureOptions,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file of predictions.")] = Path(
        "predictions.csv"
    ),
    debug: Debug = False,
) -> None:
    """Predict new rows with a frozen signature: classes, or numbers with intervals.

    For example:

    [bold]backstay predict signature.json new.csv --id sample -o predictions.csv[/bold]
    """
    reading.check_files(signature)
    frozen = applied.load(signature)
    table = read_for(frozen, reading)
    import pandas as pd

    with options_named():
        cohort = frozen.read(
            table.X,
            allow_missing=applied.allow_missing,
            rescale=applied.rescale,
            covariates=table.covariates,
        )
    say_stand_ins(cohort.stand_ins, frozen)
    frame = frozen.predictions(cohort)
    named = not isinstance(table.X.index, pd.RangeIndex)
    frame.index = table.X.index if named else pd.RangeIndex(1, len(table.X) + 1)
    write_predictions(frame, out)
    shifts = frozen.shifts(cohort)
    moved = [one.feature for one in shifts if one.moved]
    if moved:
        others = "class proportions" if frozen.target.names else "outcomes"
        warn(
            f"{len(moved)} of {len(shifts)} features differ from the training rows in mean or "
            f"spread: another platform, or other {others}. --rescale moves them."
        )
    said = frozen.target.in_brief(frame["predicted"].to_numpy())
    say(f"Predictions: {out} ({counted(len(frame), 'row')}: {said})")
    if frozen.has_intervals:
        say(frozen.intervals_said)
    elif not frozen.has_probabilities:
        none = "There are no probabilities" if frozen.target.names else "Probabilities"
        say(f"{none}: {frozen.document['probabilities']}.")


def write_predictions(frame: pd.DataFrame, path: Path) -> None:
    """Write a row per sample, safe to open in a spreadsheet."""
    safe = frame.rename(columns=spreadsheet_cell, index=spreadsheet_cell)
    for name in ("class", "predicted"):
        if name in safe:
            safe[name] = safe[name].map(spreadsheet_cell)
    write_whole(path, safe.to_csv(index_label="row", float_format="%.10g"))


def read_for(
    signature: Signature, options: CohortOptions, outcome: OutcomeOptions | None = None
) -> CohortTable:
    """Read what a signature needs of a table, log2 taken as of the training rows."""
    from backstay.datasets import read_cohort

    wanted = {
        name
        for feature in signature.document["features"]
        for name in (feature["name"], *(one["name"] for one in feature["stand_ins"]))
    }
    floor = floor_for(signature, options)
    if options.log2 is None and floor is not None:
        say(
            f"As in training, values are raised to {floor:g} and log2 is taken; "
            "give --log2 0 if they are logged already."
        )
    # Gaps and limits of detection are read as in training, too.
    trained = signature.document["training"].get("odd_texts", {})
    missing = [*(options.missing or ()), *trained.get("missing", ())]
    options = replace(options, log2=floor, missing=missing, lod=options.lod or trained.get("lod"))
    if trained:
        said = [
            f"--{name} {','.join([v] if isinstance(v, str) else v)}" for name, v in trained.items()
        ]
        say(f"Texts among numbers are read as in training: {' '.join(said)}.")
    known = OutcomeOptions() if outcome is None else outcome
    levels = signature.document.get("covariates", {})
    with options.naming(known):
        reading = options.reading()
        return read_cohort(options.data, wanted, beside=levels, reading=reading, **known.named())


def floor_for(signature: Signature, options: CohortOptions) -> float | None:
    """Return the floor that values are raised to before log2; None where it is not taken."""
    floor: float | None = signature.document["training"]["log2"]
    return floor if options.log2 is None else options.log2 or None


def say_stand_ins(stand_ins: list[Any], signature: Signature) -> None:
    """Say which features were not in the table, and what was taken instead."""
    for one in stand_ins:
        how = "the training mean" if one.by is None else f"{one.by} (r = {one.correlation:.2f})"
        warn(f"{one.feature} is not in the table; {how} stands in for it.")
    if stand_ins:
        n = signature.n_features_in_
        say(f"{n - len(stand_ins)} of {counted(n, 'feature')} were found.")
