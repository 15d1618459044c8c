"""Which features could take the place of one in the signature, and at what cost."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._columns import STAND_INS, STRONG, standardized
from backstay.base import one_thread
from backstay.comparison import corrected_mean
from backstay.results._choice import choice_of
from backstay.results._parts import Rows, size_within
from backstay.results._records import LARGEST_SIZE, Records, computed_once

# Penalty of the model, as a share of a feature's variance.
RIDGE = 0.1
# Values have deviation 1 over all rows; one far below on the training rows is that of rounding.
CONSTANT = 1e-12

NOBODY: dict[str, Any] = {
    "stand_in": None, "stand_in_name": None, "correlation": None, "change": None, "error": None,
}  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
# What may take the place of a feature, as rows of the values, and their correlations with it.
StandIns = tuple[Ints, Floats]


def equivalents_of(records: Records, method: str | None, size: int | None) -> Rows:
    """Return the features that could take the place of each in a signature."""
    if method is None or size is None:
        chosen = choice_of(records)
        method, size = method or chosen.method, chosen.size if size is None else size
    method, size = records.check_method(method), size_within(records, size)
    if not len(records.members(method, size)):
        return []
    kept = records.candidates
    every = kept is not None and kept.values is not None and len(kept.rows) == records.n_samples
    if not every or size > LARGEST_SIZE:
        raise ValueError(
            "the store has no values of the signature in all samples: there are more than 200 "
            "samples or 100 features, the study has not finished, or it was run without samples "
            "(--no-samples)."
        )
    return _equivalent_rows(records, method, size)


@computed_once
def _equivalent_rows(records: Records, method: str, size: int) -> Rows:
    kept = records.candidates
    assert kept is not None
    assert kept.values is not None
    features, values = kept.features.astype(np.intp), kept.values
    members = records.members(method, size)
    place = {int(feature): i for i, feature in enumerate(features)}
    own = np.array([place[int(j)] for j in members if int(j) in place], dtype=np.intp)
    if not len(own):
        return []
    exchanges = _stand_ins(values, own)
    metric = records.facts.metric
    if records.metric(metric).needs == "probabilities":  # which the ridge has none of
        metric = records.target.default_metric({})
    # Thousands of small products: threads would spend their time waiting for each other.
    with one_thread():
        tested = [
            (test, _outputs(records, values, own, exchanges, resample))
            for resample in range(records.n_resamples)
            if len(test := records.test(resample))
        ]
    known = records.metric(metric)
    scores = np.array(known.of_runs(records.target, tested))
    table = (scores[:, 1:] - scores[:, :1]).reshape(len(scores), -1)
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) < 2:
        return []
    figures = iter([corrected_mean(column, records.test_share) for column in table.T])
    rows: Rows = []
    for feature, (stand_ins, correlations) in zip(features[own], exchanges, strict=True):
        without, without_error = next(figures)
        base = {
            "method": method,
            "size": size,
            "feature": int(feature),
            "name": records.feature_name(int(feature)),
            "without": without,
            "without_error": without_error,
        }
        tried: Rows = []
        for other, r in zip(features[stand_ins].tolist(), correlations.tolist(), strict=True):
            named = {"stand_in": other, "stand_in_name": records.feature_name(other)}
            change, error = next(figures)
            if known.gain(change) >= 0 or known.gain(change) > -error:  # does as well
                tried.append({**named, "correlation": r, "change": change, "error": error})
        tried.sort(key=lambda row: -known.gain(row["change"]))
        rows += [base | row for row in tried or [NOBODY]]
    return rows


def _stand_ins(values: Floats, own: Ints) -> list[StandIns]:
    """Return the strongest partners of every feature outside the signature."""
    unit = standardized(np.ascontiguousarray(values.T))
    r = np.clip(unit[:, own].T @ unit, -1, 1)
    partners = []
    for row in r:
        strength = np.abs(row)
        strength[own] = 0
        best = np.argsort(-strength, kind="stable")[:STAND_INS]
        best = best[strength[best] >= STRONG]
        partners.append((best, row[best]))
    return partners


def _outputs(
    records: Records, values: Floats, own: Ints, exchanges: list[StandIns], resample: int
) -> Floats:
    """Return outputs on one resample: of the whole, then without every feature, and swapped."""
    train, test = records.train(resample), records.test(resample)
    learned = records.target.take(train)
    fit = RidgeFit(values[:, train].T, learned.ridge_aims(), values[:, test].T, own)
    swapped = [fit.exchanged(place, others) for place, (others, _) in enumerate(exchanges)]
    return learned.from_leanings(np.concatenate([fit.whole()[None], *swapped]))


class RidgeFit:
    """Ridge regression on the outcome, with one feature of a signature exchanged at a time.

    Features are centred and scaled on the training rows; gaps are the mean. One inverse serves
    every exchange. `aims` are weights of the training rows, and what to regress on.
    """

    def __init__(
        self, train: Floats, aims: tuple[Floats, Floats], test: Floats, signature: Ints
    ) -> None:
        omega, target = aims
        known = np.isfinite(train)
        mass = np.maximum(omega @ known, np.finfo(np.float64).tiny)
        mean = omega @ np.where(known, train, 0) / mass
        centred = np.where(known, train - mean, 0)
        deviation = np.sqrt(omega @ centred**2)
        scale = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > CONSTANT)
        root = np.sqrt(omega)[:, None]
        self._train = centred * scale * root
        self._test = np.where(np.isfinite(test), test - mean, 0) * scale
        self._aims = self._train.T @ ((target - omega @ target) * root)
        self._signature = signature
        self._shared = self._train[:, signature].T @ self._train
        gram = self._shared[:, signature]
        self._inverse = np.linalg.inv(gram + RIDGE * np.eye(len(signature)))
        self._slopes = self._inverse @ self._aims[signature]

    def whole(self) -> Floats:
        """Return what is predicted of the test rows, by column."""
        return np.asarray(self._test[:, self._signature] @ self._slopes)

    def exchanged(self, place: int, stand_ins: Ints) -> Floats:
        """Return predictions without the feature at a place, then with each stand-in for it."""
        rows, used = self._test[:, self._signature], self._signature
        # The inverse without the feature, as far as it is needed: inverse − column·columnᵀ/own.
        column = self._inverse[:, place]
        own = column[place]
        alone = rows @ (self._slopes - np.outer(column, self._slopes[place]) / own)
        shared = self._shared[:, stand_ins]
        shared[place] = 0
        through = self._inverse @ shared - np.outer(column, column @ shared) / own
        # A stand-in gets what the others leave of it; they give way by what they share with it.
        spread = (self._train[:, stand_ins] ** 2).sum(axis=0) + RIDGE - (shared * through).sum(0)
        slope = (self._aims[stand_ins] - through.T @ self._aims[used]) / spread[:, None]
        fresh = self._test[:, stand_ins] - rows @ through
        swapped = alone + fresh.T[:, :, None] * slope[:, None, :]
        return np.concatenate([alone[None], swapped])
