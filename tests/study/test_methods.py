"""The panel: every ranker has a name, every name makes a method, every method ranks."""

import numpy as np
import pytest

import backstay
from backstay import FeatureRanker, InstanceWeighted, SequentialSelector
from backstay.datasets import make_han_yu
from backstay.study import Study, Subsampling, list_methods, make_methods
from estimators import survival

DEFAULT = ["t", "wilcoxon", "mrmr-f", "relieff", "elastic-net", "svm-rfe"]
NUMBERS = ["slope", "spearman", "mrmr-f", "rrelieff", "elastic-net", "ridge-rfe"]
GROUPS = list_methods().set_index("name")["group"].to_dict()
PAPERS = ["t", "relieff", "iw-relieff", "svm-rfe-c1", "iw-svm-rfe", "bagged-svm-rfe", "simba"]


def test_the_default_panel():
    assert list(make_methods()) == DEFAULT
    assert list(make_methods(["default", "forest", "t"])) == [*DEFAULT, "forest"]
    assert list(make_methods(["papers"])) == PAPERS
    assert [method.scale_power for method in make_methods(["dial"]).values()] == [
        0.0, 0.25, 0.5, 0.75, 1.0, 1.5,
    ]  # fmt: skip
    assert list(make_methods(kind="numbers")) == NUMBERS
    assert list(make_methods(["default", "forest"], kind="numbers")) == [*NUMBERS, "forest"]
    table = list_methods()
    assert table["name"].is_unique
    assert table.loc[table["name"] == "forest", "outcomes"].item() == "classes, numbers"
    assert table["name"].str.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*").all()
    assert table[["what", "source", "group"]].notna().all(axis=None)
    # As published: this is where the control matters.
    assert make_methods(["iw-svm-rfe"])["iw-svm-rfe"].weighting.scale == "sum"


def test_every_ranker_and_wrapper_has_a_name():
    made = {type(part).__name__ for m in make_methods(GROUPS).values() for part in parts(m)}
    public = [getattr(backstay, name) for name in backstay.__all__]
    rankers = {c.__name__ for c in public if isinstance(c, type) and issubclass(c, FeatureRanker)}
    # DecoyControl judges a ranking; `run --decoys` asks for it.
    assert rankers - {"FeatureRanker", "DecoyControl"} - made == set()
    names = [name for name, group in GROUPS.items() if group == "wrapper"]
    wrappers = make_methods(names).values()
    assert all(isinstance(w, SequentialSelector) for w in wrappers)
    assert {(w.direction, w.criterion, w.estimator) for w in wrappers} == {
        (move, criterion, inducer)
        for move in ("forward", "backward")
        for criterion in ("plain", "remainder", "accumulated")
        for inducer in ("1nn", "lda", "svm_linear")
    } | {(move, "plain", "ridge") for move in ("forward", "backward")}


def parts(method):
    return [method, *(p for p in method.get_params().values() if hasattr(p, "fit"))]


def test_no_two_names_make_the_same_method():
    made = [repr(m.get_params()) + type(m).__name__ for m in make_methods(GROUPS).values()]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_every_method_runs(kind):
    X, y, _ = make_han_yu(40, n_features=10, n_relevant=5, block_size=5, random_state=0)
    if kind == "numbers":
        y = X[:, :5].mean(axis=1)
    names = list_methods(kind)["name"].tolist()
    methods = make_methods(names, n_features=10, kind=kind)
    for method in methods.values():
        if "n_estimators" in method.get_params():
            method.set_params(n_estimators=10)  # forests of all sizes run
    study = Study(methods, Subsampling(1), models={}, sizes=[2], controls=False, random_state=0)
    results = study.run(X, y)
    assert len(results.runs.errors()) == 0
    for method in names:
        orders = results.runs.orders(method)
        assert np.array_equal(np.sort(orders[0]), np.arange(10))
    weighted = [name for name, m in methods.items() if isinstance(m, InstanceWeighted)]
    assert all(name.startswith(("iw-", "liw-", "joint-", "reweighted-")) for name in weighted)


def test_methods_for_another_kind_of_outcome_are_refused():
    with pytest.raises(ValueError, match=r"t takes classes, but the outcome is numbers: use slope"):
        make_methods(["t"], kind="numbers")
    with pytest.raises(ValueError, match="slope takes numbers, but the outcome is classes"):
        make_methods(["slope"], kind="classes")
    with pytest.raises(ValueError, match=r"t takes classes, but the outcome is survival: use cox-"):
        make_methods(["t"], kind="survival")
    with pytest.raises(ValueError, match="takes survival, but the outcome is numbers: use rrelie"):
        make_methods(["relieff-residuals"], kind="numbers")
    assert list(make_methods(["t", "slope"])) == ["t", "slope"]


def test_every_method_of_survival_ranks():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10))
    y = survival(rng.exponential(np.exp(-2 * X[:, 3])), rng.uniform(size=60) < 0.8)
    table = list_methods("survival")
    assert table.loc[table["default"], "name"].tolist() == [
        "cox-score", "cox-elastic-net", "spearman-residuals", "mrmr-residuals", "relieff-residuals",
        "ridge-rfe-residuals",
    ]  # fmt: skip
    for method in make_methods(table["name"], kind="survival").values():
        ranking = method.fit(X, y).ranking_
        assert ranking[3] == 1
        assert np.array_equal(np.sort(ranking), np.arange(1, 11))


@pytest.mark.parametrize(
    ("name", "words"),
    [("relief-f", "did you mean relieff"), ("svm_rfe", "svm-rfe"), ("zzz", "there are t, ")],
)
def test_unknown_names(name, words):
    with pytest.raises(ValueError, match=words):
        make_methods([name])


def test_searches_that_would_never_end_are_refused():
    with pytest.raises(ValueError, match="2001000 subsets per resample of 2000 features"):
        make_methods(["sfg-1nn"], n_features=2000)
    assert list(make_methods(["sfg-1nn"], n_features=500)) == ["sfg-1nn"]
    with pytest.raises(ValueError, match="no method is named"):
        make_methods([])
