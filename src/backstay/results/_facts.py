"""What a store says about a study and its data sets, as values with types."""

import json
import re
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
    """A method at a subset size, judged by a model and a metric."""

    method: str
    size: int | None = None  # number of features; the average over the study's sizes if None
    model: str | None = None  # the study's first if None
    metric: str | None = None  # the one that decides if None


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
    """What effects and their tests are over, where rows may belong together."""

    # "rows", means of "groups" or differences within "pairs". No tests of groups of "mixed"
    # outcomes, nor of stores of older versions, which counted the rows of groups: "unknown".
    kind: str = "rows"
    n: int = 0  # how many of them
    left_out: int = 0  # pairs that lack one of the classes


@dataclass(frozen=True)
class DatasetFacts:
    """One data set of a study: its shape, its splits and what was run on it."""

    # Values of single samples are kept up to so many of them; a picture of more cannot be read.
    FEW_SAMPLES: ClassVar[int] = 200

    name: str
    n_samples: int
    n_features: int
    target: Target  # what the rows are to predict
    n_groups: int | None  # groups of rows that stay together; None without groups
    sizes: list[int]
    methods: dict[str, Role]  # with their controls and plain forms
    models: list[str]
    scoring: list[str]  # names of the metrics
    metric: str  # the one that decides: the choice of a method, the report and comparisons use it
    resampling: str  # how rows were split
    n_resamples: int
    five_by_two: bool  # whether the splits are those of the 5×2cv tests
    feature_names: list[str] | None
    sample_names: list[str] | None
    null: int  # permutations of the outcomes that were run as a control
    null_runs: int  # runs on each
    part_runs: int  # runs on halves and thirds of the rows, to plan by
    n_tasks: int  # planned, those with shuffled outcomes and on parts included
    n_done: int  # of them, failed or not
    fingerprints: dict[str, str | None]  # hashes of X, y and the groups
    splits: str  # hash of all splits and seeds
    provenance: dict[str, Any]  # where the data came from, as the one who ran the study said
    annotation: dict[str, list[str | None]]  # such as symbols of the features, by column
    keep_samples: bool = True  # whether names of samples and values of features may be kept
    # Covariates with their levels, names of batches, number of pairs, and whether features were
    # centered within batches.
    design: dict[str, Any] = field(default_factory=dict)
    effect_units: EffectUnits = EffectUnits()  # what effects and their tests are over
    max_features: int | None = None  # the most that answers may have

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
        """Whether the values are log2, so that differences of means are log2 fold changes."""
        return "log2" in self.provenance or self.provenance.get("scale") == "log2"

    @property
    def n_configurations(self) -> int:
        """Number of methods × models × sizes that a choice is made among."""
        sizes = [size for size in self.sizes if size <= (self.max_features or size)]
        return len(self.methods) * max(len(self.models), 1) * len(sizes)


@dataclass(frozen=True)
class StudyFacts:
    """How a study was set up."""

    methods: dict[str, Any]  # descriptions of the estimators that were given
    models: dict[str, Any]
    preprocess: Any
    controls: bool  # whether they were added to weighted methods
    weight_models: bool  # whether models got the methods' instance weights
    seed: int | None  # of everything random
    seed_drawn: bool  # because none was given
    versions: list[dict[str, str]]  # of Python and packages, for each set that the study ran with
    datasets: dict[str, DatasetFacts]

    @property
    def dial(self) -> list[str]:
        """Three methods or more, one ranker with its ``scale_power`` turned up, in order."""
        series: dict[str, dict[str, float]] = {}
        for name, described in self.methods.items():
            held = described.get("parameters", {}) if isinstance(described, dict) else {}
            if "scale_power" in held:
                others = {key: value for key, value in held.items() if key != "scale_power"}
                kind = json.dumps([described.get("class"), others], sort_keys=True)
                series.setdefault(kind, {})[name] = float(held["scale_power"])
        longest = max(series.values(), key=len, default={})
        return sorted(longest, key=longest.__getitem__) if len(longest) > 2 else []
