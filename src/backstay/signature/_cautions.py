"""What should a reader of a validation beware of? Each case is judged and said here."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from backstay._words import listed
from backstay.signature._validation import Caution, Validation
from backstay.targets import find_metric

# Class proportions differ if that is beyond chance at this level, and by so much.
LEVEL, LARGE_SHARE = 0.01, 0.1
# Metrics that other class proportions alone would change.
BY_SHARES = {"accuracy", "average_precision", "f1_macro", "mcc", "log_loss", "brier"}
# Fewer rows of a class than this say little.
FEW_ROWS = 20


def cautions_of(found: Validation) -> list[Caution]:
    """Return what to beware of, the gravest first."""
    every = [
        _score(found),
        _chance(found),
        _absent_classes(found),
        _platform(found),
        _stand_ins(found),
        _proportions(found),
        _calibration(found),
        _rescaled(found),
        _few_rows(found),
    ]
    return [caution for caution in every if caution is not None]


def _score(found: Validation) -> Caution | None:
    worse = [one for one in found.scores if one.verdict == "worse"]
    if not worse:
        return None
    shown = [
        f"{find_metric(one.metric).title} {one.found.value:.3f} instead of "
        f"{one.expected.value:.3f} "
        f"(difference {one.difference.low:.3f} to {one.difference.high:.3f})"
        for one in worse
    ]
    main = worse[0] is found.main
    return Caution(
        "score",
        "The score is worse than expected."
        if main
        else "By another metric it is worse than expected.",
        f"{'; '.join(shown)}.",
    )


def _chance(found: Validation) -> Caution | None:
    main = found.main
    if not math.isfinite(main.found.low) or main.above_chance:
        return None
    return Caution(
        "chance",
        "The signature is not shown to be better than guessing here.",
        f"The interval of the {find_metric(main.metric).title}, {main.found.low:.3f} to "
        f"{main.found.high:.3f}, holds what guessing reaches, {main.chance:.3f}.",
    )


def _absent_classes(found: Validation) -> Caution | None:
    absent = [name for name, n in zip(found.classes, found.class_sizes, strict=True) if not n]
    if not absent:
        return None
    return Caution(
        "classes",
        "The cohort lacks a class.",
        f"It has no rows of {listed(absent)}, so nothing is said about recognising them, and "
        "scores that compare classes may be undefined.",
    )


def _platform(found: Validation) -> Caution | None:
    moved = [one for one in found.shifts if one.moved]
    if not moved:
        return None
    worst = max(moved, key=lambda one: max(abs(one.shift), abs(math.log(one.ratio))))
    text = (
        f"{len(moved)} of {len(found.shifts)} features differ from the training rows in mean or "
        f"spread, class by class, most of all {worst.feature!r}: its mean by {worst.shift:+.2f} "
        f"standard deviations, its spread {worst.ratio:.2f} times as large. Another platform, "
        "batch or normalisation does that. "
    )
    if found.rescale == "none":
        text += "Predictions use the values as they are; rescaling can be asked for."
    else:
        text += f"Predictions use values rescaled by {found.rescale}."
    return Caution("platform", "Features are measured differently.", text)


def _stand_ins(found: Validation) -> Caution | None:
    if not found.stand_ins:
        return None
    by = [one for one in found.stand_ins if one.by is not None]
    means = [one.feature for one in found.stand_ins if one.by is None]
    text = ""
    if by:
        shown = [f"{one.feature} from {one.by} (r = {one.correlation:.2f})" for one in by]
        text += f"Computed from a correlated feature: {listed(shown)}. "
    if means:
        text += f"Set to the mean of the training rows: {listed(means)}. "
    n = len(found.stand_ins)
    return Caution(
        "missing",
        f"{n} feature{'s are' if n > 1 else ' is'} not in the cohort.",
        text + "The expected score is re-estimated for that.",
    )


def _proportions(found: Validation) -> Caution | None:
    counts = np.array([found.training_sizes, found.class_sizes], dtype=float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    apart = float(np.abs(shares[1] - shares[0]).max())
    table = counts[:, counts.sum(axis=0) > 0]
    p_value = float(stats.chi2_contingency(table, correction=False).pvalue)
    if apart < LARGE_SHARE or p_value >= LEVEL:
        return None
    shown = ", ".join(
        f"{name} {b:.0%} instead of {a:.0%}"
        for name, a, b in zip(found.classes, *shares, strict=True)
    )
    text = f"{shown}. "
    affected = [find_metric(one.metric).title for one in found.scores if one.metric in BY_SHARES]
    if affected:
        text += f"That alone changes {listed_plain(affected)}, not the AUC or the recalls. "
    recalls = np.array([one.value for one in found.recalls])
    if np.isfinite(recalls).all():
        text += (
            f"In the proportions of the training rows the accuracy would be "
            f"{float(shares[0] @ recalls):.3f}. "
        )
    text += "Probabilities are those of the training proportions."
    return Caution("proportions", "Classes come in other proportions.", text)


def _calibration(found: Validation) -> Caution | None:
    known = found.calibration
    if known is None:
        return None
    rows = known.bins["n"].to_numpy()
    said, seen = (float(known.bins[name] @ rows / rows.sum()) for name in ("predicted", "observed"))
    texts = []
    if not 0.5 <= known.slope <= 2:
        how = "too sure" if known.slope < 1 else "not sure enough"
        texts.append(
            f"They are {how}: the slope of the observed log odds in the predicted ones is "
            f"{known.slope:.2f}, where 1 is right."
        )
    if abs(said - seen) > LARGE_SHARE:
        texts.append(
            f"On average they give {found.classes[1]} {said:.0%}, and {seen:.0%} of the rows are."
        )
    if not texts:
        return None
    return Caution("calibration", "Probabilities do not mean what they say.", " ".join(texts))


def _rescaled(found: Validation) -> Caution | None:
    if found.rescale == "none":
        return None
    return Caution(
        "rescaled",
        f"Features were rescaled ({found.rescale}).",
        "Every feature was moved to where it lay in the training rows, without looking at labels. "
        "That is right only if classes come in the same proportions, and a prediction then "
        "depends on the other rows of the table.",
    )


def _few_rows(found: Validation) -> Caution | None:
    few = [
        f"{name} ({n})"
        for name, n in zip(found.classes, found.class_sizes, strict=True)
        if 0 < n < FEW_ROWS
    ]
    if not few:
        return None
    return Caution(
        "rows",
        "The cohort is small.",
        f"Classes with fewer than {FEW_ROWS} rows: {listed_plain(few)}. A large drop could go "
        "unnoticed.",
    )


def listed_plain(names: list[str]) -> str:
    """Return names as in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
