"""The table of measures: it drives dispatch, documentation and tests."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import nearest
from backstay.stability import _partners, _subsets

# Bounds that depend on the number of runs m or of features p, as printed in the table.
_BOUNDS: dict[str, Callable[[int, int], float]] = {
    "1 - p": lambda m, p: 1 - p,
    "-1/(m - 1)": lambda m, p: -1 / (m - 1),
    "log2(m)": lambda m, p: float(np.log2(m)),
    "m": lambda m, p: m,
}


@dataclass(frozen=True)
class Measure:
    """Everything that is known about a measure."""

    name: str
    input: str  # what it works on: "subsets", "rankings", "weights" or "predictions"
    definition: str  # the formula in brief, as in docs/stability.md
    lower: float | str  # a str where it depends on the number of runs m or of features p
    upper: float | str
    # Whether random selection gives 0 on average: exactly for two random subsets of given sizes,
    # for "nogueira" of equal ones.
    chance_corrected: bool
    reference: str
    higher_is_stabler: bool = True
    equal_sizes: bool = False  # whether all subsets must have the same size
    identical: float | None = 1.0  # for runs that agree entirely; None if it depends on sizes
    needs_similarity: bool = False
    analytic_variance: bool = False  # whether theory gives a variance
    options: tuple[str, ...] = ()  # further keyword arguments
    note: str = ""
    # How it is computed on subsets, as a matrix if it is a mean over pairs of runs, else as one
    # number; and the further figures it reports.
    compute: Callable[..., Any] | None = None
    over_pairs: bool = False
    details: Callable[..., Mapping[str, float]] | None = None

    def bounds(self, n_runs: int, n_features: int) -> tuple[float, float]:
        """Return the bounds for a number of runs and features."""
        low, high = (
            _BOUNDS[bound](n_runs, n_features) if isinstance(bound, str) else bound
            for bound in (self.lower, self.upper)
        )
        return low, high

    def best(self, n_runs: int, n_features: int) -> float:
        """Return the value for identical runs, or the upper bound if that depends on sizes."""
        if self.identical is not None:
            return self.identical
        return self.bounds(n_runs, n_features)[1]


def _on_subsets(compute: Callable[..., Any], *facts: Any, over: str = "", **more: Any) -> Measure:
    """Return a measure on subsets, or a mean `over` pairs of them, by what computes it."""
    formula = (compute.__doc__ or "").removeprefix("Return ").removesuffix(".")
    _, *takes = inspect.signature(compute).parameters
    options = [name for name in takes if name != "similar"]
    more["needs_similarity"] = "similar" in takes
    more["options"] = tuple(["threshold", *options] if "similar" in takes else options)
    definition = f"mean over {over} of {formula}" if over else formula
    more.update(compute=compute, over_pairs=bool(over))
    return Measure(compute.__name__, "subsets", definition, *facts, **more)


_on_pairs = partial(_on_subsets, over="pairs")


_TABLE = (
    _on_pairs(
        _subsets.dunne, 0, 1, False, "Dunne, Cunningham & Azuaje 2002",
        note="near 1 whenever few of many features are selected",
    ),
    _on_pairs(
        _subsets.kalousis, 0, 1, False, "Kalousis, Prados & Hilario 2007",
        note="grows with the subset size; without the 1/n printed in Prat eq. 2.31",
    ),
    _on_pairs(_subsets.dice, 0, 1, False, "Dice 1945", note="grows with the subset size"),
    _on_pairs(_subsets.ochiai, 0, 1, False, "Ochiai 1957", note="grows with the subset size"),
    _on_pairs(
        _subsets.kuncheva, "-1/(m - 1)", 1, True, "Kuncheva 2007", equal_sizes=True,
        analytic_variance=True, note="equal sizes only; nan for k = 0 or p; then equal to nogueira",
    ),
    _on_subsets(
        _subsets.krizek, 0, "log2(m)", False, "Křížek, Kittler & Hlaváč 2007",
        higher_is_stabler=False, identical=0.0, details=_subsets.krizek_details,
        note="lower is stabler; blind to how far subsets differ",
    ),
    _on_subsets(
        _subsets.somol, 0, 1, False, "Somol & Novovičová 2008",
        note="C; one odd feature counts as much as a frequent one",
    ),
    _on_subsets(
        _subsets.somol_weighted, 0, 1, False, "Somol & Novovičová 2008",
        note="CW; equal sizes make it the mean Dice index",
    ),
    _on_subsets(
        _subsets.somol_relative, 0, 1, False, "Somol & Novovičová 2008",
        note="0 under random selection only as the number of runs grows",
    ),
    _on_pairs(
        _subsets.lustgarten, -1, 1, True, "Lustgarten, Gopalakrishnan & Visweswaran 2009",
        identical=None, note="not 1 for identical subsets",
    ),
    _on_pairs(
        _subsets.wald, "1 - p", 1, True, "Wald, Khoshgoftaar & Napolitano 2013",
        note="1 for nested subsets too; no lower bound free of p",
    ),
    _on_pairs(_subsets.phi, -1, 1, True, "Nogueira & Brown 2016"),
    _on_pairs(_subsets.kappa, -1, 1, True, "Carletta 1996"),
    _on_subsets(
        _subsets.nogueira, "-1/(m - 1)", 1, True, "Nogueira, Sechidis & Brown 2018",
        analytic_variance=True, note="any sizes, with an interval and a test: the default",
    ),
    _on_subsets(
        _subsets.drotar, 0, "m", False, "Drotár & Smékal 2015; Prat eq. 2.43", identical=None,
        note="FLAGGED: as printed; its source's own figures cannot be reproduced with it",
    ),
    _on_subsets(
        _subsets.davis, 0, 1, False, "Davis et al. 2006",
        note="penalty=0 by default; a penalty takes identical subsets below 1",
    ),
    _on_pairs(
        _partners.pogr, 0, 1, False, "Zhang et al. 2009; Han eq. 5.6",
        note="1 whenever every feature has a partner in the other subset", over="ordered pairs",
    ),
    _on_pairs(
        _partners.npogr, -np.inf, 1, True, "Zhang et al. 2009; Han eq. 5.7–5.8",
        note="no constant lower bound; E in closed form", over="ordered pairs",
    ),
    _on_pairs(
        _partners.yu, -np.inf, 1, True, "Yu, Han & Berens 2012",
        note="partners among unshared features only",
    ),
    _on_pairs(
        _partners.module_match, -np.inf, 1, True, "Carletta 1996, modules for features",
        note="matched one to one; E by a random subset; κ without modules", over="ordered pairs",
    ),
    _on_pairs(
        _partners.zucknick, 0, 1, False, "Zucknick, Richardson & Stronach 2008",
        note="Jaccard with credit for similar features",
    ),
    Measure(
        "spearman", "rankings", "mean over pairs of Pearson's r of the mid-ranks", -1, 1, True,
        "Kalousis, Prados & Hilario 2007",
    ),
    Measure("kendall", "rankings", "mean over pairs of Kendall's τ-b", -1, 1, True, "Kendall 1945"),
    Measure(
        "canberra", "rankings", "mean over pairs of Σ|r−s|/(r+s), over its random expectation", 0,
        np.inf, False, "Jurman et al. 2008", higher_is_stabler=False, identical=0.0,
        options=("top",), note="lower is stabler; 1 on average for random rankings",
    ),
    Measure(
        "variance", "weights", "mean over features of the variance over runs", 0, np.inf, False,
        "Han & Yu 2010", higher_is_stabler=False, identical=0.0,
        note="lower is stabler; in the squared unit of the weights",
    ),
    Measure(
        "pearson", "weights", "mean over pairs of Pearson's r of the weights", -1, 1, True,
        "Kalousis, Prados & Hilario 2007",
    ),
    Measure(
        "agreement", "predictions", "share of equal predictions over all pairs", 0, 1, False,
        "Prat 9.2", note="grows with the share of the largest class",
    ),
    Measure(
        "phi", "predictions", "mean over pairs of the φ coefficient", -1, 1, True, "Prat 9.2",
        note="two classes only",
    ),
    Measure(
        "kappa", "predictions", "mean over pairs of Cohen's κ", -1, 1, True, "Cohen 1960",
        note="nan if any two runs have no sample in common",
    ),
    Measure(
        "pooled_kappa", "predictions", "(agreement − Σ share²)/(1 − Σ share²), shares of all pairs",
        -1, 1, True, "Fleiss 1971", note="one κ for all pairs: Fleiss' κ if there are no gaps",
    ),
    Measure(
        "alpha", "predictions", "1 − mean (a − b)² of a sample's pairs/mean (a − b)² of all pairs",
        -1, 1, True, "Krippendorff 1970", note="predicted numbers, not classes",
    ),
)  # fmt: skip

MEASURES: Mapping[tuple[str, str], Measure] = {(entry.input, entry.name): entry for entry in _TABLE}


def get_measure(name: str, given: str) -> Measure:
    """Return a measure by name for a kind of input; refuse an unknown one with the known names."""
    try:
        return MEASURES[given, name]
    except KeyError:
        known = nearest(name, (key[1] for key in MEASURES if key[0] == given))
        raise ValueError(f"measure={name!r} must be one for {given}; {known}") from None


def bounds_of(name: str, n_runs: int, n_features: int) -> tuple[float, float]:
    """Return the range of a measure; a name used for several kinds of input has one range."""
    entry = next(entry for entry in _TABLE if entry.name == name)
    return entry.bounds(n_runs, n_features)


def list_measures() -> pd.DataFrame:
    """Return what is known about every measure.

    Returns
    -------
    DataFrame
        One row per measure: its name, what it works on ("subsets", "rankings", "weights" or
        "predictions"), definition, bounds, properties, options, a note and the reference.

    Examples
    --------
    >>> table = list_measures()
    >>> table.loc[table.equal_sizes, "name"].tolist()
    ['kuncheva']
    """
    columns = (
        "name", "input", "definition", "lower", "upper", "chance_corrected",
        "higher_is_stabler", "equal_sizes", "identical", "needs_similarity",
        "analytic_variance", "options", "note", "reference",
    )  # fmt: skip
    return pd.DataFrame([{name: getattr(entry, name) for name in columns} for entry in _TABLE])
