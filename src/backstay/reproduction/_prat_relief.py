"""dReliefF and pdReliefF beside ReliefF on six problems with irrelevant features [Prat 5.3]."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets import (
    make_decision_list,
    make_majority,
    make_modulo,
    make_non_monotonic,
    make_random_rbf,
    separability,
)
from backstay.feature_weighting import DoubleReliefF, ReliefF
from backstay.reproduction._experiment import Experiment, Outcome, Setting, claimed, mean_row

__all__ = ["EXPERIMENTS"]

Array = NDArray[np.float64]

N_ROWS = 100
# Problems in the order of the thesis; the first three are numeric.
PROBLEMS: dict[str, Callable[..., Any]] = {
    "RDG1 numeric": make_decision_list,
    "random RBF": make_random_rbf,
    "NonMonotonic": make_non_monotonic,
    "MajorityN": make_majority,
    "ModuloP": make_modulo,
    "RDG1 boolean": partial(make_decision_list, boolean=True),
}
CATEGORIC = ("MajorityN", "ModuloP", "RDG1 boolean")
ALGORITHMS = ("ReliefF", "dReliefF", "pdReliefF")
PLAIN, DOUBLE, PROGRESSIVE = range(3)
# Upper ends of the bins of the total number of features, 2 to 150.
BINS = np.arange(15, 151, 15)
FEW, MANY = 15, 75
# "Almost the same" and "very high" are no numbers in the thesis; weights lie in [−1, 1].
SAME = 0.02
HIGH = 0.1


def combinations_of(quick: bool) -> list[tuple[int, int]]:
    """Return (relevant, irrelevant): some of 1 ≤ relevant ≤ 50, 1 ≤ irrelevant ≤ 2·relevant."""
    relevant = (1, 3, 10, 25, 50) if quick else (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 45, 50)
    ratios = (0.5, 1, 2) if quick else (0, 0.5, 1, 1.5, 2)
    return sorted({(n, max(1, int(n * ratio))) for n in relevant for ratio in ratios})


def separabilities(key: Mapping[str, Any], seed: int) -> dict[str, NDArray[Any]]:
    """Return the three algorithms' separability for every combination of a problem's repeat."""
    combinations = combinations_of(key["quick"])
    number = list(PROBLEMS).index(key["problem"])
    found = np.full((len(combinations), len(ALGORITHMS)), np.nan)
    for i, (relevant, irrelevant) in enumerate(combinations):
        if key["problem"] == "NonMonotonic" and relevant == 1:
            continue  # one class by its formula
        entropy = [seed, number, key["repeat"], relevant, irrelevant]
        found[i] = _three(key["problem"], relevant, irrelevant, np.random.SeedSequence(entropy))
    return {"separability": found}


def _three(problem: str, relevant: int, irrelevant: int, seeds: np.random.SeedSequence) -> Array:
    d = relevant + irrelevant
    while True:  # a decision list may leave all rows in one class: draw another
        data_seed, order_seed = seeds.spawn(1)[0].generate_state(2)
        X, y, relevance = PROBLEMS[problem](
            N_ROWS, n_features=d, n_relevant=relevant, random_state=data_seed
        )
        if len(np.unique(y)) > 1:
            break
    nominal = np.arange(d) if problem in CATEGORIC else None
    rankers = (
        ReliefF(categorical_features=nominal),
        DoubleReliefF(categorical_features=nominal, random_state=order_seed),
        DoubleReliefF(progressive=True, categorical_features=nominal, random_state=order_seed),
    )
    with warnings.catch_warnings():
        # NonMonotonic has as many classes as relevant features: some of one row among 100.
        warnings.filterwarnings("ignore", message="class .* has a single member")
        return np.array(
            [separability(r.fit(X, y).feature_importances_, relevance) for r in rankers]
        )


class Curves:
    """Separability by problem, repeat, bin of the number of features, and algorithm."""

    def __init__(self, setting: Setting) -> None:
        self.n_repeats = setting.count(20, 2)
        combinations = combinations_of(setting.quick)
        keys = [
            {"problem": problem, "repeat": repeat, "quick": setting.quick}
            for problem in PROBLEMS
            for repeat in range(self.n_repeats)
        ]
        runs = setting.kept_all("prat-fig5.7-5.8", keys, separabilities)
        self.runs = np.array([run["separability"] for run in runs]).reshape(
            len(PROBLEMS), self.n_repeats, len(combinations), len(ALGORITHMS)
        )
        self.totals = np.array([sum(pair) for pair in combinations])
        bins = np.searchsorted(BINS, self.totals)
        filled = np.unique(bins)
        self.ends = BINS[filled]
        self.binned = np.stack(
            [np.nanmean(self.runs[:, :, bins == b], axis=2) for b in filled], axis=2
        )
        self.repeats = (
            f"{self.n_repeats} data sets for each of {len(combinations)} combinations of relevant "
            f"and irrelevant features and each of {len(PROBLEMS)} problems"
        )

    def of(self, problem: str, algorithm: int, which: str = "all") -> Array:
        """Mean separability of every repeat, over bins of few, many or all features."""
        chosen = {"all": self.ends > 0, "few": self.ends <= FEW, "many": self.ends > MANY}[which]
        return self.binned[list(PROBLEMS).index(problem), :, chosen, algorithm].mean(axis=0)

    def gap(self, problem: str, a: int, b: int, which: str = "all") -> Array:
        """Separability of one algorithm minus another's, per repeat."""
        return self.of(problem, a, which) - self.of(problem, b, which)

    def distance(self, problem: str, a: int, b: int, few: bool) -> Array:
        """Mean |difference| on the same data, per repeat."""
        chosen = (self.totals <= FEW) if few else (self.totals > MANY)
        runs = self.runs[list(PROBLEMS).index(problem)][:, chosen]
        return np.nanmean(np.abs(runs[:, :, a] - runs[:, :, b]), axis=1)


# Interval → "yes" or "no" where it settles a statement, "unclear" where it does not.
Verdict = Callable[[float, float, float], str]


def _row(
    problem: str, quantity: str, statement: str, values: Array, verdict: Verdict
) -> dict[str, Any]:
    mean, low, high = mean_row(values)
    row = claimed(statement, True, mean, low, high)
    row["agrees"] = verdict(mean, low, high)
    return {"problem": problem, "quantity": quantity, **row}


def _settled(yes: bool, no: bool) -> str:
    return "yes" if yes else "no" if no else "unclear"


def _below(mean: float, low: float, high: float) -> str:
    return _settled(high < 0, low > 0)


def _above(mean: float, low: float, high: float) -> str:
    return _settled(low > 0, high < 0)


def _high(mean: float, low: float, high: float) -> str:
    return _settled(low > HIGH, high < HIGH)


def _same(mean: float, low: float, high: float) -> str:
    return _settled(low >= -SAME and high <= SAME, low > SAME or high < -SAME)


def _close_below(mean: float, low: float, high: float) -> str:
    return _settled(low >= -SAME and high < 0, low > 0 or high < -SAME)


def _better_within_noise(mean: float, low: float, high: float) -> str:
    return _settled(mean > 0 and low <= 0, low > 0 or high < 0)


def _figure_7(setting: Setting) -> Outcome:
    curves = Curves(setting)
    rows = []
    for problem in PROBLEMS:
        for algorithm in (DOUBLE, PROGRESSIVE):
            rows.append(
                _row(
                    problem,
                    f"{ALGORITHMS[algorithm]} − ReliefF, over {FEW} features",
                    "almost the same",
                    _over_few(curves, problem, algorithm),
                    _same,
                )
            )
        rows.append(
            _row(
                problem,
                f"|dReliefF − ReliefF|, up to {FEW} features minus over {MANY}",
                "dReliefF differs with few features",
                curves.distance(problem, DOUBLE, PLAIN, few=True)
                - curves.distance(problem, DOUBLE, PLAIN, few=False),
                _above,
            )
        )
    rows.append(
        _row(
            "NonMonotonic",
            f"ReliefF, over {MANY} features",
            "very high for any number of features",
            curves.of("NonMonotonic", PLAIN, "many"),
            _high,
        )
    )
    table = pd.DataFrame(rows)
    last = table.iloc[-1]
    finding = (
        f"'Almost the same': {_count(table, 'almost')}. 'dReliefF differs with few features': "
        f"{_count(table, 'differs')}. NonMonotonic's separability with over {MANY} features is "
        f"{last['measured']:.3f} ({last['interval']}); by its formula it has as many classes as "
        "relevant features, 50 classes among 100 rows at the end."
    )
    return Outcome(table, finding, curves.repeats, partial(_draw, curves=curves, total=False))


def _over_few(curves: Curves, problem: str, algorithm: int) -> Array:
    number = list(PROBLEMS).index(problem)
    binned = curves.binned[number][:, curves.ends > FEW]
    return (binned[:, :, algorithm] - binned[:, :, PLAIN]).mean(axis=1)


def _count(table: pd.DataFrame, text: str) -> str:
    """Say in how many of the rows whose statement has this text it holds, fails or is open."""
    agrees = table.loc[table["published"].str.contains(text), "agrees"]
    counts = (f"{word} {int((agrees == word).sum())}" for word in ("yes", "no", "unclear"))
    return ", ".join(counts)


def _figure_8(setting: Setting) -> Outcome:
    curves = Curves(setting)
    rows = [*_worst(curves), *_numeric(curves), *_categoric(curves), *_middle(curves)]
    table = pd.DataFrame(rows)
    about = ("dReliefF worst", "clearly worst", "least decrease", "ReliefF best", "identical")
    held = "; ".join(f"'{text}' {_count(table, text)}" for text in (*about, "between"))
    finding = f"Statements by their 95 % intervals: {held}. {_ranking(curves)}"
    return Outcome(table, finding, curves.repeats, partial(_draw, curves=curves, total=True))


def _ranking(curves: Curves) -> str:
    parts = []
    for problem in PROBLEMS:
        means = [curves.of(problem, a).mean() for a in range(3)]
        order = sorted(range(3), key=lambda a: -means[a])
        parts.append(f"{problem} " + " > ".join(f"{ALGORITHMS[a]} {means[a]:.3f}" for a in order))
    return "Mean separability: " + "; ".join(parts) + "."


def _worst(curves: Curves) -> list[dict[str, Any]]:
    rows = []
    for problem in PROBLEMS:
        for other in (PLAIN, PROGRESSIVE):
            statement, verdict = "dReliefF worst", _below
            if problem == "random RBF":
                statement = "dReliefF clearly worst"
            if problem == "MajorityN":
                statement = "dReliefF better, not significantly"
                verdict = _better_within_noise
            values = curves.gap(problem, DOUBLE, other)
            rows.append(
                _row(problem, f"dReliefF − {ALGORITHMS[other]}", statement, values, verdict)
            )
    return rows


def _numeric(curves: Curves) -> list[dict[str, Any]]:
    rows = [
        _row(
            problem,
            "pdReliefF − ReliefF",
            "ReliefF best, pdReliefF close to it",
            curves.gap(problem, PROGRESSIVE, PLAIN),
            _close_below,
        )
        for problem in ("RDG1 numeric", "random RBF")
    ]
    rows += [
        _row(
            "NonMonotonic",
            f"{ALGORITHMS[algorithm]} − ReliefF",
            "almost identical",
            curves.gap("NonMonotonic", algorithm, PLAIN),
            _same,
        )
        for algorithm in (DOUBLE, PROGRESSIVE)
    ]
    return rows


def _categoric(curves: Curves) -> list[dict[str, Any]]:
    rows = []
    for problem in CATEGORIC:
        for better, worse, statement in (
            (DOUBLE, PROGRESSIVE, "least decrease: dReliefF before pdReliefF"),
            (PROGRESSIVE, PLAIN, "least decrease: pdReliefF before ReliefF"),
        ):
            values = curves.gap(problem, better, worse, "many") - curves.gap(
                problem, better, worse, "few"
            )
            quantity = (
                f"{ALGORITHMS[better]} − {ALGORITHMS[worse]}, over {MANY} features "
                f"minus up to {FEW}"
            )
            rows.append(_row(problem, quantity, statement, values, _above))
    return rows


def _middle(curves: Curves) -> list[dict[str, Any]]:
    rows = []
    for problem in PROBLEMS:
        # Between them if it is on the inner side of the nearer one of the two.
        sign = np.sign(curves.gap(problem, DOUBLE, PLAIN).mean())
        sides = {
            PLAIN: sign * curves.gap(problem, PROGRESSIVE, PLAIN),
            DOUBLE: sign * curves.gap(problem, DOUBLE, PROGRESSIVE),
        }
        nearer = min(sides, key=lambda side: sides[side].mean())
        rows.append(
            _row(
                problem,
                f"pdReliefF from {ALGORITHMS[nearer]}, towards the other",
                "pdReliefF between the other two",
                sides[nearer],
                _above,
            )
        )
    return rows


def _draw(figure: Any, curves: Curves, total: bool) -> None:
    axes = figure.subplots(2, 3, sharex=True)
    widths = np.diff(np.r_[1, curves.ends])
    for i, (problem, panel) in enumerate(zip(PROBLEMS, axes.flat, strict=True)):
        for a, algorithm in enumerate(ALGORITHMS):
            runs = curves.binned[i, :, :, a]
            if total:
                runs = np.cumsum(runs * widths, axis=1)
            bands = np.array([mean_row(column) for column in runs.T])
            panel.plot(curves.ends, bands[:, 0], label=algorithm)
            panel.fill_between(curves.ends, bands[:, 1], bands[:, 2], alpha=0.2)
        panel.axhline(0, color="grey", linewidth=0.5)
        panel.set_title(problem, fontsize="medium")
    axes[0, 0].legend(fontsize="small")
    figure.supxlabel("features, relevant and irrelevant")
    figure.supylabel("accumulated separability" if total else "separability")


PROTOCOL = (
    "100 rows; 1 to 50 relevant features and 1 to twice as many irrelevant ones; all rows visited "
    "once, k = 10. The thesis ran all 2,550 combinations ten times; here 20 times 14 numbers of "
    "relevant features with up to five of irrelevant ones each (quick: twice 5 with three), "
    "averaged in bins of 15 features, each bin counted alike, since the published axis is the "
    "number of features. The thesis does not say k, the number of classes (2 here), of centres "
    "(50) or p (3), and prints no modulus in eq. 5.22; NonMonotonic begins with 2 relevant "
    "features because 1 gives one class. Features of the last three problems are nominal. "
    "Intervals are t intervals over data sets. "
)

EXPERIMENTS = [
    Experiment(
        name="prat-fig5.7",
        title="Separability of ReliefF, dReliefF and pdReliefF against the number of features",
        source="Prat's thesis, figure 5.7 and section 5.3.4",
        claim=(
            "The three curves are almost the same; only with few features dReliefF behaves "
            "differently; NonMonotonic stays very high for any number of features."
        ),
        protocol=PROTOCOL
        + f"'Almost the same' is taken as an interval within ±{SAME}, 'very high' as above {HIGH}: "
        "the thesis gives a figure and no number. Unclear is what the interval does not settle.",
        run=_figure_7,
    ),
    Experiment(
        name="prat-fig5.8",
        title="Accumulated separability of ReliefF, dReliefF and pdReliefF",
        source="Prat's thesis, figure 5.8 and section 5.3.4",
        claim=(
            "dReliefF is the worst but on MajorityN, clearly so on random RBF; on the first two "
            "numeric problems ReliefF is best with pdReliefF close; on categoric problems dReliefF "
            "decreases least, then pdReliefF; pdReliefF is always between the other two."
        ),
        protocol=PROTOCOL
        + "Rows compare the ends of the accumulated curves, divided by their length: mean "
        f"separabilities. 'Close' and 'identical' are taken as within ±{SAME}. Unclear is what the "
        "interval does not settle.",
        run=_figure_8,
    ),
]
