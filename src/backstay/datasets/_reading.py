"""How a table is read: every option, declared and described once."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import pandas as pd

from backstay.datasets._content import DEDUPE
from backstay.datasets._labelled import TableError


@dataclass(frozen=True, kw_only=True)
class Reading:
    r"""How a table is read from a file, by :func:`read_table` or :func:`read_cohort`.

    Both also take these options one by one, as keywords. A cohort has rows for a signature that is
    there already, so :func:`read_cohort` refuses the options that choose features or classes.

    Parameters
    ----------
    target : str, default=None
        Column of the outcome: classes, or a number for every row. In NPZ files None takes ``y``.
    time, event : str, default=None
        In place of `target`, for times until an event: the column of the time that a row was
        followed, and the column that says whether the event happened then.
    event_is : str, default=None
        The value of `event` that means that it happened, unless it holds truth values, or 0 and 1.
    horizon : float, default=None
        The time at which survival is predicted; None is the median time of the events.
    samples : path or DataFrame, default=None
        The sheet of samples, where the file holds numbers only: a row per sample, with the
        target. Which side of the file holds the samples is found by their names. AnnData
        files, GCT 1.3 and series matrices have a sheet of their own.
    ids : str, default=None
        Column that names the rows; with `samples`, the column of the sheet.
    allow_unmatched : bool, default=False
        Whether samples that only file or sheet has are left out; otherwise they are an error.
    annotation : iterable of str
        Columns of a file with a feature per row that describe the features, such as symbols;
        leading columns of text if there are none.
    also : iterable of str
        Columns of the sheet to use as features too, such as age; the others are not used.
    groups, batch, measured : str, default=None
        Columns, no features, that say which rows belong together, in which batch a row is, and when
        it was measured; if the outcome goes with the last, there is a warning.
    adjust : iterable of str
        Columns, such as age and sex, that features are adjusted for; they are no features.
    drop, keep, categories : iterable of str
        Columns to leave out, to keep although they look like row numbers or free text, and whose
        numbers are categories.
    kind : {"classes", "numbers"}, default=None
        What the target column holds. None finds it out: numbers with fractions are numbers, texts
        and whole numbers of few values are classes.
    exclude_classes : iterable of str
        Classes to leave out, with their rows.
    min_class_size : int, default=None
        Leave out classes of fewer rows.
    positive : str, default=None
        Of two classes, the one that metrics such as average precision are about; None is the
        last in alphabetical order.
    log2 : float, default=None
        Raise values below this to it and take log2; see :func:`log2_floor`.
    logged : bool, default=False
        Whether the values are log2 already, so that differences are log2 fold changes.
    dedupe : {"first", "mean", "max-variance"}, default=None
        What becomes of features of the same name; None refuses them.
    transpose : bool, default=False
        Whether the file has a feature per row and a sample per column. Without `samples`, the
        target is a row then, too.
    sheet : str or int, default=None
        Name or number (from 1) of the sheet of an Excel file; None is the first.
    layer : str, default=None
        Layer of an AnnData file; None is ``X``.
    delimiter : str, default=None
        None takes the one that cuts the first lines into equally many fields, as many as possible.
    decimal, encoding : str
        Of text files.
    skip : int, default=0
        Lines above the names of the columns, such as a title, in text and Excel files.
    missing : iterable of str
        Texts or numbers, such as "n.d." and "-999", that mean a missing value, beside the empty
        one, "?", "NA", "NaN", "null" and the others that pandas knows.
    lod : {"half"}, default=None
        What becomes of values below a limit of detection, such as "<0.05": "half" of the limit;
        None refuses them.
    max_size : float, default=None
        Gigabytes that a compressed file may unpack to. None refuses more than 4, and more
        than 100 times its own size beyond a quarter of a gigabyte.

    Examples
    --------
    >>> reading = Reading(target="kind", drop=["batch"], decimal=",")
    >>> reading.to_json()
    {'target': 'kind', 'drop': ['batch'], 'decimal': ','}
    >>> Reading.from_json(reading.to_json()) == reading
    True
    """

    target: str | None = None
    time: str | None = None
    event: str | None = None
    event_is: str | None = None
    horizon: float | None = None
    samples: str | os.PathLike[str] | pd.DataFrame | None = None
    ids: str | None = None
    allow_unmatched: bool = False
    annotation: Collection[str] = ()
    also: Collection[str] = ()
    groups: str | None = None
    adjust: Collection[str] = ()
    batch: str | None = None
    measured: str | None = None
    drop: Collection[str] = ()
    keep: Collection[str] = ()
    categories: Collection[str] = ()
    kind: str | None = None
    exclude_classes: Collection[str] = ()
    min_class_size: int | None = None
    positive: str | None = None
    log2: float | None = None
    logged: bool = False
    dedupe: str | None = None
    transpose: bool = False
    sheet: str | int | None = None
    layer: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    skip: int = 0
    missing: Collection[str] = ()
    lod: str | None = None
    max_size: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.default == ():
                object.__setattr__(self, field.name, tuple(getattr(self, field.name)))
        if len(self.decimal) != 1 or self.decimal.isalnum() or self.decimal in '+-"\r\n':
            raise TableError(
                f"decimal={self.decimal!r} must be a sign such as '.' or ','.", parameter="decimal"
            )
        choices: dict[str, Collection[str]] = {
            "dedupe": DEDUPE, "kind": ("classes", "numbers"), "lod": ("half",),
        }  # fmt: skip
        for name, known in choices.items():
            if (value := getattr(self, name)) is not None and value not in known:
                raise TableError(f"{name}={value!r} must be {' or '.join(known)}.", parameter=name)
        if self.skip < 0:
            raise TableError(f"skip={self.skip} must be 0 or more lines.", parameter="skip")
        if self.log2 is not None and not self.log2 > 0:
            raise TableError(f"log2={self.log2!r} must be above 0.", parameter="log2")
        if self.logged and self.log2 is not None:
            raise TableError(
                f"logged says that the values are log2 already; leave out log2={self.log2:g}.",
                parameter="logged",
            )
        if self.max_size is not None and not self.max_size > 0:  # nan is not, either
            raise TableError(
                f"max_size={self.max_size:g} must be a number of gigabytes above 0.",
                parameter="max_size",
            )
        self._check_times()

    def _check_times(self) -> None:
        """Refuse one of time and event without the other, or with what is for other outcomes."""
        given = {"time", "event", "event_is", "horizon"} & {*self.given()}
        if given and not {"time", "event"} <= given:
            raise TableError(
                "times until an event need two columns, time and event; name both.",
                parameter=("time", "event"),
            )
        for name in ("target", "kind", "exclude_classes", "min_class_size", "positive"):
            if given and name in self.given():
                raise TableError(
                    f"time and event name the outcome; {name} is for another one.", parameter=name
                )

    @classmethod
    def of(cls, reading: Self | None, target: str | None, options: Mapping[str, Any]) -> Self:
        """Return how to read, from an object, from keywords, or from both."""
        named = options if target is None else {"target": target, **options}
        return cls(**named) if reading is None else replace(reading, **named)

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        frames = pd.DataFrame  # a frame has no truth value
        return {n: v for n, (v, usual) in values.items() if isinstance(v, frames) or v != usual}

    def to_json(self) -> dict[str, Any]:
        """Return the options that were given, as JSON holds them."""
        if isinstance(self.samples, pd.DataFrame):
            raise TableError(
                "a sheet of samples that is a frame cannot be stored; write it to a file.",
                parameter="samples",
            )
        kept = {n: list(v) if isinstance(v, tuple) else v for n, v in self.given().items()}
        return kept if self.samples is None else {**kept, "samples": os.fspath(self.samples)}

    @classmethod
    def from_json(cls, options: Mapping[str, Any]) -> Self:
        """Return the object that :meth:`to_json` wrote."""
        return cls(**options)

    @property
    def labels(self) -> frozenset[str]:
        """Columns whose values stay as they are written: names such as 007."""
        named = {self.groups, self.ids, self.time, self.event, self.batch}
        return frozenset({*self.categories, *(name for name in named if name is not None)})

    @property
    def outcome(self) -> tuple[str, ...]:
        """The columns that the outcome is read from, as far as they are named."""
        return tuple(name for name in (self.target, self.time, self.event) if name is not None)
