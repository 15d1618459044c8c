"""Rows with a time until an event each, or until they were followed no longer."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backstay._kernels._cox import null_residuals, score_tests
from backstay._refusal import Refusal
from backstay._validation import SURVIVAL as DTYPE
from backstay._words import counted
from backstay.targets._metric import Metric
from backstay.targets._survival_curves import TABLES
from backstay.targets._survival_effects import (
    MOMENTS,
    association_with_survival,
    concordance_with,
    effects_on_survival,
    moments_with_survival,
)
from backstay.targets._survival_follow_up import (
    EVENTS_TO_TEST,
    EVENTS_TO_TRAIN,
    LEAST_EVENTS,
    FollowUp,
    as_survival,
)
from backstay.targets._survival_metrics import METRICS
from backstay.targets._survival_models import (
    COLUMNS,
    CoxRidge,
    shortcut_of,
    survival_at,
    survival_outputs,
)
from backstay.targets._survival_signature import SurvivalSignature
from backstay.targets._target import (
    Arrays,
    Floats,
    Rows,
    Shortcut,
    TableRows,
    Tested,
    Words,
    neighbours,
    permuted_within,
)

# Below so many events, or this share of rows with one, a reader should know.
FEW_EVENTS, RARE = 50, 0.2
MODELS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "cox": (
        "Cox regression",
        ("CoxRidge(",),
        "proportional hazards, with small coefficients: a ridge penalty as large as the number of "
        "features, which have deviation 1",
    ),
}


class SurvivalTarget(SurvivalSignature):
    """The time until an event of every row; some rows of a table keep the follow-up of all."""

    kind: ClassVar[str] = "survival"
    example: ClassVar[NDArray[Any]] = np.array([(i % 2, 1 + i) for i in range(24)], dtype=DTYPE)
    shortcuts_scale: ClassVar[bool] = True
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    beside: ClassVar[tuple[str, ...]] = ("harrell_c", "auc_t", "ipa")
    row_column: ClassVar[str] = "time"
    rows_each: ClassVar[int] = EVENTS_TO_TEST
    training_needs: ClassVar[str] = (
        f"trains on fewer than {EVENTS_TO_TRAIN} events, or on rows of one time"
    )
    sections: ClassVar[tuple[str, ...]] = ("follow_up", "risk_groups", "horizon", "surprises")
    tables: ClassVar[Mapping[str, Callable[[Any, Tested], TableRows]]] = TABLES
    cohort_tables: ClassVar[tuple[str, ...]] = ("risk groups", "calibration", "auc over time")
    agreement: ClassVar[tuple[str, ...]] = ("alpha",)
    estimator_type: ClassVar[str | None] = None

    moments = moments_with_survival
    association = association_with_survival
    separation = concordance_with
    _effects = effects_on_survival
    last_moment: ClassVar[str] = MOMENTS[-1]
    models_described: ClassVar[str] = (
        "Cox regression with a ridge penalty as large as the number of features, which have mean 0 "
        "and deviation 1"
    )

    @classmethod
    def of(cls, y: NDArray[Any], positive: Any = None, horizon: float | None = None) -> Self:
        """Return the target of an array of times and events, or refuse it."""
        if positive is not None:
            raise Refusal(
                f"positive={positive!r} is for two classes; y holds times until an event.",
                parameter="positive",
            )
        values = as_survival(y)
        n_events = int(values["event"].sum())
        if n_events < LEAST_EVENTS:
            raise Refusal(
                f"y has {n_events or 'no'} events in {len(values)} rows (others are censored); a "
                f"study needs {LEAST_EVENTS}: {EVENTS_TO_TRAIN} to train on and {EVENTS_TO_TEST} "
                "to test."
            )
        if not np.ptp(values["time"]):
            raise Refusal(f"all times in y are {values['time'][0]:g}, so nothing is to be ordered.")
        return cls(values, FollowUp.of(values, horizon))

    @classmethod
    def from_store(cls, stored: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the target that a store holds; without arrays it has no rows."""
        values = np.empty(len(arrays.get("times", ())), dtype=DTYPE)
        values["time"], values["event"] = arrays.get("times", ()), arrays.get("events", ())
        known = FollowUp(values["time"], values["event"], stored["tau"], stored["horizon"])
        return cls(values, known)

    def take(self, rows: Any) -> Self:
        return type(self)(self.values[rows], self.follow_up, self.followed[rows])

    def to_json(self) -> dict[str, Any]:
        known = self.follow_up
        return {"kind": self.kind, "tau": known.tau, "horizon": known.horizon}

    def arrays(self) -> Arrays:
        return {"times": self.time.astype("<f8"), "events": self.event.astype("<i2")}

    def row_labels(self) -> list[Any]:
        """Return times, with + where the row was followed no longer."""
        pairs = zip(self.time.tolist(), self.event.tolist(), strict=True)
        return [f"{time:.6g}{'' if event else '+'}" for time, event in pairs]

    def row_order(self) -> dict[str, NDArray[Any]]:
        """Return how long rows were followed, and whether they have the event."""
        return {"followed": self.time, "event": self.event}

    def row_facts(self, row: int, said: Floats) -> dict[str, Any]:
        """Return the row's time and event, and what ``_survival_models`` says outputs are."""
        own = {"time": float(self.time[row]), "event": bool(self.event[row])}
        return own | dict(zip(COLUMNS, said.tolist(), strict=True))

    def strata(self, n_dealt: int) -> NDArray[Any]:
        """Return neighbours in time among events and others; of all rows if either are few."""
        sides = [np.flatnonzero(self.event), np.flatnonzero(~self.event)]
        if min(map(len, sides)) < max(n_dealt, 2):
            sides = [np.arange(len(self))]
        strata = np.empty(len(self), dtype=np.intp)
        for number, rows in enumerate(sides):
            strata[rows] = number + len(sides) * neighbours(self.time[rows], n_dealt)
        return strata

    def rarer_than(self, n_rows: int) -> list[tuple[str, int]]:
        """Return the event, if fewer rows have it."""
        return [("the event", self.n_events)] if self.n_events < n_rows else []

    def can_train(self, rows: Rows) -> bool:
        """Return whether these rows have enough events, at more than one time."""
        enough = int(self.event[rows].sum()) >= EVENTS_TO_TRAIN
        return enough and bool(np.ptp(self.time[rows]) > 0)

    def why_not_test(self, parts: list[Rows]) -> str:
        """Return why scores of these test parts would mean little: too few events."""
        mean = float(np.mean([self.event[rows].sum() for rows in parts]))
        if mean >= EVENTS_TO_TEST:
            return ""
        return (
            f"its test parts have {mean:.1f} events on average ({self.n_events} in all rows), and "
            f"a score needs {EVENTS_TO_TEST}; use larger test parts"
        )

    def _shuffled_groups(
        self, first: Rows, member: Rows, strata: NDArray[Any] | None, rng: np.random.Generator
    ) -> Self:
        """Shuffle times and events together, in the order of groups.

        Groups of one outcome exchange it as a whole. Otherwise the outcomes of all groups are
        laid out group after group, groups and rows in them in random order, and dealt out anew:
        rows of a group get outcomes of one group or of neighbours.
        """
        n_groups = len(first)
        if (self.values == self.values[first][member]).all():
            return self.take(first[permuted_within(np.arange(n_groups), strata, rng)][member])
        source = np.empty(len(self), dtype=np.intp)
        given = np.lexsort((rng.random(len(self)), rng.permutation(n_groups)[member]))
        source[np.lexsort((rng.random(len(self)), rng.permutation(n_groups)[member]))] = given
        return self.take(source)

    def default_models(self) -> dict[str, Any]:
        """Return ridge Cox regression of features of mean 0 and deviation 1."""
        return {"cox": make_pipeline(StandardScaler(), CoxRidge())}

    def default_metric(self, models: Mapping[str, Any]) -> str:
        return "uno_c"

    def n_columns(self, keep: str) -> int:
        """Return 4: risk, survival at the horizon, that of the training rows, group."""
        return len(COLUMNS)

    def outputs(self, model: Any, X: Any, keep: str, learned: NDArray[Any]) -> Floats:
        return survival_outputs(model, X, learned, self.follow_up.horizon)

    def effects_beside(self, table: Floats, Z: Floats) -> tuple[Floats, ...] | None:
        """Return the score test beside covariates, and the log hazard ratio per deviation."""
        sd = table.std(axis=0, ddof=1)
        unit = table / np.where(sd > 0, sd, 1)
        U, V = score_tests(unit, self.time, self.event, np.ones(len(self)), Z)
        with np.errstate(invalid="ignore", divide="ignore"):
            effect, half = U / V, 1.96 / np.sqrt(V)
            p = chi2.sf(U**2 / V, 1)
        excess = U / self.n_events * sd
        return excess, effect, effect - half, effect + half, p, (U > 0).astype(np.intp)

    def shortcut(self, model: Any, keep: str) -> Shortcut | None:
        return shortcut_of(model, self.follow_up.horizon)

    def ridge_aims(self) -> tuple[Floats, Floats]:
        """Return equal weights, and the events of rows beyond those expected by their time."""
        weight = np.ones(len(self))
        return weight / len(self), null_residuals(self.time, self.event, weight)[:, None]

    def from_leanings(self, leanings: Floats) -> Floats:
        """Return events beyond those expected as risks, with the survival that they leave."""
        usual = survival_at(self.values, self.follow_up.horizon)
        same = [np.full_like(leanings, one) for one in (usual, np.nan)]
        return np.concatenate([leanings, usual ** np.exp(leanings), *same], axis=-1)

    def summary(self) -> list[tuple[str, int]]:
        return [("with the event", self.n_events), ("censored", len(self) - self.n_events)]

    @property
    def n_events(self) -> int:
        """Rows with the event."""
        return int(self.event.sum())

    @property
    def most_features(self) -> int:
        """The number of events."""
        return max(self.n_events, 1)

    @property
    def least_rows(self) -> float:
        """The number of events."""
        return float(max(self.n_events, 1))

    def words(self) -> Words:
        described = "times until an event"
        if len(self):
            described += f", which {self.n_events} of {len(self)} rows have"
        return Words(
            outcome="the time until the event",
            described=described,
            task="Regression of the time until an event",
            errors="Predicted risk and observed events",
            separation="concordance",
            direction="risk when high",
            directed="{} risk",
            difference=(
                "how far rows lie above those at risk when they have their event, on average"
            ),
            effect="log hazard ratio per standard deviation",
            effect_source=(
                "Cox, D. R. (1972). Regression models and life-tables. Journal of the Royal "
                "Statistical Society B 34, 187-220."
            ),
            test="the score test of Cox regression",
            columns={"outcome": "hazard ratio"},
            models=MODELS,
        )

    def concerns(self, metric: str | None) -> list[tuple[str, str]]:
        """Return what to keep in mind: few events, and events that few rows have."""
        n, concerns = self.n_events, []
        if n < FEW_EVENTS:
            text = (
                f"{len(self)} rows have {counted(n, 'event')}. Events, not rows, decide how much "
                "can be learned, and how sure a concordance is."
            )
            concerns.append(("There are few events.", text))
        if n < RARE * len(self):
            text = (
                f"{1 - n / len(self):.0%} of the rows are censored. That they left says nothing "
                "about their risk is an assumption that the data cannot show."
            )
            concerns.append(("Most rows are censored.", text))
        return concerns

    def remarks(self) -> list[tuple[str, str]]:
        """Return how long rows were followed, and which times metrics are about."""
        known, n = self.follow_up, self.n_events
        followed = (
            f"median {known.median:.4g} (reverse Kaplan–Meier), {counted(n, 'event')} in "
            f"{counted(len(self), 'row')}"
        )
        return [
            ("follow-up", followed),
            ("horizon", f"{known.horizon:.4g}: survival is predicted up to this time"),
            ("concordance", f"compares events up to τ = {known.tau:.4g}"),
        ]
