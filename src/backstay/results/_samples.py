"""``results.samples``: the samples on the signature, and the weights they were given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records, computed_once
from backstay.results._signature_values import kept_values, map_rows, value_rows


@dataclass(frozen=True)
class SampleWeights:
    """What one weighting gives the samples."""

    methods: list[str]  # those that use it: methods that weigh rows alike share an entry
    rows: pd.DataFrame  # as in Samples.weights
    # Tukey's lower fence within each class: the lower quartile less one and a half times the
    # distance between the quartiles. Over all rows a rare class would be outlying as a whole.
    # Where rows have no classes, one fence for all, under None.
    fence: dict[Any, float]
    by: str = "class"  # the column of `rows` with the class

    @property
    def outlying(self) -> pd.DataFrame:
        """The rows below the fence of their class, lowest weight first."""
        fence = self.fence[None] if None in self.fence else self.rows[self.by].map(self.fence)
        below = self.rows[self.rows["weight"] < fence]
        return below.sort_values("weight", kind="stable").reset_index(drop=True)


@computed_once
def weight_rows(records: Records) -> Rows:
    """Return the instance weights, averaged per row over the runs that trained on it."""
    rows: Rows = []
    labels = records.target.row_labels()
    for method in records.methods:
        pairs = records.sample_weights(method)
        if not pairs:
            continue
        total, squares, times = (np.zeros(records.n_samples) for _ in range(3))
        for resample, omega in pairs:
            train = records.train(resample)
            relative = omega / omega.mean()
            total[train] += relative
            squares[train] += relative**2
            times[train] += 1
        seen = np.flatnonzero(times)
        mean = total[seen] / times[seen]
        spread = np.sqrt(np.maximum(squares[seen] / times[seen] - mean**2, 0))
        for row, average, deviation in zip(seen, mean, spread, strict=True):
            rows.append(
                {
                    "method": method,
                    "row": int(row),
                    "name": records.sample_name(int(row)),
                    records.target.row_column: labels[row],
                    "weight": float(average),
                    "std": float(deviation),
                    "n_runs": int(times[row]),
                }
            )
    return rows


class Samples(Parts):
    """Values of samples on the signature, and their instance weights.

    A signature is named by `method` and `size`; left out, both are those of ``results.choice()``.
    """

    def values(self, method: str | None = None, size: int | None = None) -> Table:
        """Values of the signature: a row per feature and sample, of mean 0 and deviation 1.

        Of paired samples about the middle of their pair; of more than 200 samples 200, in the
        proportions of the outcome. Empty where values were not kept: for sizes above 100, of more
        than 200 paired samples, and before the study has finished.
        """
        columns = "feature name row sample class value"
        note = "mean 0, standard deviation 1 over all rows"
        return self._table(
            "values of the signature", note, value_rows, method, size, columns=columns
        )

    def kept(self, method: str | None = None, size: int | None = None) -> bool:
        """Return whether the values of a signature were kept, for one data set."""
        return kept_values(self._one(), method, size) is not None

    def map(self, method: str | None = None, size: int | None = None) -> Table:
        """First two principal components of the samples on the signature, and their shares.

        The rows chose the features, so classes that lie apart here prove nothing about new
        samples. Gaps count as 0.
        """
        columns = "row name class first second share_first share_second"
        note = "principal components of the signature"
        return self._table("map of the samples", note, map_rows, method, size, columns=columns)

    def weights(self) -> Table:
        """Instance weights averaged per row over the resamples that trained on it; their mean is 1.

        Rows far below 1 are the ones a weighting takes for outlying.
        """
        columns = "method row name class weight std n_runs"
        note = "mean 1 in each resample"
        return self._table("instance weights", note, weight_rows, columns=columns)

    def weightings(self) -> list[SampleWeights]:
        """Return every weighting that tells samples apart, for one data set, with its fences."""
        controls = {role.control for role in self._one().facts.methods.values()}
        apart: list[SampleWeights] = []
        for method, rows in self.weights().frame().groupby("method", sort=False):
            weights = rows["weight"]
            if method in controls or np.ptp(weights) < 1e-12:
                continue
            for known in apart:
                same = len(known.rows) == len(rows)
                if same and np.allclose(known.rows["weight"], weights, rtol=1e-6):
                    known.methods.append(str(method))
                    break
            else:
                target = self._one().target
                kinds = rows.groupby(target.row_column, sort=False)["weight"]
                fence = {}
                for kind, own in kinds if target.names else [(None, weights)]:
                    lower, upper = np.quantile(own, [0.25, 0.75])
                    fence[kind] = float(lower - 1.5 * (upper - lower))
                apart.append(SampleWeights([str(method)], rows, fence, target.row_column))
        return apart
