"""Parameters of a sequential selector that scikit-learn's own checks cannot judge."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any


def plus_minus(moves: Any) -> tuple[int, int] | None:
    """Return how many moves a cycle makes ahead and back; None for a floating search."""
    if isinstance(moves, str):
        return None
    pair = tuple(moves)
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 0 <= pair[1] < pair[0]:
        raise ValueError(
            f"moves={moves!r} must be 'floating' or two whole numbers (plus, minus) with "
            "0 <= minus < plus; otherwise the search would never end."
        )
    return int(pair[0]), int(pair[1])


def check_rule(requested: Any) -> None:
    """Refuse a rule for the smallest subset other than the two there are."""
    if not isinstance(requested, Mapping):
        return
    loss = requested.get("max_loss", 0.0)
    known = len(requested) == 1 and set(requested) <= {"min_score", "max_loss"}
    numbers = all(isinstance(value, Real) for value in requested.values())
    if not known or not numbers or not 0 <= loss <= 1:
        raise ValueError(
            f"n_features_to_select={requested!r} must be {{'min_score': J}}, or "
            "{'max_loss': share} with a share from 0 to 1."
        )


def check_estimator(estimator: Any) -> None:
    """Refuse what is neither the name of an inducer nor a classifier."""
    if not isinstance(estimator, str) and not (
        hasattr(estimator, "fit") and hasattr(estimator, "predict")
    ):
        raise ValueError(
            f"estimator={estimator!r} must be the name of a built-in inducer or a "
            "scikit-learn classifier with fit and predict."
        )
