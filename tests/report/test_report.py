"""report.html: what it says, that names cannot break it, and that it holds in awkward studies."""

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest
from matplotlib.figure import Figure

from backstay import Results, Study, TTest
from backstay.comparison import DifferenceTest
from backstay.report import Report
from backstay.report._page import csv_link, json_text, number
from backstay.report._words import share_text
from backstay.results import WeightingVerdict
from backstay.study import Subsampling
from reference.study import forget_tasks
from report.conftest import AWKWARD, WEIGHTED, small_study, table


class Page(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.scripts = [], [], [], []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._in_script = tag == "script"

    def handle_endtag(self, tag):
        self._in_script = False

    def handle_data(self, data):
        (self.scripts if self._in_script else self.words).append(data)


@pytest.fixture(scope="module")
def text(report):
    return report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.fixture(scope="module")
def summary(made):
    return made.to_dict()


# Names are text, wherever they stand.


def test_names_make_no_elements(page):
    assert page.tags.count("script") == 2
    assert not {"img", "u", "em", "iframe", "object"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    words = "".join(page.words)
    for name in AWKWARD[:5]:
        assert name in words
    assert "bell\ufffd" in words  # a control character is no text


def test_nothing_points_outside(page, text):
    addresses = [value for _, name, value in page.attributes if name in ("href", "src", "action")]
    assert addresses
    assert all(value.startswith(("#", "data:")) for value in addresses)
    assert not re.search(r"@import|url\((?!#)", text)


def test_policy_allows_this_script_only(text, page):
    import base64
    import hashlib

    policy = next(v for _, name, v in page.attributes if name == "content" and "default-src" in v)
    assert "default-src 'none'" in policy
    shown = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{shown}'" in policy


def test_points_are_json_that_cannot_end_their_script(page):
    raw = page.scripts[0]
    assert not set("<>&\u2028\u2029") & set(raw)
    figures = json.loads(raw)
    assert {"d0-stability", "d0-accuracy0", "d0-accuracy1", "d0-pareto", "d0-weights"} <= set(
        figures
    )
    grid = figures.pop("d0-heatmap")
    cells = (len(grid["grid"]["rows"]), len(grid["grid"]["columns"]))
    assert np.shape(grid["grid"]["values"]) == cells
    for size in ("wide", "narrow"):
        assert (len(grid[size]["y"]), len(grid[size]["x"])) == cells
    for figure in figures.values():
        assert len(figure["labels"]) == len(figure["wide"]) == len(figure["narrow"])
    assert any(WEIGHTED in label for label in figures["d0-stability"]["labels"])


def test_json_text_survives_a_round_trip():
    value = {"</script>": ["<!--", "&amp;", "\u2028", 1.5, None]}
    assert json.loads(json_text(value)) == value
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text({"x": float("nan")})


def test_downloads_are_csv_that_spreadsheets_do_not_run(page):
    links = [v for _, name, v in page.attributes if v.startswith("data:text/csv")]
    assert len(links) >= 9
    for link in links:
        body = unquote(link.split(",", 1)[1]).removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(body, newline="")))
        assert len({len(row) for row in rows}) == 1
        assert not [c for row in rows for c in row if c[:1] in "=+@" and c[:1] != ""]
    assert any("'=1+1" in unquote(link) for link in links)


def test_csv_guard_leaves_numbers_alone():
    link = csv_link(["name", "value"], [["-minus", -1.5], ["\t=x", None], ['a"b', 2]])
    assert unquote(link.split(",", 1)[1]).removeprefix("\ufeff") == (
        'name,value\r\n\'-minus,-1.5\r\n\'\t=x,\r\n"a""b",2\r\n'
    )


def test_ids_are_unique_and_links_arrive(page):
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = [v[1:] for _, name, v in page.attributes if name == "href" and v.startswith("#")]
    assert set(targets) <= set(ids)


def test_figures_say_what_they_show(page):
    plots = [
        v for tag, name, v in page.attributes if name == "aria-label" and re.search(r"\d\.\d", v)
    ]
    assert len(plots) >= 7
    assert any("highest is" in alt and "95" in alt for alt in plots)


# What it says.


def test_answer_is_the_recommendation(results, summary):
    (part,) = summary["datasets"]
    found = results.recommend()
    assert part["choice"]["kind"] == "recommended"
    assert part["choice"]["method"] == found.method
    assert part["answer"]["n_signature"] == len(found.signature) == found.size
    assert part["answer"]["n_core"] == len(found.core)
    values = {figure["label"]: figure["value"] for figure in part["answer"]["figures"]}
    assert float(values["AUC"]) == pytest.approx(found.score.value, abs=0.005)
    share = found.replication.value + (1 - found.replication.value) * found.size / 40
    assert values["Chosen again"] == f"{100 * share:.0f}\u202f%"
    notes = {figure["label"]: figure["note"] for figure in part["answer"]["figures"]}
    assert f"stability on these rows {found.stability:.2f}" in notes["Chosen again"]
    ends = f"{found.score.low:.2f} to {found.score.high:.2f}"
    beside = f"{100 * found.beside['balanced_accuracy'].value:.0f}\u202f%"
    assert f"95\u202f% {ends}; chance 0.50; balanced accuracy {beside}" in notes["AUC"]
    said = part["choice"]["sentence"]  # what the terminal prints
    assert f"stability on resamples of these rows is {found.stability:.2f}" in said
    assert f"expect an AUC of {values['AUC']} (95\u202f% interval {ends}; guessing: 0.50)" in said
    assert f"balanced accuracy {beside}" in said


def clean(name):
    """The only control character of the names is replaced."""
    return name.replace("\x07", "\ufffd")


def test_the_signature_has_a_core(results, summary, page):
    (part,) = summary["datasets"]
    found, answer = results.recommend(), part["answer"]
    shown = answer["signature"]
    assert [row["name"] for row in shown] == [clean(n) for n in found.signature[:12]]
    assert "bell\ufffd" in map(clean, results.features().frame()["name"])
    core = {clean(name) for name in found.core}
    assert {row["name"] for row in shown if row["core"]} == core & {row["name"] for row in shown}
    rows = part["features"]["rows"]
    assert {row["name"] for row in rows if row["in_signature"]} == set(map(clean, found.signature))
    assert {row["name"] for row in rows if row["core"]} == core
    n, often = len(found.signature), len(found.core)
    assert answer["headline"].startswith(f"{n} features; another study of this size would choose")
    said = "".join(page.words)
    assert f"Bold: the core, {often} that more than half of the runs chose." in said
    sentence = part["choice"]["sentence"]
    assert f"{often} of the {n} features in the signature, its core" in sentence
    assert [value for tag, name, value in page.attributes if (tag, value) == ("li", "core")] == [
        "core"
    ] * sum(row["core"] for row in shown)


def test_the_score_is_that_of_the_procedure(results, summary):
    text = " ".join(summary["datasets"][0]["answer"]["sentences"])
    assert "is that of this whole procedure, on rows that had no part in it" in text
    apparent = f"{results.recommend().apparent:.2f}"
    assert f"among 32 configurations; before the correction it looks like {apparent}." in text
    assert "Do not test the signature again on these rows" in text
    assert "0.74" in text


def reported(results, recommendation, monkeypatch):
    """What the report would say if this were the recommendation."""
    choice = replace(results.choice(), recommendation=recommendation)
    with monkeypatch.context() as patch:
        patch.setattr(Results, "choice", lambda self: choice)
        (part,) = Report(results).to_dict()["datasets"]
    return part


def test_a_recommendation_is_worded_from_its_facts(results, summary, monkeypatch):
    found = results.recommend()
    words = summary["datasets"][0]["choice"]["sentence"]
    assert words.startswith(f"{found.method} with {found.size} features and {found.model}. ")
    assert "among 32 configurations, expect an AUC of " in words
    assert "Not judged" not in words
    nothing = DifferenceTest("t", 0.0, -0.1, 0.1, np.nan, np.nan, (), 30)
    verdict = WeightingVerdict("iw", "c", "p", 10, nothing, nothing, nothing)
    considered = replace(
        found.considered,
        n_candidates=1,
        not_judged={"x\x00y\ud800": "3 of 20 runs"},
        weighting=verdict,
    )
    other = replace(found, considered=considered)
    words = reported(results, other, monkeypatch)["choice"]["sentence"]
    assert "No other of 32 configurations predicts about as well" in words
    assert "The weights of iw are not shown to add stability." in words
    assert words.endswith("too many runs failed or are missing: x\ufffdy\ufffd (3 of 20 runs).")


def test_three_answers_are_shown_together(results, summary, page):
    (part,) = summary["datasets"]
    found = results.recommend()
    rows = part["answer"]["answers"]
    assert [row["name"] for row in rows] == ["trusted", "short", "accurate"]
    for row in rows:
        one = found.answers[row["name"]]
        assert (row["method"], row["size"]) == (one.method, one.size)
        assert float(row["score"].split(" (")[0]) == pytest.approx(one.score.value, abs=0.005)
        same = one.configuration == found.trusted.configuration and row["name"] != "trusted"
        assert (row["same_as"] == "trusted") == same
        if "trusted" in one.costs:
            score, stability = one.costs["trusted"]
            for test, shown in ((score, "score_cost"), (stability, "stability_cost")):
                assert _number(row[shown].split(" (")[0]) == pytest.approx(
                    test.difference, abs=0.006
                )
    assert part["choice"]["answers"][0]["answer"] == "trusted"
    words = "".join(page.words)
    assert "Three answers" in words
    assert words.count("the same as trusted") == sum(row["same_as"] == "trusted" for row in rows)


def _number(text):
    return float(text.replace("−", "-"))


def test_an_answer_that_is_the_same_says_so(results, monkeypatch):
    trusted = results.recommend().trusted
    other = replace(
        trusted,
        name="accurate",
        configuration=replace(trusted.configuration, size=99, method="a\x00b"),
        costs={"trusted": (difference(-0.02), difference(0.1))},
    )
    answers = {"trusted": trusted, "short": replace(trusted, name="short"), "accurate": other}
    found = replace(results.recommend(), answers=answers)
    rows = reported(results, found, monkeypatch)["answer"]["answers"]
    assert [row["same_as"] for row in rows] == ["", "trusted", ""]
    trust, _, accurate = rows
    assert trust["score_cost"] == ""
    assert accurate["method"] == "a\ufffdb"
    assert accurate["score_cost"] == "−0.02 (−0.12 to 0.08)"
    assert accurate["stability_cost"] == "+0.10 (0.00 to 0.20)"
    assert accurate["best_in"] == "the best AUC"


def difference(value):
    nan = float("nan")
    return DifferenceTest("t", value, value - 0.1, value + 0.1, nan, nan, (), 30)


def test_intervals_are_on_these_rows_and_zero_is_for_random_features(summary, page):
    (part,) = summary["datasets"]
    (note,) = [t["note"] for t in part["answer"]["figures"] if t["label"] == "Chosen again"]
    assert "in another sample of this size; stability on these rows" in note
    words = re.sub(r"\s+", " ", "".join(page.words))
    assert words.count("95 % intervals on these rows") == 3  # stability, scores, both
    assert "on these rows; they do not cover other samples" in words
    assert "Intervals and tests are on these rows" in words
    assert "0: random features, 100: the same." in words
    assert not re.search("0 is chance|what chance gives|beyond chance|stable noise", words)
    assert "shuffled outcomes" not in words  # none were run
    assert "Shuffled outcomesnot run" in words  # the setting says so


def test_shuffled_labels_are_in_the_answer_the_tile_and_the_caption(gallery, tmp_path):
    results = gallery["two"]
    part = Report(results).to_dict()["datasets"][0]
    method, size = part["choice"]["method"], part["choice"]["size"]
    null = results.null().frame().set_index(["method", "size"]).loc[(method, size)]
    assert part["choice"]["null"] == pytest.approx(null["null"])
    ends = f"{null['null']:.2f} ({null['low']:.2f} to {null['high']:.2f})".replace("-", "−")
    shared = share_text(results.runs.training_rows().shared)
    expected = (
        f"With shuffled outcomes the same method reaches a stability of {ends}, because training "
        f"sets share {shared} of their rows."
    )
    assert any(sentence.endswith(expected) for sentence in part["answer"]["sentences"])
    assert part["answer"]["answers"][0]["null"] == f"{null['null']:.2f}"
    words = "".join(Page(results.report(tmp_path / "r.html").read_text("utf-8")).words)
    assert f"Grey: {method} with shuffled outcomes" in words
    assert f"3 permutations, {results.data.null_runs} runs on each" in words


def test_the_share_of_shared_rows_is_measured():
    X, y, _ = table(60, 20)
    halves = Study({"t": TTest()}, Subsampling(20, 0.5), sizes=[2], random_state=0, verbose=0)
    rows = halves.run(X, y).runs.training_rows()
    assert rows.share == 0.5
    assert rows.shared == pytest.approx(0.5, abs=0.02)


def test_gain_explained_by_its_control_is_said(summary):
    (part,) = summary["datasets"]
    (verdict,) = part["answer"]["verdicts"]
    gains = [g for g in part["gains"]["here"] if g["quantity"] == "stability"]
    over = {gain["over"]: gain for gain in gains}
    expected = "none"
    if over["plain"]["low"] > 0:
        expected = "explained"
    assert over["control"]["low"] <= 0
    assert verdict["kind"] == expected
    titles = [caveat["title"] for caveat in part["answer"]["caveats"]]
    assert f"Instance weighting is not shown to make {WEIGHTED} more stable." in titles
    assert "The intervals are rough." in titles  # 8 resamples are few


def test_truth_is_counted_per_method(results, summary):
    truth = summary["datasets"][0]["truth"]
    assert truth["n_relevant"] == 10
    size = truth["size"]
    assert truth["by_chance"] == pytest.approx(size * 10 / 40)
    for row in truth["rows"]:
        hits = [sum(j < 10 for j in order[:size]) for order in results.runs.orders(row["method"])]
        assert row["found"] == pytest.approx(np.mean(hits))


def test_consensus_counts_the_signatures(results, summary):
    (part,) = summary["datasets"]
    frequency = results.selections.frequency(part["choice"]["size"]).frame()
    for row in part["consensus"]:
        own = frequency[frequency["method"] == row["method"]]["frequency"]
        for share in (0.5, 0.85):
            assert row[f"above_{share:.0%}"] == (own > share).sum()


def test_feature_table_has_mean_ranks_and_frequencies(results, summary):
    (part,) = summary["datasets"]
    method, size = part["choice"]["method"], part["choice"]["size"]
    frequency = results.selections.frequency(size).frame()
    own = frequency[frequency["method"] == method].set_index("feature")["frequency"]
    orders = results.runs.orders(method)
    for row in part["features"]["rows"][:5]:
        ranks = [int(np.flatnonzero(order == row["feature"])[0]) + 1 for order in orders]
        assert row["rank"] == pytest.approx(np.mean(ranks))
        assert row["frequency"] == own[row["feature"]] == row["frequencies"][method]


def test_setting_has_command_seed_and_versions(page, summary):
    words = "".join(page.words)
    assert "backstay run '<x>.csv'" in words
    assert "a <b> note" in words
    assert f"numpy {np.__version__}" in words
    assert summary["datasets"][0]["setting"]["seed"] == 0


def test_summary_is_json(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_a_report_is_computed_once_and_rendered_twice(results, report, tmp_path, monkeypatch):
    one = Report(results)
    summary = one.to_dict()
    for name in ("choice", "stability", "scores", "features", "weights", "comparisons"):
        monkeypatch.setattr(Results, name, None)
    assert one.write(tmp_path / "one.html").read_bytes() == report.read_bytes()
    assert one.to_dict() == summary
    (part,) = one.parts
    assert part.answer.headline == summary["datasets"][0]["answer"]["headline"]


def test_a_balanced_accuracy_is_called_by_its_name():
    X, y, _ = table(60, 20)
    study = small_study({"t": TTest()}, 8, metric="balanced_accuracy")
    (part,) = Report(study.run(X, y)).parts
    found = part.evidence.choice.recommendation
    share = f"{100 * found.score.value:.0f}"
    assert f"expect a balanced accuracy of {share}" in part.recommendation
    assert "Balanced accuracy" in [tile.label for tile in part.answer.figures]
    assert "accuracy0" in part.figures
    assert part.figures["accuracy0"].metric == "balanced_accuracy"


def test_accuracy_is_said_as_a_share_of_rows():
    X, y, _ = table(60, 20)
    (part,) = Report(small_study({"t": TTest()}, 8, metric="accuracy").run(X, y)).parts
    value = part.evidence.choice.recommendation.score.value
    assert f"expect an accuracy of {100 * value:.0f}\u202f% (95" in part.recommendation
    (tile,) = [tile for tile in part.answer.figures if tile.label == "Accuracy"]
    assert tile.value == f"{100 * value:.0f}\u202f%"


def test_an_unfinished_study_says_so_at_its_head(tmp_path):
    X, y, _ = table(45, 20)
    path = tmp_path / "study.db"
    small_study({"t": TTest()}, 12, store=path, null=2).run(X, y)
    whole = Results.load(path)
    n = 12 + 2 * whole.data.null_runs
    assert (whole.data.n_done, whole.data.n_tasks) == (n, n)
    page = whole.report(tmp_path / "whole.html").read_text("utf-8")
    assert "Unfinished" not in page
    forget_tasks(path, "resample >= 7 OR resample < -3")
    part = Results.load(path)
    assert (part.data.n_done, part.data.n_tasks) == (10, n)
    words = "".join(Page(part.report(tmp_path / "part.html").read_text("utf-8")).words)
    assert f"Unfinished: 10 of {n} tasks. t has 7 of 12 runs. To continue" in words
    assert "t has 7 runs; precise intervals need 20 or more." in words
    facts = Report(part).to_dict()["datasets"][0]["facts"]
    assert (facts["n_done"], facts["n_tasks"]) == (10, n)


# Awkward studies, all in one report, which shows several data sets as well.


@pytest.fixture(scope="module")
def awkward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")

    def run(name, methods, X, y, **options):
        small_study(methods, 4, store=folder / f"{name}.db", **options).run(X, y, dataset=name)
        return folder / f"{name}.db"

    X, y, _ = table(45, 20)
    noise = np.random.default_rng(0).integers(0, 2, 45)
    with pytest.warns(UserWarning, match="tasks on 'failed' failed"):
        failed = run("failed", {"t": TTest(), "broken": TTest(moderation="?")}, X, y)
    return Results.load(
        failed,
        run("unjudged", {"t": TTest()}, X, y, models={}),
        run("noise", {"t": TTest()}, X, noise),
        run("three", {"t": _f_statistic()}, X, np.arange(45) % 3),
        run("everything", {"t": TTest()}, X, y, sizes=(20,)),
    )


def _f_statistic():
    from backstay import FStatistic

    return FStatistic()


@pytest.fixture(scope="module")
def parts(awkward):
    return {part["name"]: part for part in Report(awkward).to_dict()["datasets"]}


def test_several_data_sets_are_parts_of_one_report(awkward, tmp_path):
    page = Page(Report(awkward).write(tmp_path / "new" / "all.html").read_text(encoding="utf-8"))
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {f"d{i}-answer" for i in range(5)} <= set(ids)
    links = [v for _, name, v in page.attributes if name == "href"]
    assert {f"#d{i}-setting" for i in range(5)} <= set(links)
    assert not list((tmp_path / "new").glob("*.part"))


def test_failed_method_is_named_and_the_rest_goes_on(parts):
    part = parts["failed"]
    (error,) = part["errors"]
    assert error["method"] == "broken"
    assert error["resamples"] == [0, 1, 2, 3]
    assert any("4 tasks failed: broken (4)" in c["text"] for c in part["answer"]["caveats"])
    assert part["choice"]["method"] == "t"


def test_without_classifiers_nothing_is_recommended(parts):
    part = parts["unjudged"]
    assert part["choice"]["kind"] == "unjudged"
    assert [figure["label"] for figure in part["answer"]["figures"]] == [
        "Stability on these rows",
        "Shown, not recommended",
    ]
    assert "No model was run" in part["answer"]["sentence"]
    assert not [kind for kind in part["figures"] if kind.startswith(("accuracy", "pareto"))]


def test_noise_is_not_recommended(parts):
    part = parts["noise"]
    assert part["choice"]["kind"] == "nothing"
    answer = part["answer"]
    assert answer["headline"].endswith("no method is shown to be above chance")
    assert re.fullmatch(
        r"On new rows expect AUC 0\.\d+ \(95\u202f% interval 0\.\d+ to 0\.\d+; guessing: 0\.50\)\. "
        r"That is not shown to be better than guessing\.",
        answer["sentence"],
    )
    assert re.search(r"best has an AUC of 0\.\d+\. Corrected", part["choice"]["sentence"])
    assert "of the best, t with" in answer["sentences"][0]
    assert "stable noise" not in str(part)


def test_a_report_of_nothing_discusses_no_signature(parts):
    part = parts["noise"]
    answer = part["answer"]
    assert (answer["signature"], answer["n_signature"], answer["answers"]) == ([], 0, [])
    assert "signature" not in str(answer["sentences"] + answer["caveats"]).lower()
    assert [tile["label"] for tile in answer["figures"]] == [
        "Stability on these rows",
        "AUC",
        "Shown, not recommended",
    ]
    titles = [caveat["title"] for caveat in answer["caveats"]]
    assert titles == ["There may still be something to find.", "The intervals are rough."]
    assert not any(row["in_signature"] or row["core"] for row in part["features"]["rows"])
    assert {"stability", "accuracy0", "pareto", "frequency"} <= set(part["figures"])  # one sees why


def test_another_kind_of_outcome_brings_its_own_sections_and_words(results, tmp_path, monkeypatch):
    kind = type(results.data.target)
    own = replace(
        results.data.target.words(),
        outcome="the dose",
        described="doses from 1 to 9",
        errors="Errors by dose",
        direction="rises with",
        directed="rises with {}",
        test="Spearman's test",
        columns={},
    )
    monkeypatch.setattr(kind, "names", [])
    monkeypatch.setattr(kind, "sections", ("misclassified",))
    monkeypatch.setattr(kind, "words", lambda self: own)
    monkeypatch.setattr(kind, "concerns", lambda self, metric: [("Doses are few.", "Only 3.")])
    report = Report(results)
    page = Page(report.write(tmp_path / "other.html").read_text("utf-8"))
    words = "".join(page.words)
    for phrase in ("doses from 1 to 9", "Errors by dose", "Doses are few.", "Spearman's test"):
        assert phrase in words
    assert "rises with ill" in words
    assert not {"confusion", "roc"} & set(report.parts[0].figures)
    heatmap, samples = (report.parts[0].figures[name] for name in ("heatmap", "map"))
    assert heatmap.series() == samples.series() == []
    assert len(samples.plot(Figure().subplots()).points_) == results.data.n_samples
    assert "high in" not in words.lower()


def test_three_classes(parts):
    assert [c["n"] for c in parts["three"]["facts"]["classes"]] == [15, 15, 15]


def test_all_features_have_no_stability(parts):
    part = parts["everything"]
    assert part["choice"]["stability"] is None
    figures = {figure["label"]: figure["value"] for figure in part["answer"]["figures"]}
    assert figures["Stability on these rows"] == "undefined"


def test_many_features_keep_the_file_small(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8_000)), np.arange(60) % 2
    X[:, :30] += y[:, None]
    study = small_study({"t": TTest(), "f": _f_statistic()}, 3, [10, 50])
    path = study.run(X, y).report(tmp_path / "large.html")
    assert path.stat().st_size < 2e6
    text = path.read_text(encoding="utf-8")
    assert re.search(r"The \d+ features that some method put among", text)
    assert "d0-heatmap" in text


def test_of_many_samples_and_features_some_are_drawn_and_the_report_says_so(tmp_path, results):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((210, 80)), np.arange(210) % 2
    X[:, :70] += y[:, None]
    many = small_study({"t": TTest()}, 3, [5], models={}).run(X, y)
    text = many.report(tmp_path / "many.html").read_text("utf-8")
    assert "A sample of 200 of the 210 rows, in the proportions of the outcome." in text
    values = many.samples.values().frame()
    assert values.groupby("class")["row"].nunique().tolist() == [100, 100]
    wide = small_study({"t": TTest()}, 3, [70], models={}).run(X[:60], y[:60])
    text = wide.report(tmp_path / "wide.html").read_text("utf-8")
    assert "The 40 features chosen most often, of 70." in text
    n = Report(wide).to_dict()["datasets"][0]["features"]["n"]
    assert n >= 70
    assert f"The first 40 of the {n} features that some method put among" in text
    assert len(re.findall(r'<tr class="member[^"]*"><th scope="row">', text)) == 40
    link = re.search(r'href="(data:text/csv[^"]*)" download="d0-features.csv"', text)
    assert len(unquote(link[1]).splitlines()) == 1 + n
    for one in (many, wide):
        figures = Report(one).to_dict()["datasets"][0]["figures"]
        assert {"strips", "heatmap", "map"} <= set(figures)


def test_the_checklist_is_filled_in_and_safe(gallery, results):
    text = Report(gallery["two"]).dome()
    for title in ("Data", "Optimization", "Model", "Evaluation"):
        assert f"### {title}\n" in text
    assert "type 0: 24 and type 1: 20" in text
    assert "File genes.csv, SHA-256 00." in text
    assert text.count("**authors**") >= 8
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 4 + 4 + 8 + 4 + 5  # heads and questions
    awkward = Report(results).dome()
    assert "<em>" not in awkward
    assert all(line.count(" | ") == 1 for line in awkward.splitlines() if line.startswith("| "))


def test_short_names_are_spelt_out_only_where_they_mean_it(gallery):
    names = Report(gallery["two"]).to_dict()["datasets"][0]["names"]
    assert names["t"]["title"] == "shrunken t test"
    assert names["svm"]["title"] == "linear SVM"
    assert names["iw-svm-rfe"]["source"] == "Han & Yu 2010"
    assert names["svm-rfe-c1 (control, sum 1)"]["title"] == "SVM-RFE, C = 1 (control, sum 1)"
    X, y, _ = table(45, 20)
    other = small_study({"t": _f_statistic(), "bw": TTest()}, 3, (2,)).run(X, y)
    names = Report(other).to_dict()["datasets"][0]["names"]
    assert {name: known["title"] for name, known in names.items()} == {
        "t": "t", "bw": "bw", "1nn": "nearest neighbour"
    }  # fmt: skip


def test_empty_results_are_refused():
    from backstay.store import Store

    with pytest.raises(ValueError, match="run a study first"):
        Report(Results(Store(None))).to_dict()


def test_missing_extra_is_one_sentence(results, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "backstay\[app\]"'):
        Report(results).write(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_importing_brings_neither_matplotlib_nor_jinja2():
    code = "import sys, backstay.report; print({'matplotlib', 'jinja2'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (-0.1234, "−0.123"),
        (12345.6, "12346"),
        (True, "yes"),
        (7, "7"),
    ],
)
def test_numbers_in_tables(value, shown):
    assert number(value) == shown


def test_symbols_stand_before_names(tmp_path):
    X, y, _ = table(random_state=1)
    X.columns = [f"probe{j}" for j in range(X.shape[1])]
    symbols = [f"SYM{j}" if j % 2 == 0 else None for j in range(X.shape[1])]
    found = small_study({"t": TTest()}, 6, [4]).run(X, y, annotation={"gene symbol": symbols})
    part = Report(found).parts[0]
    names = [one.name for one in part.answer.signature]
    columns = [one.feature for one in part.answer.signature]
    expected = [f"SYM{j} · {X.columns[j]}" if symbols[j] else str(X.columns[j]) for j in columns]
    assert names == expected
    assert set(part.figures["heatmap"].features) == set(expected)
    assert {name for name, _ in part.figures["strips"].panels} == set(expected)
    X["probe0"] = (y == "ill").astype(float) + X["probe0"] / 1e6  # gives the classes away
    found = small_study({"t": TTest()}, 6, [4]).run(X, y, annotation={"gene symbol": symbols})
    (warning,) = Report(found).parts[0].answer.warnings
    assert warning.title == "SYM0 · probe0 alone nearly gives the classes away."


def test_a_sample_that_is_always_wrong_is_named_at_the_top(tmp_path):
    X, y, _ = table(random_state=1)
    X.iloc[:, :10] += 4.0 * (y == "ill")[:, None]
    y[7] = "ill" if y[7] != "ill" else "<u>well</u>"
    found = small_study({"t": TTest()}, 20, [5]).run(X, y)
    (one,) = Report(found).to_dict()["datasets"][0]["misclassified"]["suspect"]
    assert one["name"] == X.index[7]
    text = found.report(tmp_path / "odd.html").read_text("utf-8")
    assert text.index("Possibly mislabelled") < text.index("Limits of this answer")
