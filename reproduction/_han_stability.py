"""Figures 7.3 to 7.6: stability of the selected genes [Han 7.3.1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay.stability import correlated_features, stability_curve
from reproduction._estimates import Estimate, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._han_rows import claim, draw_curve, legend, observed
from reproduction._han_runs import (
    BASES,
    CV_SIZES,
    DATA,
    NEEDS,
    PREPARATION,
    SPLIT_SIZES,
    Base,
    available,
    cross_validated,
    cv_repeats,
    n_splits,
    orders,
    repetitions,
    splits,
)

__all__ = ["EXPERIMENTS"]

SVM, RELIEF = BASES["SVM-RFE"], BASES["ReliefF"]
SHOWN = 50
CHANCE = "matched by chance, share of the subset"


class MethodStability(NamedTuple):
    """Stability of one method on one data set.

    ``runs`` holds one value per repetition and size if there are repetitions.
    """

    by_size: list[Estimate]
    runs: NDArray[np.float64] | None

    def over_sizes(self) -> Estimate:
        """Return the average over sizes; they go together, so their intervals are averaged."""
        if self.runs is not None:
            return mean_estimate(self.runs.mean(axis=1))
        return Estimate(*np.mean(self.by_size, axis=0))

    def minus(self, other: MethodStability) -> Estimate:
        """Return the difference averaged over sizes, paired by repetition if there are any."""
        if self.runs is not None and other.runs is not None:
            return mean_estimate((self.runs - other.runs).mean(axis=1))
        pairs = zip(self.by_size, other.by_size, strict=True)
        return Estimate(*np.mean([mine.minus(yours) for mine, yours in pairs], axis=0))


class Statement(NamedTuple):
    """A published comparison of two methods, and the data sets it is not made for."""

    first: str
    second: str
    text: str
    except_for: tuple[str, ...] = ()
    lower: bool = False

    def holds(self, gain: Estimate) -> bool:
        """Say whether the difference has the published sign, its whole interval if it has one."""
        if self.lower:
            return gain.high < 0 if np.isfinite(gain.high) else gain.value < 0
        return gain.low > 0 if np.isfinite(gain.low) else gain.value > 0


Stabilities = dict[tuple[str, str], MethodStability]


def _kuncheva(settings: RunSettings, dataset: str, base: Base) -> dict[str, MethodStability]:
    """Kuncheva's index within each 10-fold cross-validation."""
    results = cross_validated(settings, dataset, base)
    found, n = {}, results.data.n_features  # a store keeps rankings down to a depth
    for method in base.methods:
        runs = np.array(
            [
                stability_curve(part, "kuncheva", CV_SIZES, kind="order", n_features=n)[
                    "value"
                ].to_numpy()
                for part in repetitions(orders(results, method))
            ]
        )
        found[method] = MethodStability([mean_estimate(column) for column in runs.T], runs)
    return found


def chance_share(degrees: NDArray[Any], size: int) -> float:
    """Return the share of a random subset that is in another one or has a partner there.

    What is left of 1 is all that nPOGR has to tell methods apart.
    """
    p = len(degrees)
    partner = 1 - stats.hypergeom.pmf(0, p - 1, degrees, size)
    return float(size / p + (1 - size / p) * partner.mean())


def _npogr(settings: RunSettings, dataset: str, base: Base) -> dict[str, MethodStability]:
    """nPOGR over the random splits, correlations from all rows of the data set."""
    results = splits(settings, dataset, base)

    def curves() -> Arrays:
        similar = correlated_features(settings.load(DATA[dataset])[0])
        found = {}
        for method in base.methods:
            ranked = orders(results, method)
            one = stability_curve(
                ranked,
                "npogr",
                SPLIT_SIZES,
                kind="order",
                n_features=results.data.n_features,
                similarity=similar,
            )
            found[method] = one[["value", "low", "high"]].to_numpy(dtype=np.float64)
        found[CHANCE] = np.array([chance_share(similar.degrees, size) for size in SPLIT_SIZES])
        return found

    key = {"dataset": dataset, "base": base.name, "splits": n_splits(settings)}
    kept = settings.kept("han-npogr", key, curves)
    found = {
        name: MethodStability([Estimate(*row) for row in kept[name]], None) for name in base.methods
    }
    found[CHANCE] = MethodStability(
        [Estimate(share, np.nan, np.nan) for share in kept[CHANCE]], None
    )
    return found


def _rows(
    dataset: str,
    base: Base,
    found: dict[str, MethodStability],
    statements: list[Statement],
    shown: int,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    about: dict[str, Any]
    said = {(one.first, one.second): one for one in statements}
    pairs = [*base.contrasts, *(pair for pair in said if pair not in base.contrasts)]
    for first, second in pairs:
        if second not in found or first not in found:
            continue
        gain = found[first].minus(found[second])
        about = {"dataset": dataset, "method": f"{first} − {second}", "size": "all"}
        one = said.get((first, second))
        if one is None:
            rows.append(observed(gain, **about))
        elif dataset in one.except_for:
            rows.append(claim(f"not: {one.text}", not one.holds(gain), gain, **about))
        else:
            rows.append(claim(one.text, one.holds(gain), gain, **about))
    for method in [*base.methods, *([CHANCE] if CHANCE in found else [])]:
        about = {"dataset": dataset, "method": method, "size": SHOWN}
        rows.append(observed(found[method].by_size[shown], **about))
    return rows


def _finding(stated: pd.DataFrame, base: Base, found: Stabilities, names: list[str]) -> str:
    agree = int((stated.agrees == "yes").sum())
    sentences = []
    for dataset in names:
        shown = ", ".join(
            f"{method} {found[dataset, method].over_sizes().value:.2f}" for method in base.methods
        )
        if (dataset, CHANCE) in found:
            share = found[dataset, CHANCE].by_size[SPLIT_SIZES.index(SHOWN)].value
            shown += f" (of {SHOWN} random features {share:.1%} match by chance)"
        sentences.append(f"{dataset}: {shown}")
    return (
        f"{agree} of {len(stated)} published statements hold. Averages over sizes, "
        + "; ".join(sentences)
        + "."
    )


def _figure(
    base: Base,
    measure: Callable[[RunSettings, str, Base], dict[str, MethodStability]],
    statements: list[Statement],
    sizes: tuple[int, ...],
    label: str,
    repeats: Callable[[RunSettings], str],
    almost_perfect: str = "",
) -> Callable[[RunSettings], ExperimentResult]:
    def run(settings: RunSettings) -> ExperimentResult:
        rows: list[dict[str, Any]] = []
        everything: Stabilities = {}
        names = available(settings)
        for dataset in names:
            found = measure(settings, dataset, base)
            if any(one.second not in base.methods for one in statements):
                found |= measure(settings, dataset, SVM)
            everything |= {(dataset, method): one for method, one in found.items()}
            rows += _rows(dataset, base, found, statements, sizes.index(SHOWN))
            if dataset == almost_perfect:
                whole = found[base.weighted].over_sizes()
                about = {"dataset": dataset, "method": base.weighted, "size": "all"}
                rows.append({**observed(whole, **about), "published": "almost perfect stability"})
        table = pd.DataFrame(rows)
        finding = _finding(table[table.agrees != ""], base, everything, names)

        def draw(figure: Any) -> None:
            panels = np.atleast_1d(figure.subplots(1, len(names), sharey=True))
            for axes, dataset in zip(panels, names, strict=True):
                for method, role in base.roles.items():
                    draw_curve(axes, sizes, everything[dataset, method].by_size, method, role)
                axes.set(title=dataset, xlabel="features")
            panels[0].set_ylabel(label)
            legend(figure, panels[0])

        return ExperimentResult(table, finding, repeats(settings), draw)

    return run


def _cv(settings: RunSettings) -> str:
    return f"{cv_repeats(settings)} times 10-fold cross-validation (published: 10)"


def _random(settings: RunSettings) -> str:
    return f"{n_splits(settings)} splits (published: 100)"


BETTER = "instance weighting improves stability"
BEST = "instance weighting is more effective than the ensemble"
STABLER = Statement(RELIEF.plain, SVM.plain, "ReliefF is stabler than SVM-RFE")
FOLDS = (
    PREPARATION + " Kuncheva's index over the 10 folds, averaged over repetitions; differences "
    "are paired by repetition and averaged over sizes 10 to 50, with t intervals."
)
PARTNERS = (
    PREPARATION
    + " nPOGR over all pairs of splits; correlations over all rows at 0.1 % FDR, chance "
    "in closed form instead of 10,000 random pairs. Intervals are from a jackknife over splits; "
    "those of differences, averaged over sizes 10 to 200, treat methods as independent. On Lung "
    "the correction for chance is over all 12533 features, because each split preselects its own. "
    "Where nearly all features match by chance, nPOGR divides by nearly 0 and is meaningless."
)

EXPERIMENTS = [
    Experiment(
        "han-fig7.3",
        "Kuncheva's index of SVM-RFE under cross-validation",
        "Han's dissertation, figure 7.3; Han & Yu 2010, figure 5",
        "Instance weighting improves stability, more than the ensemble does.",
        FOLDS,
        _figure(
            SVM,
            _kuncheva,
            [
                Statement(SVM.weighted, SVM.plain, BETTER),
                Statement(SVM.weighted, SVM.ensemble, BEST),
            ],
            CV_SIZES,
            "Kuncheva's index",
            _cv,
        ),
        NEEDS,
    ),
    Experiment(
        "han-fig7.4",
        "Kuncheva's index of ReliefF under cross-validation",
        "Han's dissertation, figure 7.4",
        "Instance weighting improves the stability of ReliefF, the ensemble lowers it.",
        FOLDS + " How much is 'almost perfect' is not said, so it is not judged.",
        _figure(
            RELIEF,
            _kuncheva,
            [
                Statement(RELIEF.weighted, RELIEF.plain, BETTER),
                Statement(
                    RELIEF.ensemble, RELIEF.plain, "the ensemble lowers stability", lower=True
                ),
                STABLER,
            ],
            CV_SIZES,
            "Kuncheva's index",
            _cv,
            almost_perfect="Lung",
        ),
        NEEDS,
    ),
    Experiment(
        "han-fig7.5",
        "nPOGR of SVM-RFE over random splits",
        "Han's dissertation, figure 7.5",
        "Instance weighting improves stability, more than the ensemble does except on Leukemia.",
        PARTNERS,
        _figure(
            SVM,
            _npogr,
            [
                Statement(SVM.weighted, SVM.plain, BETTER),
                Statement(SVM.weighted, SVM.ensemble, BEST, except_for=("Leukemia",)),
            ],
            SPLIT_SIZES,
            "nPOGR",
            _random,
        ),
        NEEDS,
    ),
    Experiment(
        "han-fig7.6",
        "nPOGR of ReliefF over random splits",
        "Han's dissertation, figure 7.6",
        "Instance weighting improves stability on all data sets, more than the ensemble does "
        "except on Prostate.",
        PARTNERS,
        _figure(
            RELIEF,
            _npogr,
            [
                Statement(RELIEF.weighted, RELIEF.plain, BETTER),
                Statement(RELIEF.weighted, RELIEF.ensemble, BEST, except_for=("Prostate",)),
                STABLER,
            ],
            SPLIT_SIZES,
            "nPOGR",
            _random,
        ),
        NEEDS,
    ),
]
