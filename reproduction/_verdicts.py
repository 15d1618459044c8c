"""Which experiments agree with what was published, by which reading, and why the others do not."""

from __future__ import annotations

import pandas as pd

__all__ = ["REASONS", "Verdicts", "verdict_groups"]

SECOND = "-second"
# Share of verdicts that must agree: of independent 95 % intervals a few miss.
ENOUGH = 0.8
GROUPS = (
    "agrees",
    "agrees by the second reading",
    "nearer by the second reading",
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
    "han-fig7.2": "On Lung, weighting raises the variance of ReliefF's weights a little.",
    "han-fig7.4": "IW ReliefF is no stabler than ReliefF on any data set here. ReliefF uses only "
    "the proportions of the weights, and on Han–Yu data these select nearly what "
    "uniform weights do.",
    "han-fig7.5": "On Leukemia the ensemble is stabler than weighting here, on Lung they are "
    "level. Raw intensities may have been used.",
    "han-fig7.6": "As in figure 7.4, IW ReliefF is no stabler than ReliefF here.",
    "han-tab7.6": "Raw intensities come nearer on Colon and Lung; Prostate is another file.",
    "han-fig7.9": "ReliefF is so fast here that computing the weights takes longer than ranking; "
    "on Colon the ensemble is 12 times slower, not 20.",
    "prat-fig2.3": "What the thesis says of CW is true of CW_rel; Křížek's measure is constant.",
    "prat-tab3.1": "Intensities, and what LDA does with more features than rows, are not stated; "
    "1-NN is better here, and LDA with all genes of Leukemia worse.",
    "prat-tab6.1": "The number of rows and the scaling are not published.",
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
    "prat-readings": "A reading that comes nearer on average still misses single cells: ten runs "
    "give narrow intervals, and the thesis' seeds are not ours.",
    "prat-tests": "The published test promises 5 % and does not keep it.",
    "prat-fig5.1": "Binary features suffer from noise like others; the text has a slip of sign.",
    "prat-fig5.3": "The remark on steepness is inverted, and f is near w, not 1, halfway.",
    "prat-fig5.8": "Differences of about 0.01 in separability, in the other direction than "
    "published on RDG1 and MajorityN.",
    "prat-fig2.5": "Our subset sizes and resampling are guesses; Křížek's measure is above 0 "
    "where few features leave few subsets.",
    "prat-fig8.1": "0.954 belongs to one standard deviation, not two.",
    "prat-fig8.2": "Rows drawn with replacement, and standardised features, come nearer; which "
    "variant was meant is not stated.",
    "prat-fig8.4": "Statements within chance.",
    "prat-fig8.5": "Follows from the tables of appendix C, and counts cells by a test over sizes.",
    "prat-tabC": "Scaling, neighbours and the variant of Simba are not stated, and some data are "
    "available in part only.",
    "prat-redundancy": "A hypothesis without an experiment: correlated features that are relevant "
    "together can also make a selection stabler.",
    "han-margins": "Distance weighting changes the weights of single rows more than the text "
    "says, though hardly the selected features.",
    "han-fig4.2": "The published example is a drawing. In ours, the odd rows move outwards among "
    "margin vectors, but not as far as we had called far.",
    "prat-lemma5.1": "Features of a parity have the same weight on average over data sets; within "
    "one data set chance sets them apart.",
    "prat-figA": "The curves are those of the first reading.",
    "prat-figB": "The curves are those of the first reading.",
    "prat-inducers": "Not published.",
    "prat-bayes": "Not published.",
}


def _share(verdict: tuple[int, int]) -> float:
    yes, total = verdict
    return yes / total if total else float("nan")


def _group(first: tuple[int, int] | None, second: tuple[int, int] | None) -> str:
    one = float("nan") if first is None else _share(first)
    two = float("nan") if second is None else _share(second)
    if one >= ENOUGH:
        return GROUPS[0]
    if two >= ENOUGH:
        return GROUPS[1]
    if two > one:
        return GROUPS[2]
    if one < ENOUGH or two < ENOUGH:
        return GROUPS[3]
    return GROUPS[4]


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
        group = _group(first, second)
        why = "" if group == GROUPS[0] else REASONS.get(name, "")
        cells = {"first": _counts(first), "second": _counts(second), "group": group, "why": why}
        rows.append({"experiment": name, **cells})
    table = pd.DataFrame(rows)
    place = table["group"].map({group: i for i, group in enumerate(GROUPS)})
    return table.iloc[place.argsort(kind="stable")].reset_index(drop=True)
