"""What the short names of methods and models stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backstay._identity import describe
from backstay.report._words import estimator_text
from backstay.results import DatasetFacts, StudyFacts
from backstay.study import list_methods, make_methods

# Names up to this length are letters, not words; what their classes are called.
SHORT = 3
BY_CLASS = {"TTest": "t test", "FStatistic": "F test", "SVMRFE": "SVM-RFE", "ReliefF": "ReliefF"}


@dataclass(frozen=True)
class Name:
    """A name as it was given, spelt out, what it does, and who described it first."""

    name: str
    title: str
    what: str = ""
    source: str = ""


def names_of(study: StudyFacts, data: DatasetFacts) -> dict[str, Name]:
    """Return what every method and model is called; unknown names stay as they are."""
    known = {
        row["name"]: Name(row["name"], row["title"], row["what"], row["source"])
        for row in list_methods().to_dict("records")
    }
    names = {}
    for name, role in data.methods.items():
        made = study.methods.get(name)
        if role.added:
            # Named by the study after the method they belong to, such as "t (control, mean 1)".
            plain, mark, rest = name.partition(" (")
            names[name] = Name(name, known.get(plain, Name(plain, plain)).title + mark + rest)
        elif name in known and _is_ours(name, made):
            names[name] = known[name]
        else:
            names[name] = Name(name, _by_class(name, made))
    models = data.target.words().models
    for name in data.models:
        title, marks, what = models.get(name, (name, (), ""))
        code = estimator_text(study.models.get(name))
        meant = all(mark in code for mark in marks)
        names[name] = Name(name, title, what) if meant else Name(name, name)
    return names


def _by_class(name: str, described: Any) -> str:
    """Return the title of a method's class if its name is too short to mean anything."""
    title = BY_CLASS.get(estimator_text(described).partition("(")[0])
    return name if title is None or len(name) > SHORT else title


def _is_ours(name: str, described: Any) -> bool:
    """Return whether a method is the one that has this short name."""
    return described is not None and describe(make_methods([name])[name], name) == described
