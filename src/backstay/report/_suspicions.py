"""What makes the data suspicious, in words that the report and the terminal share."""

from collections.abc import Mapping
from typing import Any

from backstay.report._words import capital, clean, count, listed, share_text, two_decimals
from backstay.results import Suspicion
from backstay.targets import Target


def suspicion_words(suspicion: Suspicion, target: Target) -> tuple[str, str]:
    """Return a heading, and a sentence or two on what was seen and what to do."""
    return WORDS[suspicion.kind](suspicion.figures, target)


def _copies(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    n, rows = figures["rows"], count(figures["of"], "row")
    return (
        f"{n} of {rows} {'is an exact copy' if n == 1 else 'are exact copies'} of others.",
        "A row that was trained on and is tested on again makes the score too good. Take copies "
        "out of the table, or name a column of groups.",
    )


def _near_copies(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    return (
        f"{figures['rows']} of {count(figures['of'], 'row')} are nearly the same as another row.",
        "If these are repeated measurements of one patient, the score is too good: some were "
        "trained on, others tested. Keep them together with groups.",
    )


def _gives_away(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    names, words = [clean(name) for name in figures["features"]], target.words()
    shown = [
        f"{name} ({two_decimals(value)})"
        for name, value in zip(names, figures["separation"], strict=True)
    ]
    return (
        f"{listed(names)} alone nearly give{'' if len(names) > 1 else 's'} {words.outcome} away.",
        f"{capital(words.separation)}: {listed(shown)}; no other feature comes close. Is it the "
        "outcome in another form, or a consequence of it? Then drop it.",
    )


def _confounded(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    names = [clean(name) for name, *_ in figures["columns"]]
    shown = [
        f"{clean(name)} ({measure} {two_decimals(value)}, p {max(p, 1e-12):.1g})"
        for name, measure, value, p in figures["columns"]
    ]
    return (
        f"{listed(names)} {'goes' if len(names) == 1 else 'go'} with {target.words().outcome}.",
        f"{listed(shown, 10)}; p is corrected for the number of columns. If it says how "
        "or when samples were measured, the features may show that and not the outcome: no model "
        "can tell. If it is the outcome by another name, nothing is wrong.",
    )


def _follow_up(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    names = [clean(name) for name, _ in figures["columns"]]
    used = [clean(name) for name, is_feature in figures["columns"] if is_feature]
    told = "As a feature it tells how long a row was followed, and so the outcome. " if used else ""
    return (
        f"{listed(names)} may be the time until the outcome happened.",
        f"{told}Rows that were followed briefly and rows that nothing happened to are not the "
        "same: if it is such a time, name both columns with time and event (--time and --event) "
        "instead of a target. If it is not, drop it or ignore this.",
    )


def _shifted(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    words, same, way = target.words(), figures["same"], ""
    if same > 0.8:
        where = words.directed.format(clean(figures["where"]))
        way = f" {share_text(same)} go the same way: {where}."
    return (
        f"Nearly all features go with {words.outcome}: is it a batch?",
        f"{share_text(figures['significant'])} of the features have p < 0.05.{way} Biology rarely "
        "changes everything; other plates, dates, dilutions or units do. Then the score says "
        "nothing about new samples.",
    )


def _filtered(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    return (
        "Were the features chosen by the outcome beforehand?",
        f"Hardly any of the {figures['features']} features has p > {figures['p_value']:.2g}, and "
        "many lie just below. In a table that was not filtered, p-values reach 1. If the filter "
        "knew the outcome of these rows, the score is too good, even in pure noise. Give the "
        "study all features: it chooses on training rows only.",
    )


def _repeats(figures: Mapping[str, Any], target: Target) -> tuple[str, str]:
    columns = [(clean(name), n, rows) for name, n, rows in figures["columns"]]
    if not columns:
        return (
            f"Row names repeat ({clean(figures['row_names'][0])}, for one).",
            "If rows of one name belong together, name that column as groups.",
        )
    shown = [f"{name} has {n} values in {count(rows, 'row')}" for name, n, rows in columns]
    first = columns[0][0]
    return (
        f"Do rows with the same {first} belong together?",
        f"{'; '.join(shown)}, and rows with the same value have the same outcome. If they are of "
        f"one patient, the score is too good: run again with --groups {first}.",
    )


WORDS = {
    "copies": _copies,
    "near_copies": _near_copies,
    "gives_away": _gives_away,
    "confounded": _confounded,
    "shifted": _shifted,
    "filtered": _filtered,
    "repeats": _repeats,
    "follow_up": _follow_up,
}
