"""The DOME checklist (Walsh et al. 2021), filled in as far as a study knows."""

from collections.abc import Iterable

from backstay.report._answer import recommendation_words
from backstay.report._design_words import added_text, design_text
from backstay.report._evidence import Evidence
from backstay.report._words import (
    clean,
    count,
    held_text,
    listed,
    metric_title,
    percent,
    units_text,
)

AUTHORS = "**authors**"
HEAD = """# DOME checklist

Data, Optimization, Model and Evaluation of supervised machine learning in biology: the
recommendations of Walsh et al. (2021), *Nature Methods* 18, 1122–1127, https://dome-ml.org. What
the study knows is filled in. What is marked **authors** only you can know.
"""


def dome(parts: Iterable[tuple[str, Evidence]]) -> str:
    """Return the checklist as Markdown, one per data set."""
    sections = []
    for name, evidence in parts:
        lines = [f"## {_cell(name)}", ""]
        for title, answers in SECTIONS.items():
            rows = answers(evidence)
            lines += [f"### {title}", "", "| question | answer |", "|---|---|"]
            lines += [f"| {question} | {_cell(answer)} |" for question, answer in rows.items()]
            lines.append("")
        sections.append("\n".join(lines))
    return "\n".join([HEAD, *sections])


def _data(evidence: Evidence) -> dict[str, str]:
    data = evidence.data
    said = data.provenance
    file = (
        f"File {said['file']}, SHA-256 {said.get('sha256', 'unknown')}. " if "file" in said else ""
    )
    n_train = evidence.training_share * data.n_samples
    groups = "No groups of dependent samples were given"
    if data.n_groups is not None:
        kept = count(data.n_groups, "pair" if data.effect_units.kind == "pairs" else "group")
        groups = (
            f"{kept} were kept on one side of every split; effects and their tests are over "
            f"{units_text(data)}"
        )
    return {
        "Provenance": (
            f"{file}{count(data.n_samples, 'sample')}, {count(data.n_features, 'feature')}; "
            f"{held_text(data.target, 30)}. Source, and earlier use of the data: {AUTHORS}"
        ),
        "Dataset splits": (
            f"{count(data.n_resamples, 'split')} ({data.resampling}), {n_train:.0f} training and "
            f"{data.n_samples - n_train:.0f} test samples on average; no separate validation set. "
            "The choice among configurations is corrected for by a bootstrap over samples."
        ),
        "Redundancy between data splits": (
            f"A sample is never in both parts of a split. {groups}. Two training parts share "
            f"{percent(evidence.shared_rows)} of their samples, which intervals take into account. "
            f"{design_text(data)} Whether samples are independent otherwise: {AUTHORS}"
        ),
        "Availability of data": (
            f"Splits are in study.db (hash {data.splits[:16]}). Where data and study.db are "
            f"released: {AUTHORS}"
        ),
    }


def _optimization(evidence: Evidence) -> dict[str, str]:
    data, choice, names = evidence.data, evidence.choice, evidence.names
    study = evidence.study
    model = "none" if choice.model is None else names[choice.model].title
    steps = "none except in the models" if study.preprocess is None else "see report.html"
    done = said if isinstance(said := data.provenance.get("done"), list) else []
    return {
        "Algorithm": (
            f"Features: {names[choice.method].title}; model: {model}. Both are known "
            f"algorithms. They were chosen among {count(data.n_configurations, 'configuration')}."
        ),
        "Meta-predictions": "None: no output of another model is used.",
        "Data encoding": f"Preprocessing: {steps}. {' '.join(map(str, done))}",
        "Parameters": (
            f"The number of features is chosen among {listed(list(map(str, data.sizes)), 20)}, "
            "method and model among those studied; all other parameters are fixed beforehand "
            "and listed in report.html."
        ),
        "Features": (
            f"{count(data.n_features, 'feature')} as input, {choice.size} selected in every split, "
            "with the training samples only."
        ),
        "Fitting": (
            f"{'More' if data.n_features > data.n_samples else 'Fewer'} features than samples. "
            "Overfitting is ruled out by tests on samples that had no part in selection or "
            "training"
            + (f", and by {count(data.null, 'permutation')} of the outcomes." if data.null else ".")
        ),
        "Regularization": f"That of the methods; their parameters are in report.html. {AUTHORS}",
        "Availability of configuration": (
            f"All parameters, seed {study.seed} and versions are in report.html and study.db. "
            f"Where they are released: {AUTHORS}"
        ),
    }


def _model(evidence: Evidence) -> dict[str, str]:
    return {
        "Interpretability": (
            "Features keep their names; direction and size of effects are in features.csv. "
            f"What they mean: {AUTHORS}"
        ),
        "Output": f"{evidence.data.target.words().task}.",
        "Execution time": f"A prediction takes well under a second. Hardware: {AUTHORS}",
        "Availability of software": (
            f"backstay {evidence.version}, open source. Code of your own: {AUTHORS}"
        ),
    }


def _evaluation(evidence: Evidence) -> dict[str, str]:
    data, advice = evidence.data, evidence.choice.recommendation
    metrics = listed([metric_title(name) for name in data.scoring], 12) if data.models else "none"
    confidence = "No model was run."
    if advice is not None:
        confidence = f"{recommendation_words(advice)} {added_text(advice, data)}"
    null = f"{count(data.null, 'permutation')} of the outcomes" if data.null else "guessing"
    return {
        "Evaluation method": (
            f"Repeated splits of the same samples ({data.resampling}). Independent samples: "
            f"{AUTHORS}"
        ),
        "Performance measures": f"{metrics}; stability of the selection (Nogueira).",
        "Comparison": (
            f"{count(len(data.methods), 'method')} on the same splits, controls of weighted "
            f"methods included; baselines: {null}. Other published methods: {AUTHORS}"
        ),
        "Confidence": confidence,
        "Availability of evaluation": (
            "Predictions of all splits are in study.db, tables in results.json. Where they are "
            f"released: {AUTHORS}"
        ),
    }


SECTIONS = {
    "Data": _data,
    "Optimization": _optimization,
    "Model": _model,
    "Evaluation": _evaluation,
}


def _cell(text: str) -> str:
    """Return text that may stand in a cell of a table."""
    return " ".join(clean(text).replace("|", "\\|").replace("<", "&lt;").split()).strip()
