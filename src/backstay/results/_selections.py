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
from backstay.results._parts import Parts, Table
from backstay.results._signature_values import checked_signature, group_rows
from backstay.results._stability import module_stability_rows

if TYPE_CHECKING:  # a reader of results need not load the methods
    from backstay.ensemble import ExpectedFalse


class Selections(Parts):
    """Which features were selected, how often, and what could stand in for them."""

    def frequency(self, size: int) -> Table:
        """Share of the resamples that put a feature among the best `size`."""
        return self._table("selection frequency", f"best {size}", frequency_rows, size)

    def consensus(self, size: int) -> Table:
        """Count, for every method, the features chosen in more than 50 % and 85 % of the runs.

        ``ever`` counts those chosen at all, ``mean_of_best`` is the mean frequency of the best.
        """
        return self._table("consensus", f"best {size}", consensus_rows, size)

    def similarity(self, size: int) -> Table:
        """Overlap of every two methods' best features on the same resamples, beyond chance."""
        note = f"best {size}, mean over resamples"
        return self._table("similarity between methods", note, similarity_rows, size)

    def module_stability(
        self, sizes: Iterable[int] | None = None, *, confidence: float = 0.95
    ) -> Table:
        """Stability of every method if features of one module count as the same, by subset size.

        Modules are those of :func:`backstay.redundancy.correlation_modules` over all rows; the
        measure is "module_match", Kuncheva's index if every feature is on its own. Features of two
        runs are matched one to one within modules: 0 is no better than random features, 1 always as
        many of the same modules. ``features`` has the stability of the features themselves. Empty
        for more than 30,000 features, whose modules are not known. `sizes` are the study's if None.

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
        columns = "method size value low high features n_runs"
        note = f"module_match, {confidence:.0%} intervals over resamples"
        return self._table(
            "stability of modules", note, module_stability_rows, at, confidence, columns=columns
        )

    def batch_agreement(self) -> Table:
        """Return how far batches agree on features, each with a signature of its own.

        By Kuncheva's index, for method and size of ``results.choice()``; few rows are left out.
        """
        return self._table(
            "agreement of batches",
            "Kuncheva's index",
            lambda part: batch_agreement(part, choice_of(part).configuration),
            columns="first second kuncheva",
        )

    def ranked(self) -> Table:
        """Count the features that runs ranked; ``filled`` are runs with fewer than the size."""
        return self._table("features ranked", "filled: at random, share of runs", ranked_rows)

    def partners(self) -> Table:
        """Features strongly correlated with those that runs select most: possible stand-ins.

        The five strongest with |r| ≥ 0.7 over all rows, of up to 300 features.
        """
        columns = "feature name partner partner_name correlation"
        note = f"|r| ≥ {STRONG:g}, all rows"
        return self._table("correlated partners", note, partner_rows, columns=columns)

    def groups(self, method: str | None = None, size: int | None = None) -> Table:
        """Correlation groups inside the signature: |r| ≥ 0.7, over all rows, links a feature.

        Groups are numbered by their best feature, which is named in ``group_name``; ``closest``
        is the feature of the group most correlated with it. Empty where correlations were not
        kept: for sizes above 100, and before the study has finished. Method and size are those of
        ``results.choice()`` if None.
        """
        columns = "feature name group group_name closest correlation"
        note = f"|r| ≥ {STRONG:g}, all rows"
        return self._table(
            "groups of the signature", note, group_rows, method, size, columns=columns
        )

    def equivalents(self, size: int | None = None, method: str | None = None) -> Table:
        """For every feature of the signature, those that could take its place.

        Candidates are up to ten features outside the signature with |r| ≥ 0.7 over all rows. A
        ridge model is trained on the signature as it is and with one feature exchanged, on every
        resample of the study, and scored on its test rows by the metric that decides. Listed is who
        lowers the score by less than one standard error of the paired difference, corrected for
        shared rows. The same rows chose the signature: changes compare like with like, scores are
        not those of new samples. ``change`` and ``error`` are by the stand-in, ``without`` and
        ``without_error`` if nothing takes the place. A feature without stand-ins has one row.

        Parameters
        ----------
        size, method : int, str, default=None
            Of the signature; None is that of ``results.choice()``.

        Examples
        --------
        >>> from backstay import Study, TTest
        >>> from backstay.datasets import make_han_yu
        >>> from backstay.study import Subsampling
        >>> X, y, _ = make_han_yu(n_features=60, n_relevant=10, block_size=5, random_state=0)
        >>> study = Study({"t": TTest()}, Subsampling(20), sizes=[2], random_state=0)
        >>> table = study.run(X, y).selections.equivalents(2).frame()
        >>> table[["name", "stand_in_name", "change", "error", "without"]].tail(2).round(3)
          name stand_in_name  change  error  without
        3   x4            x3  -0.006   0.01   -0.099
        4   x7           NaN     NaN    NaN   -0.077
        """
        columns = (
            "method size feature name without without_error stand_in stand_in_name correlation "
            "change error"
        )
        note = "ridge model on the study's resamples, one feature exchanged"
        return self._table(
            "equivalents of the signature", note, equivalents_of, method, size, columns=columns
        )

    def expected_false(
        self, method: str | None = None, size: int | None = None
    ) -> ExpectedFalse | None:
        """Return how many features of a signature are expected to be false, for one data set.

        A feature is false if it is independent of the class; 95 % of the draws of decoys lie
        between ``low`` and ``high``. None where no decoys were drawn (``Study(decoys=…)``). Method
        and size are those of ``results.choice()`` if None.
        """
        part = self._one()
        method, size = checked_signature(part, method, size)
        scores = decoy_scores(part, method)
        return None if scores is None else scores.expected_false(part.members(method, size))

    def relevant_found(self, size: int) -> RelevantFound | None:
        """Count the relevant features that every method found; None if the truth is not known."""
        return relevant_found(self._one(), size)
