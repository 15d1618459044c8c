"""Backward search with accumulated evidence, SBG+ [Prat 7]."""

from __future__ import annotations

from typing import Any

from reproduction._prat_cells import wrapper_table
from reproduction._prat_comparison import PublishedComparison
from reproduction._prat_pages import both_readings
from reproduction._prat_wrappers import PRINTED

__all__ = ["EXPERIMENTS", "published_twice"]

SIGN = (
    "λ=2/3. SBG+ removes the least relevant feature, as chapter 7 describes; eq. 7.10 as printed "
    "would remove the most relevant one, and is shown beside it. Chapter 7 says that its SVM is "
    "radial, chapter 6 that it is linear; but the SVM rows of SBG are the same to the last digit "
    "in both for twelve data sets, so one of them is wrong. The SVM is linear here. "
)


def published_twice(first: str, second: str) -> tuple[int, int, float, float]:
    """Compare two published tables of one plain method.

    Returns
    -------
    n_same : int
        Rows with the same figure in both: one run, printed twice.
    n_other : int
        Rows with another figure.
    apart : float
        Mean distance between the two figures of the other rows.
    effect : float
        Mean distance between plain and modified in these rows of the second table.

    Examples
    --------
    >>> from reproduction._prat_accumulated import published_twice
    >>> published_twice("6.3", "7.1")[:2]
    (13, 41)
    """
    keys = ["problem", "inducer"]
    both = wrapper_table(first).merge(wrapper_table(second), on=keys)
    apart = (both["plain_y"] - both["plain_x"]).abs()
    other = apart > 0
    effect = (both["modified_y"] - both["plain_y"]).abs()
    return (
        int((~other).sum()),
        int(other.sum()),
        float(apart[other].mean()),
        float(effect[other].mean()),
    )


def _rerun(first: str, second: str, summary: dict[str, Any]) -> str:
    n_same, n_other, apart, effect = published_twice(first, second)
    value, low, high = summary[PRINTED]
    away = summary["away"]
    return (
        f"A control that was published unawares: SBG stands in tables {first} and {second}, with "
        f"the same figure in {n_same} rows and another in {n_other}; there the two runs of one "
        f"method are {apart:.3f} apart on average, SBG and SBG+ {effect:.3f}. "
        f"With the sign as printed: {value:+.4f} ({low:+.4f} to {high:+.4f}); "
        f"the published SBG+ is {away[PRINTED]:.3f} from it on average, "
        f"{away['SBG+']:.3f} from the corrected one."
    )


EXPERIMENTS = [
    *both_readings(
        PublishedComparison("7.1", "error", "SBG", "SBG+", (PRINTED,)),
        "Errors and subset sizes of SBG with accumulated evidence",
        "The accumulated version outperforms the standard one in all cases, by a modest margin "
        "(mean error 0.198 against 0.202), with fewer features (18.0 against 20.2).",
        SIGN,
        lambda summary: _rerun("6.3", "7.1", summary),
    ),
    *both_readings(
        PublishedComparison("7.2", "stability", "SBG", "SBG+", (PRINTED,)),
        "Stability of SBG with accumulated evidence",
        "Stability improves significantly in 43 % of the problems and worsens in 21 %, "
        "although the averages are almost the same (0.206 against 0.208).",
        SIGN,
        lambda summary: _rerun("6.5", "7.2", summary),
    ),
]
