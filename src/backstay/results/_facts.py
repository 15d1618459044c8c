"""What a store says about a study and its data sets, as values with types."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from backstay.targets import Target, Words

# Columns of an annotation that hold names of genes.
SYMBOL = re.compile("symbol|gene", re.IGNORECASE)


@dataclass(frozen=True)
class Role:
    """What a method is compared with, by name, and whether the study added it itself."""

    control: str | None = None
    plain: str | None = None
    added: bool = False


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Configuration:
    """A method at a subset size, judged by a model and a metric.

    Attributes
    ----------
    method : str
        Name of the method.
    size : int or None
        Number of features; None stands for the average over the study's sizes.
    model, metric : str or None
        None stands for the study's first model and for its deciding metric.
    """

    method: str
    size: int | None = None
    model: str | None = None
    metric: str | None = None


class Configured:
    """Base of answers about one configuration: its method, size, model and metric."""

    configuration: Configuration

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.configuration.method

    @property
    def size(self) -> int:
        """Number of features."""
        assert self.configuration.size is not None
        return self.configuration.size

    @property
    def model(self) -> str | None:
        """Name of the model; None without models."""
        return self.configuration.model

    @property
    def metric(self) -> str | None:
        """Name of the metric; None without models."""
        return self.configuration.metric


@dataclass(frozen=True)
class EffectUnits:
    """What effects and their tests are over, where rows may belong together.

    Attributes
    ----------
    kind : {"rows", "groups", "pairs", "mixed", "unknown"}
        Rows, means of groups, or differences within pairs. There are no tests of groups of mixed
        outcomes, nor in stores of older versions, which counted the rows of groups.
    n, left_out : int
        How many of them, and pairs left out for lack of one of the classes.
    """

    kind: str = "rows"
    n: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class DatasetFacts:
    """One data set of a study: its shape, its splits and what was run on it.

    Attributes
    ----------
    name : str
        Name of the data set in the store.
    n_samples, n_features : int
        Rows and columns.
    target : Target
        What the rows are to predict.
    n_groups : int or None
        Number of groups of rows that stay together; None without groups.
    effect_units : EffectUnits
        What effects and their tests are over.
    sizes : list of int
        Subset sizes.
    methods : dict of str to Role
        Every method, with its control and its plain form.
    models, scoring : list of str
        Names of the models and of the metrics.
    metric : str
        The metric that decides: the choice of a method, the report and comparisons use it.
    resampling, n_resamples : str, int
        How rows were split, and how often.
    five_by_two : bool
        Whether the splits are those of the 5×2cv tests.
    feature_names, sample_names : list of str or None
        Names of columns and rows, where the table had any.
    null, null_runs : int
        Permutations of the labels that were run as a control, and runs on each.
    part_runs : int
        Runs on halves and thirds of the rows, to plan by.
    n_tasks, n_done : int
        Tasks planned, those with shuffled outcomes and on parts of the rows included, and those of
        them that are done, failed or not.
    fingerprints : dict
        Hashes of X, y and the groups.
    splits : str
        Hash of all splits and seeds.
    provenance : dict
        Where the data came from, as the one who ran the study said.
    annotation : dict of str to list
        What is known of the features, such as symbols: by column, a text or None per feature.
    keep_samples : bool
        Whether the store may keep names of samples and values of features.
    design : dict
        What was known of the rows: ``covariates`` with their levels, names of ``batches``, number
        of ``pairs``, and whether features were ``centered`` within batches.
    max_features : int or None
        The most features that answers may have.
    """

    # Values of single samples are kept up to so many of them; a picture of more cannot be read.
    FEW_SAMPLES: ClassVar[int] = 200

    name: str
    n_samples: int
    n_features: int
    target: Target
    n_groups: int | None
    sizes: list[int]
    methods: dict[str, Role]
    models: list[str]
    scoring: list[str]
    metric: str
    resampling: str
    n_resamples: int
    five_by_two: bool
    feature_names: list[str] | None
    sample_names: list[str] | None
    null: int
    null_runs: int
    part_runs: int
    n_tasks: int
    n_done: int
    fingerprints: dict[str, str | None]
    splits: str
    provenance: dict[str, Any]
    annotation: dict[str, list[str | None]]
    keep_samples: bool = True
    design: dict[str, Any] = field(default_factory=dict)
    effect_units: EffectUnits = EffectUnits()
    max_features: int | None = None

    @property
    def words(self) -> Words:
        """What the outcome and its effects are called, as these rows are compared."""
        words = self.target.words()
        if self.effect_units.kind == "pairs":
            return replace(words, **self.target.pair_words)
        known = [name for name in ("covariates", "batches") if name in self.design]
        if not known:
            return words
        beside = f"beside {' and '.join(known)}"
        test = f"an F test of the outcome {beside}"
        return replace(words, effect=f"{words.effect} {beside}", test=test)

    def label(self, feature: int) -> str:
        """Return the name of a feature, after its symbol where the annotation has one."""
        name = f"x{feature}" if self.feature_names is None else str(self.feature_names[feature])
        of = (said[feature] for key, said in self.annotation.items() if SYMBOL.search(key))
        symbol = next(filter(None, of), None)
        return name if symbol in (None, name) else f"{symbol} · {name}"

    @property
    def logged(self) -> bool:
        """Whether the values are log2, so that differences of means are log2 fold changes.

        By ``--log2``, ``--logged`` or ``provenance={"scale": "log2"}``.
        """
        return "log2" in self.provenance or self.provenance.get("scale") == "log2"

    @property
    def n_configurations(self) -> int:
        """Number of methods × models × sizes that a choice is made among."""
        sizes = [size for size in self.sizes if size <= (self.max_features or size)]
        return len(self.methods) * max(len(self.models), 1) * len(sizes)


@dataclass(frozen=True)
class StudyFacts:
    """How a study was set up.

    Attributes
    ----------
    methods, models : dict of str to dict
        Descriptions of the estimators that were given, by name.
    preprocess : dict or None
        Description of the preprocessing.
    controls : bool
        Whether controls were added to weighted methods.
    weight_models : bool
        Whether models got the methods' instance weights.
    seed : int
        Seed of everything random.
    seed_drawn : bool
        Whether the study drew the seed because none was given.
    versions : list of dict
        Versions of Python and of packages, one entry for each set that the study ran with.
    datasets : dict of str to DatasetFacts
        The data sets.
    """

    methods: dict[str, Any]
    models: dict[str, Any]
    preprocess: Any
    controls: bool
    weight_models: bool
    seed: int | None
    seed_drawn: bool
    versions: list[dict[str, str]]
    datasets: dict[str, DatasetFacts]

    @property
    def dial(self) -> list[str]:
        """Methods that are one ranker with its ``scale_power`` turned up step by step, in order.

        The longest such series; empty below three.
        """
        series: dict[str, dict[str, float]] = {}
        for name, described in self.methods.items():
            held = described.get("parameters", {}) if isinstance(described, dict) else {}
            if "scale_power" in held:
                others = {key: value for key, value in held.items() if key != "scale_power"}
                kind = json.dumps([described.get("class"), others], sort_keys=True)
                series.setdefault(kind, {})[name] = float(held["scale_power"])
        longest = max(series.values(), key=len, default={})
        return sorted(longest, key=longest.__getitem__) if len(longest) > 2 else []


def study_facts(stored: Mapping[str, Any], datasets: dict[str, DatasetFacts]) -> StudyFacts:
    """Return the facts of a study from what its store holds."""
    known = stored.get("facts", {})
    given = known.get("random_state")
    return StudyFacts(
        methods=known.get("methods", {}),
        models=known.get("models", {}),
        preprocess=known.get("preprocess"),
        controls=bool(known.get("controls", False)),
        weight_models=bool(known.get("weight_models", False)),
        seed=stored.get("entropy", given),
        seed_drawn=given is None,
        versions=stored.get("versions", []),
        datasets=datasets,
    )
