"""Studies with covariates and batches: no leak, the null, models, and what features add."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay import ReliefF, SlopeTest, Study, TTest
from backstay._design import Covariates, Design, Regression
from backstay.report import Report, units_text
from backstay.store import StoreError
from backstay.study import LeaveBatchOut, Subsampling, _confounding, confounding
from backstay.study._protocols import draw_batches, draw_null_splits, draw_splits, null_strata
from backstay.targets import as_target

RNG = np.random.default_rng(5)
N, D = 84, 30
AGE = RNG.normal(50, 9, N)
SEX, SITE = RNG.choice(["f", "m"], N), np.repeat(["a", "b", "c"], N // 3)
Y = ((AGE - 50) / 9 + RNG.normal(size=N) > 0).astype(int)
X = RNG.normal(size=(N, D))
X[:, :15] += ((AGE - 50) / 9)[:, None]
X[:, 20:24] += 1.2 * Y[:, None]
Z = pd.DataFrame({"age": AGE, "sex": SEX})
SVM = {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))}
METHODS = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}


def study(resampling=None, methods=None, models=SVM, **options):
    options = {"sizes": [3, 6], "random_state": 0, "verbose": 0, **options}
    return Study(methods or METHODS, resampling or Subsampling(6), models=models, **options)


@pytest.fixture(scope="module")
def adjusted():
    return study(Subsampling(12), null=5).run(X, Y, covariates=Z)


def test_features_add_to_covariates(adjusted):
    advice = adjusted.recommend()
    assert not len(adjusted.runs.errors())
    assert advice.method is not None
    assert set(advice.features) & set(range(20, 24))
    added = advice.added
    assert added.shown
    assert added.gain.value == pytest.approx(added.both.value - added.covariates.value)
    assert 0.6 < added.covariates.value < added.both.value
    frame = adjusted.features("t", 3).frame().set_index("feature")
    # Age explains these features, and nothing else does.
    assert (frame.loc[range(15), "p_value"] < 0.05).mean() < 0.2
    assert frame.loc[20, "effect"] > 0.5
    assert frame.loc[20, "high_in"] == "1"


def test_noise_that_age_explains_is_not_recommended():
    noise = np.delete(X, range(20, 24), axis=1)
    advice = study(Subsampling(12), null=5).run(noise, Y, covariates=Z).recommend()
    assert advice.method is None
    assert study(Subsampling(12)).run(noise, Y).recommend().method is not None


def test_noise_that_the_batch_explains_is_not_recommended():
    rng = np.random.default_rng(0)
    batch = np.repeat(list("abcd"), 20)
    y = (rng.random(80) < np.repeat([0.1, 0.35, 0.65, 0.9], 20)).astype(int)
    noise = rng.normal(size=(80, 60)) + np.repeat(1.5 * rng.normal(size=(4, 60)), 20, axis=0)
    plain = study(Subsampling(12)).run(noise, y)
    known = study(Subsampling(12)).run(noise, y, batch=batch)
    assert plain.recommend().method is not None
    advice = known.recommend()
    assert (advice.method, advice.refused) == (None, "covariates")
    assert advice.added.features == advice.added.both
    (part,) = Report(known).parts
    assert "The batch alone: AUC" in part.answer.sentence
    # Tests are within batches: no more of the noise differs than noise does.
    p_values = [one.features("t", 3).frame()["p_value"] for one in (plain, known)]
    assert (p_values[0] < 0.05).mean() > 0.2
    assert (p_values[1] < 0.05).mean() < 0.1
    assert ", adjusted for batches" in units_text(known.data)


def test_the_report_says_what_was_done(adjusted):
    (part,) = Report(adjusted).parts
    said = " ".join([part.answer.sentence, *part.answer.sentences])
    assert "age and sex alone: AUC" in said
    assert "So the features add" in said
    text = Report(adjusted).to_dict()["datasets"][0]["methods_text"]["text"]
    assert "Features were adjusted for age and sex" in text
    assert "adjusted for age and sex" in Report(adjusted).dome()


def _outputs(changed, y=Y, methods=None, models=SVM, **known):
    """Run one split whose test rows are others in `changed`; return what the store holds."""
    split = [(np.arange(60), np.arange(60, N))]
    results = study(split, methods or {"t": TTest()}, models).run(changed, y, **known)
    (records,) = results._parts.values()
    method = next(iter(methods or {"t": TTest()}))
    return records.orders(method)[1][0], {
        of: records.outputs(method, of)[0][1] for of in ("", " of features", " of covariates")
    }


def test_a_planted_leak_is_not_used():
    """Other test rows change neither the ranking nor what is said of a row that stays."""
    order, outputs = _outputs(X, covariates=Z, batch=SITE, center_batches=True)
    changed, other = X.copy(), Z.copy()
    changed[61:] += 1e3 * Y[61:, None]
    other.loc[61:, "age"] += 1e3 * Y[61:]
    again, others = _outputs(changed, covariates=other, batch=SITE, center_batches=True)
    np.testing.assert_array_equal(order, again)
    for of in outputs:
        # Row 60 is of batch c, which has training rows: its mean is theirs.
        np.testing.assert_array_equal(outputs[of][:, :, 0], others[of][:, :, 0])


def test_ridge_beside_covariates_is_one_regression():
    """Frisch, Waugh and Lovell: without a penalty, features and covariates in one model."""
    y = AGE / 9 + Y + RNG.normal(size=N) / 2
    models = {"ols": make_pipeline(StandardScaler(), LinearRegression()), "ridge": Ridge(1e-9)}
    order, outputs = _outputs(X, y, {"slope": SlopeTest()}, models, covariates=Z)
    design = Covariates.of(Z).Z
    for place, size in enumerate([3, 6]):
        both = np.column_stack([X[:, order[:size]], design])
        expected = LinearRegression().fit(both[:60], y[:60]).predict(both[60:])
        for model in range(2):
            np.testing.assert_allclose(outputs[""][model, place, :, 0], expected, rtol=1e-6)
    alone = LinearRegression().fit(design[:60], y[:60]).predict(design[60:])
    np.testing.assert_allclose(outputs[" of covariates"][0, 0, :, 0], alone, rtol=1e-8)
    features = LinearRegression().fit(X[:60][:, order[:3]], y[:60]).predict(X[60:][:, order[:3]])
    np.testing.assert_allclose(outputs[" of features"][0, 0, :, 0], features, rtol=1e-8)


def test_models_of_classes_hardly_penalise_covariates():
    """A penalised logistic model says nearly what it says with a penalty on the features alone."""
    models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))}
    order, outputs = _outputs(X, models=models, covariates=Z)
    known, few = Covariates.of(Z).Z, X[:, order[:3]]
    left = few - Regression.fit(known[:60], few[:60]).explained(known)
    parts = [StandardScaler().fit(part[:60]).transform(part) for part in (left, known)]
    both = np.column_stack([parts[0], 1000 * parts[1]])
    free = LogisticRegression(max_iter=5000, tol=1e-8).fit(both[:60], Y[:60])
    expected = free.decision_function(both[60:])
    np.testing.assert_allclose(outputs[""][0, 0, :, 1], expected, rtol=0.05)


def test_the_direct_way_and_the_general_one_agree_beside_covariates(monkeypatch):
    _, direct = _outputs(X, covariates=Z)
    monkeypatch.setattr("backstay.targets._classes.ClassTarget.shortcut", lambda *_: None)
    _, general = _outputs(X, covariates=Z)
    for of in direct:
        np.testing.assert_allclose(direct[of], general[of], rtol=1e-6, atol=1e-8)


def test_shuffled_outcomes_still_go_with_covariates():
    target, kinds = as_target(Y), {"sex": SEX}
    strata = null_strata(target, Design(Covariates.of(kinds)))
    assert len(np.unique(strata)) == 2
    for split in draw_null_splits(
        Subsampling(3), target, Design(Covariates.of(kinds), SITE), 3, np.random.SeedSequence(1)
    ):
        values = split.shuffled.values
        assert (values != Y).any()
        for site in "abc":
            for sex in "fm":
                rows = (site == SITE) & (sex == SEX)
                assert values[rows].sum() == Y[rows].sum()
    # Numbers: within fifths of what they predict.
    design = Design(Covariates.of(Z))
    strata = null_strata(target, design)
    assert sorted(np.bincount(strata)) == [16, 17, 17, 17, 17]
    rng = np.random.default_rng(0)
    ages = [np.corrcoef(AGE, target.shuffled(None, rng, strata).values)[0, 1] for _ in range(50)]
    assert np.mean(ages) > 0.7 * np.corrcoef(AGE, Y)[0, 1]
    assert null_strata(target, Design()) is None


def test_splits_hold_every_batch_in_the_same_shares():
    for target in (as_target(Y), as_target(AGE)):
        splits = draw_splits(Subsampling(5), target, Design(batch=SITE), np.random.SeedSequence(0))
        for split in splits:
            counts = pd.Series(SITE[split.train]).value_counts()
            assert counts.max() - counts.min() <= 2


def test_a_batch_with_few_rows_of_a_class_is_dealt_out_with_others():
    batch = SITE.copy()
    batch[np.flatnonzero(Y == 1)[:1]] = "d"
    seeds = np.random.SeedSequence(0)
    assert len(draw_splits(Subsampling(5), as_target(Y), Design(batch=batch), seeds)) == 5


def test_leaving_batches_out(tmp_path):
    path = tmp_path / "study.db"
    shifted = X + (SITE == "b")[:, None] * 3.0
    results = study(LeaveBatchOut(), store=path, null=2).run(
        shifted, Y, batch=SITE, center_batches=True
    )
    frame = results.predictions.batches().frame()
    assert frame["batch"].tolist() == ["a", "b", "c"]
    assert frame["score"].between(0.5, 1).all()
    agreement = results.selections.batch_agreement().frame()
    assert len(agreement) == 6
    assert agreement["kuncheva"].between(-1, 1).all()
    (part,) = Report(results).parts
    assert "trained without the batch: a" in part.evidence.batches
    assert "Agreement at" in part.figures["batches"].finding()
    with pytest.raises(StoreError, match=r"data\.batch"):
        study(LeaveBatchOut(), store=path, null=2).run(
            shifted, Y, batch=SITE[::-1], center_batches=True
        )
    with pytest.raises(ValueError, match="needs batch="):
        study(LeaveBatchOut()).run(X, Y)


def test_small_batches_are_not_trained_on_alone():
    batch = np.where(np.arange(N) < 6, "small", SITE)
    runs = draw_batches(as_target(Y), Design(batch=batch), np.random.SeedSequence(0))
    assert [split.n_parts for split in runs] == [0, 1, 2]


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"batch": np.where(Y, "p", "q")}, "one outcome only"),
        ({"covariates": {"copy": Y * 2.0}}, "tell the outcome without an error"),
        ({"covariates": Z[:5]}, "covariates has 5 rows"),
        ({"batch": SITE[:5]}, "batch has shape"),
    ],
)
def test_what_cannot_be_adjusted_for_is_refused(known, words):
    with pytest.raises(ValueError, match=words):
        study().run(X, Y, **known)


def test_gaps_must_be_filled_first():
    holed = np.where(np.arange(N * D).reshape(N, D) == 5, np.nan, X)
    with pytest.raises(ValueError, match="cannot be adjusted for covariates"):
        study(methods={"relieff": ReliefF()}, models={}).run(holed, Y, covariates=Z)


def test_confounding_with_outcome_and_components():
    sex, age, batch = confounding(X, as_target(Y), Z[["sex", "age"]], SITE)
    assert (sex.name, sex.levels, age.levels, batch.levels) == ("sex", 2, 0, 3)
    assert age.outcome.value > 0.7 > sex.outcome.value
    assert age.components[0] > 0.5 > sex.components[0]
    first = np.linalg.svd((X - X.mean(axis=0)) / X.std(axis=0), full_matrices=False)[0][:, :1]
    said = Regression.fit(AGE[:, None], first).explained(AGE[:, None])
    assert age.components[0] == pytest.approx(float((said**2).sum()))


def test_a_batch_that_is_a_covariate_is_constant_within_itself():
    results = study().run(X, Y, batch=SITE, covariates={"site": SITE})
    assert not len(results.runs.errors())
    assert len(results.selections.batch_agreement()) == 6


def test_components_of_a_wide_table_are_those_of_its_singular_vectors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 300))
    X[:, :90] += 2 * rng.normal(size=(20, 1))
    X[3, 5] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    unit = filled - filled.mean(axis=0)
    unit /= np.sqrt((unit**2).sum(axis=0))
    left = np.linalg.svd(unit, full_matrices=False)[0][:, :3]
    assert np.abs((_confounding._components(X) * left).sum(axis=0)) == pytest.approx(np.ones(3))
