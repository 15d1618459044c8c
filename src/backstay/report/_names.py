"""What the short names of methods and models stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backstay._identity import describe
from backstay.report._words import estimator_text
from backstay.results import DatasetFacts, StudyFacts
from backstay.study import list_methods, make_methods

# Short names as they are said; others are words already.
SPELT_OUT = {
    "t": "shrunken t test",
    "student-t": "Student's t test",
    "welch-t": "Welch's t test",
    "moderated-t": "moderated t test",
    "bagged-t": "bagged t test",
    "f": "F test",
    "bw": "between–within ratio",
    "su": "symmetrical uncertainty",
    "chi2": "χ² test",
    "gini": "Gini gain",
    "vdm": "value difference metric",
    "ccf": "cross-category importance",
    "pcf": "per-category importance",
    "relieff": "ReliefF",
    "svm-rfe": "SVM-RFE",
    "svm-rfe-c1": "SVM-RFE, C = 1",
    "iw-relieff": "weighted ReliefF",
    "iw-svm-rfe": "weighted SVM-RFE",
    "bagged-svm-rfe": "bagged SVM-RFE",
    "bagged-relieff": "bagged ReliefF",
    "simba": "Simba",
    "forest": "random forest",
    "elastic-net": "elastic net",
    "pam": "shrunken centroids",
    "permutation": "permutation importance",
    "boosting": "gradient boosting",
    "boruta": "Boruta",
}
# Names up to this length are letters, not words; what their classes are called.
SHORT = 3
BY_CLASS = {"TTest": "t test", "FStatistic": "F test", "SVMRFE": "SVM-RFE", "ReliefF": "ReliefF"}
# Models by their short names: how they are said, what tells that they are meant, and what
# they do.
CLASSIFIERS = {
    "svm": (
        "linear SVM",
        ("SVC(", "kernel='linear'"),
        "support vector machine with a linear kernel: the widest gap between the classes",
    ),
    "1nn": (
        "nearest neighbour",
        ("KNeighborsClassifier(", "n_neighbors=1,"),
        "the class of the nearest training row",
    ),
    "pam": (
        "nearest shrunken centroids",
        ("NearestShrunkenCentroids(",),
        "the class whose mean is nearest, small differences between means shrunken away",
    ),
}


@dataclass(frozen=True)
class Name:
    """A name as it was given, how it is said, what it does, and who described it first."""

    name: str
    title: str
    what: str = ""
    source: str = ""


def names_of(study: StudyFacts, data: DatasetFacts) -> dict[str, Name]:
    """Return what every method and model is called; a name that is not ours stays as it is."""
    known = {row["name"]: row for row in list_methods().to_dict("records")}
    found = {}
    for name in data.methods:
        row = known.get(name)
        if data.methods[name].added:
            # Named by the study after the method they belong to, such as "t (control, mean 1)".
            plain, _, rest = name.partition(" (")
            title = SPELT_OUT.get(plain, plain) + (f" ({rest}" if rest else "")
            found[name] = Name(name, title)
        elif row is None or not _is_ours(name, study.methods.get(name)):
            found[name] = Name(name, _by_class(name, study.methods.get(name)))
        else:
            found[name] = Name(name, SPELT_OUT.get(name, name), row["what"], row["source"])
    for name in data.models:
        title, marks, what = CLASSIFIERS.get(name, (name, (), ""))
        made = estimator_text(study.models.get(name))
        ours = all(mark in made for mark in marks)
        found[name] = Name(name, title, what) if ours else Name(name, name)
    return found


def _by_class(name: str, described: Any) -> str:
    """Return what a method of a name too short to mean anything is by its class."""
    made = estimator_text(described)
    title = BY_CLASS.get(made.partition("(")[0])
    return name if title is None or len(name) > SHORT else title


def _is_ours(name: str, described: Any) -> bool:
    """Return whether a method is the one that has this short name."""
    return described is not None and describe(make_methods([name])[name], name) == described
