"""The report of a study: summarised once, rendered as a dictionary or as a page."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from backstay.base import one_thread
from backstay.report._answer import Answer, answer
from backstay.report._evidence import Evidence, gather
from backstay.report._page import write_page
from backstay.report._setting import setting
from backstay.report._tables import (
    failure_rows,
    feature_rows,
    figure_table,
    gain_rows,
    outlying_rows,
    relevant_rows,
)
from backstay.report._words import clean
from backstay.report.figures import (
    AccuracyDisplay,
    AgreementDisplay,
    Display,
    FitTimesDisplay,
    ParetoDisplay,
    SampleWeightsDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
)
from backstay.results import Results


@dataclass(frozen=True)
class DatasetReport:
    """The part of a report that is about one data set.

    Attributes
    ----------
    name : str
        Of the data set.
    evidence : Evidence
        What the results say.
    answer : Answer
        What the report opens with, and what was not shown.
    figures : dict of str to Display
        The figures in order.
    """

    name: str
    evidence: Evidence
    answer: Answer
    figures: dict[str, Display]


class Report:
    """Everything a report says about a study, computed once and rendered as often as needed.

    Parameters
    ----------
    results : Results
        Of one or several data sets.

    See Also
    --------
    write_report : Write the page at once.

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
    '3 of 10 features were chosen in most runs'
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
            return [_dataset_report(self.results[name], name) for name in self.results.datasets]

    @cached_property
    def _summary(self) -> dict[str, Any]:
        names = ", ".join(part.name for part in self.parts)
        datasets = [_part_dict(part, f"d{place}") for place, part in enumerate(self.parts)]
        summary: dict[str, Any] = _plain({"title": names, "datasets": datasets})
        return summary

    def to_dict(self) -> dict[str, Any]:
        """Return everything the report says, ready for JSON.

        Returns
        -------
        dict
            ``title`` and, in ``datasets``, the answer, the figures' data and findings, the tables
            and the setting of each. Undefined numbers are None. Names are as given, not escaped.
        """
        return self._summary

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the report as one HTML file; needs ``pip install "backstay[app]"``.

        Parameters
        ----------
        path : path
            Of the HTML file; an existing one is replaced.

        Returns
        -------
        Path
            Where it is.
        """
        # A missing extra is reported before any work is done.
        try:
            import jinja2  # noqa: F401
        except ImportError as error:
            raise ImportError('reports need more packages: pip install "backstay[app]"') from error
        return write_page(self._summary, [part.figures for part in self.parts], Path(path))


def write_report(results: Results, path: str | os.PathLike[str]) -> Path:
    """Write the report of a study as one HTML file.

    The same as ``Report(results).write(path)`` and ``results.report(path)``.

    Parameters
    ----------
    results : Results
        Of one or several data sets.
    path : path
        Of the HTML file; an existing one is replaced.

    Returns
    -------
    Path
        Where it is.

    See Also
    --------
    Report : The same report as an object.
    """
    return Report(results).write(path)


def _dataset_report(results: Results, name: str) -> DatasetReport:
    evidence = gather(results)
    return DatasetReport(name, evidence, answer(evidence), _figures(results, evidence))


def _figures(results: Results, evidence: Evidence) -> dict[str, Display]:
    choice, data = evidence.choice, evidence.data
    found: dict[str, Display] = {"stability": StabilityDisplay.from_results(results)}
    # The classifier of the answer comes first.
    for classifier in sorted(data.classifiers, key=lambda name: name != choice.classifier):
        place = data.classifiers.index(classifier)
        found[f"accuracy{place}"] = AccuracyDisplay.from_results(results, choice.metric, classifier)
    if data.classifiers:
        found["pareto"] = ParetoDisplay.from_results(
            results, size=choice.size, classifier=choice.classifier, metric=choice.metric
        )
    found["frequency"] = SelectionFrequencyDisplay(evidence.frequencies, data.methods, choice.size)
    if len(data.methods) > 1:
        found["agreement"] = AgreementDisplay.from_results(results, choice.size)
    if evidence.samples:
        found["weights"] = SampleWeightsDisplay.from_results(results)
    found["times"] = FitTimesDisplay.from_results(results)
    for display in found.values():
        display.highlight = choice.method
    return found


def _part_dict(part: DatasetReport, key: str) -> dict[str, Any]:
    evidence = part.evidence
    return {
        "name": part.name,
        "key": key,
        "facts": _facts_dict(evidence),
        "choice": _choice_dict(evidence),
        "answer": asdict(part.answer),
        "truth": relevant_rows(evidence),
        "figures": {kind: asdict(figure_table(d)) for kind, d in part.figures.items()},
        "gains": gain_rows(evidence),
        "consensus": evidence.consensus.drop(columns="dataset").to_dict("records"),
        "features": {
            "rows": [asdict(row) for row in feature_rows(evidence)],
            "n": len(evidence.features),
        },
        "outlying": [outlying_rows(weights) for weights in evidence.samples],
        "errors": [asdict(failure) for failure in failure_rows(evidence.failures)],
        "setting": asdict(setting(evidence.study, evidence.data)),
    }


def _facts_dict(evidence: Evidence) -> dict[str, Any]:
    data = evidence.data
    classes = zip(data.classes, data.class_sizes, strict=True)
    names = (
        "n_samples", "n_features", "sizes", "classifiers", "scoring", "n_resamples", "n_groups",
        "n_configurations", "resampling",
    )  # fmt: skip
    return {
        **{name: getattr(data, name) for name in names},
        "classes": [{"name": str(name), "n": n} for name, n in classes],
        "methods": {name: asdict(role) for name, role in data.methods.items()},
    }


def _choice_dict(evidence: Evidence) -> dict[str, Any]:
    choice = evidence.choice
    return {
        "kind": choice.kind,
        **asdict(choice.configuration),
        "stability": choice.stability,
        "low": choice.low,
        "high": choice.high,
        "n_runs": choice.n_runs,
        "sentence": choice.recommendation.sentence if choice.recommendation else "",
    }


def _plain(value: Any) -> Any:
    """Turn numbers of numpy into Python's, undefined ones into None, and clean all text."""
    if isinstance(value, dict):
        return {clean(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return clean(value)
