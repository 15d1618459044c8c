"""What the store keeps for a report: partners, names, provenance, several stores at once."""

import numpy as np
import pandas as pd
import pytest

from backstay import Results, Study
from backstay.feature_weighting import TTest
from backstay.report import Report
from backstay.study import Subsampling


def run(X, y, store=None, seed=0, **arguments):
    study = Study(
        {"t": TTest()}, Subsampling(4), sizes=[2, 5], store=store, random_state=seed, verbose=0
    )
    return study.run(X, y, **arguments)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 8)) + y[:, None] * np.r_[2, 2, np.zeros(6)]
    X[:, 5] = -X[:, 0] + 0.05 * rng.normal(size=40)
    X[:, 6] = X[:, 0] + 0.3 * rng.normal(size=40)
    X[:, 7] = 3.0
    names = [f"sample {i}" for i in range(40)]
    return pd.DataFrame(X, columns=list("abcdefgh"), index=names), y


def test_partners_are_the_strong_correlations_strongest_first(table):
    X, y = table
    found = run(X, y).selections.partners().frame()
    of_a = found[found.name == "a"]
    assert of_a.partner_name.tolist()[:2] == ["f", "g"]
    r = np.corrcoef(X.to_numpy()[:, :7], rowvar=False)
    for row in found.itertuples():
        assert row.correlation == pytest.approx(r[row.feature, row.partner], abs=1e-12)
        assert abs(row.correlation) >= 0.7
    strong = {(i, j) for i in range(7) for j in range(7) if i != j and abs(r[i, j]) >= 0.7}
    assert {(a, b) for a, b in strong if a in set(found.feature)} == set(
        zip(found.feature, found.partner, strict=True)
    )
    assert not found.name.eq("h").any()


def test_partners_skip_categories_and_fill_gaps(table):
    X, y = table
    X = X.assign(b=pd.Categorical(np.where(y == 1, "u", "v")))
    X.iloc[0, 0] = np.nan
    numbers = Study(
        {"first": First()}, Subsampling(3), sizes=[2], models={}, random_state=0, verbose=0
    )
    found = numbers.run(X, y).selections.partners().frame()
    assert found.partner_name.tolist()[0] == "f"
    assert "b" not in set(found.name) | set(found.partner_name)


class First(TTest):
    """Ranks columns by their place, whatever is in them."""

    def fit(self, X, y, sample_weight=None):
        self.n_features_in_ = X.shape[1]
        self.feature_importances_ = -np.arange(X.shape[1], dtype=float)
        self.ranking_ = np.arange(1, X.shape[1] + 1)
        return self


def test_names_of_samples_come_from_the_index(table):
    X, y = table
    assert run(X, y).data.sample_names[3] == "sample 3"
    assert run(X.to_numpy(), y).data.sample_names is None


def test_provenance_is_kept_and_does_not_identify_the_study(table, tmp_path):
    X, y = table
    first = run(X, y, tmp_path / "s.db", provenance={"command": "one"})
    assert first.data.provenance == {"command": "one"}
    run(X, y, tmp_path / "s.db", provenance={"command": "two"})
    loaded = Results.load(tmp_path / "s.db")
    assert loaded.data.provenance == {"command": "two"}


def test_several_stores_load_side_by_side(table, tmp_path):
    X, y = table
    for name, seed in (("a", 0), ("b", 1)):
        run(X, y, tmp_path / f"{name}.db", seed)
    run(X, y, tmp_path / "c.db", dataset="other")
    paths = [tmp_path / f"{name}.db" for name in "abc"]
    results = Results.load(*paths)
    assert results.datasets == ["data", f"data ({paths[1]})", "other"]
    assert results.facts.seed == 0
    assert results[f"data ({paths[1]})"].facts.seed == 1
    alone = Results.load(paths[1]).stability().frame()
    together = results.stability().frame()
    second = together[together.dataset == f"data ({paths[1]})"]
    assert np.array_equal(second["value"], alone["value"])
    with pytest.raises(ValueError, match="several stores"):
        results.save(tmp_path / "d.db")
    assert Results.load(paths[0], paths[0]).datasets == ["data"]
    with pytest.raises(ValueError, match="path of a store"):
        Results.load()


def test_results_write_their_report_as_write_report_does(table, tmp_path):
    results = run(*table)
    written = results.report(str(tmp_path / "a.html"))
    assert written == tmp_path / "a.html"
    assert written.read_bytes() == Report(results).write(tmp_path / "b.html").read_bytes()


def test_html_of_results_is_short_and_escaped(table):
    X, y = table
    study = Study({"<b>t": TTest()}, Subsampling(3), sizes=[2], random_state=0, verbose=0)
    html = study.run(X, y)._repr_html_()
    assert "1 data set, " in html
    assert "&lt;b&gt;t" in html
    assert "<b>t" not in html
    without = Study({"t": TTest()}, Subsampling(3), sizes=[2], models={}, random_state=0, verbose=0)
    assert "nogueira" in without.run(X, y)._repr_html_()
