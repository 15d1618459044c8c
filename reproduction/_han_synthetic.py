"""Figures 6.1 to 6.4: bias, variance, stability and accuracy where the truth is known [Han 6]."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from backstay.stability import stability_curve
from reproduction._estimates import Estimate, mean_estimate
from reproduction._experiment import Experiment, ExperimentResult, RunSettings
from reproduction._han_paths import (
    CONTROL,
    MEAN_ONE,
    METHODS,
    N_RELEVANT,
    PATH_SAMPLES,
    PLAIN,
    QUANTITIES,
    WEIGHTED,
    EliminationPaths,
    closest_round,
    jackknife_estimate,
    load_paths,
)
from reproduction._han_rows import claim, draw_curve, legend, observed

__all__ = ["EXPERIMENTS"]

ROLES = {PLAIN: "plain", WEIGHTED: "weighted", CONTROL: "control", MEAN_ONE: "weighted, mean 1"}
# Training sets by sample size: large ones cost more and vary less.
SETS = {50: 50, 100: 500, 200: 50, 400: 20, 700: 12, 1000: 8}
QUICK_SETS = {50: 6, 100: 6, 200: 6}
PATH_SETS, QUICK_PATH_SETS = 500, 8
# Giving every feature the weight 0 has the mean error Σ r*² / 1000.
NO_WEIGHTS = N_RELEVANT * (1 / N_RELEVANT) ** 2 / 1000
NEAR_ZERO = 0.1 * NO_WEIGHTS
ALMOST_PERFECT = 0.95
GAP = 1e-9

PROTOCOL = (
    "Han–Yu data, 1000 features, 50 of them relevant; features scaled to [0, 1] by the training "
    "rows and C = 1, which are Weka's defaults. Each round drops a tenth of the remaining "
    "features, rounded up, so that 10 are left after 40 rounds, as in the published figure. Of "
    "its rounds, the one with 48 features is the closest to 50. "
    "'control' has uniform weights that sum to 1, as the published weights do; 'mean 1' has the "
    "published weights times n. We take 'almost zero' as a tenth of the error of no weights at "
    f"all ({NO_WEIGHTS:.0e}), and 'almost perfect' as {ALMOST_PERFECT:g}. Such a "
    "statement agrees if the 95 % interval includes that value."
)


def _decompose(
    paths: EliminationPaths, number: int
) -> tuple[dict[str, Estimate], dict[str, Any], float]:
    values, without, gap = paths.decomposition(number)
    found = {name: jackknife_estimate(values[name], without[name]) for name in values}
    return found, without, gap


def _explained(plain: float, weighted: float, control: float) -> str:
    """Say how much of the weighting's gain over plain the control has, too."""
    gain = plain - weighted
    return f"{(plain - control) / gain:.0%}" if gain else "none"


def figure_6_1(settings: RunSettings) -> ExperimentResult:
    """Decompose the error along the path."""
    n_sets = settings.count(PATH_SETS, QUICK_PATH_SETS)
    paths = load_paths(settings, PATH_SAMPLES, n_sets)
    sizes = paths[PLAIN].sizes
    at_50, last = closest_round(sizes, N_RELEVANT), len(sizes) - 1
    found: dict[str, list[dict[str, Estimate]]] = {}
    without: dict[str, Any] = {}
    gaps: dict[str, float] = {}
    for name, path in paths.items():
        rounds = [_decompose(path, number) for number in range(len(sizes))]
        found[name] = [one for one, _, _ in rounds]
        without[name] = rounds[at_50][1]
        gaps[name] = max(gap for _, _, gap in rounds)
    rows = []
    published = (PLAIN, WEIGHTED)
    for name in METHODS:
        about: dict[str, Any] = {"method": name, "features": "all rounds"}
        about["quantity"] = "largest |error − bias² − variance| / error"
        gap = Estimate(gaps[name], np.nan, np.nan)
        text = "error is the sum of variance and bias at any iteration"
        rows.append(
            claim(text, gaps[name] < GAP, gap, **about)
            if name in published
            else observed(gap, **about)
        )
    for name in published:
        for text, number, part in (
            ("error first dominated by bias", 0, "bias²"),
            ("error later dominated by variance", last, "variance"),
        ):
            parts = found[name][number]
            share = Estimate(parts[part].value / parts["error"].value, np.nan, np.nan)
            about = {"method": name, "features": int(sizes[number])}
            rows.append(claim(text, share.value > 0.5, share, **about, quantity=f"{part} / error"))
    for name in METHODS:
        for part in QUANTITIES:
            about = {"method": name, "features": int(sizes[at_50]), "quantity": part}
            one = found[name][at_50][part]
            near = name == WEIGHTED and part == "error"
            text = "error of IW SVM-RFE almost zero"
            rows.append(
                claim(text, one.low < NEAR_ZERO, one, **about) if near else observed(one, **about)
            )
    for first, second in ((WEIGHTED, PLAIN), (CONTROL, PLAIN), (WEIGHTED, CONTROL)):
        for part in QUANTITIES:
            value = found[first][at_50][part].value - found[second][at_50][part].value
            apart = without[first][part] - without[second][part]
            difference = jackknife_estimate(value, apart)
            about = {"method": f"{first} − {second}", "features": int(sizes[at_50])}
            about["quantity"] = part
            text = "IW SVM-RFE has the lower variance and bias"
            rows.append(
                claim(text, difference.high < 0, difference, **about)
                if (first, second) == (WEIGHTED, PLAIN)
                else observed(difference, **about)
            )
    errors = {name: found[name][at_50]["error"].value for name in METHODS}
    finding = (
        f"The identity holds at every round (largest relative gap {max(gaps.values()):.0e}). At "
        f"{sizes[at_50]} features the error, with 1 for no weights at all, is "
        + ", ".join(f"{errors[name] / NO_WEIGHTS:.3f} for {name}" for name in METHODS)
        + f". Uniform weights of the same mass have "
        f"{_explained(errors[PLAIN], errors[WEIGHTED], errors[CONTROL])} of the published gain."
    )

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, part in zip(panels, QUANTITIES, strict=True):
            for name, rounds in found.items():
                draw_curve(axes, sizes, [one[part] for one in rounds], name, ROLES[name])
            _features_left(axes)
            axes.set_title(part)
        panels[0].set_ylabel("mean over features")
        legend(figure, panels[0])

    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{n_sets} training sets of 100 (published: 500)", draw
    )


def _features_left(axes: Any) -> None:
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.axvline(N_RELEVANT, color="0.8", zorder=0)
    axes.set_xlabel("features left")


def _kuncheva(paths: EliminationPaths, sizes: Any) -> list[Estimate]:
    table = stability_curve(paths.orders, "kuncheva", sizes, kind="order")
    return [Estimate(*one) for one in table[["value", "low", "high"]].to_numpy()]


def figure_6_2(settings: RunSettings) -> ExperimentResult:
    """Stability and accuracy along the path."""
    n_sets = settings.count(PATH_SETS, QUICK_PATH_SETS)
    paths = load_paths(settings, PATH_SAMPLES, n_sets)
    sizes = paths[PLAIN].sizes
    at_50 = closest_round(sizes, N_RELEVANT)
    left = [int(size) for size in sizes[1:]]  # all features are no selection
    stable = {name: _kuncheva(path, left) for name, path in paths.items()}
    exact = {name: _kuncheva(path, [N_RELEVANT])[0] for name, path in paths.items()}
    right = {
        name: [mean_estimate(runs) for runs in path.accuracy.T] for name, path in paths.items()
    }
    rows = []
    for name in METHODS:
        about: dict[str, Any] = {"method": name, "features": N_RELEVANT}
        rows.append(observed(exact[name], **about, quantity="Kuncheva"))
        about["features"] = int(sizes[at_50])
        rows.append(observed(right[name][at_50], **about, quantity="accuracy"))
    apart: dict[tuple[str, str], tuple[Estimate, Estimate]] = {}
    for first, second in ((WEIGHTED, PLAIN), (CONTROL, PLAIN), (WEIGHTED, CONTROL)):
        more = paths[first].accuracy[:, at_50] - paths[second].accuracy[:, at_50]
        apart[first, second] = exact[first].minus(exact[second]), mean_estimate(more)
        for quantity, size, gain, text in (
            ("Kuncheva", N_RELEVANT, apart[first, second][0], "IW SVM-RFE is much stabler"),
            ("accuracy", int(sizes[at_50]), apart[first, second][1], "and more accurate"),
        ):
            about = {"method": f"{first} − {second}", "features": size, "quantity": quantity}
            rows.append(
                claim(text, gain.low > 0, gain, **about)
                if (first, second) == (WEIGHTED, PLAIN)
                else observed(gain, **about)
            )
    for name in (PLAIN, WEIGHTED):
        early = stable[name][0]
        about = {"method": name, "features": left[0], "quantity": "Kuncheva"}
        text = "very low stability during the early iterations"
        rows.append(claim(text, early.value < 0.2, early, **about))
    finding = (
        "Kuncheva's index at 50 features: "
        + ", ".join(f"{exact[name].value:.2f} for {name}" for name in METHODS)
        + "; accuracy: "
        + ", ".join(f"{right[name][at_50].value:.3f}" for name in METHODS)
        + ". The gains over SVM-RFE are there, and uniform weights of the same mass have "
        f"{_explained(exact[PLAIN].value, exact[WEIGHTED].value, exact[CONTROL].value)} of the "
        "one in stability."
    )

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, 2)
        for name in METHODS:
            draw_curve(panels[0], left, stable[name], name, ROLES[name])
            draw_curve(panels[1], sizes, right[name], name, ROLES[name])
        for axes, label in zip(panels, ("Kuncheva's index", "accuracy"), strict=True):
            _features_left(axes)
            axes.set_ylabel(label)
        legend(figure, panels[0])

    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{n_sets} training sets of 100 (published: 500)", draw
    )


def _by_sample_size(settings: RunSettings) -> tuple[dict[int, dict[str, EliminationPaths]], str]:
    chosen = QUICK_SETS if settings.quick else SETS
    counts = {n: settings.count(SETS[n], QUICK_SETS.get(n, 6)) for n in chosen}
    paths = {n: load_paths(settings, n, n_sets) for n, n_sets in counts.items()}
    text = ", ".join(f"{n_sets} of {n}" for n, n_sets in counts.items())
    return paths, f"training sets: {text} (published: 500 of 100; for others not stated)"


def figure_6_3(settings: RunSettings) -> ExperimentResult:
    """Decompose the error at 50 features against sample size."""
    paths, repeats = _by_sample_size(settings)
    sizes = paths[PATH_SAMPLES][PLAIN].sizes
    at_50 = closest_round(sizes, N_RELEVANT)
    found = {
        name: {n: _decompose(by_method[name], at_50)[0] for n, by_method in paths.items()}
        for name in METHODS
    }
    smallest, middle, largest = min(paths), 200, max(paths)
    rows = []
    for part in QUANTITIES:
        values = [found[PLAIN][n][part].value for n in paths]
        ratio = Estimate(values[-1] / values[0], np.nan, np.nan)
        about: dict[str, Any] = {"method": PLAIN, "samples": f"{largest} / {smallest}"}
        text = "consistently decreases from 50 to 1000"
        rows.append(claim(text, max(np.diff(values)) < 0, ratio, **about, quantity=part))
    for name in METHODS:
        for part in QUANTITIES:
            one = found[name][middle][part]
            about = {"method": name, "samples": middle, "quantity": part}
            text = "near zero when the sample size approaches 200"
            rows.append(
                claim(text, one.low < NEAR_ZERO, one, **about)
                if name == WEIGHTED
                else observed(one, **about)
            )
    for name in (WEIGHTED, CONTROL):
        gain = found[name][middle]["error"].minus(found[PLAIN][largest]["error"])
        about = {"method": f"{name} − {PLAIN}", "samples": f"{middle} − {largest}"}
        text = "IW SVM-RFE at 200 is better than SVM-RFE at 1000"
        rows.append(
            claim(text, gain.high < 0, gain, **about, quantity="error")
            if name == WEIGHTED
            else observed(gain, **about, quantity="error")
        )
    for name in METHODS:
        for n in paths:
            about = {"method": name, "samples": n, "quantity": "error"}
            rows.append(observed(found[name][n]["error"], **about))
    errors = {name: found[name][middle]["error"].value / NO_WEIGHTS for name in METHODS}
    worst = found[PLAIN][largest]["error"].value / NO_WEIGHTS
    finding = (
        f"At {middle} rows the error, with 1 for no weights at all, is "
        + ", ".join(f"{errors[name]:.3f} for {name}" for name in METHODS)
        + f"; SVM-RFE at {largest} rows has {worst:.3f}. Uniform weights of the same mass have "
        f"{_explained(errors[PLAIN], errors[WEIGHTED], errors[CONTROL])} of the published gain."
    )

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, part in zip(panels, QUANTITIES, strict=True):
            for name in METHODS:
                draw_curve(
                    axes, list(paths), [found[name][n][part] for n in paths], name, ROLES[name]
                )
            axes.set_title(part)
            axes.set_xlabel("training rows")
        panels[0].set_ylabel(f"mean over features, {sizes[at_50]} left")
        legend(figure, panels[0])

    return ExperimentResult(pd.DataFrame(rows), finding, repeats, draw)


def figure_6_4(settings: RunSettings) -> ExperimentResult:
    """Stability and accuracy at 50 features against sample size."""
    paths, repeats = _by_sample_size(settings)
    stable: dict[str, dict[int, Estimate]] = {name: {} for name in METHODS}
    right: dict[str, dict[int, Estimate]] = {name: {} for name in METHODS}
    for n, by_method in paths.items():
        for name, path in by_method.items():
            column = list(path.rounds).index(closest_round(path.sizes, N_RELEVANT))
            stable[name][n] = _kuncheva(path, [N_RELEVANT])[0]
            right[name][n] = mean_estimate(path.accuracy[:, column])
    smallest, middle, largest = min(paths), 200, max(paths)
    rows = []
    for quantity, found in (("Kuncheva", stable), ("accuracy", right)):
        values = [found[PLAIN][n].value for n in paths]
        gain = found[PLAIN][largest].minus(found[PLAIN][smallest])
        about: dict[str, Any] = {"method": PLAIN, "samples": f"{largest} − {smallest}"}
        text = "consistently improves with sample size"
        rows.append(claim(text, min(np.diff(values)) > 0, gain, **about, quantity=quantity))
        for name in METHODS:
            about = {"method": name, "samples": middle, "quantity": quantity}
            one, text = found[name][middle], "almost perfect as soon as the sample size is 200"
            rows.append(
                claim(text, one.high >= ALMOST_PERFECT, one, **about)
                if name == WEIGHTED
                else observed(one, **about)
            )
        for name in (WEIGHTED, CONTROL):
            gain = found[name][middle].minus(found[PLAIN][largest])
            about = {"method": f"{name} − {PLAIN}", "samples": f"{middle} − {largest}"}
            text = "IW SVM-RFE at 200 is better than SVM-RFE at 1000"
            rows.append(
                claim(text, gain.low > 0, gain, **about, quantity=quantity)
                if name == WEIGHTED
                else observed(gain, **about, quantity=quantity)
            )
        for name in METHODS:
            for n in paths:
                about = {"method": name, "samples": n, "quantity": quantity}
                rows.append(observed(found[name][n], **about))
    finding = (
        f"Kuncheva's index at {middle} rows: "
        + ", ".join(f"{stable[name][middle].value:.2f} for {name}" for name in METHODS)
        + f" (SVM-RFE at {largest} rows: {stable[PLAIN][largest].value:.2f}); accuracy: "
        + ", ".join(f"{right[name][middle].value:.3f}" for name in METHODS)
        + f" (SVM-RFE at {largest} rows: {right[PLAIN][largest].value:.3f})."
    )

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, 2)
        for axes, found, label in (
            (panels[0], stable, "Kuncheva's index at 50 features"),
            (panels[1], right, "accuracy"),
        ):
            for name in METHODS:
                draw_curve(axes, list(paths), [found[name][n] for n in paths], name, ROLES[name])
            axes.set_xlabel("training rows")
            axes.set_ylabel(label)
        legend(figure, panels[0])

    return ExperimentResult(pd.DataFrame(rows), finding, repeats, draw)


EXPERIMENTS = [
    Experiment(
        "han-fig6.1",
        "Variance, bias and error of the weights along SVM-RFE",
        "Han's dissertation, figure 6.1; Han & Yu 2010, figure 2",
        "Instance weighting lowers variance and bias; its error is almost zero at 50 features.",
        PROTOCOL + " Intervals are from a jackknife over training sets.",
        figure_6_1,
    ),
    Experiment(
        "han-fig6.2",
        "Stability and accuracy along SVM-RFE",
        "Han's dissertation, figure 6.2; Han & Yu 2010, figure 3",
        "Instance weighting makes the subsets stabler and more accurate near 50 features.",
        PROTOCOL + " Accuracy is that of a linear SVM (C = 1, unweighted) on 5000 other rows.",
        figure_6_2,
    ),
    Experiment(
        "han-fig6.3",
        "Variance, bias and error at 50 features against sample size",
        "Han's dissertation, figure 6.3",
        "With instance weighting they are near zero from 200 rows on; SVM-RFE's fall slowly.",
        PROTOCOL + " Intervals are from a jackknife over training sets.",
        figure_6_3,
    ),
    Experiment(
        "han-fig6.4",
        "Stability and accuracy at 50 features against sample size",
        "Han's dissertation, figure 6.4",
        "With instance weighting both are almost perfect from 200 rows on.",
        PROTOCOL + " Accuracy is that of a linear SVM (C = 1, unweighted) on 5000 other rows.",
        figure_6_4,
    ),
]
