"""Signatures with covariates: they predict as a task does, and ask for the columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from backstay import SlopeTest, Study, TTest
from backstay.signature import Signature, SignatureError
from backstay.study import Subsampling

RNG = np.random.default_rng(9)
N = 80
Z = pd.DataFrame({"age": RNG.normal(50, 9, N), "sex": RNG.choice(["f", "m"], N)})
CLASSES = np.where((Z["age"] - 50) / 9 + RNG.normal(size=N) > 0, "ill", "well")
NUMBERS = (Z["age"] / 9 + RNG.normal(size=N)).to_numpy()
X = pd.DataFrame(RNG.normal(size=(N, 12)), columns=[f"g{j}" for j in range(12)])
X["g3"] += (CLASSES == "ill") + NUMBERS / 3


def frozen(y, method, model, **known):
    study = Study({"t": method}, Subsampling(3), sizes=[4], random_state=0, verbose=0)
    return study.run(X, y, **known).freeze(X, y, ("t", 4, model), **known)


@pytest.mark.parametrize(
    ("y", "method", "model"),
    [(CLASSES, TTest(), "svm"), (NUMBERS, SlopeTest(), "ridge")],
    ids=["classes", "numbers"],
)
def test_a_signature_predicts_what_a_task_on_these_rows_does(y, method, model, tmp_path):
    four, old, new = X.iloc[:, :4], np.arange(60), np.arange(60, N)
    options = {"sizes": [4], "random_state": 0, "verbose": 0}
    whole = Study({"t": method}, [(old, new)], **options).run(four, y, covariates=Z)
    (records,) = whole._parts.values()
    expected = records.outputs("t")[0][1][records.models.index(model), 0]
    known = {"covariates": Z.iloc[old]}
    results = Study({"t": method}, Subsampling(3), **options).run(four.iloc[old], y[old], **known)
    signature = results.freeze(four.iloc[old], y[old], ("t", 4, model), **known)
    loaded = Signature.load(signature.save(tmp_path / "signature.json"))
    assert list(loaded.document["covariates"]) == ["age", "sex"]
    said = loaded.predicted(four.iloc[new], covariates=Z.iloc[new])
    np.testing.assert_allclose(said.outputs, expected, rtol=1e-6, atol=1e-6)


def test_columns_may_stand_in_the_table_or_beside_it():
    signature = frozen(CLASSES, TTest(), "svm", covariates=Z)
    inside = signature.predict(X.assign(**Z))
    np.testing.assert_array_equal(inside, signature.predict(X, covariates=Z))
    assert signature.validate(X.assign(**Z), CLASSES).scores[0].found.value > 0.7
    with pytest.raises(ValueError, match="adjusted for 'age', 'sex'"):
        signature.predict(X)
    with pytest.raises(ValueError, match="'sex' is 'x' in some rows"):
        signature.predict(X, covariates=Z.assign(sex="x"))
    lacking = signature.predict(X.drop(columns="g3").assign(**Z), allow_missing=True)
    assert len(lacking) == N
    assert signature.validate(X.drop(columns="g3"), CLASSES, covariates=Z, allow_missing=True)


def test_other_covariates_are_refused():
    study = Study({"t": TTest()}, Subsampling(3), sizes=[4], random_state=0, verbose=0)
    results = study.run(X, CLASSES, covariates=Z)
    for wrong in (None, Z[::-1], Z[["age"]]):
        with pytest.raises(SignatureError, match="give the same columns, age, sex"):
            results.freeze(X, CLASSES, ("t", 4, "svm"), covariates=wrong)


def test_neighbours_hold_covariates_too():
    knn = {"knn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(3))}
    study = Study({"t": TTest()}, Subsampling(3), sizes=[4], models=knn, random_state=0, verbose=0)
    results = study.run(X, CLASSES, covariates=Z)
    signature = results.freeze(X, CLASSES, ("t", 4, "knn"), covariates=Z, include_rows=True)
    assert np.shape(signature.document["model"]["rows"]) == (N, 6)
    assert (signature.predict(X, covariates=Z) == CLASSES).mean() > 0.8


def test_centred_features_take_the_mean_of_the_new_rows():
    batch = np.repeat(["a", "b"], N // 2)
    study = Study({"t": TTest()}, Subsampling(3), sizes=[4], random_state=0, verbose=0)
    results = study.run(X, CLASSES, batch=batch, center_batches=True)
    signature = results.freeze(X, CLASSES, ("t", 4, "svm"), batch=batch)
    said = signature.decision_function(X[:40])
    np.testing.assert_allclose(signature.decision_function(X[:40] + 100.0), said, atol=1e-6)
    assert "covariates" not in signature.document
