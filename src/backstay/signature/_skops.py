"""Other models: in the format of skops, which says what a file would load before it does."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.signature._document import SignatureError
from backstay.signature._models import Codes, Model

Array = NDArray[np.float64]


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            'this model needs skops to be frozen or loaded: pip install "backstay[skops]"'
        ) from error
    return skops.io


def skops_content(fitted: Any) -> dict[str, Any]:
    """Return a fitted model in the format of skops."""
    data = base64.b64encode(_skops().dumps(fitted)).decode("ascii")
    return {"kind": "skops", "model": type(fitted).__name__, "data": data}


def types_in(content: dict[str, Any]) -> list[str]:
    """Return the types that a file would load, beyond those that skops itself trusts."""
    found: list[str] = _skops().get_untrusted_types(data=_bytes(content))
    return found


def _bytes(content: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(content["data"], validate=True)
    except ValueError as error:
        raise SignatureError("model.data is not base64.") from error


class Loaded(Model):
    """A model of scikit-learn's, loaded by skops."""

    threshold = None

    def __init__(self, content: dict[str, Any], n_classes: int, trusted: Sequence[str]) -> None:
        super().__init__(content, n_classes)
        unknown = sorted(set(types_in(content)) - set(trusted))
        if unknown:
            raise SignatureError(
                f"its model {content['model']} would load {', '.join(unknown)}; if you "
                "know these types and where the file comes from, name them as trusted.",
                parameter="trusted",
            )
        self.fitted = _skops().loads(_bytes(content), trusted=list(trusted))
        if len(getattr(self.fitted, "classes_", ())) != n_classes:
            raise SignatureError(f"model.data is no model of {n_classes} classes.")

    def scores(self, X: Array) -> Array:
        score = getattr(self.fitted, "decision_function", None) or self.fitted.predict_proba
        values = np.asarray(score(X), dtype=np.float64)
        if values.ndim == 1:
            return values[:, None]
        return values[:, 1:] if self.n_classes == 2 else values

    def predict(self, X: Array, threshold: float | None) -> Codes:
        return np.searchsorted(self.fitted.classes_, self.fitted.predict(X))

    def probability(self, X: Array) -> Array | None:
        known = hasattr(self.fitted, "predict_proba")
        return np.asarray(self.fitted.predict_proba(X)) if known else None
