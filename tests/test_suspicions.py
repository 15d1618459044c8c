"""What could make a score look better than it is, from the file to the report."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from backstay import Study, TTest
from backstay.datasets import make_han_yu, read_table
from backstay.report import Report
from backstay.results import Results
from backstay.study import Subsampling, suspicions
from backstay.targets import as_target
from reference.separation import separation

N, D = 60, 120
ILL = np.arange(N) % 2


def noise(seed=0, n=N, d=D):
    return np.random.default_rng(seed).normal(size=(n, d))


def frame(X, y):
    table = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    return table.assign(kind=np.where(y, "ill", "well"))


def kinds(X, y=ILL, groups=None):
    return [found.kind for found in suspicions(X, y, groups)]


def replicates(spread):
    """Three rows of every patient, whose class is drawn at random."""
    rng = np.random.default_rng(1)
    y = np.repeat(rng.permutation(np.arange(N // 3) % 2), 3)
    return np.repeat(noise(1, N // 3), 3, axis=0) + spread * noise(2), y


def patients():
    X, y = replicates(1.0)
    return frame(X, y).assign(patient=[f"p{i // 3}" for i in range(N)])


def near_copies():
    return frame(*replicates(0.1))


def copies():
    half = frame(noise(), ILL).head(N // 2)
    return pd.concat([half, half])


def filtered():
    X = noise(d=20 * D)
    p = stats.ttest_ind(X[ILL == 0], X[ILL == 1]).pvalue
    return frame(X[:, np.argsort(p)[:D]], ILL)


def leak():
    return frame(noise(), ILL).assign(g7=ILL + noise(3)[:, 0] / 5)


def code():
    return frame(noise(), ILL).assign(code=np.where(ILL, "A", "B"))


def nearly_code():
    codes = np.where(ILL, 7, 3)
    codes[0] = 7
    return frame(noise(), ILL).assign(code=codes)


def batch():
    shifts = np.random.default_rng(4).normal(size=D)
    plates = np.where(ILL, np.resize(["a", "b"], N), np.resize(["c", "d"], N))
    return frame(noise() + ILL[:, None] * shifts, ILL).assign(plate=plates)


def run_order():
    table = frame(noise(), ILL).sort_values("kind", kind="stable", ignore_index=True)
    return table.assign(run_order=np.arange(1, N + 1))


def shifted():
    return frame(noise() + ILL[:, None], ILL)


CASES = [
    (patients, [], "repeats", "Do rows with the same patient belong together?"),
    (near_copies, [], "near_copies", "60 of 60 rows are nearly the same as another row."),
    (copies, [], "copies", "30 of 60 rows are exact copies of others."),
    (filtered, [], "filtered", "Were the features chosen by the outcome beforehand?"),
    (leak, [], "gives_away", "g7 alone nearly gives the classes away."),
    (code, [], "gives_away", "code alone nearly gives the classes away."),
    (nearly_code, [], "gives_away", "code alone nearly gives the classes away."),
    (batch, ["--drop", "plate"], "confounded", "plate goes with the classes."),
    (run_order, [], "confounded", "run_order goes with the classes."),
    (shifted, [], "shifted", "Nearly all features go with the classes: is it a batch?"),
]


@pytest.mark.parametrize(
    ("table", "options", "kind", "said"), CASES, ids=[c[0].__name__ for c in CASES]
)
def test_from_the_file_to_the_answer(tmp_path, call, monkeypatch, table, options, kind, said):
    if table is not leak:  # one page shows that it is on it
        monkeypatch.setattr(Report, "write", lambda self, path: path)
    table().to_csv(tmp_path / "t.csv", index=False)
    small = ["-m", "t", "--repeats", "3", "--null", "0", "--sizes", "2", "-j", "1"]
    done = call("run", tmp_path / "t.csv", "-t", "kind", *options, *small, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert f"Warning: {said}" in done.err
    assert f"Do not trust the score yet. {said}" in done.out
    results = Results.load(tmp_path / "out" / "study.db")
    assert results.suspicions().frame()[["kind", "severity"]].to_numpy().tolist() == [[kind, 2]]
    (part,) = json.loads((tmp_path / "out" / "results.json").read_text())["summary"]["datasets"]
    assert part["suspicions"][0]["kind"] == kind
    assert [warning["title"] for warning in part["answer"]["warnings"]] == [said]
    assert part["answer"]["caveats"][0]["title"] == said
    (tile,) = [tile for tile in part["answer"]["figures"] if tile["label"] == "AUC"]
    assert tile["note"].startswith("doubtful, see the warning; ")
    if table is leak:
        page = (tmp_path / "out" / "report.html").read_text()
        assert page.index("Do not trust the score yet.") < page.index(said) < page.index("<dl")


@pytest.mark.parametrize("seed", range(3))
def test_clean_tables_raise_no_suspicion(tmp_path, seed):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], D) * (np.arange(D) < D // 2)
    assert kinds(noise(seed)) == []
    assert kinds(noise(seed) + 1.5 * signs * ILL[:, None]) == []  # half of the features differ
    assert (
        kinds(noise(seed) + 2 * rng.normal(size=(6, D))[rng.integers(6, size=N)]) == []
    )  # clusters
    assert kinds(rng.integers(2, size=(N, 6)).astype(float)) == []  # equal rows by chance
    assert kinds(np.exp(2 * noise(seed)), np.arange(N) % 3) == []
    assert kinds(*make_han_yu(N, n_features=200, n_relevant=20, random_state=seed)[:2]) == []
    beside = pd.DataFrame(
        {
            "age": rng.integers(30, 80, N),
            "sex": rng.choice(["f", "m"], N),
            "plate": rng.choice(["a", "b", "c"], N),
            "day": rng.choice(["2024-05-01", "2024-05-02"], N),
            "note": [f"tumour {i}" for i in range(N)],
        }
    )
    table = frame(noise(seed, d=8), ILL).join(beside).sort_values("kind")
    table.insert(0, "number", np.arange(1, N + 1))  # the rows are sorted by class, as often
    table.to_csv(tmp_path / "t.csv", index=False)
    assert read_table(tmp_path / "t.csv", "kind", drop=list(beside)).suspicions == []


def test_rows_of_one_group_may_be_alike():
    X, y = replicates(0.1)
    groups = np.arange(N) // 3
    assert kinds(X, y) == ["near_copies"]
    assert kinds(X, y, groups) == []
    X[1], X[30] = X[0], X[3]
    (first, *_) = suspicions(X, y, groups)
    assert (first.kind, first.severity, first.figures) == ("copies", 1, {"rows": 1, "of": N})


def test_tables_of_every_kind_are_looked_at():
    X = noise()
    X[40:50] = X[:10]
    X[:, 5] = ILL
    table = pd.DataFrame(X).rename(columns=str)
    for given_as in (X, table, table.astype(np.float32), sparse.csr_matrix(X)):
        copied, given = suspicions(given_as, ILL)
        assert (copied.kind, copied.figures["rows"]) == ("copies", 10)
        assert given.figures["features"] == ["x5" if not hasattr(given_as, "columns") else "5"]
    texts = table.assign(text=pd.Categorical([f"t{i % 7}" for i in range(N)]))
    assert kinds(texts) == ["near_copies", "gives_away"]  # rows differ in the text
    holed = X.copy()
    holed[3, 5] = np.nan
    assert kinds(holed) == ["copies", "gives_away"]


def test_a_study_in_python_knows_them_too():
    study = Study({"t": TTest()}, Subsampling(2), models={}, sizes=[2], random_state=0)
    results = study.run(leak().drop(columns="kind"), ILL)
    (found,) = results.suspicions().frame().to_dict("records")
    assert found["figures"]["features"] == ["g7"]
    assert found["figures"]["separation"][0] > 0.97
    (part,) = Report(results).parts
    assert part.answer.warnings[0].title == "g7 alone nearly gives the classes away."


def test_separation_by_hand():
    # Of 2 × 2 pairs one is tied and three are in order.
    assert separation([1, 2, 2, 3], [0, 0, 1, 1]) == 3.5 / 4
    # The first two classes are apart, the third is not from either.
    assert separation([1, 2, 1, 2], [0, 1, 2, 2]) == pytest.approx((1 + 0.75 + 0.75) / 3)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_separation_is_that_of_the_slow_one(seed, n_classes):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_classes), rng.integers(n_classes, size=12))
    values = rng.integers(5, size=(len(codes), 3)).astype(float)
    expected = [separation(column, codes) for column in values.T]
    np.testing.assert_allclose(as_target(codes).separation(values), expected)


def test_association_by_hand():
    # χ² of [[3, 1], [1, 3]] is 2, so that V is sqrt(2/8).
    target = as_target(np.array([0, 0, 0, 1, 0, 1, 1, 1]))
    texts = target.association(np.array(list("aaaabbbb")))
    assert (texts.measure, texts.value) == ("Cramér's V", pytest.approx(0.5))
    assert texts.p_value == pytest.approx(stats.chi2.sf(2, 1))
    numbers = target.association(np.arange(8.0))
    assert (numbers.measure, numbers.value) == ("AUC", 15 / 16)


def test_means_that_differ_by_rounding_are_no_difference():
    constant = np.full(N, np.log2(20))
    target = as_target((np.arange(N) < 23) * 1)
    assert np.isnan(target.effects(np.column_stack([constant, noise()[:, 0]])).p_value[0])
