"""The papers' experiments, run again: published and measured side by side."""

from backstay.reproduction._experiment import Experiment, MissingDataError, Outcome, Setting
from backstay.reproduction._page import write_page
from backstay.reproduction._registry import list_experiments, reproduce

__all__ = [
    "Experiment",
    "MissingDataError",
    "Outcome",
    "Setting",
    "list_experiments",
    "reproduce",
    "write_page",
]
