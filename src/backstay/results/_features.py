"""Which features? How often each was chosen, the signature, stand-ins, and the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._columns import STRONG
from backstay._wilson import wilson
from backstay.results._choice import method_and_size
from backstay.results._decoys import decoy_q_values
from backstay.results._parts import Parts, Rows, size_within
from backstay.results._records import Records
from backstay.results._signature import (
    THRESHOLDS,
    frequency_row,
    signature_rows,
)
from backstay.results._stability import bias_variance_rows
from backstay.results._table import Table


@dataclass(frozen=True)
class RelevantFound:
    """How many truly relevant features every method found, where the truth is known.

    Attributes
    ----------
    size : int
        Features selected in each run.
    n_relevant : int
        Truly relevant features.
    by_chance : float
        Relevant ones among `size` features drawn at random.
    """

    size: int
    n_relevant: int
    by_chance: float
    _data: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return a row per method.

        ``found`` is the mean number of relevant features selected per run, ``signature`` the
        size of the signature, ``right`` how many of it are relevant; then bias² and variance
        of the weights.
        """
        return self._data.copy()


class FeatureAnswers(Parts):
    """Which features were chosen, how often, and what could stand in for them."""

    def orders(self, method: str) -> NDArray[np.int32]:
        """Return, for one data set, a row per run: its features by number, best first."""
        return self._one().orders(method)[1]

    def weights(self, method: str) -> NDArray[np.float64]:
        """Return, for one data set, a row per run: the weights of all features."""
        return self._one().weights(method)[1]

    def selection_frequency(self, size: int) -> Table:
        """Share of the resamples that put a feature among the best `size`."""
        return self._table(
            "selection frequency",
            f"best {size}",
            lambda part: _frequency_rows(part, size_within(part, size)),
        )

    def signature(self, method: str, size: int) -> Table:
        """Signature: the `size` features that were most often among the best `size`.

        Most often chosen first, and by mean rank among equals. Its ``core`` are those
        that more than half of the runs chose.

        Parameters
        ----------
        method : str
            Name of a method.
        size : int
            Number of features selected in each run, and of the signature.
        """
        return self._table(
            f"signature of {method}",
            f"the {size} most often among the best {size}",
            lambda part: signature_rows(part, part.check_method(method), size_within(part, size)),
            "method size feature name frequency core",
        )

    def features(self, method: str | None = None, size: int | None = None) -> Table:
        """Every feature, those that `method` chose most often first.

        Parameters
        ----------
        method : str, default=None
            Name of a method: the frequencies, ranks and weights are its own. None takes
            method and size from :meth:`choice`.
        size : int, default=None
            Number of features selected in each run.

        Returns
        -------
        Table
            What the runs say: ``feature`` (number of the column), ``name``, what the table says
            of it (``annotation`` and the name of the column, if there is any), ``frequency``
            (share of runs) with the ends of Wilson's interval over runs on these rows,
            ``mean_rank``, ``weight`` (mean over runs), ``in_signature``, ``core``, ``chosen``
            (whether any run of any method chose it), and ``relevant``, which is None where the
            truth is not known.

            What all rows say, for orientation: the mean of every class (``mean in`` its name),
            ``high_in`` (the class with the highest mean), ``difference``, ``effect`` (Hedges' g:
            the difference in standard deviations) with its 95 % interval, and ``p_value`` and
            ``q_value`` of a plain test. With two classes the difference is the second minus the
            first, and the test is Welch's; with more it is the highest class minus all other
            rows, and the test the analysis of variance. The q-value is Benjamini and Hochberg's,
            over all features. nan in stores of earlier versions.

            ``decoy_q_value``, if decoys were drawn for the method (``Study(decoys=…)``): the
            q-value of its importances on all rows, beside those of permuted features.
        """
        if method is None or size is None:
            method, size = method_and_size(self._one(), method, size)
        of, at = method, size
        frames = {n: _features(part, of, size_within(part, at)) for n, part in self._parts.items()}
        everything = pd.concat(
            [frame.assign(dataset=name) for name, frame in frames.items()], ignore_index=True
        )
        columns = ["dataset", *(name for name in everything if name != "dataset")]
        return Table(f"features of {method}", f"best {size}", everything[columns])

    def consensus(self, size: int) -> Table:
        """Count, for every method, the features chosen in more than 50 % and 85 % of the runs.

        ``ever`` counts those chosen at all, ``mean_of_best`` is the mean frequency of the `size`
        most frequent ones.
        """
        return self._table(
            "consensus",
            f"best {size}",
            lambda part: _consensus_rows(part, size_within(part, size)),
        )

    def relevant_found(self, size: int) -> RelevantFound | None:
        """Count the truly relevant features that every method found, for one data set.

        Returns
        -------
        RelevantFound or None
            None where the truth is not known, or all or no features are relevant.
        """
        part = self._one()
        relevant = relevant_features(part)
        if relevant is None:
            return None
        rows = _relevant_rows(part, size_within(part, size), relevant)
        n = int(relevant.sum())
        return RelevantFound(size, n, size * n / len(relevant), pd.DataFrame(rows))

    def partners(self) -> Table:
        """Features strongly correlated with those that runs select most: possible stand-ins.

        Pearson's r over all rows, the five strongest partners with |r| ≥ 0.7 of up
        to 300 features. A signature is one of several equivalent ones where partners
        are many.
        """
        return self._table(
            "correlated partners",
            f"|r| ≥ {STRONG:g}, all rows",
            _partner_rows,
            "feature name partner partner_name correlation",
        )

    def similarity(self, size: int) -> Table:
        """Overlap of every two methods' best features on the same resamples, beyond chance."""
        return self._table(
            "similarity between methods",
            f"best {size}, mean over resamples",
            lambda part: _similarity_rows(part, size_within(part, size)),
        )


def relevant_features(records: Records) -> NDArray[np.bool_] | None:
    """Return which features are truly relevant, None if unknown or if all are."""
    if records.truth is None:
        return None
    relevant = np.asarray(records.truth) != 0
    return relevant if 0 < relevant.sum() < len(relevant) else None


def _frequency_rows(records: Records, size: int) -> Rows:
    """How often every feature was among the best, for features that ever were."""
    rows: Rows = []
    for method in records.methods:
        frequency = records.frequencies(method, size)
        order = np.argsort(-frequency, kind="stable")
        chosen = order[frequency[order] > 0]
        rows += [frequency_row(records, method, size, j, frequency) for j in chosen]
    return rows


def _features(records: Records, method: str, size: int) -> pd.DataFrame:
    """Return every feature, with what the runs and what all rows say of it."""
    most = np.max([records.frequencies(m, size) for m in records.methods], axis=0)
    own = records.frequencies(records.check_method(method), size)
    ranks = records.mean_ranks(method)
    _, weights = records.weights(method)
    weight = weights.mean(axis=0) if len(weights) else np.full(records.n_features, np.nan)
    relevant = relevant_features(records)
    low, high = wilson(own, len(records.orders(method)[0]))
    member = np.zeros(records.n_features, dtype=bool)
    member[records.members(method, size)] = True
    # Those that only other methods chose come last, by how often they did.
    elsewhere = np.where(own > 0, 0, most)
    order = np.lexsort((np.nan_to_num(ranks, nan=records.n_features), -elsewhere, -own))
    names = records.facts.feature_names or [f"x{j}" for j in range(records.n_features)]
    columns = {
        "feature": np.arange(records.n_features),
        "name": np.array(list(map(str, names)), dtype=object),
        **_annotation(records),
        "frequency": own,
        "frequency_low": low,
        "frequency_high": high,
        "mean_rank": ranks,
        "weight": weight,
        "in_signature": member,
        "core": member & (own > THRESHOLDS[0]),
        "chosen": most > 0,
        **_effect_columns(records),
        **_decoy_columns(records, method),
        "relevant": np.full(records.n_features, None) if relevant is None else relevant,
    }
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _annotation(records: Records) -> dict[str, NDArray[Any]]:
    """Return what was given with the table on every feature, under names of its own."""
    given = records.facts.annotation
    return {f"annotation {name}": np.array(values, dtype=object) for name, values in given.items()}


def _effect_columns(records: Records) -> dict[str, NDArray[Any]]:
    effects = records.effects
    if effects is None:
        return {}
    numbers = ("difference", "effect", "effect_low", "effect_high", "p_value", "q_value")
    return {
        **effects.columns,
        "high_in": effects.direction,
        **{name: getattr(effects, name) for name in numbers},
    }


def _decoy_columns(records: Records, method: str) -> dict[str, NDArray[Any]]:
    found = decoy_q_values(records, method)
    return {} if found is None else {"decoy_q_value": found}


def _consensus_rows(records: Records, size: int) -> Rows:
    rows: Rows = []
    for method in records.methods:
        shares = records.frequencies(method, size)
        shares = -np.sort(-shares[shares > 0])
        if not len(shares):
            continue
        often = {f"above_{share:.0%}": int((shares > share).sum()) for share in THRESHOLDS}
        rows.append(
            {
                "method": method,
                **often,
                "always": int((shares >= 1).sum()),
                "ever": len(shares),
                "mean_of_best": float(shares[:size].sum() / size),
                "n_runs": len(records.orders(method)[0]),
            }
        )
    return rows


def _relevant_rows(records: Records, size: int, relevant: NDArray[np.bool_]) -> Rows:
    split = {row["method"]: row for row in bias_variance_rows(records, None, True)}
    rows: Rows = []
    for method in split:
        _, orders = records.orders(method)
        members = [row["feature"] for row in signature_rows(records, method, size)]
        rows.append(
            {
                "method": method,
                "found": float(relevant[orders[:, :size]].sum(axis=1).mean()),
                "signature": len(members),
                "right": int(relevant[members].sum()),
                "bias_squared": float(split[method]["bias_squared"]),
                "variance": float(split[method]["variance"]),
            }
        )
    return rows


def _partner_rows(records: Records) -> Rows:
    """Correlated partners of often selected features, strongest first."""
    return [
        {
            "feature": int(feature),
            "name": records.feature_name(int(feature)),
            "partner": int(partner),
            "partner_name": records.feature_name(int(partner)),
            "correlation": float(r),
        }
        for feature, partner, r in zip(*records.partners, strict=True)
    ]


def _similarity_rows(records: Records, size: int) -> Rows:
    """Overlap, beyond chance, of what two methods select on the same resample."""
    d = records.n_features
    selected = {}
    for method in records.methods:
        resamples, orders = records.orders(method)
        selected[method] = {
            int(i): set(order[:size].tolist()) for i, order in zip(resamples, orders, strict=True)
        }
    rows: Rows = []
    for a, first in enumerate(records.methods):
        for second in records.methods[a:]:
            one, other = selected[first], selected[second]
            common = [len(one[i] & other[i]) for i in one if i in other]
            shared = float(np.mean(common)) if common else np.nan
            span = size - size**2 / d
            value = (shared - size**2 / d) / span if span > 0 else np.nan
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "size": size,
                    "shared": shared,
                    "kuncheva": value,
                    "n_runs": len(common),
                }
            )
    return rows
