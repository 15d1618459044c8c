"""Every measure of the table against the oracle, and the properties it claims."""

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstay.stability import UndefinedStabilityWarning, list_measures, stability_score
from reference import stability as ref
from reference.stability_strategies import systems, systems_with_graph

SUBSETS = [entry for entry in list_measures().itertuples() if entry.input == "subsets"]
PLAIN = [entry for entry in SUBSETS if not entry.needs_similarity]
SIMILARITY = [entry for entry in SUBSETS if entry.needs_similarity]
UP = [entry for entry in SUBSETS if entry.higher_is_stabler]


# Bounds that depend on the number of runs m or of features p, as the table has them.
BOUNDS = {
    "1 - p": lambda m, p: 1 - p,
    "-1/(m - 1)": lambda m, p: -1 / (m - 1),
    "log2(m)": lambda m, p: math.log2(m),
    "m": lambda m, p: m,
}


def bounds_of(entry, m, p):
    return [BOUNDS[end](m, p) if end in BOUNDS else end for end in (entry.lower, entry.upper)]


def by_name(entry):
    return entry.name


def matrix(graph, p):
    out = np.zeros((p, p), dtype=bool)
    for i, j in map(tuple, graph):
        out[i, j] = out[j, i] = True
    return out


def oracle_similarity(entry, graph):
    return dict.fromkeys(graph, 1) if entry.name == "zucknick" else graph


def quiet(sets, p, measure, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedStabilityWarning)
        return stability_score(sets, p, measure, **options).value


def agrees(expected, sets, p, measure, **options):
    if expected is None:
        with pytest.warns(UndefinedStabilityWarning, match=measure):
            assert math.isnan(stability_score(sets, p, measure, **options).value)
        return
    value = quiet(sets, p, measure, **options)
    assert value == pytest.approx(float(expected), rel=1e-11, abs=1e-12)


def test_every_measure_is_there_and_has_an_oracle():
    names = """dunne kalousis dice ochiai kuncheva krizek somol somol_weighted somol_relative
    lustgarten wald phi nogueira drotar pogr npogr davis zucknick yu"""
    assert set(names.split()) <= {entry.name for entry in SUBSETS}
    assert {entry.name for entry in SUBSETS} == set(ref.SUBSETS)


def test_the_table_is_a_frame():
    table = list_measures()
    assert not table.duplicated(["input", "name"]).any()
    assert set(table.input) == {"subsets", "rankings", "weights", "predictions"}
    assert {"name", "lower", "upper", "chance_corrected", "equal_sizes", "reference"} <= set(
        table.columns
    )
    assert (table.reference != "").all()


@pytest.mark.parametrize("entry", PLAIN, ids=by_name)
def test_equals_the_oracle(entry):
    @settings(max_examples=25, deadline=None)
    @given(systems(equal=entry.equal_sizes))
    def check(system):
        sets, p = system
        agrees(ref.SUBSETS[entry.name](sets, p), sets, p, entry.name)

    check()


@pytest.mark.parametrize("entry", SIMILARITY, ids=by_name)
def test_equals_the_oracle_with_similar_features(entry):
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(systems_with_graph())
    def check(system):
        sets, p, graph = system
        expected = ref.SUBSETS[entry.name](sets, p, similarity=oracle_similarity(entry, graph))
        agrees(expected, sets, p, entry.name, similarity=matrix(graph, p))

    check()


@pytest.mark.parametrize("measure", ["pogr", "npogr"])
@settings(max_examples=25, deadline=None)
@given(system=systems_with_graph())
def test_partners_among_the_unshared(measure, system):
    sets, p, graph = system
    expected = ref.SUBSETS[measure](sets, p, similarity=graph, partners="unshared")
    agrees(expected, sets, p, measure, similarity=matrix(graph, p), partners="unshared")


@settings(max_examples=25, deadline=None)
@given(systems_with_graph(equal=True, proper=True))
def test_directed_npogr_is_the_symmetric_one_at_equal_sizes(system):
    sets, p, graph = system
    expected = ref.over_pairs(ref.npogr_symmetric)(sets, p, similarity=graph)
    agrees(expected, sets, p, "npogr", similarity=matrix(graph, p))


@settings(max_examples=25, deadline=None)
@given(systems(equal=True, proper=True))
def test_nothing_similar_leaves_the_plain_measures(system):
    sets, p = system
    none = np.zeros((p, p), dtype=bool)
    kuncheva = stability_score(sets, p, "kuncheva").value
    for measure, plain in [("npogr", kuncheva), ("yu", kuncheva)]:
        assert quiet(sets, p, measure, similarity=none) == pytest.approx(plain, abs=1e-12)
    jaccard = stability_score(sets, p, "kalousis").value
    assert quiet(sets, p, "zucknick", similarity=none) == pytest.approx(jaccard)


@settings(max_examples=25, deadline=None)
@given(systems(equal=True, proper=True))
def test_equal_sizes_make_many_measures_one(system):
    sets, p = system
    kuncheva = stability_score(sets, p, "kuncheva")
    for measure in ("nogueira", "wald", "phi", "kappa"):
        assert quiet(sets, p, measure) == pytest.approx(kuncheva.value, abs=1e-12)
    dice = stability_score(sets, p, "dice").value
    assert quiet(sets, p, "ochiai") == pytest.approx(dice)
    assert quiet(sets, p, "somol_weighted") == pytest.approx(dice)


@settings(max_examples=25, deadline=None)
@given(system=systems(), top=st.integers(1, 9), penalty=st.fractions(0, 2, max_denominator=8))
def test_options(system, top, penalty):
    sets, p = system
    top = min(top, p)
    agrees(ref.drotar(sets, p, top=top), sets, p, "drotar", top=top)
    agrees(ref.davis(sets, p, penalty=penalty), sets, p, "davis", penalty=float(penalty))


@settings(max_examples=25, deadline=None)
@given(systems())
def test_krizek_reports_the_normalised_entropy(system):
    sets, p = system
    expected = ref.krizek_normalized(sets, p)
    if expected is None:
        with pytest.warns(UndefinedStabilityWarning, match="normalized krizek"):
            result = stability_score(sets, p, "krizek")
        assert math.isnan(result.details["normalized"])
        return
    result = stability_score(sets, p, "krizek")
    assert result.details["normalized"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("theta", [0.3, 0.7])
def test_zucknick_weighs_by_similarity(theta):
    rng = np.random.default_rng(0)
    p = 8
    half = rng.integers(0, 11, size=(p, p))
    values = (half + half.T) / 20
    sets = [frozenset(rng.choice(p, 4, replace=False).tolist()) for _ in range(4)]
    kept = {
        frozenset((i, j)): values[i, j] for i, j in combinations(range(p), 2)
        if values[i, j] >= theta
    }  # fmt: skip
    expected = ref.SUBSETS["zucknick"](sets, p, similarity=kept)
    result = stability_score(sets, p, "zucknick", similarity=values, threshold=theta)
    assert result.value == pytest.approx(float(expected), rel=1e-12)


# Properties the table claims


def with_similarity(entry, graph, p):
    return {"similarity": matrix(graph, p)} if entry.needs_similarity else {}


@pytest.mark.parametrize("entry", SUBSETS, ids=by_name)
def test_stays_within_its_bounds(entry):
    @settings(max_examples=25, deadline=None)
    @given(systems_with_graph(equal=entry.equal_sizes))
    def check(system):
        sets, p, graph = system
        value = quiet(sets, p, entry.name, **with_similarity(entry, graph, p))
        low, high = bounds_of(entry, len(sets), p)
        assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12

    check()


@pytest.mark.parametrize("entry", SUBSETS, ids=by_name)
def test_value_for_identical_subsets(entry):
    values = set()
    for p, size in [(10, 3), (10, 7), (7, 1)]:
        graph = frozenset({frozenset({0, p - 1})})
        result = quiet([range(size)] * 4, p, entry.name, **with_similarity(entry, graph, p))
        values.add(round(result, 12))
    if math.isnan(entry.identical):
        assert values != {1.0}
    else:
        assert values == {entry.identical}


def test_lustgarten_is_not_1_for_identical_subsets_and_wald_is_1_for_nested_ones():
    same, nested = [[0, 1], [0, 1]], [[0, 1], [0, 1, 2, 3]]
    assert stability_score(same, 10, "lustgarten").value == pytest.approx(0.8)
    assert stability_score(nested, 10, "wald").value == pytest.approx(1)
    assert stability_score(nested, 10, "phi").value < 1


@pytest.mark.parametrize("entry", [e for e in SUBSETS if e.chance_corrected], ids=by_name)
@pytest.mark.parametrize("sizes", [(2, 2), (1, 3), (3, 4)])
def test_random_subsets_give_0_on_average(entry, sizes):
    """Exactly 0 over all pairs of subsets of given sizes (Nogueira: of one size)."""
    p = 5
    if entry.equal_sizes or entry.name == "nogueira":
        sizes = (sizes[0], sizes[0])
    graph = frozenset({frozenset({0, 1}), frozenset({1, 2})})
    options = with_similarity(entry, graph, p)
    values = [
        stability_score([a, b], p, entry.name, **options).value
        for a in combinations(range(p), sizes[0])
        for b in combinations(range(p), sizes[1])
    ]
    assert np.mean(values) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "entry", [e for e in PLAIN if not e.chance_corrected and e.higher_is_stabler], ids=by_name
)
def test_the_others_are_above_0_for_random_subsets(entry):
    values = [
        stability_score([a, b], 5, entry.name).value
        for a in combinations(range(5), 3)
        for b in combinations(range(5), 3)
    ]
    assert np.mean(values) > 0.05


@pytest.mark.parametrize("entry", PLAIN, ids=by_name)
def test_more_overlap_is_never_less_stable(entry):
    """Two runs, p=12, all size pairs: value as a function of the overlap alone."""
    p = 12
    for a in range(1, p):
        for b in [a] if entry.equal_sizes else range(1, p):
            values = []
            for r in range(max(0, a + b - p), min(a, b) + 1):
                sets = [range(a), [*range(r), *range(a, a + b - r)]]
                values.append(quiet(sets, p, entry.name))
            steps = np.diff(values) if entry.higher_is_stabler else -np.diff(values)
            assert (steps >= -1e-12).all(), (a, b, values)


@pytest.mark.parametrize("entry", SUBSETS, ids=by_name)
def test_names_and_order_of_features_and_runs_do_not_matter(entry):
    @settings(max_examples=25, deadline=None)
    @given(systems_with_graph(equal=entry.equal_sizes, proper=True), st.randoms())
    def check(system, random):
        sets, p, graph = system
        name = random.sample(range(p), p)
        renamed = [frozenset(name[f] for f in chosen) for chosen in random.sample(sets, len(sets))]
        graph2 = frozenset(frozenset(name[f] for f in pair) for pair in graph)
        before = quiet(sets, p, entry.name, **with_similarity(entry, graph, p))
        after = quiet(renamed, p, entry.name, **with_similarity(entry, graph2, p))
        assert before == pytest.approx(after, nan_ok=True, abs=1e-12)

    check()


@pytest.mark.parametrize("entry", PLAIN, ids=by_name)
def test_forms_of_input_agree(entry):
    import pandas as pd
    from scipy import sparse

    class Selector:
        def __init__(self, mask):
            self.mask = mask

        def get_support(self):
            return self.mask

    lists = [[0, 4, 2], [1, 2, 0], [4, 2, 3]]
    mask = np.zeros((3, 6), dtype=bool)
    for row, chosen in zip(mask, lists, strict=True):
        row[chosen] = True
    expected = stability_score(lists, 6, entry.name).value
    forms = [
        np.array(lists), [set(x) for x in lists], (x for x in lists),
        [np.array(x, dtype=np.uint8) for x in lists],
    ]  # fmt: skip
    for form in forms:
        assert stability_score(form, 6, entry.name).value == expected
    masks = [
        mask, mask.tolist(), pd.DataFrame(mask), sparse.csr_array(mask),
        [Selector(row) for row in mask], [mask[0], [1, 2, 0], Selector(mask[2])],
    ]  # fmt: skip
    for form in masks:
        assert stability_score(form, measure=entry.name).value == expected


@given(systems(max_features=7, max_runs=4), st.data())
@settings(deadline=None, max_examples=40)
def test_modules_stand_for_their_features(system, data):
    sets, p = system
    modules = data.draw(st.lists(st.integers(0, 3), min_size=p, max_size=p))
    expected = ref.over_ordered_pairs(ref.module_match)(sets, p, modules=modules)
    agrees(expected, sets, p, "module_match", modules=modules)
    plain = quiet(sets, p, "module_match")
    assert plain == pytest.approx(quiet(sets, p, "kappa"), nan_ok=True, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(3, 3), (2, 4)])
def test_random_subsets_match_no_modules_on_average(a, b):
    modules = [0, 0, 0, 0, 1, 1, 2]
    values = [
        stability_score([one, other], 7, "module_match", modules=modules).value
        for one in combinations(range(7), a)
        for other in combinations(range(7), b)
    ]
    assert np.mean(values) == pytest.approx(0, abs=1e-12)


def test_a_giant_module_makes_nothing_stable():
    """More than a third of all features in one module, as in real arrays, most others alone."""
    rng = np.random.default_rng(0)
    giant, p, size = np.arange(2139), 5966, 50
    others = np.arange(giant.size, p)
    modules = np.arange(p)
    modules[giant] = 0
    modules[others[:500]] = 3000 + np.arange(500) // 10

    def measured(*parts):
        runs = [
            np.concatenate([rng.choice(pool, n, replace=False) for pool, n in parts])
            for _ in range(30)
        ]
        matched = stability_score(runs, p, "module_match", modules=modules).value
        return stability_score(runs, p, "kuncheva").value, matched

    for pool in (np.arange(p), others):
        assert measured((pool, size)) == pytest.approx((0, 0), abs=0.03)
    # The same modules every time, with other members, are worth 1.
    assert measured((giant, size))[1] == pytest.approx(1)
    assert measured(*((others[i : i + 10], 5) for i in range(0, 100, 10)))[1] == pytest.approx(1)
    # More of the giant module than at random: of 50, a random subset has a partner for 18.
    assert measured((giant, 40), (others, 10))[1] == pytest.approx((40 - 18) / (50 - 18), abs=0.02)


def test_modules_are_one_per_feature():
    with pytest.raises(ValueError, match=r"one module for each of 4 features; got shape \(3,\)"):
        stability_score([[0], [1]], 4, "module_match", modules=[0, 1, 2])
