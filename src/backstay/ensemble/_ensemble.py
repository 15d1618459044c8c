"""What the ensembles share as scikit-learn estimators: input, output, tags, and the runs."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from backstay._validation import Interval, StrOptions, positive_int
from backstay.base import Array, Indices, MetaRanker, NominalFramesMixin, warn_single_members
from backstay.ensemble._aggregate import break_ties
from backstay.ensemble._members import Member, fit_members
from backstay.ensemble._resamples import RESAMPLES, draw_rows


@dataclass(eq=False, repr=False)
class Ensemble(NominalFramesMixin, MetaRanker):
    """Base of the ensembles; a new one writes the hook ``_score``, which calls ``_fit_runs``."""

    n_resamples: int = 20
    _: KW_ONLY
    resample: str = "bootstrap"
    max_samples: float = 0.5
    n_jobs: int | None = None
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MetaRanker._parameter_constraints,
        "n_resamples": [positive_int()],
        "resample": [StrOptions(RESAMPLES)],
        "max_samples": [Interval(Real, 0, 1, closed="right")],
    }

    def _n_ranked(self) -> int:
        return self._n_ever_ranked

    def _rank(self, importances: Array) -> Indices:
        return break_ties(importances, self.rankings_)

    def _fit_runs(
        self,
        X: Any,
        y: Any,
        sample_weight: Array | None,
        rng: np.random.RandomState,
        n_runs: int,
        *,
        among: Indices | None = None,
        ranked: bool = True,
        estimator: Any = None,
    ) -> list[Member]:
        """Draw the rows of every run, `among` these if given, and fit an estimator on them."""
        among = np.arange(len(y)) if among is None else among
        if self.resample == "complementary_pairs" and not self._has_numbers():
            warn_single_members(self.classes_, y[among], "it is in both halves of every pair")
        draws = draw_rows(self.resample, y[among], n_runs, self.max_samples, rng)
        self.estimators_samples_ = [among[rows] for rows in draws]
        members = fit_members(
            self.estimator if estimator is None else estimator,
            X,
            self._decoded(y),
            sample_weight,
            self.estimators_samples_,
            rng,
            ranked=ranked,
            n_jobs=self.n_jobs,
        )
        self.rankings_: Any = None
        self._n_ever_ranked = self.n_features_in_
        # Where a run gives a support alone, nothing says what it did not rank.
        if all(member.ranking is not None for member in members):
            self.rankings_ = np.array([member.places() for member in members])
            ranked_by_run = [member.ranked() for member in members]
            self._n_ever_ranked = int(np.any(ranked_by_run, axis=0).sum())
        return members
