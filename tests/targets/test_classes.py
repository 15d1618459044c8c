"""A target of classes: what it holds of its rows, how it deals them out and shuffles them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstay.targets import Target, as_target, from_store

LABELS = {
    "integers": np.array([-3, 0, 7, 12]),
    "text": np.array(["ill", "mild", "well", "zero"]),
    "booleans": np.array([False, True]),
}


@st.composite
def some_targets(draw):
    """Targets of two classes or more, every class with a row, at times with a positive one."""
    labels = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    n_classes = draw(st.integers(2, len(labels)))
    codes = draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=25))
    y = labels[np.array([*range(n_classes), *codes])]
    positive = draw(st.sampled_from([None, *labels[:2].tolist()])) if n_classes == 2 else None
    return as_target(y, positive=positive)


def same(one, other):
    """Whether two targets say the same of the same rows."""
    return (
        one.names == other.names
        and one.row_labels() == other.row_labels()
        and one.summary() == other.summary()
        and one.to_json() == other.to_json()
        and all(np.array_equal(array, other.arrays()[key]) for key, array in one.arrays().items())
    )


@settings(max_examples=25)
@given(some_targets())
def test_a_store_gives_back_what_it_was_given(target):
    stored = json.loads(json.dumps(target.to_json()))
    held = {key: array.copy() for key, array in target.arrays().items()}
    assert {array.dtype.str for array in held.values()} <= {"<i2", "<i4", "<i8", "<f8"}
    again = from_store(stored, held)
    assert again.kind == target.kind == "classes"
    assert same(again, target)
    assert again.least_rows == target.least_rows
    assert again.unlike(target) is None
    for name, metric in target.metrics.items():
        assert metric.chance(again) == metric.chance(target), name
        assert metric.rows_worth(again, 2) == metric.rows_worth(target, 2), name


@settings(max_examples=25)
@given(some_targets(), st.data())
def test_rows_taken_are_the_rows(target, data):
    n = len(target)
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=30)))
    part = target.take(rows)
    assert len(part) == len(rows)
    assert part.names == target.names  # classes without a row stay
    assert part.row_labels() == [target.row_labels()[i] for i in rows]
    np.testing.assert_array_equal(part.strata(3), target.strata(3)[rows])
    np.testing.assert_array_equal(part.values, target.values[rows])
    assert part.summary() == [(str(name), part.row_labels().count(name)) for name in target.names]
    assert target.can_train(rows) == part.can_train(np.arange(len(rows)))
    assert target.can_train(rows) == (len(set(part.row_labels())) > 1)
    mask = np.isin(np.arange(n), rows)
    assert same(target.take(mask), target.take(np.flatnonzero(mask)))
    moments = part.ridge_aims()
    assert moments[0].sum() == pytest.approx(1)
    np.testing.assert_array_equal(moments[1], target.ridge_aims()[1][rows])


@settings(max_examples=25)
@given(some_targets(), st.integers(0, 2**32 - 1), st.data())
def test_shuffling_takes_rows_in_another_order(target, seed, data):
    n = len(target)
    drawn = st.lists(st.integers(0, 5), min_size=n, max_size=n).map(np.array)
    groups = data.draw(st.one_of(st.none(), drawn))
    shuffled = target.shuffled(groups, np.random.default_rng(seed))
    again = target.shuffled(groups, np.random.default_rng(seed))
    assert same(shuffled, again)
    assert len(shuffled) == n
    assert shuffled.names == target.names
    # Labels, strata and what methods see stay together.
    seen = dict(zip(target.row_labels(), target.values.tolist(), strict=True))
    assert [seen[label] for label in shuffled.row_labels()] == shuffled.values.tolist()
    np.testing.assert_array_equal(shuffled.strata(3), shuffled.values)
    if groups is None:
        assert shuffled.summary() == target.summary()
        order = np.random.default_rng(seed).permutation(n)
        assert same(shuffled, target.take(order))
        return
    before, after = np.array(target.row_labels()), np.array(shuffled.row_labels())
    pure = {g: set(before[groups == g]) for g in np.unique(groups)}
    for group, labels in pure.items():
        now = after[groups == group]
        if len(labels) == 1:
            assert len(set(now)) == 1
        else:
            assert sorted(now) == sorted(before[groups == group])
    whole = [group for group, labels in pure.items() if len(labels) == 1]
    assert sorted(before[groups == g][0] for g in whole) == sorted(
        after[groups == g][0] for g in whole
    )


def shuffled_labels(labels, groups, seed):
    return np.array(as_target(labels).shuffled(groups, np.random.default_rng(seed)).row_labels())


def test_class_sizes_are_kept():
    labels = np.repeat(["a", "b", "c"], [20, 12, 8])
    shuffled = shuffled_labels(labels, None, 0)
    assert sorted(shuffled) == sorted(labels)
    assert (shuffled != labels).mean() > 0.3


def test_groups_of_one_class_exchange_their_labels_as_a_whole():
    groups = np.repeat(np.arange(20), 2)
    labels = np.repeat([0, 1], [16, 24])
    for number in range(20):
        shuffled = shuffled_labels(labels, groups, number)
        by_group = shuffled.reshape(20, 2)
        assert (by_group[:, 0] == by_group[:, 1]).all()
        assert by_group[:, 0].sum() == 12
        assert (shuffled != labels).any()


def test_groups_that_mix_classes_are_shuffled_within():
    groups, labels = np.repeat(np.arange(20), 3), np.tile([0, 1, 1], 20)
    shuffled = shuffled_labels(labels, groups, 0)
    assert (shuffled.reshape(20, 3).sum(axis=1) == 2).all()
    assert (shuffled != labels).mean() > 0.2


def test_one_group_that_mixes_classes_does_not_keep_the_others_from_exchanging():
    groups, labels = np.repeat(np.arange(20), 2), np.repeat([0, 1], 20)
    labels[0] = 1  # of a group that mixes classes now
    shuffled = shuffled_labels(labels, groups, 0)
    assert sorted(shuffled[:2]) == [0, 1]
    others = shuffled[2:].reshape(19, 2)
    assert (others[:, 0] == others[:, 1]).all()
    assert others[:, 0].sum() == 10
    assert (shuffled != labels).mean() > 0.2


# The door.


def test_a_target_goes_through_the_door_as_it_is():
    target = as_target(["ill", "well", "ill"])
    assert isinstance(target, Target)
    assert as_target(target) is target
    assert repr(target) == "ClassTarget(ill: 2, well: 1)"


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (
            ["a", "b"],
            {"kind": "colours"},
            "target='colours' is unknown; there are classes, numbers",
        ),
        (["a", None, "b"], {}, "y is None or nan in 1 of 3 rows, first in row 1; leave"),
        (["a", "b"], {"positive": "c"}, r"positive='c' must be one of two classes; y has \['a', "),
        (["a", "b", "c"], {"positive": "c"}, "positive='c' must be one of two classes"),
    ],
)
def test_what_is_no_outcome_is_refused(y, options, message):
    with pytest.raises(ValueError, match=message):
        as_target(y, **options)


def test_the_positive_class_is_put_second():
    y = ["ill", "well", "ill"]
    assert as_target(y).names == as_target(y, positive="well").names == ["ill", "well"]
    turned = as_target(y, positive="ill")
    assert turned.names == ["well", "ill"]
    assert turned.row_labels() == y
    assert turned.summary() == [("well", 1), ("ill", 2)]


def test_an_unknown_table_is_refused_with_a_sentence():
    target = as_target([0, 1, 0, 1])
    with pytest.raises(ValueError, match="an outcome of classes has no table 'residuals'") as error:
        target.table("residuals", [])
    sentence = str(error.value)
    assert sentence.endswith(
        "; it has confusion, recalls, misclassified, roc, precision_recall, roc_points, "
        "bias_variance, pair_order."
    )
    assert "\n" not in sentence
    assert set(target.sections) <= set(target.tables)
    for name in target.tables:
        assert isinstance(target.table(name, []), list)
