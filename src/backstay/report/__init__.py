"""The report: figures of a study's results, and one file that says what they show.

The displays draw with matplotlib when asked to; `write_report` writes report.html.
Neither matplotlib nor jinja2 is imported before.
"""

from backstay.report._curves import (
    AccuracyDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
)
from backstay.report._html import write_report
from backstay.report._planes import (
    AgreementDisplay,
    FitTimesDisplay,
    ParetoDisplay,
    SampleWeightsDisplay,
)
from backstay.report._summarize import summarize

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

