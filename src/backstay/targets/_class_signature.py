"""What a frozen signature remembers of classes, and what it asks of a cohort's classes."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from backstay._refusal import Refusal
from backstay._wilson import wilson
from backstay._words import listed
from backstay.targets._metric import Metric
from backstay.targets._target import Alike, Calibration, Floats, Rows, Target

# Rows of a class that are drawn at least.
LEAST_DRAWN = 10
# Tested rows of the smaller class that a calibration needs.
LEAST_ROWS = 10
# A bin of the calibration curve holds at least this many rows; there are at most this many bins.
ROWS_OF_A_BIN, MOST_BINS = 15, 10


def label_text(label: Any) -> str:
    """Return a label as text; 1.0 is 1, as a column with gaps holds it."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)


class ClassSignature(Target):
    """The class of every row, as a frozen signature asks for it."""

    def __init__(
        self, classes: NDArray[Any], codes: Rows, values: NDArray[Any] | None = None
    ) -> None:
        self.classes, self.codes = classes, codes
        self.values = codes if values is None else values

    @property
    def n_classes(self) -> int:
        """Number of classes, whether rows of all are there or not."""
        return len(self.classes)

    @cached_property
    def seen(self) -> NDArray[Any]:
        """The classes as methods see them, in order."""
        return np.unique(self.values)

    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return class numbers, as of a study that was told the positive class, and labels."""
        place = {label: c for c, label in enumerate(self.classes.tolist())}
        codes = np.array([place.get(label, -1) for label in y.tolist()], dtype=np.intp)
        return [type(self)(self.classes, codes), type(self)(self.classes, codes, y)]

    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return moments of the features within classes; gaps are left out."""
        moments: dict[str, list[list[Any]]] = {"counts": [], "means": [], "sds": []}
        residual = np.zeros_like(values)
        whole = [column[~np.isnan(column)].mean() for column in values.T]
        for c in range(self.n_classes):
            rows = values[self.codes == c]
            parts = [column[~np.isnan(column)] for column in rows.T]
            means = [float(p.mean() if len(p) else m) for p, m in zip(parts, whole, strict=True)]
            moments["counts"].append([len(part) for part in parts])
            moments["means"].append(means)
            moments["sds"].append([float(p.std(ddof=1)) if len(p) > 1 else 0.0 for p in parts])
            if np.isfinite(rows).any():  # a gap counts as the mean of its class
                with np.errstate(invalid="ignore"):
                    centred = np.nan_to_num(rows - np.nanmean(rows, axis=0))
                residual[self.codes == c] = centred
        covariance = residual.T @ residual / max(len(values) - self.n_classes, 1)
        return {**moments, "covariance": covariance.tolist()}

    def drawn_like(
        self, moments: Mapping[str, Any], sizes: list[int], n_rows: int, rng: np.random.Generator
    ) -> tuple[Self, Floats]:
        """Return rows of all classes in their proportions, from normal distributions."""
        shares = np.asarray(sizes, dtype=float)
        n_drawn = np.maximum(np.round(n_rows * shares / shares.sum()), LEAST_DRAWN).astype(int)
        codes = np.repeat(np.arange(len(shares)), n_drawn)
        noise = self._noise(moments, len(codes), rng)
        return type(self)(self.classes, codes), np.asarray(moments["means"])[codes] + noise

    def of_cohort(self, y: Any, mapping: Mapping[str, str]) -> Self:
        """Return the classes of a cohort, found by their names; they are text from here on."""
        names = list(map(label_text, self.classes))
        unknown = sorted(set(mapping.values()) - set(names))
        if unknown:
            raise Refusal(
                f"a class is mapped to {unknown[0]!r}; the signature has {', '.join(names)}.",
                parameter="mapping",
            )
        texts = [label_text(label) for label in self._without_gaps(y).tolist()]
        mapped = [mapping.get(text, text) for text in texts]
        strange = sorted(set(mapped) - set(names))
        if strange:
            raise Refusal(
                f"the cohort has the classes {listed(sorted(set(texts)))}, the signature "
                f"{listed(names)}; map {listed(strange)} to one of these, or leave these rows out.",
                parameter="mapping",
            )
        codes = np.array([names.index(text) for text in mapped], dtype=np.intp)
        return type(self)(np.array(names, dtype=object), codes)

    def alike(self, moments: Mapping[str, Any], column: int, x: Floats) -> list[Alike]:
        """Set each class against itself, where training rows and `x` both have two rows of it."""
        table = (moments[key] for key in ("counts", "means", "sds"))
        return [
            Alike(n[column], mean[column], sd[column], x[self.codes == c])
            for c, (n, mean, sd) in enumerate(zip(*table, strict=True))
            if n[column] > 1 and (self.codes == c).sum() > 1
        ]

    def residuals(self, x: Floats) -> Floats:
        """Return values minus the mean of their class."""
        residual = np.empty_like(x)
        for c in np.unique(self.codes):
            residual[self.codes == c] = x[self.codes == c] - x[self.codes == c].mean()
        return residual

    def said(self, predicted: NDArray[Any]) -> NDArray[Any]:
        """Return the labels of class numbers."""
        return np.array(self.classes.tolist())[predicted.astype(np.intp)]

    def in_brief(self, predicted: NDArray[Any]) -> str:
        """Return how many rows were given each class."""
        counts = pd.Series(predicted).value_counts()
        return ", ".join(f"{name} {n}" for name, n in counts.items())

    def prediction_columns(
        self, scores: Floats, chances: Floats | None, interval: Floats | None
    ) -> dict[str, Any]:
        """Return scores of the second of two classes, or of all, and probabilities of all."""
        names = list(map(label_text, self.classes))
        shown = names[1:] if scores.shape[1] == 1 else names
        columns = {f"score {name}": scores[:, c] for c, name in enumerate(shown)}
        if chances is not None:
            columns |= {f"probability {name}": chances[:, c] for c, name in enumerate(names)}
        return columns

    def calibrated(self, tested: pd.DataFrame) -> tuple[dict[str, Any] | None, str]:
        """Return Platt's map from scores of the second class to its probability.

        From scores of rows that were tested: those of a model's own training rows lie too far
        apart, and probabilities made from them would be too sure. A row that was tested several
        times has several scores; together they count as one row.
        """
        if self.n_classes > 2:
            return None, "none: the model has none, and calibration is for two classes"
        if "score" not in tested:
            return None, "none: the model has none, and the study kept no scores"
        second = tested["class"].to_numpy() == 1
        _, firsts, places, times = np.unique(
            tested["row"], return_index=True, return_inverse=True, return_counts=True
        )
        n_rows = len(firsts)
        smaller = int(min(second[firsts].sum(), (~second[firsts]).sum())) if n_rows else 0
        if smaller < LEAST_ROWS:
            return None, (
                f"none: calibration needs scores of {LEAST_ROWS} tested rows of each class, and "
                f"one has {smaller}"
            )
        slope, intercept = _platt(tested["score"].to_numpy(), second, 1 / times[places])
        if slope <= 0:
            return None, "none: scores of tested rows do not rise with the second class"
        straight = {"kind": "platt", "slope": slope, "intercept": intercept}
        return straight, f"Platt's calibration on the scores of {n_rows} tested rows"

    def probabilities(self, calibration: dict[str, Any], scores: Floats) -> Floats:
        """Return a column for each of two classes."""
        second = expit(calibration["slope"] * scores[:, 0] + calibration["intercept"])
        return np.column_stack([1 - second, second])

    def calibration(self, chances: Floats) -> Calibration | None:
        """Compare probabilities of the second of two classes with how often rows belong to it."""
        second, said = self.codes == 1, chances[:, 1]
        if self.n_classes > 2 or not 0 < second.sum() < len(second):
            return None
        tiny = 1e-6  # votes of a k-NN are 0 and 1
        slope, intercept = _platt(logit(np.clip(said, tiny, 1 - tiny)), second, np.ones(len(said)))
        n_bins = int(np.clip(len(second) // ROWS_OF_A_BIN, 1, MOST_BINS))
        bins = []
        for part in np.array_split(np.argsort(said, kind="stable"), n_bins):
            observed = float(second[part].mean())
            low, high = map(float, wilson(observed, len(part)))
            predicted = float(said[part].mean())
            ends = {"low": low, "high": high, "n": len(part)}
            bins.append({"predicted": predicted, "observed": observed, **ends})
        return Calibration(str(self.classes[1]), slope, intercept, pd.DataFrame(bins))

    def draws(self, n_draws: int, rng: np.random.Generator) -> Rows:
        """Return rows drawn within classes, so that all draws have the same labels."""
        rows = [np.flatnonzero(self.codes == c) for c in np.unique(self.codes)]
        return np.hstack([one[rng.integers(len(one), size=(n_draws, len(one)))] for one in rows])

    def scores_of_draws(self, metric: Metric, outputs: Floats, draws: Rows) -> Floats:
        """Return a metric of all draws at once, as they have the same labels."""
        return metric.score(self.take(draws[0]), outputs[draws])


def _platt(scores: Floats, second: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Return slope and intercept of the log odds as a function of the score (Platt 1999).

    His targets, (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), keep separable classes finite.
    """
    n_second, n_first = float(weight[second].sum()), float(weight[~second].sum())
    target = np.where(second, (n_second + 1) / (n_second + 2), 1 / (n_first + 2))
    middle, spread = float(scores.mean()), float(scores.std()) or 1.0
    z = (scores - middle) / spread

    def loss(ab: Floats) -> tuple[float, Floats]:
        log_odds = ab[0] * z + ab[1]
        # log(1 + exp(t)) − y·t, without overflow.
        value = float((np.logaddexp(0, log_odds) - target * log_odds) @ weight)
        error = weight * (expit(log_odds) - target)
        return value, np.array([(error * z).sum(), error.sum()])

    start = np.array([1.0, np.log((n_second + 1) / (n_first + 1))])
    a, b = minimize(loss, start, jac=True, method="BFGS").x
    return float(a / spread), float(b - a * middle / spread)
