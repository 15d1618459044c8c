"""Models of times until an event as numbers: log hazard ratios, and a hazard on a grid of times."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay.signature._error import SignatureError
from backstay.signature._model import Array, Content, Model, Models, products
from backstay.signature._skops import loaded_model
from backstay.targets import CoxRidge, Target

# Steps of the grid between 0 and the last event of the training rows.
N_STEPS = 100


class CoxModel(Model):
    """Cox regression: a row's hazard is a common one times the exponential of its risk."""

    def __init__(self, content: Content, horizon: float) -> None:
        super().__init__(content, 0)
        self.horizon = horizon

    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        """Return the risk: the log of the hazard ratio to the mean training row."""
        ends = CoxRidge.largest_risk
        return np.clip(products(X, self.content)[:, 0], -ends, ends)

    def scores(self, X: Array) -> Array:
        """Return survival at the horizon, and the group of the risk."""
        group = np.searchsorted(self.content["cuts"], self.predict(X, None))
        return np.column_stack([self.survival(X, [self.horizon]), group])

    def survival(self, X: Array, times: Sequence[float]) -> Array:
        """Return the chance of rows to have no event up to times within the grid."""
        grid = self.content["times"]
        outside = [time for time in times if not 0 <= time <= grid[-1]]
        if outside:
            raise SignatureError(
                f"time {outside[0]:g} is outside 0 to {grid[-1]:g}, the last event of the training "
                "rows; what comes later is not known.",
                parameter="times",
            )
        passed = np.searchsorted(grid, times, side="right") - 1
        hazard = np.asarray(self.content["hazard"])[passed]
        return np.exp(-np.outer(np.exp(self.predict(X, None)), hazard))


class LoadedRisk(Model):
    """A model of risks of another package, loaded by skops: survival and groups are not known."""

    def __init__(self, content: Content, n_classes: int, trusted: Sequence[str]) -> None:
        super().__init__(content, n_classes)
        self.fitted = loaded_model(content, trusted)

    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        return np.asarray(self.fitted.predict(X), dtype=np.float64).ravel()

    def scores(self, X: Array) -> Array:
        return np.empty((len(X), 0))


class SurvivalModels(Models):
    """Frozen models of times until an event."""

    kinds: ClassVar[Mapping[str, type[CoxModel]]] = {"cox": CoxModel}
    loaded = LoadedRisk
    calibrations = ()
    neighbors = None

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.horizon: float = target.to_json()["horizon"]

    def model(self, content: Content, trusted: Sequence[str]) -> Model:
        """Return the model that a document holds."""
        if content["kind"] == "cox":
            return CoxModel(content, self.horizon)
        return super().model(content, trusted)

    def _content(self, fitted: Any) -> Content | None:
        """Return the model with its hazard on a grid, which hides when single rows had events."""
        if type(fitted) is not CoxRidge:
            return None
        last = max(float(fitted.times_[-1]), self.horizon)
        grid = np.union1d(np.linspace(0, last, N_STEPS + 1), [self.horizon])
        hazard = np.append(0, fitted.hazard_)[np.searchsorted(fitted.times_, grid, side="right")]
        return {
            "kind": "cox",
            "coef": [fitted.coef_.tolist()],
            "intercept": [-fitted.offset_],
            "times": grid.tolist(),
            "hazard": hazard.tolist(),
            "cuts": fitted.cuts_.tolist(),
        }

    def shapes(self, content: Content, n_features: int) -> dict[str, tuple[int, ...]]:
        n_times = (len(content.get("times", ())),)
        coef = {"coef": (1, n_features), "intercept": (1,)}
        return {**coef, "times": n_times, "hazard": n_times, "cuts": (2,)}

    def _misfit(self, document: Content) -> str | None:
        if document["threshold"] is not None:
            return "threshold is for the score of two classes"
        if document["model"]["kind"] != "cox":
            return None
        model = document["model"]
        for key in ("times", "hazard", "cuts"):
            if model[key] != sorted(model[key]):
                return f"model.{key} are not in order"
        if model["times"][0] != 0 or self.horizon not in model["times"] or model["hazard"][0] < 0:
            return "model.times must begin with 0 and hold the horizon; a hazard is above 0"
        return None
