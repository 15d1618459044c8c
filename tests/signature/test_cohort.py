"""Somebody else's table: any kind of it, with features missing, gaps, other scales."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from backstay.signature import SignatureError
from signature.conftest import rows

FRESH, LABELS = rows(21)


def test_every_kind_of_table_gives_the_same(signature):
    names = FRESH.columns.tolist()
    wanted = signature.decision_function(FRESH)
    shuffled = FRESH[names[::-1]].assign(extra="text")
    chosen = FRESH[signature.feature_names_in_.tolist()]
    for table, options in (
        (shuffled, {}),
        (pl.DataFrame(FRESH.to_dict("list")), {}),
        (FRESH.to_numpy(), {"feature_names": names}),
        (sparse.csr_matrix(FRESH.to_numpy()), {"feature_names": names}),
        (chosen.to_numpy(), {}),
        (chosen.to_numpy().tolist(), {}),
    ):
        assert_array_equal(signature.decision_function(table, **options), wanted)


def test_a_row_does_not_depend_on_the_others(signature):
    whole = signature.decision_function(FRESH)
    for i in range(5):
        assert_array_equal(signature.decision_function(FRESH.iloc[[i]]), whole[[i]])


def test_it_is_a_fitted_classifier_that_is_never_refitted(signature):
    check_is_fitted(signature)
    assert is_classifier(signature)
    assert clone(signature) is signature
    wanted = signature.predict(FRESH)
    pipeline = make_pipeline(FunctionTransformer(), signature).fit(FRESH, LABELS[::-1])
    assert_array_equal(pipeline.predict(FRESH), wanted)
    assert signature.fit(FRESH, LABELS[::-1]).score(FRESH, LABELS) == (wanted == LABELS).mean()
    assert signature.n_features_in_ == len(signature.feature_names_in_) == 4
    assert_array_equal(signature.classes_, ["ill", "well"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRESH.drop(columns="gene 1"), "1 of the 4 features are not in the table: 'gene 1'"),
        (FRESH.to_numpy(), "12 columns without names; the signature has 4 features"),
        (FRESH.assign(**{"gene 1": "high"}), "'gene 1' does not hold numbers"),
        (FRESH.assign(**{"gene 1": np.inf}), "'gene 1' holds infinite values"),
        (FRESH.assign(**{"gene 1": np.nan}), "60 cells are missing in 'gene 1'"),
        (pd.concat([FRESH, FRESH[["gene 1"]]], axis=1), "more than one column 'gene 1'"),
        (FRESH["gene 1"], "rows × features"),
    ],
)
def test_tables_that_do_not_fit_are_refused(table, message, signature):
    with pytest.raises(SignatureError, match=message):
        signature.predict(table)


def test_a_missing_feature_is_stood_in_for(signature, two):
    _, X, _ = two
    cohort = signature.read(FRESH.drop(columns="gene 1"), allow_missing=True)
    (one,) = cohort.stand_ins
    # Its copy has the strongest correlation; the line through both is least squares'.
    assert (one.feature, one.by) == ("gene 1", "gene 11")
    assert one.correlation == pytest.approx(np.corrcoef(X["gene 1"], X["gene 11"])[0, 1])
    slope, intercept = np.polyfit(X["gene 11"], X["gene 1"], 1)
    place = signature.feature_names_in_.tolist().index("gene 1")
    assert_allclose(cohort.values[:, place], intercept + slope * FRESH["gene 11"])


def test_without_a_stand_in_the_training_mean_is_taken(signature, two):
    _, X, _ = two
    lone = next(f["name"] for f in signature.document["features"] if not f["stand_ins"])
    cohort = signature.read(FRESH.drop(columns=lone), allow_missing=True)
    assert cohort.stand_ins[0].by is None
    place = signature.feature_names_in_.tolist().index(lone)
    assert_allclose(cohort.values[:, place], X[lone].mean())


def test_no_feature_at_all_is_refused(signature):
    with pytest.raises(SignatureError, match="none of the signature's features"):
        signature.predict(FRESH[["gene 8"]], allow_missing=True)


def test_rescaling_undoes_another_scale(signature):
    gain, offset = np.linspace(0.5, 3, 12), np.linspace(-5, 5, 12)
    moved = FRESH * gain + offset
    wanted = signature.decision_function(FRESH, rescale="zscore")
    assert_allclose(signature.decision_function(moved, rescale="zscore"), wanted, atol=1e-8)
    assert not np.allclose(signature.decision_function(moved), wanted, atol=1e-2)


def test_zscores_have_the_training_mean_and_spread(signature):
    values = signature.read(FRESH * 3 + 1, rescale="zscore").values
    facts = signature.document["features"]
    assert_allclose(values.mean(axis=0), [f["mean"] for f in facts], atol=1e-12)
    assert_allclose(values.std(axis=0, ddof=1), [f["sd"] for f in facts])


def test_rescaling_needs_rows(signature):
    with pytest.raises(SignatureError, match="needs 5 rows"):
        signature.predict(FRESH.iloc[:4], rescale="zscore")
    with pytest.raises(ValueError, match="rescale='log' must be one of"):
        signature.predict(FRESH, rescale="log")
