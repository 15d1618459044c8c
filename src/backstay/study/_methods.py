"""Methods by short names: one table for choosing, for the documentation and for tests."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from backstay.base import InstanceWeighted, outcomes_of
from backstay.ensemble import BaggedRanker, RepeatedSelector, StabilitySelection
from backstay.feature_weighting import (
    MRMR,
    SVMRFE,
    BetweenWithinRatio,
    BorutaRanker,
    CategoryImportance,
    ChiSquared,
    CoxPath,
    CoxScore,
    DistributionDifference,
    DoubleReliefF,
    EffectRanker,
    ElasticNetRanker,
    EntropicDistance,
    ForestImportance,
    FStatistic,
    GainRatio,
    GiniGain,
    InformationGain,
    InstanceReweighted,
    LassoPath,
    MantarasDistance,
    MyopicReliefF,
    NearestShrunkenCentroids,
    OneR,
    OnResiduals,
    PermutationImportance,
    Relief,
    ReliefF,
    RidgeRFE,
    RReliefF,
    Simba,
    SlopeTest,
    Spearman,
    SymmetricalUncertainty,
    TTest,
    ValueDifference,
    Wilcoxon,
)
from backstay.instance_weighting import JointWeighting, LogisticWeighting, MarginWeighting
from backstay.redundancy import ModuleRanker
from backstay.wrappers import SequentialSelector

# A sequential search evaluates d(d + 1)/2 subsets per resample; it is refused beyond these d.
WRAPPER_FEATURES = {"1nn": 500, "lda": 200, "svm": 200, "ridge": 500}


@dataclass(frozen=True)
class Method:
    """A method that has a short name; `list_methods` says what most of the fields mean."""

    name: str
    group: str
    what: str
    source: str
    factory: Callable[[], Any]
    max_features: int | None = None
    title: str = ""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Kinds of outcome that it takes."""
        return outcomes_of(self.factory())


HY, HAN, PRAT, PB = (
    "Han & Yu 2010", "Han's dissertation", "Prat's thesis", "Prat & Belanche 2016",
)  # fmt: skip


_FILTERS = (
    Method("t", "filter", "t statistic, median standard error added (shrunken)",
           "Tusher, Tibshirani & Chu 2001", lambda: TTest(moderation="shrunken"),
           title="shrunken t test"),
    Method("student-t", "filter", "t statistic, one variance for both classes", "Student 1908",
           TTest, title="Student's t test"),
    Method("moderated-t", "filter", "t statistic, variances drawn together", "Smyth 2004",
           lambda: TTest(moderation="moderated"), title="moderated t test"),
    Method("f", "filter", "F statistic of the analysis of variance", "Fisher 1925", FStatistic,
           title="F test"),
    Method("bw", "filter", "sum of squares between classes over that within",
           "Dudoit, Fridlyand & Speed 2002", BetweenWithinRatio, title="between–within ratio"),
    Method("wilcoxon", "filter", "rank sums: AUC of every feature", "Wilcoxon 1945", Wilcoxon),
    Method("slope", "filter", "t statistic of the slope on y, median standard error added",
           "Tusher, Tibshirani & Chu 2001", lambda: SlopeTest(moderation="shrunken"),
           title="shrunken slope test"),
    Method("spearman", "filter", "rank correlation of every feature with y", "Spearman 1904",
           Spearman, title="Spearman's correlation"),
    *(
        Method(f"dial-{round(100 * g)}", "filter",
               f"class effects times the feature's deviation to the power of {g:g}",
               "Tibshirani et al. 2002", partial(EffectRanker, g))
        for g in (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
    ),
    Method("pam", "filter", "threshold at which nearest shrunken centroids drop a feature",
           "Tibshirani et al. 2002", NearestShrunkenCentroids, title="shrunken centroids"),
    Method("mrmr", "filter", "mutual information, over that with features before it",
           "Ding & Peng 2005", MRMR),
    Method("mrmr-f", "filter", "F statistic, or |r| of numbers, over correlation with those before",
           "Ding & Peng 2005", lambda: MRMR("f_ratio")),
    Method("info-gain", "filter", "information gain, MDL-discretised", PRAT, InformationGain),
    Method("gain-ratio", "filter", "information gain over the feature's entropy", PRAT, GainRatio),
    Method("su", "filter", "symmetrical uncertainty", PRAT, SymmetricalUncertainty,
           title="symmetrical uncertainty"),
    Method("mantaras", "filter", "1 minus Mántaras' distance", PRAT, MantarasDistance),
    Method("entropic", "filter", "minus the entropic distance", PRAT, EntropicDistance),
    Method("gini", "filter", "Gini gain", PRAT, GiniGain, title="Gini gain"),
    Method("myopic-relieff", "filter", "ReliefF over all neighbours, one feature at a time", PRAT,
           MyopicReliefF),
    Method("joint-product", "filter", "joint against product distribution", PRAT,
           DistributionDifference),
    Method("chi2", "filter", "χ² of feature and class", PRAT, ChiSquared, title="χ² test"),
    Method("one-r", "filter", "accuracy of one rule on one feature", "Holte 1993", OneR),
    Method("vdm", "filter", "value difference metric as a weight", PRAT, ValueDifference,
           title="value difference metric"),
    Method("ccf", "filter", "cross-category feature importance", PRAT, CategoryImportance,
           title="cross-category importance"),
    Method("pcf", "filter", "per-category feature importance", PRAT,
           lambda: CategoryImportance(kind="pcf"), title="per-category importance"),
)  # fmt: skip

_RELIEF = (
    Method("relieff", "relief", "10 nearest hits against 10 nearest misses",
           "Kononenko 1994", ReliefF, title="ReliefF"),
    Method("iw-relieff", "relief", "ReliefF with margin-based instance weights", HAN,
           lambda: InstanceWeighted(ReliefF(), MarginWeighting()), title="weighted ReliefF"),
    Method("liw-relieff", "relief", "ReliefF with logistic instance weights", PRAT,
           lambda: InstanceWeighted(ReliefF(), LogisticWeighting())),
    Method("joint-relieff", "relief", "ReliefF and margin weights in alternation", PRAT,
           lambda: InstanceWeighted(ReliefF(), JointWeighting(ReliefF(), MarginWeighting()))),
    Method("reweighted-relieff", "relief", "dReliefF, margin weights updated at every visit", PRAT,
           lambda: InstanceReweighted(DoubleReliefF(), MarginWeighting())),
    Method("relief", "relief", "one nearest hit, one nearest miss", "Kira & Rendell 1992", Relief),
    Method("relievedf", "relief", "ReliefF, misses of any class", PRAT,
           lambda: ReliefF(miss="any")),
    Method("relieff-exp", "relief", "ReliefF, nearer neighbours count more (σ = 20)",
           "Robnik-Šikonja & Kononenko 2003", lambda: ReliefF(sigma=20.0)),
    Method("rrelieff", "relief", "ReliefF for numbers: 10 nearest rows, by how far y differs",
           "Robnik-Šikonja & Kononenko 2003", RReliefF, title="RReliefF"),
    Method("drelieff", "relief", "ReliefF, distances under the weights so far", PRAT,
           DoubleReliefF),
    Method("pdrelieff", "relief", "dReliefF, the weights blended in gradually", PRAT,
           lambda: DoubleReliefF(progressive=True)),
)  # fmt: skip

_LASSO = (
    Method("lasso", "lasso", "order of entry on the path of the lasso",
           "Tibshirani 1996", LassoPath),
    Method("elastic-net", "lasso", "order of entry on the path of the elastic net",
           "Zou & Hastie 2005", ElasticNetRanker, title="elastic net"),
)  # fmt: skip

_SURVIVAL = (
    Method("cox-score", "survival", "score test of the Cox model, median standard error added",
           "Tusher, Tibshirani & Chu 2001", lambda: CoxScore(moderation="shrunken"),
           title="shrunken Cox score test"),
    Method("cox-lasso", "survival", "order of entry on the path of the Cox lasso",
           "Tibshirani 1997", CoxPath, title="Cox lasso"),
    Method("cox-elastic-net", "survival", "order of entry on the path of the Cox elastic net",
           "Simon et al. 2011", lambda: CoxPath(0.5), title="Cox elastic net"),
    *(
        Method(f"{name}-residuals", "survival", f"{what}, on martingale residuals",
               "Therneau, Grambsch & Fleming 1990", partial(OnResiduals, ranker), title=title)
        for name, what, ranker, title in (
            ("spearman", "rank correlation", Spearman(), "Spearman's correlation, residuals"),
            ("mrmr", "correlation over that with those before", MRMR("f_ratio"),
             "mRMR, residuals"),
            ("relieff", "RReliefF", RReliefF(), "RReliefF, residuals"),
            ("forest", "random forest", ForestImportance(), "random forest, residuals"),
            ("ridge-rfe", "ridge RFE with penalty 10,000", RidgeRFE(10_000.0),
             "ridge RFE, residuals"),
        )
    ),
)  # fmt: skip

_SVM = (
    Method("svm-rfe", "svm", "linear SVM with cost 1/n, drops a tenth each round",
           "Guyon et al. 2002", lambda: SVMRFE(C="1/n"), title="SVM-RFE"),
    Method("svm-rfe-c1", "svm", "linear SVM with cost 1, as published",
           "Guyon et al. 2002", SVMRFE, title="SVM-RFE, C = 1"),
    Method("iw-svm-rfe", "svm", "margin weights summing to 1, as published: look at its control",
           HY, lambda: InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
           title="weighted SVM-RFE"),
    Method("iw-svm-rfe-mean", "svm", "margin weights of mean 1: the weighting alone", HY,
           lambda: InstanceWeighted(SVMRFE(), MarginWeighting())),
    Method("liw-svm-rfe", "svm", "logistic weights of mean 1", PRAT,
           lambda: InstanceWeighted(SVMRFE(), LogisticWeighting())),
    Method("ridge-rfe", "svm", "ridge regression, penalty 10,000, drops a tenth each round",
           "Guyon et al. 2002", lambda: RidgeRFE(10_000.0), title="ridge RFE"),
    Method("bagged-svm-rfe", "ensemble", "20 bootstraps of SVM-RFE, ranks summed",
           "Abeel et al. 2010", lambda: BaggedRanker(SVMRFE()), title="bagged SVM-RFE"),
    Method("bagged-iw-svm-rfe", "ensemble", "20 bootstraps of IW SVM-RFE, ranks summed", HAN,
           lambda: BaggedRanker(InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")))),
    Method("bagged-relieff", "ensemble", "20 bootstraps of ReliefF, ranks summed", HAN,
           lambda: BaggedRanker(ReliefF()), title="bagged ReliefF"),
    Method("bagged-t", "ensemble", "20 bootstraps of the shrunken t, ranks summed",
           "Abeel et al. 2010", lambda: BaggedRanker(TTest(moderation="shrunken")),
           title="bagged t test"),
    Method("modules-t", "ensemble", "shrunken t of modules of correlated features, then members",
           "Park, Hastie & Tibshirani 2007", lambda: ModuleRanker(TTest(moderation="shrunken"))),
    Method("stability-selection", "ensemble", "how often ReliefF picks it in 50 pairs of halves",
           "Shah & Samworth 2013", lambda: StabilitySelection(ReliefF())),
    Method("repeated-relieff", "ensemble", "how often 20 bootstraps of ReliefF keep it in half",
           PRAT, lambda: RepeatedSelector(ReliefF())),
    Method("forest", "forest", "decrease of impurity in a random forest", "Breiman 2001",
           ForestImportance, title="random forest"),
    Method("extra-trees", "forest", "decrease of impurity in extremely random trees",
           "Geurts, Ernst & Wehenkel 2006", lambda: ForestImportance(forest="extra_trees")),
    Method("permutation", "forest", "accuracy a forest loses when the feature is shuffled",
           "Breiman 2001", PermutationImportance, title="permutation importance"),
    Method("boruta", "forest", "how often it beats the best shuffled feature in 500 trees",
           "Kursa & Rudnicki 2010", BorutaRanker, title="Boruta"),
)  # fmt: skip


def _simba_method(prefix: str, weighting: Any, strategy: str, delta: bool) -> Method:
    uses = {"normal": [], "sample": ["draws"], "order": ["order of visits"]}[strategy]
    uses = [*uses, "step size"] if delta else uses
    return Method(
        f"{prefix}-simba-{strategy}{'-delta' if delta else ''}",
        "simba",
        f"Simba, {'margin' if prefix == 'iw' else 'logistic'} weights as {' and '.join(uses)}",
        PB if prefix == "iw" else PRAT,
        lambda: InstanceWeighted(Simba(strategy=strategy, delta=delta), weighting()),
    )


_SIMBA = (
    Method("simba", "simba", "ascends the sum of margins, one pass",
           "Gilad-Bachrach, Navot & Tishby 2004", Simba, title="Simba"),
    Method("simba-batch", "simba", "Simba, batch ascent to convergence", PRAT,
           lambda: Simba(solver="batch")),
    Method("reweighted-simba", "simba", "Simba, margin weights updated at every visit", PB,
           lambda: InstanceReweighted(Simba(delta=True), MarginWeighting())),
    Method("simba-progressive", "simba", "Simba, the weights blended in gradually", PRAT,
           lambda: Simba(progressive=True)),
    *(
        _simba_method(prefix, weighting, strategy, delta)
        for prefix, weighting in (("iw", MarginWeighting), ("liw", LogisticWeighting))
        for strategy in ("normal", "sample", "order")
        for delta in (False, True)
        if strategy != "normal" or delta  # neither would be plain Simba
    ),
)  # fmt: skip

_MOVES = {"sfg": "forward", "sbg": "backward"}
_INDUCERS = {"1nn": "1nn", "lda": "lda", "svm": "svm_linear", "ridge": "ridge"}
_CRITERIA = {
    "": ("plain", "Prat's thesis, section 2.1", ""),
    "rsa-": ("remainder", "Prat's thesis, chapter 6", ", aware of the remainder"),
    "acc-": ("accumulated", "Prat's thesis, chapter 7", ", with accumulated evidence"),
}


def _wrapper(mark: str, move: str, inducer: str) -> Method:
    criterion, source, words = _CRITERIA[mark]
    return Method(
        f"{mark}{move}-{inducer}",
        "wrapper",
        f"{_MOVES[move]} search by {'R²' if inducer == 'ridge' else 'accuracy'} of "
        f"{inducer if inducer == 'ridge' else inducer.upper()}{words}",
        source,
        lambda: SequentialSelector(_INDUCERS[inducer], direction=_MOVES[move], criterion=criterion),
        max_features=WRAPPER_FEATURES[inducer],
    )


_WRAPPERS = tuple(
    _wrapper(mark, move, inducer)
    for mark in _CRITERIA
    for move in _MOVES
    for inducer in _INDUCERS
    if inducer != "ridge" or not mark  # the other criteria do not take numbers
)

PANEL = {m.name: m for m in (*_FILTERS, *_RELIEF, *_LASSO, *_SURVIVAL, *_SVM, *_SIMBA, *_WRAPPERS)}
# The default panel of every kind of outcome. What earned its place is in docs/which-method.md.
DEFAULTS = {
    "classes": ("t", "wilcoxon", "mrmr-f", "relieff", "elastic-net", "svm-rfe"),
    "numbers": ("slope", "spearman", "mrmr-f", "rrelieff", "elastic-net", "ridge-rfe"),
    "survival": (
        "cox-score", "spearman-residuals", "mrmr-residuals", "relieff-residuals",
        "cox-elastic-net", "ridge-rfe-residuals",
    ),
}  # fmt: skip
# A first look: cheap methods of different kinds.
QUICK = {
    "classes": ("t", "f", "info-gain", "relieff"),
    "numbers": ("slope", "spearman", "mrmr-f", "rrelieff"),
    "survival": ("cox-score", "spearman-residuals", "mrmr-residuals", "relieff-residuals"),
}
# Names that stand for several methods; the first is that of the four documents, weightings and all.
GROUPS = {
    "papers": ("t", "relieff", "iw-relieff", "svm-rfe-c1", "iw-svm-rfe", "bagged-svm-rfe", "simba"),
    "dial": tuple(name for name in PANEL if name.startswith("dial-")),
}


def list_methods(kind: str | None = None) -> pd.DataFrame:
    """Return a table of the methods that have a short name.

    Parameters
    ----------
    kind : {"classes", "numbers", "survival"}, default=None
        List the methods that take this kind of outcome; None lists all.

    Returns
    -------
    DataFrame
        One row per method: ``name``, ``group``, ``default`` (whether it is in the default panel of
        the kind, or of classes), ``what`` it does, ``max_features`` it is run on (nan for any
        number), ``source``, ``title``, and ``outcomes`` that it takes.

    Examples
    --------
    >>> table = list_methods()
    >>> table.loc[table.default, "name"].tolist()
    ['t', 'wilcoxon', 'mrmr-f', 'relieff', 'elastic-net', 'svm-rfe']
    """
    columns = ("name", "group", "default", "what", "max_features", "source", "title", "outcomes")
    default = DEFAULTS[kind or "classes"]
    rows = [
        {
            **vars(m),
            "default": m.name in default,
            "title": m.title or m.name,
            "outcomes": ", ".join(m.outcomes),
        }
        for m in PANEL.values()
        if kind is None or kind in m.outcomes
    ]
    frame = pd.DataFrame([{c: row[c] for c in columns} for row in rows])
    return frame.sort_values("default", ascending=False, kind="stable", ignore_index=True)


def make_methods(
    names: Iterable[str] | str | None = None,
    *,
    n_features: int | None = None,
    kind: str | None = None,
) -> dict[str, Any]:
    """Make methods by name, as :class:`Study` takes them.

    Parameters
    ----------
    names : iterable of str, or str, default=None
        Names in :func:`list_methods`, also in one text with commas between them; "default", like
        None, stands for the default panel, "quick" for a few cheap methods, "papers" for those of
        the four documents, "dial" for :class:`EffectRanker` from stable to accurate.
    n_features : int, default=None
        Number of features of the data; methods that would take too long are refused.
    kind : {"classes", "numbers", "survival"}, default=None
        Kind of outcome, which has its own default panel; methods that do not take it are refused.
        None is the panel for classes, and refuses none.

    Returns
    -------
    dict of str to ranker
        In the order of the names. A study adds the controls of weighted ones itself.

    Examples
    --------
    >>> make_methods(["t", "relieff"])
    {'t': TTest(moderation='shrunken'), 'relieff': ReliefF()}
    """
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    given = ["default"] if names is None else list(names)
    held = kind or "classes"
    groups = {"default": DEFAULTS[held], "quick": QUICK[held], **GROUPS}
    chosen = dict.fromkeys(n for name in given for n in groups.get(name, (name,)))
    if not chosen:
        raise ValueError("no method is named; leave names out for the default panel.")
    for name in chosen:
        if name not in PANEL:
            known = [*PANEL, "default", "quick", *GROUPS]
            plain = name.lower().replace("_", "-").removesuffix("test").strip("-")
            near = difflib.get_close_matches(plain, known, 3, 0.5)
            near += [n for n in PANEL if name.lower() in n and n not in near][:3]
            there = (
                f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(PANEL)}."
            )
            raise ValueError(f"no method is called {name!r}; {there}")
        if kind is not None and kind not in PANEL[name].outcomes:
            raise _other_outcome(name, kind)
        limit = PANEL[name].max_features
        if limit is not None and n_features is not None and n_features > limit:
            raise ValueError(
                f"{name} would evaluate {n_features * (n_features + 1) // 2} subsets per resample "
                f"of {n_features} features; it is run on up to {limit}. Preselect features, or "
                "leave it out."
            )
    return {name: PANEL[name].factory() for name in chosen}


def _other_outcome(name: str, kind: str) -> ValueError:
    taken = " or ".join(PANEL[name].outcomes)
    # Methods at one place of two panels do the same for two kinds of outcome.
    pairs = [
        pair for panel in DEFAULTS.values() for pair in zip(panel, DEFAULTS[kind], strict=True)
    ]
    able = [m.name for m in PANEL.values() if kind in m.outcomes]
    instead = f"use {dict(pairs)[name]}" if name in dict(pairs) else f"there are {', '.join(able)}"
    return ValueError(f"{name} takes {taken}, but the outcome is {kind}: {instead} instead.")
