"""The report of a study: summarised once, rendered as a dictionary or as a page."""

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from backstay._files import write_whole
from backstay.base import one_thread
from backstay.report._answer import answer
from backstay.report._dome import dome
from backstay.report._evidence import Evidence, gather
from backstay.report._page import page_text
from backstay.report._sections import section_figures
from backstay.report._summary import DatasetReport, plain, summary
from backstay.report.figures._accuracy import AccuracyDisplay
from backstay.report.figures._agreement import AgreementDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._frequency import SelectionFrequencyDisplay
from backstay.report.figures._heatmap import HeatmapDisplay
from backstay.report.figures._pareto import ParetoDisplay
from backstay.report.figures._plan import KINDS, PlanDisplay
from backstay.report.figures._sample_map import SampleMapDisplay
from backstay.report.figures._sample_weights import SampleWeightsDisplay
from backstay.report.figures._stability import StabilityDisplay
from backstay.report.figures._strips import StripDisplay
from backstay.report.figures._upset import UpSetDisplay
from backstay.report.figures._volcano import VolcanoDisplay
from backstay.results import Results


class Report:
    """Everything a report says about a study, computed once and rendered as often as needed.

    Parameters
    ----------
    results : Results
        Of one or several data sets.

    See Also
    --------
    backstay.results.Results.report : Write the page at once.

    Examples
    --------
    >>> from backstay import ReliefF, Study
    >>> from backstay.datasets import make_xor
    >>> from backstay.report import Report
    >>> from backstay.study import Subsampling
    >>> X, y, truth = make_xor(150, random_state=0)
    >>> study = Study({"relieff": ReliefF()}, Subsampling(10), sizes=[3], random_state=0)
    >>> report = Report(study.run(X, y, truth=truth))
    >>> (part,) = report.parts
    >>> part.answer.headline
    '3 features; another study of this size would choose about 91\u202f% again'
    >>> part.figures["stability"].finding()[:31]
    'Stability by number of features'
    """

    def __init__(self, results: Results) -> None:
        self.results = results

    @cached_property
    def parts(self) -> list[DatasetReport]:
        """One part per data set."""
        if not self.results.datasets:
            raise ValueError("the results are empty; run a study first.")
        # Thousands of small products: threads would spend their time waiting for each other.
        with one_thread():
            return [self._part(name) for name in self.results.datasets]

    def _part(self, name: str) -> DatasetReport:
        results = self.results[name]
        evidence = gather(results)
        return DatasetReport(name, evidence, answer(evidence), _figures(results, evidence))

    @cached_property
    def _summary(self) -> dict[str, Any]:
        names = ", ".join(part.name for part in self.parts)
        datasets = [summary(part, f"d{place}") for place, part in enumerate(self.parts)]
        everything: dict[str, Any] = plain({"title": names, "datasets": datasets})
        return everything

    def to_dict(self) -> dict[str, Any]:
        """Return everything the report says, ready for JSON.

        That is ``title`` and, in ``datasets``, the answer, the figures' data and findings, the
        tables and the setting of each. Undefined numbers are None. Names are not escaped.
        """
        return self._summary

    def dome(self) -> str:
        """Return the DOME checklist in Markdown; what the study cannot know is for the authors."""
        return dome((part.name, part.evidence) for part in self.parts)

    @property
    def holds_samples(self) -> bool:
        """Whether it may show names of samples and values of features."""
        return any(part.evidence.data.keep_samples for part in self.parts)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write one HTML file and return its path; needs ``pip install "backstay[app]"``.

        Parameters
        ----------
        path : path
            Of the HTML file; an existing one is replaced. Where it holds values or names of
            samples, only its owner may read a new one.
        """
        # A missing extra is reported before any work is done.
        try:
            import jinja2  # noqa: F401
        except ImportError as error:
            raise ImportError('reports need more packages: pip install "backstay[app]"') from error
        text = page_text(self._summary, [part.figures for part in self.parts], self.dome())
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_whole(path, text, private=self.holds_samples)


def _figures(results: Results, evidence: Evidence) -> dict[str, Display]:
    choice, data = evidence.choice, evidence.data
    figures: dict[str, Display] = {"stability": StabilityDisplay.from_results(results)}
    # The model of the answer comes first.
    for model in sorted(data.models, key=lambda name: name != choice.model):
        place = data.models.index(model)
        figures[f"accuracy{place}"] = AccuracyDisplay.from_results(results, choice.metric, model)
    if data.models:
        figures["pareto"] = ParetoDisplay.from_results(
            results, size=choice.size, model=choice.model, metric=choice.metric
        )
    if not evidence.why_no_samples:
        figures["strips"] = StripDisplay.from_results(results)
        figures["heatmap"] = HeatmapDisplay.from_results(results)
        figures["map"] = SampleMapDisplay.from_results(results)
    if "q_value" in evidence.features and evidence.features["q_value"].notna().any():
        figures["volcano"] = VolcanoDisplay.from_results(results, choice.method, choice.size)
    figures |= section_figures(results)
    for kind in KINDS if evidence.plan is not None else ():
        growth = PlanDisplay.from_results(results, kind)
        if growth.frame()[kind].notna().any():
            figures[f"plan_{kind}"] = growth
    figures["frequency"] = SelectionFrequencyDisplay(
        evidence.frequencies, data.methods, choice.size
    )
    if len(data.methods) > 1:
        figures["agreement"] = AgreementDisplay.from_results(results, choice.size)
    if sum(not role.added for role in data.methods.values()) > 1:
        figures["upset"] = UpSetDisplay.from_results(results, choice.size)
    if len(batches := results.selections.batch_agreement().frame()):
        figures["batches"] = AgreementDisplay(batches, {}, choice.size)
    if evidence.samples:
        figures["weights"] = SampleWeightsDisplay.from_results(results)
    for display in figures.values():
        display.highlight = choice.method
    return figures
