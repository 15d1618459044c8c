"""What was not shown, and whether instance weighting did anything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from backstay.report._choice import Choice
from backstay.report._words import count, interval, listed, signed
from backstay.results import Results

__all__ = ["caveats", "verdicts"]

Facts = dict[str, Any]
# Fewer runs, or fewer rows of a class, leave intervals rough.
FEW_RUNS, FEW_ROWS = 20, 10
# The usual reading of such indices, after Fleiss.
POOR, EXCELLENT = 0.4, 0.75


def caveats(
    results: Results,
    choice: Choice,
    facts: Facts,
    signature: list[dict[str, Any]],
    judged: list[dict[str, str]],
) -> list[dict[str, str]]:
    """Return what the study does not show, each with a title and a sentence."""
    found = [
        *_about_stability(choice, signature),
        *_about_control(choice, facts),
        *(verdict for verdict in judged if verdict["kind"] != "shown"),
        *(_about_rivals(results, choice) if choice.kind != "nothing" else []),
        *_about_partners(results, signature),
        *_about_failures(results),
        *_about_numbers(facts),
        {
            "title": "That it holds elsewhere.",
            "text": f"Every run used the same {count(facts['n_samples'], 'row')}. Samples from "
            "another place or time are the real test.",
        },
    ]
    return [{"title": item["title"], "text": item["text"]} for item in found]


def _about_stability(choice: Choice, signature: list[dict[str, Any]]) -> list[dict[str, str]]:
    found = []
    if choice.stability == 1:
        found.append(
            {
                "title": "That the choice never changes.",
                "text": "It did not change in these runs, so the interval of the stability has no "
                "width; other rows could still change it.",
            }
        )
    if choice.low < POOR:
        found.append(
            {
                "title": "A stable selection.",
                "text": f"The interval of the stability, {interval(choice.low, choice.high)}, "
                f"reaches below {POOR}, which is usually called poor (above {EXCELLENT}: "
                "excellent).",
            }
        )
    if len(signature) < choice.size / 2:
        found.append(
            {
                "title": f"That {count(choice.size, 'feature')} can be named.",
                "text": f"Each run chose {choice.size}, but only {len(signature)} came up in most "
                "runs; the others changed from run to run.",
            }
        )
    return found


def _about_control(choice: Choice, facts: Facts) -> list[dict[str, str]]:
    owners = [m for m, role in facts["methods"].items() if role["control"] == choice.method]
    if not owners:
        return []
    return [
        {
            "title": "A use for instance weighting.",
            "text": f"{choice.method} is the control of {listed(owners)}: the same method with "
            "equal weights of the same sum. It does as well without telling samples apart.",
        }
    ]


def verdicts(results: Results, choice: Choice, gains: pd.DataFrame) -> list[dict[str, str]]:
    """Say of every weighted method whether its weights did anything for stability."""
    if gains.empty:
        return []
    table = gains[(gains["quantity"] == "stability") & (gains["size"] == choice.size)]
    found = []
    for method in dict.fromkeys(table["method"]):
        over = {row["over"]: row for _, row in table[table["method"] == method].iterrows()}
        if set(over) != {"control", "plain"} or any(math.isnan(r["gain"]) for r in over.values()):
            continue
        # At one size alone, chosen for its accuracy, a gain may be luck.
        overall = results.compare(over["control"]["reference"], method).stability
        said = _verdict(method, over["control"], over["plain"], overall, choice.size)
        found.append({"method": method, **said})
    return found


def _verdict(method: str, control: Any, plain: Any, overall: Any, size: int) -> dict[str, str]:
    at = f"at {count(size, 'feature')}"
    against = f"over its control {control['reference']} it is {_change(control)}"
    average = (
        f"averaged over all sizes, {signed(overall.difference)} "
        f"({interval(overall.low, overall.high)})"
    )
    title = f"That instance weighting makes {method} stabler"
    if control["low"] > 0 and overall.low > 0:
        return {
            "kind": "shown",
            "title": f"The weights of {method} themselves add stability.",
            "text": f"{at.capitalize()} the gain {against}, and {average}; over plain "
            f"{plain['reference']} it is {_change(plain)}.",
        }
    if control["low"] > 0:
        return {
            "kind": "here",
            "title": f"{title} in general.",
            "text": f"{at.capitalize()} the gain {against}, but {average}, which is no gain.",
        }
    if plain["low"] > 0:
        return {
            "kind": "explained",
            "title": f"{title}.",
            "text": f"It gains {_change(plain)} over plain {plain['reference']} {at}, but the gain "
            f"is explained by its control: {against}. The control has equal weights of the same "
            "sum, so what helps is their sum, which changes the regularisation, not the weighting.",
        }
    return {
        "kind": "none",
        "title": f"{title}.",
        "text": f"Its gain over plain {plain['reference']} {at} is {_change(plain)}; {against}.",
    }


def _change(row: Any) -> str:
    return f"{signed(row['gain'])} (95\u202f% {interval(row['low'], row['high'])})"


def _about_rivals(results: Results, choice: Choice) -> list[dict[str, str]]:
    """Name the methods that cannot be told from the one chosen, in paired comparisons."""
    twins, steadier, better, accurate, compared = [], [], [], [], []
    ties: dict[str, str] = {}
    rivals = [m for m in results.methods if m != choice.method]
    for rival in rivals:
        found = results.compare(
            choice.method,
            rival,
            size=choice.size,
            classifier=choice.classifier,
            metric=choice.metric,
        )
        steady = found.stability
        if steady.low == steady.high == 0:
            twins.append(rival)
        elif steady.low > 0:
            steadier.append(
                f"{rival} ({signed(steady.difference)}, {interval(steady.low, steady.high)})"
            )
        elif steady.low <= 0 <= steady.high:
            ties[rival] = interval(steady.low, steady.high)
        if choice.classifier is not None:
            score = found.accuracy
            if not np.isfinite(score.p_value):
                continue
            compared.append(rival)
            if _above(score):
                better.append(f"{rival} ({signed(score.difference)})")
            elif _above(score, -1):
                accurate.append(rival)
    items = []
    at = f"at {count(choice.size, 'feature')}"
    if twins:
        items.append(
            {
                "title": f"That {choice.method} differs from {listed(twins)}.",
                "text": f"They are exactly as stable {at}.",
            }
        )
    if steadier:
        items.append(
            {
                "title": "That it is the stablest of all.",
                "text": f"Stabler {at}, by a paired difference whose 95\u202f% interval is above "
                f"0: {listed(steadier)}.",
            }
        )
    if ties:
        items.append(
            {
                "title": f"That {choice.method} is stabler than {listed(list(ties))}.",
                "text": f"The 95\u202f% intervals of the paired differences {at} include 0: "
                + listed([f"{rival} ({ends})" for rival, ends in ties.items()])
                + ".",
            }
        )
    if compared:
        if better:
            items.append(
                {
                    "title": "That it is the most accurate.",
                    "text": f"With {choice.classifier} {at}, more accurate in a paired test at "
                    f"5\u202f%: {listed(better)}.",
                }
            )
        elif len(accurate) < len(compared):
            others = [rival for rival in compared if rival not in accurate]
            items.append(
                {
                    "title": "That it is the most accurate.",
                    "text": f"With {choice.classifier} {at} the paired tests at 5\u202f% do not "
                    f"tell it from {listed(others)}.",
                }
            )
    return items


def _above(test: Any, sign: int = 1) -> bool:
    return bool(np.isfinite(test.p_value) and test.p_value < 0.05 and sign * test.difference > 0)


def _about_partners(results: Results, signature: list[dict[str, Any]]) -> list[dict[str, str]]:
    partners = results.partners().frame()
    if partners.empty or not signature:
        return []
    chosen = {item["feature"] for item in signature}
    outside = partners[partners["feature"].isin(chosen) & ~partners["partner"].isin(chosen)]
    n = outside["feature"].nunique()
    if not n:
        return []
    first = outside.iloc[int(outside["correlation"].abs().argmax())]
    r = f"{first['correlation']:.2f}".replace("-", "−")
    return [
        {
            "title": "That it is the only such signature.",
            "text": f"{n} of its {count(len(signature), 'feature')} "
            f"{'has' if n == 1 else 'have'} a strongly correlated partner "
            f"(|r|\u00a0≥\u00a00.7) outside it that could stand in, such as "
            f"{first['partner_name']} for {first['name']} (r\u00a0=\u00a0{r}).",
        }
    ]


def _about_failures(results: Results) -> list[dict[str, str]]:
    errors = results.errors().frame()
    if errors.empty:
        return []
    counts = errors.groupby("method", sort=False).size()
    named = listed([f"{method} ({n})" for method, n in counts.items()])
    return [
        {
            "title": "What failed tasks would have said.",
            "text": f"{count(len(errors), 'task')} failed: {named}. The reasons are below.",
        }
    ]


def _about_numbers(facts: Facts) -> list[dict[str, str]]:
    found = []
    if facts["n_resamples"] < FEW_RUNS:
        found.append(
            {
                "title": "Narrow limits.",
                "text": f"{count(facts['n_resamples'], 'resample')} are few; intervals from fewer "
                f"than {FEW_RUNS} are rough.",
            }
        )
    small = [c for c in facts["classes"] if c["n"] < FEW_ROWS]
    if small:
        named = listed([f"{c['name']} ({c['n']})" for c in small])
        found.append(
            {
                "title": "Much about small classes.",
                "text": f"Fewer than {FEW_ROWS} rows: {named}.",
            }
        )
    return found
