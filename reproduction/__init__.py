"""The papers' experiments, run again: published and measured side by side."""

from reproduction._experiment import Experiment, MissingDataError, Outcome, Setting
from reproduction._page import write_page
from reproduction._registry import list_experiments, reproduce

__all__ = [
    "Experiment",
    "MissingDataError",
    "Outcome",
    "Setting",
    "list_experiments",
    "reproduce",
    "write_page",
]
