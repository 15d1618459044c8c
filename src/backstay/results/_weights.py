"""``results.weights``: how feature weights vary, and whether instance weights help."""

from numpy.typing import ArrayLike

from backstay.results._parts import Parts, Table
from backstay.results._stability import bias_variance_rows, weight_variance_rows
from backstay.results._weighting import WeightingVerdict, gain_rows, weighting_verdict


class Weights(Parts):
    """Variance and bias of feature weights, and what instance weights gain."""

    def variance(self, *, normalize: bool = True, confidence: float = 0.95) -> Table:
        """Variance of the feature weights over resamples, and their correlation.

        Parameters
        ----------
        normalize : bool, default=True
            Compare |w|/Σ|w| [HY], which puts methods on one scale.
        confidence : float, default=0.95
            Coverage of the jackknife intervals.
        """
        return self._table(
            "weight variance",
            "jackknife intervals over resamples",
            lambda part: weight_variance_rows(part, normalize, confidence),
        )

    def bias_variance(self, truth: ArrayLike | None = None, *, normalize: bool = True) -> Table:
        """Error of the feature weights against the truth: bias² + variance.

        Parameters
        ----------
        truth : array-like of shape (n_features,), optional
            True relevance; what ``run(…, truth=)`` was given if None.
        normalize : bool, default=True
            Compare |w|/Σ|w| [HY].
        """
        return self._table(
            "bias and variance of weights",
            "averages over features",
            lambda part: bias_variance_rows(part, truth, normalize),
        )

    def gains(self, metric: str | None = None, *, confidence: float = 0.95) -> Table:
        """Gains of instance-weighted methods over their uniform control and over plain.

        What a method gains over plain but not over its control is the work of
        the weights' sum, not of the weights. Methods with too few runs have no rows; see
        ``results.runs.counts()``.

        Parameters
        ----------
        metric : str, default=None
            For accuracy; the one that decides if None.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        return self._table(
            "gains of instance weighting",
            "paired by resample; stability is Kuncheva's index",
            lambda part: gain_rows(part, metric, confidence),
            "method over reference size quantity model gain low high p_value test",
        )

    def verdicts(self, size: int) -> list[WeightingVerdict]:
        """Judge, for one data set, every weighted method whose gains could be measured.

        Parameters
        ----------
        size : int
            A size studied.
        """
        part = self._one()
        judged = (weighting_verdict(part, method, size) for method in part.methods)
        return [verdict for verdict in judged if verdict is not None]
