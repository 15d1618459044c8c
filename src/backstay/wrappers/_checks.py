"""Parameters of a sequential selector that must go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from backstay.wrappers._inducers import n_neighbors_of


def check_combination(selector: Any) -> None:
    """Raise if parameters that are fine alone do not go together."""
    if selector.minus >= selector.plus:
        raise ValueError(
            f"minus={selector.minus!r} must be below plus={selector.plus!r}; otherwise the search "
            "would never end."
        )
    given = selector.remainder_weights
    if given is not None:
        pair = np.asarray(given, dtype=np.float64)
        if pair.shape != (2,) or not ((pair >= 0) & (pair <= 1)).all() or not pair.any():
            raise ValueError(
                f"remainder_weights={given!r} must be two numbers from 0 to 1, not both 0."
            )
    if selector.floating and (selector.plus, selector.minus) != (1, 0):
        raise ValueError(
            f"floating=True itself decides how far to go back, so plus must be 1 and minus 0; "
            f"got plus={selector.plus!r} and minus={selector.minus!r}."
        )
    if selector.stop == "no_gain" and selector.n_features_to_select != "best":
        raise ValueError(
            f"stop='no_gain' may end before n_features_to_select="
            f"{selector.n_features_to_select!r} is reached; use 'best' with it, or stop='never'."
        )
    n_rules = (selector.min_score is not None) + (selector.max_loss is not None)
    if n_rules != (selector.n_features_to_select == "smallest"):
        raise ValueError(
            f"n_features_to_select='smallest' needs one of min_score and max_loss, and nothing "
            f"else does; got n_features_to_select={selector.n_features_to_select!r}, "
            f"min_score={selector.min_score!r} and max_loss={selector.max_loss!r}."
        )
    built_in = isinstance(selector.estimator, str)
    neighbors = built_in and n_neighbors_of(selector.estimator) is not None
    if selector.ties == "vote" and not neighbors:
        raise ValueError(
            f"ties='vote' is for the built-in k-NN, '1nn' or 'knn:K'; got "
            f"estimator={selector.estimator!r}."
        )
    if built_in:
        return
    if not (hasattr(selector.estimator, "fit") and hasattr(selector.estimator, "predict")):
        raise ValueError(
            f"estimator={selector.estimator!r} must be the name of a built-in inducer or a "
            "scikit-learn classifier with fit and predict."
        )
