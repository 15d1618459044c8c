"""Covariates and batches in words: what was done about them, what features add, how batches did."""

from typing import Any

from backstay.report._words import (
    THIN,
    interval,
    listed,
    metric_title,
    score_text,
    signed,
    two_decimals,
)
from backstay.results import DatasetFacts, Recommendation


def design_text(data: DatasetFacts) -> str:
    """Say what was done about covariates and batches; empty if there were none."""
    parts, batches = [], data.design.get("batches", [])
    if names := list(data.design.get("covariates", ())):
        parts.append(
            f"Features were adjusted for {listed(names, 12)}: filters with a test tested the "
            "outcome beside them, others saw what a regression on them, fitted on training samples "
            "only, leaves of a feature. Models had them in, unpenalised, and outcomes were "
            "shuffled so that they still go with them."
        )
    if batches:
        how = "left out one at a time" if "LeaveBatchOut" in data.resampling else "spread alike"
        parts.append(
            f"The {len(batches)} batches ({listed(batches, 12)}) were {how} over training "
            "and test parts, and outcomes were shuffled within batches."
        )
    if data.design.get("centered"):
        parts.append("Features were centred within batches by means of training samples.")
    return " ".join(parts)


def added_text(advice: Recommendation, data: DatasetFacts) -> str:
    """Say what covariates and batch alone, features alone and all reach; empty without them."""
    if (added := advice.added) is None:
        return ""
    metric, covariates = advice.metric, list(data.design.get("covariates", ()))
    names = listed([*covariates, *(["the batch"] if "batches" in data.design else [])], 12)
    alone, features, both = (
        score_text(metric, one.value) for one in (added.covariates, added.features, added.both)
    )
    ends = interval(added.gain.low, added.gain.high)
    found = "" if added.shown else " That is not shown to be more than nothing."
    with_them = f"; with {listed(covariates, 12)}: {both}" if covariates else ""
    first = names if covariates else "The batch"
    return (
        f"{first} alone: {metric_title(metric)} {alone}; the features alone: {features}"
        f"{with_them}. So the features add {signed(added.gain.value)} (95{THIN}% {ends}) to "
        f"{names}.{found}"
    )


def batch_text(data: DatasetFacts, rows: list[dict[str, Any]], agreement: Any) -> str:
    """Say how well rows of every batch were predicted, and whether batches choose alike."""
    known = [row for row in rows if row["score"] == row["score"]]
    if not known:
        return ""
    metric = known[0]["metric"]
    said = [
        f"{row['batch']} {score_text(metric, row['score'])} ({row['rows']} rows)" for row in known
    ]
    scores = [row["score"] for row in known]
    left = "LeaveBatchOut" in data.resampling
    how = "trained without the batch" if left else "with rows of the same batch in training"
    text = (
        f"{metric_title(metric)} by batch, {how}: {listed(said, 20)}; they span "
        f"{score_text(metric, min(scores))} to {score_text(metric, max(scores))}."
    )
    if not left:
        text += " At a new site expect less: --protocol leave-batch-out shows how much."
    pairs = agreement[agreement["first"] != agreement["second"]]["kuncheva"]
    if len(pairs):
        text += (
            " Signatures that batches choose on their own agree at "
            f"{two_decimals(float(pairs.mean()))} (0: random features, 1: the same)."
        )
    return text
