"""The papers' experiments, run again: published and measured side by side."""

from reproduction._experiment import Experiment, ExperimentResult, MissingDataError, RunSettings
from reproduction._folder import load_npz_dir
from reproduction._page import write_page
from reproduction._registry import list_experiments, reproduce

__all__ = [
    "Experiment",
    "ExperimentResult",
    "MissingDataError",
    "RunSettings",
    "list_experiments",
    "load_npz_dir",
    "reproduce",
    "write_page",
]
