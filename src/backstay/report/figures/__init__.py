"""The figures: one display per file, drawn by matplotlib or as SVG for the page."""

from backstay.report.figures._accuracy import AccuracyDisplay
from backstay.report.figures._agreement import AgreementDisplay
from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display, Drawing, Point
from backstay.report.figures._fit_times import FitTimesDisplay
from backstay.report.figures._frequency import SelectionFrequencyDisplay
from backstay.report.figures._heatmap import HeatmapDisplay
from backstay.report.figures._pareto import ParetoDisplay
from backstay.report.figures._roc import RocDisplay
from backstay.report.figures._sample_map import SampleMapDisplay
from backstay.report.figures._sample_weights import SampleWeightsDisplay
from backstay.report.figures._stability import StabilityDisplay
from backstay.report.figures._style import css_variables
from backstay.report.figures._svg import legend_key
from backstay.report.figures._validation import (
    CalibrationDisplay,
    ExpectedScoreDisplay,
    ShiftDisplay,
)

__all__ = [
    "AccuracyDisplay",
    "AgreementDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "Display",
    "Drawing",
    "ExpectedScoreDisplay",
    "FitTimesDisplay",
    "HeatmapDisplay",
    "ParetoDisplay",
    "Point",
    "RocDisplay",
    "SampleMapDisplay",
    "SampleWeightsDisplay",
    "SelectionFrequencyDisplay",
    "ShiftDisplay",
    "StabilityDisplay",
    "css_variables",
    "legend_key",
]
