"""``results.samples``: the samples on the signature, and the weights they were given."""

from __future__ import annotations

from backstay.results._parts import Parts
from backstay.results._samples import SampleWeights, weight_rows, weightings
from backstay.results._signature_values import checked_signature, kept_values, map_rows, value_rows
from backstay.results._table import Table


class Samples(Parts):
    """Values of samples on the signature, and their instance weights.

    A signature is named by `method` and `size`, the number of features selected in each run;
    left out, both are those of ``results.choice()``.
    """

    def values(self, method: str | None = None, size: int | None = None) -> Table:
        """Values of the signature: a row per feature and sample, of mean 0 and deviation 1.

        Empty where they were not kept: with more than 200 samples, for sizes above 100, and
        before the study has finished.
        """
        return self._table(
            "values of the signature",
            "mean 0, standard deviation 1 over all rows",
            lambda part: value_rows(part, *checked_signature(part, method, size)),
            "feature name row sample class value",
        )

    def kept(self, method: str | None = None, size: int | None = None) -> bool:
        """Return whether the values of a signature were kept, for one data set."""
        part = self._one()
        return kept_values(part, *checked_signature(part, method, size)) is not None

    def map(self, method: str | None = None, size: int | None = None) -> Table:
        """First two principal components of the samples on the signature.

        The rows chose the features, so classes that lie apart here prove nothing about new
        samples. ``share_first`` and ``share_second`` are the shares of the variance. Gaps
        count as 0.
        """
        return self._table(
            "map of the samples",
            "principal components of the signature",
            lambda part: map_rows(part, *checked_signature(part, method, size)),
            "row name class first second share_first share_second",
        )

    def weights(self) -> Table:
        """Instance weights averaged per row over the resamples that trained on it.

        Relative to a mean of 1. Rows far below 1 are the ones a weighting takes
        for outlying.
        """
        return self._table(
            "instance weights",
            "mean 1 in each resample",
            weight_rows,
            "method row name class weight std n_runs",
        )

    def weightings(self) -> list[SampleWeights]:
        """Return every weighting that tells samples apart, for one data set, with its fences."""
        return weightings(self._one(), self.weights().frame())
