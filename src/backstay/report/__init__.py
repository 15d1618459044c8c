"""The report: figures of a study's results, and one file that says what they show.

`Report` summarises results once; its page and its dictionary say the same. The displays draw with
matplotlib when plotted, `Report.write` needs jinja2. Neither is imported before.
"""

from backstay.report._plan_words import needed_words
from backstay.report._report import Report
from backstay.report._suspicions import suspicion_words
from backstay.report._validation import ValidationReport
from backstay.report._words import units_text
from backstay.report.figures._accuracy import AccuracyDisplay
from backstay.report.figures._agreement import AgreementDisplay
from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._frequency import SelectionFrequencyDisplay
from backstay.report.figures._heatmap import HeatmapDisplay
from backstay.report.figures._numbers import PredictedDisplay
from backstay.report.figures._pareto import ParetoDisplay
from backstay.report.figures._plan import PlanDisplay
from backstay.report.figures._roc import RocDisplay
from backstay.report.figures._sample_map import SampleMapDisplay
from backstay.report.figures._sample_weights import SampleWeightsDisplay
from backstay.report.figures._stability import StabilityDisplay
from backstay.report.figures._strips import StripDisplay
from backstay.report.figures._survival import RiskGroupsDisplay
from backstay.report.figures._upset import UpSetDisplay
from backstay.report.figures._validation import (
    CalibrationDisplay,
    ShiftDisplay,
)
from backstay.report.figures._volcano import VolcanoDisplay

__all__ = [
    "AccuracyDisplay",
    "AgreementDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "HeatmapDisplay",
    "ParetoDisplay",
    "PlanDisplay",
    "PredictedDisplay",
    "Report",
    "RiskGroupsDisplay",
    "RocDisplay",
    "SampleMapDisplay",
    "SampleWeightsDisplay",
    "SelectionFrequencyDisplay",
    "ShiftDisplay",
    "StabilityDisplay",
    "StripDisplay",
    "UpSetDisplay",
    "ValidationReport",
    "VolcanoDisplay",
    "needed_words",
    "suspicion_words",
    "units_text",
]
