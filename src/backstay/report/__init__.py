"""The report: figures of a study's results, and one file that says what they show.

The displays draw with matplotlib when asked to; `write_report` writes report.html.
Neither matplotlib nor jinja2 is imported before.
"""

from backstay.report._page import write_report
from backstay.report._summarize import summarize
from backstay.report.figures import (
    AccuracyDisplay,
    AgreementDisplay,
    FitTimesDisplay,
    ParetoDisplay,
    SampleWeightsDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
)

__all__ = [
    "AccuracyDisplay",
    "AgreementDisplay",
    "FitTimesDisplay",
    "ParetoDisplay",
    "SampleWeightsDisplay",
    "SelectionFrequencyDisplay",
    "StabilityDisplay",
    "summarize",
    "write_report",
]
