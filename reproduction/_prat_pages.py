"""From a comparison of two wrappers to an experiment: its sentences and its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from reproduction._experiment import Experiment, ExperimentResult, RunSettings
from reproduction._prat_comparison import PublishedComparison, compare_methods
from reproduction._prat_wrappers import SECOND, files

__all__ = ["both_readings", "comparison_experiment"]

NESTED = (
    "Nested stratified 5×2 folds: each search sees a training half and judges subsets by inner 5×2 "
    "folds of it; the best subset of the whole path is tested on the other half with the same "
    "inducer. 1-NN takes features as given and a linear SVM (C=1) standardised ones, the defaults "
    "of R's functions. "
)
REDUCED = (
    "To save time, landsat and waveform have 1000 rows drawn with the run's seed; there is no SVM "
    "for landsat, sonar and the microarrays, nor for ionosphere, vehicle and waveform in backward "
    "searches, and no LDA for sonar and the microarrays. Left out: leaf and mammogram (not "
    "available), ma_breast_cancer and ma_gcm (only parts available). Prostate has 102 rows here "
    "and 136 in the thesis. The thesis seems to have chosen the 200 genes on all rows, test rows "
    "included; here they are chosen on the training rows, and for problems marked * on all rows. "
    "Every search sees the columns in random order, because ties go to the first column. "
)
OF_ERRORS = (
    "Intervals are corrected for the rows that resamples share. Our p-values are from the 5×2cv F "
    "test, the published ones from a Wilcoxon test that treats the ten runs as independent."
)
OF_STABILITIES = (
    "Kuncheva's index averaged over all subset sizes; intervals and p-values by a jackknife over "
    "the ten runs. Published p-values compare curves over sizes as if sizes were independent. "
    "Microarrays count with the genes chosen on all rows, because the index then refers to 200 "
    "genes, as published. 1-NN and LDA are also run with ties to the first column, which is the "
    "same for all runs."
)


SECOND_READING = (
    "The second reading, chosen after looking at the published figures: inner folds drawn anew for "
    "every subset, 1-NN in which all equally near rows vote, raw intensities of microarrays. "
    "Problems whose data differ from the published ones are left out, and so are SVMs with more "
    "than 30 features. prat-readings takes the reading apart and judges the choice. "
)


def comparison_experiment(
    comparison: PublishedComparison, title: str, claim: str, note: str, more: Callable[[Any], str]
) -> Experiment:
    """Return the experiment of one published table.

    Parameters
    ----------
    comparison : PublishedComparison
        What is compared.
    title, claim : str
        As in :class:`Experiment`.
    note : str
        What its protocol has of its own.
    more : callable
        Summary → a sentence at the end of the finding.
    """

    def run(settings: RunSettings) -> ExperimentResult:
        n_repeats = settings.count(5, 2)
        table, summary = compare_methods(settings, comparison, n_repeats)
        return ExperimentResult(
            table,
            f"{_finding(comparison, summary)} {more(summary)}".strip(),
            f"{n_repeats}×2 outer folds",
            draw_differences(table, comparison),
        )

    second = comparison.reading != "first"
    return Experiment(
        comparison.name,
        title + (", second reading" if second else ""),
        f"[Prat] Table {comparison.table}",
        claim,
        (SECOND_READING if second else "")
        + NESTED
        + note
        + REDUCED
        + (OF_ERRORS if comparison.quantity == "error" else OF_STABILITIES),
        run,
        files(),
    )


def both_readings(
    comparison: PublishedComparison, title: str, claim: str, note: str, more: Callable[[Any], str]
) -> list[Experiment]:
    """Return the experiment of one published table by the first and by the second reading."""
    readings = (comparison, replace(comparison, reading=SECOND))
    return [comparison_experiment(one, title, claim, note, more) for one in readings]


def _finding(comparison: PublishedComparison, summary: dict[str, Any]) -> str:
    quantity, plain, modified = comparison.quantity, comparison.plain, comparison.modified
    value, low, high = summary[modified]
    cells, away = summary["cells"], summary["away"]
    text = (
        f"{modified} against {plain}: mean difference in {quantity} over data sets {value:+.4f} "
        f"({low:+.4f} to {high:+.4f}), published {summary['published']:+.4f} on the same "
        f"{cells} pairs of data set and inducer. "
        f"{summary['agree']} of {2 * cells} published figures lie in our intervals; they are "
        f"{away[plain]:.3f} ({plain}) and {away[modified]:.3f} ({modified}) away on average. "
        f"Significant differences: {summary['better']} better, {summary['worse']} worse; "
        f"{summary['again']} of the {summary['significant']} published ones reappear. The "
        f"published test would call {summary['by published test']} of the {cells} significant. "
        f"By its own p-values the whole published table has {summary['rows']} rows, "
        f"{summary['significantly higher']} with significantly higher {quantity} and "
        f"{summary['significantly lower']} with lower."
    )
    by_inducer = (
        f"{value:+.4f} ({low:+.4f} to {high:+.4f}) {inducer}"
        for inducer, (value, low, high) in summary["by inducer"].items()
    )
    text += f" Differences by inducer: {', '.join(by_inducer)}."
    if summary["leak"] is not None:
        honest, leaky = summary["leak"]
        text += (
            f" Genes chosen on all rows make the mean error of {plain} on the microarrays "
            f"{leaky:.3f} instead of {honest:.3f}."
        )
    if summary["ties"]:
        ties = summary["ties"]
        first, at_random, printed = ties["first"], ties["random"], ties["published"]
        text += (
            f" Ties matter: on the {ties['cells']} pairs with 1-NN or LDA, {plain} and {modified} "
            f"have {at_random[0]:.3f} and {at_random[1]:.3f} with ties at random, {first[0]:.3f} "
            f"and {first[1]:.3f} with ties to the first column, {printed[0]:.3f} and "
            f"{printed[1]:.3f} published (mean distances {at_random[2]:.3f} and {first[2]:.3f})."
        )
    if summary["missing"]:
        text += f" Without data: {', '.join(summary['missing'])}."
    return text


def draw_differences(table: pd.DataFrame, comparison: PublishedComparison) -> Callable[[Any], None]:
    """Return what draws modified minus plain, measured with interval and published."""
    chosen = (table["quantity"] == f"{comparison.quantity} − {comparison.plain}") & (
        table["method"] == comparison.modified
    )
    lines = table[chosen & (table["problem"] != "mean over data sets")].sort_values(
        ["inducer", "problem"]
    )
    bounds = lines["interval"].str.split(" to ", expand=True).astype(float)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        place = np.arange(len(lines))[::-1]
        middle = lines["measured"].to_numpy()
        reach = np.abs(bounds.to_numpy().T - middle)
        axes.errorbar(middle, place, xerr=reach, fmt="o", ms=3, lw=1, label="measured, 95 %")
        published = lines["published"].to_numpy(dtype=float)
        axes.plot(published, place, "x", ms=4, color="C1", label="published")
        axes.axvline(0, color="0.6", lw=0.8, zorder=0)
        axes.set_yticks(place, lines["problem"] + " " + lines["inducer"], fontsize=6)
        axes.set_xlabel(f"{comparison.quantity}: {comparison.modified} minus {comparison.plain}")
        axes.legend(fontsize=7)

    return draw
