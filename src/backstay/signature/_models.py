"""Which models can be frozen as numbers? Each kind of outcome has its own."""

from __future__ import annotations

from backstay.signature._class_models import ClassModels
from backstay.targets import Target

BY_OUTCOME = {"classes": ClassModels}


def frozen_models(target: Target) -> ClassModels:
    """Return the frozen models for the kind of outcome that a signature predicts."""
    return BY_OUTCOME[target.kind](target)
