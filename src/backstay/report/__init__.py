"""The report: figures of a study's results, and one file that says what they show.

`Report` summarises results once; its page and its dictionary say the same. The displays draw with
matplotlib when plotted, `Report.write` needs jinja2. Neither is imported before.
"""

from backstay.report._report import Report, write_report
from backstay.report._validation import ValidationReport
from backstay.report.figures import (
    AccuracyDisplay,
    AgreementDisplay,
    CalibrationDisplay,
    ConfusionDisplay,
    ExpectedScoreDisplay,
    FitTimesDisplay,
    HeatmapDisplay,
    ParetoDisplay,
    RocDisplay,
    SampleMapDisplay,
    SampleWeightsDisplay,
    SelectionFrequencyDisplay,
    ShiftDisplay,
    StabilityDisplay,
)

__all__ = [
    "AccuracyDisplay",
    "AgreementDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "ExpectedScoreDisplay",
    "FitTimesDisplay",
    "HeatmapDisplay",
    "ParetoDisplay",
    "Report",
    "RocDisplay",
    "SampleMapDisplay",
    "SampleWeightsDisplay",
    "SelectionFrequencyDisplay",
    "ShiftDisplay",
    "StabilityDisplay",
    "ValidationReport",
    "write_report",
]
