"""Every number of the report is that of results.json and of the Results, and none is made up."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from backstay.cli._outputs import write_outputs
from backstay.report import Report
from report.test_report import Page


def with_minus(text):
    return text.replace("-", "−")


def number(value):
    """Three digits, and no decimals from a thousand on."""
    return with_minus(f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}")


def difference(value):
    return "+" * (value > 0) + number(value)


def percentage(share):
    return f"{100 * share:.0f}"


def small(value):
    return "<\u202f0.001" if value < 0.001 else f"{value:.3f}"


def two_decimals(value):
    text = f"{value:.2f}"
    return "0.00" if float(text) == 0 else with_minus(text)


def auc(value):
    """Two decimals, and three where two would say 1."""
    return f"{value:.3f}" if 0.995 <= value < 1 else two_decimals(value)


def signed(value):
    text = two_decimals(value)
    return text if text == "0.00" or value < 0 else f"+{text}"


@pytest.fixture(scope="module")
def written(gallery, tmp_path_factory):
    """The results of a study, its report as a dictionary, results.json, and the page."""
    folder = tmp_path_factory.mktemp("outputs")
    results = gallery["two"]
    write_outputs(results, folder, None, "backstay run")
    everything = json.loads((folder / "results.json").read_text("utf-8"))
    return results, everything, (folder / "report.html").read_text("utf-8"), folder


def test_results_json_has_the_report(written):
    results, everything, _, _ = written
    assert everything["summary"] == json.loads(json.dumps(Report(results).to_dict()))


def rows_equal(shown, expected, renamed=None):
    """Compare records of the report with the rows of a frame of the results, by column."""
    assert len(shown) == len(expected)
    for one, other in zip(shown, expected.to_dict("records"), strict=True):
        for name, value in one.items():
            known = other[(renamed or {}).get(name, name)]
            if value is None:
                assert pd.isna(known), name
            elif isinstance(value, float):
                assert value == pytest.approx(known, rel=1e-12), name
            else:
                assert str(value) == str(known), name


def test_tables_are_those_of_the_results(written):
    results, everything, _, _ = written
    (part,) = everything["summary"]["datasets"]
    size, found = part["choice"]["size"], results.recommend()
    rows_equal(part["recalls"], results.predictions.table("recalls").frame())
    wrong = results.predictions.table("misclassified").frame()
    rows_equal(part["misclassified"]["rows"], wrong[wrong["share"] > 0].iloc[:8])
    rows_equal(part["times"], results.runs.times().frame())
    rows_equal(part["consensus"], results.selections.consensus(size).frame())
    assert part["choice"]["stability"] == results.choice().stability == found.stability
    assert part["choice"]["null"] == results.choice().null
    groups = results.selections.groups().frame().groupby("group")["name"].apply(list)
    assert [group["names"] for group in part["groups"]] == groups.tolist()
    gains = results.weights.gains(part["choice"]["metric"]).frame()
    rows_equal(part["gains"]["here"], gains[gains["size"] == size])


def test_features_are_those_of_the_results_and_of_the_file(written):
    results, everything, _, folder = written
    (part,) = everything["summary"]["datasets"]
    frame = results.features().frame()
    chosen = frame[frame["chosen"]].set_index("feature", drop=False)
    assert len(chosen) == part["features"]["n"]
    for row in part["features"]["rows"]:
        known = chosen.loc[row["feature"]]
        for name in ("frequency", "frequency_low", "frequency_high", "weight", "difference",
                     "effect", "effect_low", "effect_high", "p_value", "q_value"):  # fmt: skip
            assert row[name] == known[name], name
        assert row["rank"] == known["mean_rank"]
        assert row["high_in"] == known["high_in"]
        assert row["means"] == {name: known[f"mean in {name}"] for name in row["means"]}
        assert row["in_signature"] == known["in_signature"]
    # features.csv is for people: six digits.
    file = pd.read_csv(folder / "features.csv")
    assert file["feature"].tolist() == frame["name"].tolist()
    for name in ("frequency_low", "difference", "effect", "q_value"):
        np.testing.assert_allclose(file[name], frame[name], rtol=1e-5)
    listed = {row["feature"]: row for row in everything["features"]}
    for row in part["features"]["rows"]:
        if row["frequency"]:
            assert listed[row["name"]]["effect"] == row["effect"]


FRAMES = {
    "stability": lambda r, c: r.stability().frame(),
    "heatmap": lambda r, c: r.samples.values().frame(),
    "confusion": lambda r, c: r.predictions.table("confusion").frame(),
    "roc": lambda r, c: r.predictions.table("roc").frame(),
    "precision_recall": lambda r, c: r.predictions.table("precision_recall").frame(),
    "frequency": lambda r, c: r.selections.frequency(c["size"]).frame(),
    "agreement": lambda r, c: r.selections.similarity(c["size"]).frame(),
    "weights": lambda r, c: r.samples.weights().frame(),
    "map": lambda r, c: r.samples.map().frame(),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_data_of_figures_are_those_of_the_results(written, kind):
    results, everything, _, _ = written
    (part,) = everything["summary"]["datasets"]
    figure = part["figures"][kind]
    expected = FRAMES[kind](results, part["choice"])
    shown = [dict(zip(figure["columns"], row, strict=True)) for row in figure["rows"]]
    own = [name for name in figure["columns"] if name in expected]
    assert len(own) >= 3
    rows_equal([{name: row[name] for name in own} for row in shown], expected)


def shown_cells(page, table):
    """The texts of the cells of a table's body, without what only screen readers say."""
    start = page.index(f'aria-label="{table}"')
    body = page[page.index("<tbody>", start) : page.index("</tbody>", start)]
    body = re.sub(r'<span class="out">.*?</span>', "", body)
    return [
        [Page(cell).words for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr.*?>(.*?)</tr>", body, re.S)
    ]


def test_what_the_page_shows_is_what_the_results_say(written):
    results, _, page, _ = written
    frame = results.features().frame().set_index("name")
    others = [name for name in results.data.methods if name != results.choice().method]
    size = results.choice().size
    own = results.selections.frequency(size).frame().pivot(index="name", columns="method")
    for name, chosen, again, high, change, effect, q, agreed, _ in shown_cells(page, "Features"):
        row = frame.loc[name[-1]]
        ends = f"{percentage(row['frequency_low'])}–{percentage(row['frequency_high'])}"
        assert chosen == [percentage(row["frequency"]), ends]
        assert again == [percentage(row["again"])]
        assert high == [row["high_in"]]
        assert change == [difference(float(row["difference"]))]
        ends = f"{two_decimals(row['effect_low'])} to {two_decimals(row['effect_high'])}"
        assert effect == [signed(row["effect"]), ends]
        assert q == [small(float(row["q_value"]))]
        assert agreed == [str(sum(own["frequency"].loc[name[-1], others] > 0.5))]
    recalls = results.predictions.table("recalls").frame().set_index("class")
    for kind, _, recall, ends in shown_cells(page, "Recall of the classes"):
        row = recalls.loc[kind[0]]
        assert recall == [percentage(row["recall"])]
        assert ends == [f"{percentage(row['low'])} to {percentage(row['high'])}"]
    wrong = results.predictions.table("misclassified").frame().set_index("name")
    for name, kind, share in shown_cells(page, "Samples most often misclassified"):
        assert kind == [wrong.loc[name[0], "class"]]
        assert share == [percentage(wrong.loc[name[0], "share"])]


def test_the_answer_quotes_the_recommendation(written):
    results, everything, page, _ = written
    found, choice = results.recommend(), results.choice()
    (part,) = everything["summary"]["datasets"]
    words = part["answer"]["sentence"]
    assert f"only {percentage(found.trusted.share)}\u202f% of the draws choose the same" in words
    (tile,) = [tile for tile in part["answer"]["figures"] if tile["label"] == "AUC"]
    assert tile["value"] == auc(found.score.value)
    assert f"chance {two_decimals(found.chance)}" in tile["note"]
    text = part["methods_text"]["text"]
    assert f"was {auc(found.score.value)} (95" in text
    assert f"of these samples was {two_decimals(choice.stability)} " in text
    assert f"size is estimated as {two_decimals(choice.replication.value)} (95" in text
    assert "{" not in text
    assert f"({percentage(results.runs.training_rows().share)}\u202f% of them)" in text
    assert all(f"[{i + 1}]" in text for i in range(len(part["methods_text"]["references"])))
    assert f"seed {results.facts.seed}" in text
    plain = "".join(Page(page).words)
    assert words in plain
    assert text in plain
