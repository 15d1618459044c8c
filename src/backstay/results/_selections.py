"""``results.selections``: which features runs selected, how often, and what could replace them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from backstay._columns import STRONG
from backstay.results._choice import choice_of
from backstay.results._designs import batch_agreement
from backstay.results._equivalents import equivalents_of
from backstay.results._features import (
    RelevantFound,
    consensus_rows,
    decoy_scores,
    frequency_rows,
    partner_rows,
    ranked_rows,
    relevant_found,
    similarity_rows,
)
from backstay.results._parts import Parts, Table, size_within
from backstay.results._signature_values import checked_signature, group_rows
from backstay.results._stability import module_stability_rows

if TYPE_CHECKING:  # a reader of results need not load the methods
    from backstay.ensemble import ExpectedFalse


class Selections(Parts):
    """Which features were selected, how often, and what could stand in for them."""

    def frequency(self, size: int) -> Table:
        """Share of the resamples that put a feature among the best `size`."""
        return self._table(
            "selection frequency",
            f"best {size}",
            lambda part: frequency_rows(part, size_within(part, size)),
        )

    def consensus(self, size: int) -> Table:
        """Count, for every method, the features chosen in more than 50 % and 85 % of the runs.

        ``ever`` counts those chosen at all, ``mean_of_best`` is the mean frequency of the `size`
        most frequent ones.
        """
        return self._table(
            "consensus",
            f"best {size}",
            lambda part: consensus_rows(part, size_within(part, size)),
        )

    def similarity(self, size: int) -> Table:
        """Overlap of every two methods' best features on the same resamples, beyond chance."""
        return self._table(
            "similarity between methods",
            f"best {size}, mean over resamples",
            lambda part: similarity_rows(part, size_within(part, size)),
        )

    def module_stability(
        self, sizes: Iterable[int] | None = None, *, confidence: float = 0.95
    ) -> Table:
        """Stability of every method if features of one module count as the same, by subset size.

        Modules are those of :func:`backstay.redundancy.correlation_modules` over all rows; the
        measure is "module_match". Features of two runs are matched one to one within modules. 0: a
        run matches another no better than it matches random features. 1: always as many features
        of the same modules. With every feature on its own it is Kuncheva's index. The column
        ``features`` has the stability of the features themselves. Empty for more than 30,000
        features, whose modules are not known.

        Parameters
        ----------
        sizes : iterable of int, default=None
            Numbers of features; None is the study's sizes.
        confidence : float, default=0.95
            Coverage of the intervals at each single size.

        Examples
        --------
        >>> from backstay import Study, TTest
        >>> from backstay.datasets import make_han_yu
        >>> from backstay.study import Subsampling
        >>> X, y, _ = make_han_yu(n_features=200, n_relevant=20, block_size=20, random_state=0)
        >>> study = Study({"t": TTest()}, Subsampling(10), sizes=[5], random_state=0)
        >>> table = study.run(X, y).selections.module_stability().frame()
        >>> table[["size", "features", "value"]].round(2)
           size  features  value
        0     5       0.5    1.0
        """
        at = None if sizes is None else list(sizes)
        return self._table(
            "stability of modules",
            f"module_match, {confidence:.0%} intervals over resamples",
            lambda part: module_stability_rows(part, at, confidence),
            "method size value low high features n_runs",
        )

    def batch_agreement(self) -> Table:
        """Return how far batches agree on features, each with a signature of its own.

        The method and the size of ``results.choice()``, on the rows of one batch alone; Kuncheva's
        index of every two batches, 0 for random features. Batches of few rows are left out.
        """
        return self._table(
            "agreement of batches",
            "Kuncheva's index",
            lambda part: batch_agreement(part, choice_of(part).configuration),
            "first second kuncheva",
        )

    def ranked(self) -> Table:
        """Count the features that runs ranked, and say how often a size was filled up at random.

        ``least`` and ``median`` are over runs; ``filled`` is the share of the runs that ranked
        fewer features than the size, so that others, drawn at random, complete the subset.
        """
        return self._table("features ranked", "filled: at random, share of runs", ranked_rows)

    def partners(self) -> Table:
        """Features strongly correlated with those that runs select most: possible stand-ins.

        Pearson's r over all rows, the five strongest partners with |r| ≥ 0.7 of up
        to 300 features. A signature is one of several equivalent ones where partners
        are many.
        """
        return self._table(
            "correlated partners",
            f"|r| ≥ {STRONG:g}, all rows",
            partner_rows,
            "feature name partner partner_name correlation",
        )

    def groups(self, method: str | None = None, size: int | None = None) -> Table:
        """Correlation groups inside the signature: |r| ≥ 0.7, over all rows, links a feature.

        Groups are numbered by their best feature, which is named in ``group_name``; ``closest``
        is the feature of the group most correlated with it. Empty where correlations were not
        kept: for sizes above 100, and before the study has finished.

        Parameters
        ----------
        method : str, default=None
            Name of a method. None takes method and size from ``results.choice()``.
        size : int, default=None
            Number of features selected in each run.
        """
        return self._table(
            "groups of the signature",
            f"|r| ≥ {STRONG:g}, all rows",
            lambda part: group_rows(part, *checked_signature(part, method, size)),
            "feature name group group_name closest correlation",
        )

    def equivalents(self, size: int | None = None, method: str | None = None) -> Table:
        """For every feature of the signature, those that could take its place.

        Candidates are the features outside the signature that are strongly correlated with it,
        |r| ≥ 0.7 over all rows, ten at most. A ridge model is trained on the signature as it
        is and with one feature exchanged, on the rows of every resample of the study, and scored
        on its test rows by the metric that decides. Listed is who does not lower the score by one
        standard error of the paired difference, corrected for shared rows, or more. The same rows
        chose the signature: scores are not those of new samples, changes compare like with like.

        Columns: ``change`` and ``error`` by the stand-in, ``without`` and ``without_error`` if the
        feature is left out and nothing takes its place. A feature without stand-ins has one row.

        Parameters
        ----------
        size : int, default=None
            Size of the signature; None is that of ``results.choice()``.
        method : str, default=None
            Name of a method; None is that of ``results.choice()``.

        Examples
        --------
        >>> from backstay import Study, TTest
        >>> from backstay.datasets import make_han_yu
        >>> from backstay.study import Subsampling
        >>> X, y, _ = make_han_yu(n_features=60, n_relevant=10, block_size=5, random_state=0)
        >>> study = Study({"t": TTest()}, Subsampling(20), sizes=[2], random_state=0)
        >>> table = study.run(X, y).selections.equivalents(2).frame()
        >>> table[["name", "stand_in_name", "change", "error", "without"]].round(3)
          name stand_in_name  change  error  without
        0   x4            x2   0.000  0.012   -0.099
        1   x4            x1  -0.002  0.015   -0.099
        2   x4            x0  -0.002  0.006   -0.099
        3   x4            x3  -0.006  0.010   -0.099
        4   x7           NaN     NaN    NaN   -0.077
        """
        return self._table(
            "equivalents of the signature",
            "ridge model on the study's resamples, one feature exchanged",
            lambda part: equivalents_of(part, method, size),
            "method size feature name without without_error stand_in stand_in_name correlation "
            "change error",
        )

    def expected_false(
        self, method: str | None = None, size: int | None = None
    ) -> ExpectedFalse | None:
        """Return how many features of a signature are expected to be false, for one data set.

        Parameters
        ----------
        method : str, default=None
            Name of a method. None takes method and size from ``results.choice()``.
        size : int, default=None
            Number of features selected in each run, and of the signature.

        Returns
        -------
        ExpectedFalse or None
            ``value``, with ``low`` and ``high``, the range of 95 % of the draws of decoys; None
            where no decoys were drawn for the method (``Study(decoys=…)``). A feature is false
            if it is independent of the class.
        """
        part = self._one()
        method, size = checked_signature(part, method, size)
        scores = decoy_scores(part, method)
        return None if scores is None else scores.expected_false(part.members(method, size))

    def relevant_found(self, size: int) -> RelevantFound | None:
        """Count the truly relevant features that every method found, for one data set.

        Returns
        -------
        RelevantFound or None
            None where the truth is not known, or all or no features are relevant.
        """
        return relevant_found(self._one(), size)
