"""A paragraph on methods, ready to paste into a paper, with what it cites."""

from collections.abc import Callable
from typing import Any

from backstay.report._design_words import added_text, design_text
from backstay.report._evidence import Evidence
from backstay.report._words import (
    count,
    held_text,
    interval,
    listed,
    metric_title,
    pair_order_text,
    percent,
    score_with_ends,
    two_decimals,
    units_text,
)

WORKS = {
    "nogueira": (
        "Nogueira, Sechidis & Brown (2018), Journal of Machine Learning Research 18(174), 1–54."
    ),
    "nadeau": "Nadeau & Bengio (2003), Machine Learning 52, 239–281.",
    "tsamardinos": (
        "Tsamardinos, Greasidou & Borboudakis (2018), Machine Learning 107, 1895–1922."
    ),
    "benjamini": (
        "Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57(1), 289–300."
    ),
}


def methods_text(evidence: Evidence) -> dict[str, Any]:
    """Describe what was done, in the past tense, and list the works cited in their order."""
    cited: list[str] = []

    def cite(key: str) -> str:
        if key not in cited:
            cited.append(key)
        return f"[{cited.index(key) + 1}]"

    sentences = [
        _about_data(evidence),
        _about_runs(evidence),
        *filter(None, [design_text(evidence.data)]),
        _about_stability(evidence, cite("nogueira")),
    ]
    if evidence.data.models:
        sentences.append(_about_scores(evidence, cite))
    if len(evidence.signature):
        sentences.append(_about_signature(evidence))
    if evidence.features["effect"].notna().any():
        sentences.append(_about_effects(evidence, cite))
    elif evidence.data.effect_units.kind in ("mixed", "unknown"):
        sentences.append(f"Effects and their tests are over {units_text(evidence.data)}.")
    sentences.append(_about_software(evidence))
    return {"text": " ".join(sentences), "references": [WORKS.get(key, key) for key in cited]}


def _about_data(evidence: Evidence) -> str:
    data = evidence.data
    unit = "pair" if data.effect_units.kind == "pairs" else "group"
    groups = "" if data.n_groups is None else f" in {count(data.n_groups, unit)}"
    logged = " on a log2 scale" if data.logged else ""
    return (
        f"Stable features were sought among {count(data.n_features, 'feature')}{logged} of "
        f"{count(data.n_samples, 'sample')}{groups} ({held_text(data.target, 12)})."
    )


def _about_runs(evidence: Evidence) -> str:
    data, names = evidence.data, evidence.names
    given = [names[name].title for name, role in data.methods.items() if not role.added]
    unit = "pair" if data.effect_units.kind == "pairs" else "group"
    kept = "" if data.n_groups is None else f"; samples of one {unit} stayed on one side"
    return (
        f"The samples were split {count(data.n_resamples, 'time')} into a training part "
        f"({percent(evidence.training_share)} of them) and a test part{kept}. On every training "
        f"part the features were ranked by {count(len(given), 'method')}: {listed(given, 20)}; "
        "preprocessing and selection used training samples only."
    )


def _about_stability(evidence: Evidence, nogueira: str) -> str:
    data, sizes = evidence.data, listed(list(map(str, evidence.data.sizes)), 12)
    words = f"Stability was measured {nogueira} for the best {sizes} features."
    if data.null:
        kinds = {"rows": "", "pairs": " within pairs"}
        within = kinds.get(data.effect_units.kind, " as groups allow")
        words += (
            f" The same was done with the outcomes shuffled{within} {count(data.null, 'time')}."
        )
    return words


def _about_scores(evidence: Evidence, cite: Callable[[str], str]) -> str:
    data, choice = evidence.data, evidence.choice
    advice = choice.recommendation
    titles = listed([evidence.names[name].title for name in data.models], 12)
    metric = metric_title(data.metric)
    words = (
        f"Models ({titles}) were trained on the features selected and tested on the test "
        f"part by {metric}; intervals over splits were corrected for shared samples "
        f"{cite('nadeau')}."
    )
    if advice is None:
        return words
    chosen = (
        f" Of {count(data.n_configurations, 'configuration')}, those within one standard error of "
        f"the best {metric} were candidates; chosen was the one whose features an independent "
        f"sample is most surely expected to select again. The {metric} of this procedure, "
        f"corrected by a bootstrap over samples {cite('tsamardinos')}, was "
        f"{score_with_ends(advice.metric, advice.score, advice.chance)}"
    )
    if added := added_text(advice, data):
        chosen += f". {added.removesuffix('.')}"
    if choice.kind == "nothing":
        return f"{words}{chosen}, so that no signature was reported."
    order = pair_order_text(evidence.predictions)
    return f"{words}{chosen}. {order}." if order else f"{words}{chosen}."


def _about_signature(evidence: Evidence) -> str:
    choice, names = evidence.choice, evidence.names
    groups = evidence.groups["group"].nunique()
    again = ""
    if (found := choice.replication) is not None:
        again = (
            " Its chance-corrected overlap with the selection in an independent sample of this "
            f"size is estimated as {two_decimals(found.value)} "
            f"(95\u202f% interval {interval(found.low, found.high)})."
        )
    title = names[choice.method].title
    the = "the " if title.endswith(" test") and "'" not in title else ""
    within = f", in {count(groups, 'group')} of correlated features (|r| ≥ 0.7)" if groups else ""
    return (
        f"The signature is the {count(len(evidence.signature), 'feature')} that "
        f"{the}{title} selected most often with {choice.size} features per split; "
        f"{evidence.n_core} of them were selected in more than half of the splits{within}. Its "
        f"stability on resamples of these samples was {two_decimals(choice.stability)} "
        f"(95\u202f% interval {interval(choice.low, choice.high)}).{again}"
    )


def _about_effects(evidence: Evidence, cite: Callable[[str], str]) -> str:
    words = evidence.data.words
    over = units_text(evidence.data).replace("all rows", "all samples")
    return (
        f"Effects are given as {words.effect} {cite(words.effect_source)} over {over}, for "
        f"orientation with q-values {cite('benjamini')} of {words.test}."
    )


def _about_software(evidence: Evidence) -> str:
    versions = dict(evidence.study.versions[-1]) if evidence.study.versions else {}
    ours = versions.pop("backstay", "")
    python = versions.pop("python", "")
    others = listed([f"{name} {number}" for name, number in versions.items()], 20)
    seed = "" if evidence.study.seed is None else f"; seed {evidence.study.seed}"
    return f"The analysis was run with backstay {ours} (Python {python}, {others}{seed})."
