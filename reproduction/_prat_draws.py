"""What appendix C may have computed: labels left in place, other baselines, other votes [Prat 8.5].

One 5×2 cross-validation of a data set is a unit; the experiments below read different parts of it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.base import distance_weights
from backstay.feature_weighting import InformationGain, OneR, PermutationImportance, Relief
from backstay.instance_weighting import LogisticWeighting
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from backstay.study import FiveByTwo
from reproduction._dots import dots
from reproduction._estimates import Estimate, Floats, claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._inside import logistic_weights
from reproduction._prat_problems import (
    WEIGHTING_PROBLEMS,
    is_available,
    load_problem,
    needs,
    stability_over_sizes,
)
from reproduction._prat_variants import ALPHA, N_NEIGHBORS, Variant, instance_weights, rank
from reproduction._prat_weighting import printed_lines

__all__ = ["EXPERIMENTS"]

SIMBA = [
    Variant("Simba"),
    *(
        Variant("Simba", weighting, "sample", scaled)
        for scaled in (False, True)
        for weighting in ("uniform", "MBIW", "LIW")
    ),
    Variant("Simba", scaled=True),
]
RANKERS = {"IG": InformationGain, "1R": OneR, "Relief": Relief}
FOREST = "RandomForests"
PLACES = ("labels drawn with their rows", "labels left in place")
DRAWS = ("uniform", "MBIW", "LIW")
VOTES = (
    "plain: w of Simba, equal votes, k = 5",
    "w and votes by LIW, k = 5",
    "w by LIW, equal votes, k = 5",
    "w and votes by LIW, k = 1",
    "w and votes by LIW over nearest neighbours, k = 5",
)


def _names(settings: RunSettings) -> list[str]:
    """Return the data sets that are the thesis' own and small, and whose file is there."""
    there = [
        name
        for name, one in WEIGHTING_PROBLEMS.items()
        if not one.large and not one.differs and is_available(settings, one)
    ]
    return there[:2] if settings.quick else there


def _drawn(
    X: Floats, y: NDArray[Any], omega: Floats, in_place: bool, rng: np.random.Generator
) -> tuple[Floats, NDArray[Any]]:
    """Draw rows by their weights; the labels come along, or stay where they were."""
    for _ in range(50):
        rows = rng.choice(len(y), len(y), p=omega / omega.sum())
        if in_place or len(np.unique(y[rows])) > 1:
            break
    return X[rows], y if in_place else y[rows]


def _error(
    w: Floats,
    votes: Floats | None,
    k: int,
    inside: tuple[Floats, NDArray[Any]],
    outside: tuple[Floats, NDArray[Any]],
) -> float:
    knn = DoublyWeightedKNeighborsClassifier(
        k, feature_weights=distance_weights(w), power=1, scaling=None
    )
    return float(1 - knn.fit(*inside, sample_weight=votes).score(*outside))


def _block(key: Mapping[str, Any], seed: int, *, settings: RunSettings) -> Arrays:
    """Run one 5×2 cross-validation of everything here on one data set."""
    X, y = load_problem(settings, WEIGHTING_PROBLEMS[str(key["problem"])])
    folds = int(np.random.SeedSequence([seed, int(key["block"]), 33]).generate_state(1)[0])
    rng = np.random.default_rng(folds)
    orders: dict[str, list[Any]] = {}
    errors: dict[str, list[float]] = {}
    for train, test in FiveByTwo(random_state=folds).split(X, y):
        chance = int(rng.integers(2**31 - 1000))
        inside, outside = (np.ascontiguousarray(X[train]), y[train]), (X[test], y[test])
        weights = {scaled: instance_weights(*inside, scaled, chance) for scaled in (False, True)}
        for one in SIMBA:
            ranked = rank(one, *inside, weights[one.scaled], chance)
            orders.setdefault(one.name, []).append(ranked.order)
        for place in PLACES:
            for draw in DRAWS:
                omega = weights[False][draw]
                rows = _drawn(*inside, omega, place == PLACES[1], np.random.default_rng(chance))
                fitted = {name: ranker().fit(*rows) for name, ranker in RANKERS.items()}
                if draw == "uniform":
                    forest = PermutationImportance(
                        n_estimators=int(key["trees"]), random_state=chance
                    )
                    fitted[FOREST] = forest.fit(*rows)
                for name, ranker in fitted.items():
                    what, scores = f"{name} {draw}, {place}", ranker.feature_importances_
                    # Equal weights stay in the order of the columns, as sorting leaves them.
                    orders.setdefault(what, []).append(np.argsort(-scores, kind="stable"))
                    votes = None if draw == "uniform" else omega
                    wrong = _error(scores, votes, N_NEIGHBORS, inside, outside)
                    errors.setdefault(what, []).append(wrong)
        liw = weights[False]["LIW"]
        near = LogisticWeighting(n_neighbors=1, scaling=None).fit(*inside).margins_
        plain = rank(Variant("Simba"), *inside, weights[False], chance).importances
        weighted = rank(Variant("Simba", "LIW", "normalΔ"), *inside, weights[False], chance)
        nearest = rank(
            Variant("Simba", "LIW", "normalΔ"),
            *inside,
            {"LIW": logistic_weights(near, ALPHA)},
            chance,
        )
        w = weighted.importances
        for name, options in zip(
            VOTES,
            (
                (plain, None, N_NEIGHBORS),
                (w, liw, N_NEIGHBORS),
                (w, None, N_NEIGHBORS),
                (w, liw, 1),
                (nearest.importances, nearest.votes, N_NEIGHBORS),
            ),
            strict=True,
        ):
            errors.setdefault(name, []).append(_error(*options, inside, outside))
    stable = {
        f"stability {k}": np.array(stability_over_sizes(np.array(v))) for k, v in orders.items()
    }
    return stable | {f"error {k}": np.array(np.mean(v)) for k, v in errors.items()}


def _measured(settings: RunSettings) -> tuple[pd.DataFrame, int]:
    """Return the mean over blocks: data sets × quantities; and the number of blocks."""
    names, n = _names(settings), settings.count(3, 1)
    trees = 10 if settings.quick else 50
    keys = [{"problem": p, "block": b, "trees": trees} for p in names for b in range(n)]
    units = settings.kept_all("prat-draws", keys, partial(_block, settings=settings))
    table = pd.DataFrame([{k: float(v) for k, v in unit.items()} for unit in units])
    return table.groupby([key["problem"] for key in keys], sort=False).mean(), n


def _over_sets(found: pd.DataFrame, one: str, other: str) -> Estimate:
    return mean_estimate((found[one] - found[other]).to_numpy())


def _repeats(found: pd.DataFrame, n: int) -> str:
    return f"{n} of 5×2 folds on {len(found)} data sets"


def _labels(settings: RunSettings) -> ExperimentResult:
    """Set tables C.37–C.84 beside both readings of alg. 8.3."""
    found, n = _measured(settings)
    lines = printed_lines()
    lines = lines[(lines.strategy == "sample") & lines.dataset.isin(found.index)]
    rows: list[dict[str, Any]] = []
    said = []
    for method in (*RANKERS, FOREST):
        for quantity in ("stability", "error"):
            part = lines[(lines.method == method) & (lines.quantity == quantity)]
            draws = ("uniform",) if method == FOREST else DRAWS
            for draw in draws:
                if draw == "uniform":
                    figures = part.groupby("dataset").plain.mean()
                else:
                    figures = part[part.weighting == draw].set_index("dataset").weighted
                if not len(figures):
                    continue
                sets = figures.index.tolist()
                away = {}
                for place in PLACES:
                    ours = found.loc[sets, f"{quantity} {method} {draw}, {place}"]
                    away[place] = np.abs(ours - figures).to_numpy()
                    about = {"method": method, "rows drawn by": draw, "reading": place}
                    four = compared(float(figures.mean()), *mean_estimate(ours), digits=2)
                    rows.append({**about, "quantity": f"mean {quantity}", **four})
                nearer = mean_estimate(away[PLACES[1]] - away[PLACES[0]])
                rows.append(
                    {
                        "method": method,
                        "rows drawn by": draw,
                        "reading": PLACES[1],
                        "quantity": f"distance to the printed {quantity}, minus that of the other",
                        **compared(None, *nearer),
                    }
                )
                if draw == "uniform" and quantity == "stability":
                    said.append(
                        f"{method} printed {figures.mean():.3f}, in place "
                        f"{found.loc[sets, f'stability {method} {draw}, {PLACES[1]}'].mean():.3f}, "
                        f"with their rows "
                        f"{found.loc[sets, f'stability {method} {draw}, {PLACES[0]}'].mean():.3f}"
                    )
    table = pd.DataFrame(rows)
    gaps = table[table.quantity.str.startswith("distance")]
    clear = sum(float(text.split(" to ")[1]) < 0 for text in gaps.interval if text)
    finding = (
        f"Mean stability of rows drawn uniformly: {'; '.join(said)}. With labels left in place the "
        f"printed figures are nearer in {(gaps.measured < 0).sum()} of {len(gaps)} comparisons "
        f"(method, draw and quantity), beyond chance in {clear}. So "
        "read, the rankers see labels that have nothing to do with the rows: tables C.37 to C.84 "
        "then say nothing about instance weighting."
    )
    drawn = [row for row in rows if row["quantity"].startswith("distance")]
    return ExperimentResult(
        table, finding, _repeats(found, n), dots(drawn, "method", "rows drawn by", "quantity")
    )


def _simba(settings: RunSettings) -> ExperimentResult:
    """Compare Simba on drawn rows with plain Simba and with uniform draws."""
    found, n = _measured(settings)
    rows: list[dict[str, Any]] = []
    for scaled in (False, True):
        plain, uniform = (
            Variant("Simba", scaled=scaled),
            Variant("Simba", "uniform", "sample", scaled),
        )
        for weighting in ("LIW", "MBIW"):
            one = Variant("Simba", weighting, "sample", scaled)
            for other, against in ((plain, "plain"), (uniform, "control: uniform draws")):
                gain = _over_sets(found, f"stability {one.name}", f"stability {other.name}")
                about = {
                    "weighting": weighting,
                    "features": "scaled" if scaled else "as given",
                    "against": against,
                }
                if weighting == "LIW" and other == uniform:
                    four = claimed(
                        "draws by LIW are stabler than uniform draws", gain.low > 0, *gain
                    )
                else:
                    four = compared(None, *gain)
                rows.append({**about, "quantity": "gain in stability", **four})
    lines = printed_lines()
    lines = lines[(lines.method == "Simba") & (lines.quantity == "stability")]
    lines = lines[(lines.strategy == "sample") & lines.dataset.isin(found.index)]
    figures = lines.groupby("dataset").plain.mean()
    away = {
        name: np.abs(found.loc[figures.index, f"stability {one.name}"] - figures)
        for name, one in (
            ("plain Simba", Variant("Simba")),
            ("uniform draws", Variant("Simba", "uniform", "sample")),
        )
    }
    for name, apart in away.items():
        about = {"weighting": "none", "features": "as given", "against": "printed baseline"}
        four = compared(None, *mean_estimate(apart))
        rows.append({**about, "quantity": f"distance of {name}", **four})
    nearer = mean_estimate(away["uniform draws"] - away["plain Simba"])
    rows.append(
        {
            "weighting": "none",
            "features": "as given",
            "against": "printed baseline",
            "quantity": "distance of uniform draws minus that of plain Simba",
            **compared(None, *nearer),
        }
    )
    table = pd.DataFrame(rows)
    gains = "; ".join(
        f"{r.weighting}, features {r.features}, over {r.against} {r.measured:+.3f} ({r.interval})"
        for r in table[table.quantity == "gain in stability"].itertuples()
    )
    finding = (
        f"Gain in stability of Simba with rows drawn by weight: {gains}. The baseline printed in "
        f"the tables of drawn rows is {away['uniform draws'].mean():.3f} from uniform draws and "
        f"{away['plain Simba'].mean():.3f} from plain Simba."
    )
    return ExperimentResult(
        table, finding, _repeats(found, n), dots(rows, "weighting", "features", "against")
    )


def _votes(settings: RunSettings) -> ExperimentResult:
    """Compare the ways to vote in the doubly weighted k-NN."""
    found, n = _measured(settings)
    base = f"error {VOTES[0]}"
    rows: list[dict[str, Any]] = []
    for name in VOTES:
        rows.append(
            {
                "classifier": name,
                "quantity": "error",
                **compared(None, *mean_estimate(found[f"error {name}"])),
            }
        )
    for name in VOTES[1:]:
        more = _over_sets(found, f"error {name}", base)
        rows.append({"classifier": name, "quantity": "error minus plain", **compared(None, *more)})
    equal = _over_sets(found, f"error {VOTES[1]}", f"error {VOTES[2]}")
    rows.append(
        {
            "classifier": VOTES[1],
            "quantity": "error minus that of equal votes",
            **compared(None, *equal),
        }
    )
    said = "; ".join(f"{name} {found[f'error {name}'].mean():.3f}" for name in VOTES)
    finding = (
        f"Mean errors: {said}. Voting by LIW over all rows costs {equal.value:+.3f} "
        f"({equal.low:+.3f} to {equal.high:+.3f}) against equal votes with the same feature "
        "weights."
    )
    drawn = [row for row in rows if row["quantity"] != "error"]
    return ExperimentResult(
        pd.DataFrame(rows), finding, _repeats(found, n), dots(drawn, "classifier", "quantity")
    )


def _numbered(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return errors of the doubly weighted k-NN on wdbc, with and without a column like its ID."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    folds = int(np.random.SeedSequence([seed, int(key["block"]), 19]).generate_state(1)[0])
    rng = np.random.default_rng(folds)
    numbers = np.floor(10 ** rng.uniform(4, 9, len(y)))
    found: Arrays = {}
    for name, table in (("without", X), ("with", np.column_stack([numbers, X]))):
        errors = []
        for train, test in FiveByTwo(random_state=folds).split(table, y):
            inside, outside = (table[train], y[train]), (table[test], y[test])
            weights = instance_weights(*inside, False, folds % 2**31)
            for one in (Variant("Simba"), Variant("Simba", "MBIW", "normalΔ")):
                ranked = rank(one, *inside, weights, folds % 2**31)
                errors.append(
                    _error(ranked.importances, ranked.votes, N_NEIGHBORS, inside, outside)
                )
        found[name] = np.array(errors).reshape(-1, 2).mean(axis=0)
    return found


def _identity(settings: RunSettings) -> ExperimentResult:
    """Set the printed errors of wdbc beside both tables."""
    n = settings.count(10, 2)
    units = settings.kept_all("prat-wdbc", [{"block": b} for b in range(n)], _numbered)
    lines = printed_lines().query("dataset == 'wdbc' and method == 'Simba' and quantity == 'error'")
    lines = lines[(lines.weighting == "MBIW") & (lines.strategy == "normal")]
    printed = (float(lines.plain.mean()), float(lines.weighted.mean()))
    rows: list[dict[str, Any]] = []
    for name in ("without", "with"):
        for place, (variant, figure) in enumerate(
            zip(("Simba", "Simba MBIW normalΔ"), printed, strict=True)
        ):
            found = mean_estimate([unit[name][place] for unit in units])
            four = (
                compared(figure, *found, digits=2)
                if name == "without"
                else {**compared(figure, *found, digits=2), "agrees": ""}
            )
            rows.append({"variant": variant, "a column like the ID": name, **four})
    said = "; ".join(
        f"{row['variant']} {row['a column like the ID']} it {row['measured']:.3f}" for row in rows
    )
    finding = (
        f"Errors on wdbc, printed {printed[0]:.3f} and {printed[1]:.3f}: {said}. With a column of "
        "large numbers that say nothing, unscaled distances are about that column alone: the "
        "printed errors are those of a table whose ID was left in, or of something like it."
    )
    table = pd.DataFrame(rows)
    return ExperimentResult(
        table, finding, f"{n} of 5×2 folds", dots(rows, "variant", "a column like the ID")
    )


_SETS = (
    "5×2 folds of the small data sets that are the thesis' own, with folds of a seed that no "
    "earlier look had used; features as given, weights as in prat-tabC. Intervals are t intervals "
    "over data sets."
)

EXPERIMENTS = [
    Experiment(
        "prat-tabC-second",
        "Tables C.37 to C.84 with labels left in place",
        "[Prat] algorithm 8.3, tables C.37–C.84",
        "Instance weights change the stability of 1R, information gain, Relief and forests.",
        "Algorithm 8.3 as printed draws the rows and leaves their labels where they are. Both "
        "readings beside the printed figures; the plain columns of these tables are drawn rows, "
        f"too, with uniform weights. Equal weights stay in the order of the columns. Forests by "
        f"permutation importance, 50 trees. {_SETS} Two "
        "readings of the labels and two importances of forests were tried before.",
        _labels,
        needs(),
    ),
    Experiment(
        "prat-draws",
        "Simba on rows drawn by weight, beside uniform draws",
        "[Prat] 8.3, tables C.1–C.36, figure C.54",
        "Simba with instance weights is stabler than plain Simba.",
        "Draws cost stability by themselves, so the control of a drawn variant is a uniform draw. "
        "A legend suggests that the baseline of the printed tables of drawn rows is such a run; "
        "plain Simba is the other reading. " + _SETS,
        _simba,
        needs(),
    ),
    Experiment(
        "prat-votes",
        "Votes and neighbours of the doubly weighted k-NN",
        "[Prat] algorithm 8.2, [PB] algorithm 2",
        "Both weights together improve the nearest neighbours' predictions.",
        "Simba's feature weights under LIW with Δ; the votes are the instance weights, or equal. "
        f"Five ways were fixed before this run. {_SETS}",
        _votes,
        needs(),
    ),
    Experiment(
        "prat-wdbc",
        "wdbc with a column like its ID",
        "[Prat] tables C.1–C.36, wdbc",
        "Errors of 0.4 on data that every method predicts with less than 0.1.",
        "Simba, plain and with MBIW, and the doubly weighted k-NN on features as given; and the "
        "same with a column of random whole numbers of five to nine digits, like the ID in the "
        "file of this data set. The ID itself is not at hand, so the second table is not judged. "
        "No other explanation was tried.",
        _identity,
    ),
]
