"""Labels keep their value and type; whole numbers that cannot be kept are refused in a sentence."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge

from backstay import (
    FeatureRanker,
    InstanceWeighted,
    JointWeighting,
    MarginWeighting,
    ModuleRanker,
    ReliefF,
    SlopeTest,
    TTest,
    Wilcoxon,
)
from backstay.datasets import TableError, read_table

HUGE = 10**19  # beyond int64, inside uint64
X = np.random.default_rng(0).normal(size=(40, 3))


def twenty_of_each(a, b):
    return [a] * 20 + [b] * 20


@pytest.mark.parametrize(
    ("y", "kind", "classes"),
    [
        (twenty_of_each(HUGE, HUGE + 1), np.uint64, [HUGE, HUGE + 1]),
        (np.array(twenty_of_each(HUGE + 1, HUGE), dtype=object), np.uint64, [HUGE, HUGE + 1]),
        (pd.Series(twenty_of_each(2**53, 2**53 + 1), dtype="Int64"), np.int64, [2**53, 2**53 + 1]),
        (np.array(twenty_of_each(True, False), dtype=object), np.bool_, [False, True]),
        (np.array(twenty_of_each("b", "a")), np.dtype("<U1"), ["a", "b"]),
    ],
    ids=["list", "objects", "nullable", "truth", "text"],
)
@pytest.mark.parametrize("estimator", [TTest(), ReliefF(), MarginWeighting()])
@pytest.mark.parametrize("table", [X, pd.DataFrame(X, columns=list("abc"))])
def test_classes_keep_value_and_type(estimator, table, y, kind, classes):
    fitted = estimator.fit(table, y)
    assert fitted.classes_.dtype == kind
    assert fitted.classes_.tolist() == classes


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(twenty_of_each("a", 1), dtype=object), "types int, str; make all of them text"),
        (twenty_of_each(0.5, 1.5), "takes classes as outcome, but y holds numbers, such as 0.5"),
    ],
)
def test_labels_that_cannot_be_kept_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        TTest().fit(X, y)


EVENTS = np.array(
    [(row % 2 == 0, 1.5 + row) for row in range(40)], dtype=[("event", bool), ("time", float)]
)
OUTCOMES = [
    (twenty_of_each("ill", "well"), "classes"),
    (twenty_of_each(True, False), "classes"),
    (pd.Series(twenty_of_each("a", "b"), dtype="category"), "classes"),
    (list(range(40)), "classes"),
    (twenty_of_each(1.0, 2.0), "classes"),
    (np.arange(40.0), "numbers"),
    (twenty_of_each(0.5, 1.5), "numbers"),
    (EVENTS, "survival"),
]


class Spread(FeatureRanker):
    """Takes any outcome, because it looks at none."""

    outcomes = ("classes", "numbers", "survival")

    def _score(self, X, y, sample_weight):
        self.given_ = y
        return X.std(axis=0)


class SpreadOfTimes(Spread):
    """Takes times until an event only."""

    outcomes = ("survival",)


@pytest.mark.parametrize(("y", "kind"), OUTCOMES)
def test_the_kind_of_an_outcome_is_read_off_its_values(y, kind):
    assert kind_read(y) == kind


def kind_read(y):
    """The kind that a ranker of every outcome, and one of times only, take an outcome for."""
    rows = np.resize(X, (len(y), 3))
    if hasattr(Spread().fit(rows, y), "classes_"):
        return "classes"
    try:
        SpreadOfTimes().fit(rows, y)
    except ValueError as error:
        return re.search(r"but y holds (\w+)", str(error))[1]
    return "survival"


def test_fields_other_than_event_and_time_are_refused():
    with pytest.raises(ValueError, match=r"fields age, time; .* a truth value .* and a number"):
        Spread().fit(X[:4], np.zeros(4, dtype=[("age", float), ("time", float)]))


@pytest.mark.parametrize(("y", "kind"), OUTCOMES)
def test_a_ranker_gets_the_outcome_it_declares(y, kind):
    ranker = Spread().fit(X, y)
    assert hasattr(ranker, "classes_") == (kind == "classes")
    assert ranker.given_.dtype == (np.intp if kind == "classes" else np.asarray(y).dtype)


def test_a_ranker_around_a_ranker_takes_what_that_one_takes():
    assert ModuleRanker(Spread()).outcomes == Spread.outcomes
    assert ModuleRanker(LogisticRegression()).outcomes == ("classes",)
    assert ModuleRanker(RFE(Ridge())).outcomes == ("numbers",)
    assert InstanceWeighted(Spread(), MarginWeighting()).outcomes == ("classes",)


@pytest.mark.parametrize(
    ("y", "held"), [(X[:, 0], "numbers, such as 0.12573"), (EVENTS, "times until an event")]
)
@pytest.mark.parametrize(
    "estimator",
    [
        TTest(),
        ReliefF(),
        MarginWeighting(),
        JointWeighting(Spread(), MarginWeighting()),
        ModuleRanker(TTest()),
        InstanceWeighted(Spread(), MarginWeighting()),
    ],
)
def test_other_outcomes_are_refused_by_name(estimator, y, held):
    message = f"{type(estimator).__name__} takes classes as outcome, but y holds {held}"
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


def test_whole_numbers_are_classes_where_only_classes_are_taken():
    y = np.repeat(np.arange(40.0), 2)  # too many to be called classes without being asked
    assert kind_read(y) == "numbers"
    assert len(TTest().fit(np.repeat(X, 2, axis=0), y).classes_) == 40


class NumbersOnly(Spread):
    outcomes = ("numbers",)


def test_numbers_stay_numbers_in_parts_of_the_rows():
    """A ranker inside another one gets some rows, which may hold whole numbers only."""
    y = np.repeat([1.0, 2.0, 2.5], [30, 9, 1])
    for given in (y, y * 2.0**-800, -y):
        inner = Spread().fit(X, given).given_
        assert np.array_equal(np.unique(inner / inner[0]), [1, 2, 2.5])
        assert not hasattr(Spread().fit(X[:39], inner[:39]), "classes_")


def test_a_ranker_of_both_kinds_forgets_the_classes_of_an_earlier_fit():
    ranker = Spread().fit(X, twenty_of_each("ill", "well"))
    assert hasattr(ranker, "classes_")
    assert not hasattr(ranker.fit(X, X[:, 0]), "classes_")


@pytest.mark.parametrize(
    ("estimator", "y", "other"),
    [
        (TTest(), X[:, 0], "SlopeTest takes numbers"),
        (Wilcoxon(), X[:, 0], "Spearman takes numbers"),
        (SlopeTest(), twenty_of_each("ill", "well"), "TTest takes classes"),
    ],
)
def test_the_method_for_the_other_kind_is_named(estimator, y, other):
    with pytest.raises(ValueError, match=f"as outcome, but y holds .*; {other}"):
        estimator.fit(X, y)


def test_whole_numbers_are_numbers_where_only_numbers_are_taken():
    assert (NumbersOnly().fit(X, np.arange(40)).given_ * 128 == np.arange(40)).all()
    with pytest.raises(ValueError, match="NumbersOnly takes numbers as outcome, but y holds cla"):
        NumbersOnly().fit(X, twenty_of_each("ill", "well"))
    with pytest.raises(ValueError, match=r"takes nothing \(its parts differ"):
        InstanceWeighted(NumbersOnly(), MarginWeighting()).fit(X, np.arange(40))


@pytest.mark.parametrize(
    ("labels", "kind", "classes"),
    [
        ((HUGE, HUGE + 1), "U", {str(HUGE): 20, str(HUGE + 1): 20}),
        ((-1, HUGE), "U", {"-1": 20, str(HUGE): 20}),
        ((10**30, 10**30 + 1), "U", {str(10**30): 20, str(10**30 + 1): 20}),
        (("1.0", "2"), "i", {"1": 20, "2": 20}),
    ],
)
def test_files_keep_huge_labels(tmp_path, labels, kind, classes):
    table = pd.DataFrame(X, columns=list("abc")).assign(y=twenty_of_each(*map(str, labels)))
    table.to_csv(tmp_path / "t.csv", index=False)
    read = read_table(tmp_path / "t.csv", "y")
    assert read.y.dtype.kind == kind
    assert read.classes == classes


def written(path, labels):
    table = pd.DataFrame(X, columns=list("abc"))
    table.assign(y=np.resize(labels, 40)).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "labels", [["01", "1", "2"], ["1.0", "1", "2"], ["0.5", "0.50", "1.5"], ["1e1", "10", "2"]]
)
def test_two_spellings_of_one_number_are_refused(tmp_path, labels):
    message = f"'y' holds '{labels[0]}' and '{labels[1]}', two spellings of one number"
    path = written(tmp_path / "t.csv", labels)
    with pytest.raises(TableError, match=re.escape(message)):
        read_table(path, "y")
    sheet = pd.read_csv(path, dtype=str).rename_axis("sample").reset_index()[["sample", "y"]]
    table = pd.DataFrame(X, columns=list("abc")).rename_axis("sample")
    table.to_csv(tmp_path / "table.csv")
    with pytest.raises(TableError, match=re.escape(message)):
        read_table(tmp_path / "table.csv", "y", samples=sheet)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["001", "002"], ["001", "002"]),
        (["01", "10"], ["01", "10"]),
        (["1_0", "2_0"], ["1_0", "2_0"]),
        (["x", "1", "01"], ["01", "1", "x"]),
        (["0", "1"], [0, 1]),
        (["1.0", "2.0"], [1, 2]),
        (["0.50", "1.5"], ["0.5", "1.5"]),
        (["True", "False"], ["False", "True"]),
    ],
)
def test_labels_of_digits_stay_as_they_are_written_where_that_tells(tmp_path, labels, classes):
    read = read_table(written(tmp_path / "t.csv", labels), "y")
    assert np.unique(read.y).tolist() == classes


def test_labels_beside_gaps_and_with_decimal_commas_stay_numbers(tmp_path):
    path = written(tmp_path / "t.csv", [2, 1])
    text = path.read_text().replace(",2\n", ",\n", 1)
    path.write_text(text)
    read = read_table(path, "y")
    assert read.y.dtype.kind == "i"
    assert read.classes == {"1": 20, "2": 19}
    path.write_text(text.replace(",", ";").replace(".", ",").replace(";1\n", ";1,0\n"))
    assert read_table(path, "y", decimal=",").classes == {"1": 20, "2": 19}
