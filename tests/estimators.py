"""Every public estimator, discovered, and the instances that the contract tests run on.

An estimator is public when the ``__all__`` of a public module names it. One that can be
constructed without arguments is tested as it comes; others are listed in `INSTEAD`.
"""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils import get_tags

import backstay
from backstay import (
    BaggedRanker,
    BorutaRanker,
    CategoryImportance,
    CoxPath,
    CoxScore,
    DecoyControl,
    DistributionDifference,
    DoubleReliefF,
    DoublyWeighted,
    EntropicDistance,
    ForestImportance,
    FStatistic,
    GainRatio,
    GiniGain,
    InstanceReweighted,
    InstanceWeighted,
    JointWeighting,
    LassoPath,
    LogisticWeighting,
    MantarasDistance,
    MarginWeighting,
    ModuleRanker,
    MyopicReliefF,
    OneR,
    OnResiduals,
    PermutationImportance,
    Relief,
    ReliefF,
    RepeatedSelector,
    RReliefF,
    SequentialSelector,
    Signature,
    Simba,
    SlopeTest,
    StabilitySelection,
    SymmetricalUncertainty,
    TTest,
    ValueDifference,
)
from backstay.base import outcomes_of

# In place of the default: those that need arguments, and those that are slow without.
INSTEAD = {
    JointWeighting: [JointWeighting(ReliefF(), MarginWeighting())],
    InstanceWeighted: [
        InstanceWeighted(ReliefF(), MarginWeighting()),
        InstanceWeighted(SVC(kernel="linear"), LogisticWeighting(), strategy="order"),
    ],
    InstanceReweighted: [
        InstanceReweighted(DoubleReliefF(random_state=0), LogisticWeighting(), every=10),
        InstanceReweighted(Simba(strategy="order", random_state=0), MarginWeighting(), every=10),
    ],
    DoublyWeighted: [DoublyWeighted(LogisticRegression(), TTest())],
    ForestImportance: [ForestImportance(5), ForestImportance(5, forest="extra_trees")],
    BorutaRanker: [BorutaRanker(4, max_iter=3, n_features_to_select=0.5)],
    PermutationImportance: [PermutationImportance(5, n_repeats=1)],
    BaggedRanker: [
        BaggedRanker(ReliefF(), 4, random_state=0),
        BaggedRanker(CoxScore(), 4, random_state=0),
        BaggedRanker(
            LogisticRegression(), 4, resample="subsample", aggregate="rra", random_state=0
        ),
    ],
    OnResiduals: [OnResiduals(LassoPath(n_lambdas=20))],
    CoxPath: [CoxPath(0.5, n_lambdas=20)],
    ModuleRanker: [ModuleRanker(TTest())],
    StabilitySelection: [
        StabilitySelection(
            ReliefF(), threshold=0.6, assumption="none", n_resamples=3, random_state=0
        ),
        StabilitySelection(
            LassoPath(n_lambdas=20),
            threshold=0.6,
            assumption="none",
            pfer=20,
            n_resamples=3,
            path=True,
            random_state=0,
        ),
    ],
    DecoyControl: [DecoyControl(SlopeTest(), 2, n_resamples=2, alpha=0.5, random_state=0)],
    RepeatedSelector: [
        RepeatedSelector(ReliefF(), 4, random_state=0),
        RepeatedSelector(LogisticRegression(), 4, keep="grow", random_state=0),
    ],
    SequentialSelector: [
        SequentialSelector(cv=2),
        SequentialSelector(GaussianNB(), cv=2, n_features_to_select=1),
        SequentialSelector("lda", cv=2, direction="backward", criterion="accumulated"),
        SequentialSelector("ridge", cv=2),
    ],
}
# Beside the default: variants that take another way through the code.
BESIDE = {
    Simba: [Simba(strategy="sample", delta=True), Simba(solver="batch")],
    CategoryImportance: [CategoryImportance(kind="pcf")],
    CoxScore: [CoxScore(moderation="shrunken")],
    SlopeTest: [SlopeTest(moderation="shrunken")],
    TTest: [TTest(moderation="moderated", n_features_to_select="fdr", alpha=0.5)],
}
# These differ in a formula or in fixed parameters alone from others, whose checks hold for them.
LIKE_OTHERS = (
    DistributionDifference,
    EntropicDistance,
    FStatistic,
    GainRatio,
    GiniGain,
    LassoPath,
    MantarasDistance,
    MyopicReliefF,
    OneR,
    Relief,
    SymmetricalUncertainty,
    ValueDifference,
)

COPIES = (
    "copies of a row become each other's nearest hits, so repeating a row is not the same as "
    "weighting it"
)
DRAWS = (
    "rows are drawn before they are weighted: with repeated rows in place of weights the "
    "resamples are others"
)
BOOTSTRAP = "the bootstrap draws from the rows there are, so a row of weight 2 is not two rows"
# Why an integer weight is not the same as repeated rows.
NOT_REPETITION = {
    Relief: COPIES,
    ReliefF: COPIES,
    RReliefF: COPIES,
    DoubleReliefF: COPIES,
    Simba: COPIES,
    InstanceReweighted: COPIES,
    InstanceWeighted: COPIES,
    BaggedRanker: DRAWS,
    DecoyControl: DRAWS,
    StabilitySelection: DRAWS,
    RepeatedSelector: DRAWS,
    ForestImportance: BOOTSTRAP,
    BorutaRanker: BOOTSTRAP,
    PermutationImportance: "values are shuffled between the rows there are",
}


OLD_CHECKS = sklearn.__version__.startswith("1.6")


def expected_failed_checks(estimator):
    """The one contract of scikit-learn that some methods cannot honour, and why."""
    reason = next((NOT_REPETITION[k] for k in type(estimator).__mro__ if k in NOT_REPETITION), None)
    if isinstance(estimator, RepeatedSelector) and estimator.keep == "grow":
        reason = None  # on the checks' data, growing stops at the same features
    if isinstance(estimator, ForestImportance) and estimator.forest == "extra_trees":
        reason = None  # these trees see all rows
    tags = get_tags(estimator).input_tags
    data = ["dense", "sparse"] if tags.sparse else ["dense"]
    checks = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in data]
    failing = dict.fromkeys(checks, reason) if reason else {}
    if tags.categorical and not tags.allow_nan and OLD_CHECKS:
        failing["check_positive_only_tag_during_fit"] = "scikit-learn 1.6 subtracts from integers"
    return failing


def refuses_text_inside(estimator):
    """Whether a frame reaches an estimator of scikit-learn's, which refuses text in its own words.

    It gets the frame as it is because it may encode it, as a pipeline does.
    """
    holds_frames = isinstance(estimator, BaggedRanker | RepeatedSelector | SequentialSelector)
    return holds_frames and isinstance(estimator.estimator, LogisticRegression | GaussianNB)


def public_estimators():
    """Concrete estimator classes that a public module of backstay names in its ``__all__``."""
    found = [name for _, name, _ in pkgutil.walk_packages(backstay.__path__, "backstay.")]
    modules = [backstay, *(import_module(name) for name in found if "._" not in name)]
    named = [getattr(module, name) for module in modules for name in getattr(module, "__all__", [])]
    kinds = {kind for kind in named if inspect.isclass(kind) and issubclass(kind, BaseEstimator)}
    # A frozen signature is never fitted; tests/signature has its contract.
    concrete = [k for k in kinds if not inspect.isabstract(k) and k is not Signature]
    return sorted(concrete, key=lambda kind: kind.__name__)


def needs_arguments(kind):
    """Whether the class cannot be constructed as it comes."""
    parameters = inspect.signature(kind).parameters.values()
    return any(parameter.default is parameter.empty for parameter in parameters)


def instances():
    """Unfitted instances of every public estimator that can be constructed."""
    for kind in public_estimators():
        if kind in INSTEAD:
            yield from INSTEAD[kind]
        elif not needs_arguments(kind):
            yield kind()
        yield from BESIDE.get(kind, ())


ESTIMATORS = list(instances())


class Timed:
    """The labels of scikit-learn's checks as times until an event, for rankers of these alone.

    Every row has the event; the first in the order of the labels is the first to have it.
    """

    def _encoded(self, y):
        if y.dtype.names is None:
            times = 1.0 + np.unique(y, return_inverse=True)[1]
            y = survival(times, np.ones(len(y), dtype=bool))
        return super()._encoded(y)


def survival(time, event):
    """Times until an event as an outcome."""
    y = np.empty(len(time), dtype=[("event", "?"), ("time", "<f8")])
    y["event"], y["time"] = event, time
    return y


def checked(estimator):
    """The estimator as scikit-learn's checks can run it."""
    if outcomes_of(estimator) != ("survival",):
        return estimator
    kind = type(estimator)
    name = f"Timed{kind.__name__}"
    if name not in globals():  # where pickle looks for it
        globals()[name] = type(name, (Timed, kind), {"__module__": __name__})
    return globals()[name](**estimator.get_params(deep=False))
