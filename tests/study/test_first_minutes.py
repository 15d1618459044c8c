"""What a new user tries in a notebook works, or is answered with what was meant."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest

from backstay import Study, TTest
from backstay.stability import stability_score
from backstay.study import Subsampling, make_methods


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], 30)
    X = pd.DataFrame(rng.normal(size=(60, 12)), columns=[f"gene{j}" for j in range(12)])
    X.iloc[:30, :3] += 2
    return X, pd.Series(y, name="state")


@pytest.fixture(scope="module")
def results(data):
    return Study("t,relieff", 6, sizes=[3, 5], random_state=0).run(*data)


def test_methods_and_splits_have_short_forms(data, results):
    assert results.methods == ["t", "relieff"]
    assert results.data.n_resamples == 6
    assert list(Study("default").all_methods()) == list(make_methods())
    long = Study(make_methods(["t", "relieff"]), Subsampling(6), sizes=[3, 5], random_state=0)
    pd.testing.assert_frame_equal(long.run(*data).scores().frame(), results.scores().frame())


def test_selectors_with_scores_and_a_frame_of_one_column(data):
    X, y = data
    methods = {"f": SelectKBest(), "t": TTest(moderation=None)}
    found = Study(methods, 4, sizes=[3], random_state=0, models={}).run(X, y.to_frame())
    chosen = found.signature("f", 3).frame()["name"]
    assert set(chosen) == set(found.signature("t", 3)["name"]) == {"gene0", "gene1", "gene2"}


def test_a_class_of_one_row_is_named(data):
    X, y = data
    with pytest.raises(ValueError, match="class 'odd' has 1 row"):
        Study("t", 4).run(X, y.where(y.index > 0, "odd"))


def test_near_misses_are_answered(data, results):
    with pytest.raises(ValueError, match="did you mean 'roc_auc'"):
        results.scores("auc")
    with pytest.raises(ValueError, match="did you mean 'roc_auc'"):
        Study("t", 4, metric="ROC-AUC").run(*data)
    with pytest.raises(ValueError, match="did you mean 'kalousis'"):
        stability_score([[1], [1]], 4, measure="jaccard")
    with pytest.raises(ValueError, match="did you mean relieff"):
        make_methods("relief-f")


def test_subsets_may_be_names():
    named = stability_score([["a", "b"], ["b", "c"], ["b", "a"]], 10)
    numbered = stability_score([[0, 1], [1, 2], [1, 0]], 10)
    assert named.value == numbered.value
    with pytest.raises(ValueError, match="n_features"):
        stability_score([["a"], ["b"]])


def test_the_signature_is_the_recommended_one(results):
    advised = results.recommend()
    assert results.signature()["name"].tolist() == advised.signature
    assert len(results.signature(size=5)) == 5


def test_a_table_is_used_as_a_frame(results):
    table = results.stability()
    assert list(table) == list(table.columns) == list(table.frame().columns)
    assert len(table.head(2)) == 2
    assert table.to_csv(index=False).startswith("dataset,method")
    assert not hasattr(table, "no_such_thing")
    assert np.asarray(table).shape == pd.DataFrame(table).shape == table.shape


def test_notebooks_show_what_objects_are(data, results):
    X, y = data
    frozen = results.freeze(X, y)
    ranker = TTest(n_features_to_select=3).fit(X, y)
    assert "relieff" in Study("t,relieff")._repr_html_()
    advised = results.recommend()._repr_html_()
    assert all(word in advised for word in ("trusted", "roc_auc, low", "gene0"))
    assert all(name in frozen._repr_html_() for name in frozen.feature_names_in_)
    # Notebooks take this one first, and scikit-learn's would show an empty box.
    assert frozen._repr_mimebundle_()["text/html"] == frozen._repr_html_()
    validated = frozen.validate(X, y)._repr_html_()
    assert all(word in validated for word in ("<td>AUC</td>", "<th>expected</th>", "["))
    assert "gene0" in ranker._repr_html_()
    assert "gene0" in ranker._repr_mimebundle_()["text/html"]
    assert "gene0" not in TTest()._repr_html_()


def test_a_parameter_of_the_study_given_to_run_is_named(data):
    with pytest.raises(TypeError, match=r"n_jobs is a parameter of Study, not of its run\(\)"):
        Study("t", 2).run(*data, n_jobs=2)


@pytest.mark.parametrize("y", [None, "class", 3.5])
def test_one_outcome_for_all_rows_is_refused_in_a_sentence(y):
    with pytest.raises(ValueError, match="y must hold one outcome per row; got"):
        Study("t", 2).run(np.ones((6, 3)), y)


@pytest.mark.parametrize(("name", "meant"), [("ttest", "t"), ("F_test", "f")])
def test_a_test_is_found_by_the_letter_of_its_statistic(name, meant):
    with pytest.raises(ValueError, match=rf"did you mean {meant}\b"):
        make_methods([name])
