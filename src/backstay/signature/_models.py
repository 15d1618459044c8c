"""Which models can be frozen as numbers? Each kind of outcome has its own, in a file of its own."""

from __future__ import annotations

from backstay.signature._class_models import ClassModels
from backstay.signature._model import Models
from backstay.signature._number_models import NumberModels
from backstay.signature._survival_models import SurvivalModels
from backstay.targets import Target

BY_OUTCOME: dict[str, type[Models]] = {
    "classes": ClassModels,
    "numbers": NumberModels,
    "survival": SurvivalModels,
}


def frozen_models(target: Target) -> Models:
    """Return the frozen models for the kind of outcome that a signature predicts."""
    return BY_OUTCOME[target.kind](target)
