"""Which study is run: the options of ``backstay run`` on methods, splits and metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstay.cli._cluster import check_cluster
from backstay.cli._guard import WrongUse
from backstay.cli._options import of_study
from backstay.cli._read import split_at_commas

REPEATS = {"subsample": 50, "10x10": 10, "5x2": 5, "leave-batch-out": 1}
PERMUTATIONS = 20
DEALS = 4
CHOICES = {"categories": ("code", "drop"), "impute": ("median", "knn"), "protocol": REPEATS}
# Splits of a first look.
QUICK_REPEATS = 10


@dataclass(frozen=True)
class StudyOptions:
    """The options of ``backstay run`` that shape the study; wrong ones are refused at once.

    What can be judged without the table is judged here, before anything heavy is loaded.
    """

    methods: list[str] | None = of_study(
        "Methods by name, separated by commas; see backstay methods. 'default' stands for "
        "the default panel for classes or numbers, 'papers' for the published one with its "
        "controls, 'dial' for steps between stability and accuracy.",
        "--methods",
        "-m",
    )
    protocol: str = of_study(
        "subsample, 5x2, 10x10, or leave-batch-out, which needs --batch.", default="subsample"
    )
    center_batches: bool = of_study(
        "Centre features within batches, by means of training rows; a new batch by its own.",
        "--center-batches",
        default=False,
    )
    repeats: int | None = of_study("Splits of subsample (50 if omitted), or repeats of 10x10 (10).")
    sizes: str | None = of_study(
        "Numbers of features to select, such as 5,10,20; 1, 2, 5, 10, … 100 if omitted."
    )
    metric: str | None = of_study(
        "What decides. Classes: roc_auc (if omitted), average_precision, accuracy, "
        "balanced_accuracy, f1_macro, mcc, log_loss or brier. Numbers: r2 (if omitted), spearman, "
        "mae or rmse.",
        metavar="NAME",
    )
    null: int | None = of_study(
        "Permutations of the outcome that show what stability is worth (20 if omitted), or 0.",
        min=0,
        metavar="N",
    )
    decoys: int = of_study(
        "Draws of decoys (features with permuted rows) that give every feature a q-value in "
        "the recommended method; 25 or more, none if omitted.",
        default=0,
        min=0,
        metavar="N",
    )
    planning: int | None = of_study(
        "How often the rows are dealt into halves and thirds, to tell whether more rows would help "
        "(4 if omitted and the rows are enough); 0 for never. See backstay plan.",
        min=0,
        metavar="N",
    )
    quick: bool = of_study(
        "A first look: filters and ReliefF, 10 splits, no permutations and no planning, unless you "
        "say otherwise. The report is marked as preliminary.",
        "--quick",
        default=False,
    )
    categories: str = of_study(
        "code: categories become 0, 1, 2, …; drop: columns of more than two are left out.",
        default="code",
    )
    impute: str | None = of_study(
        "Missing values become the median (if omitted), or with knn the mean of 5 similar "
        "rows; always of training rows only.",
        metavar="HOW",
    )
    jobs: int | None = of_study("Tasks at a time; all cores if omitted.", "--jobs", "-j", min=1)
    cluster: str | None = of_study(
        "Dask cluster to run on: tcp://host:8786, a scheduler file, or local:4.", metavar="ADDRESS"
    )
    no_samples: bool = of_study(
        "Keep no names of samples and no values of features in any file; the report then has no "
        "heat map. Outcomes and predictions of rows are kept.",
        "--no-samples",
        default=False,
    )
    seed: int = of_study("Seed of everything random.", default=0, min=0)
    retry_failed: bool = of_study(
        "Run tasks again that failed in an earlier run, as for lack of memory.",
        "--retry-failed",
        default=False,
    )
    shard: str | None = of_study(
        "Run one part of the tasks, such as 3/10, into a store of its own; backstay merge puts "
        "the parts together.",
        metavar="K/N",
    )

    def __post_init__(self) -> None:
        for option, known in CHOICES.items():
            given = getattr(self, option)
            if given is not None and given not in known:
                raise WrongUse(f"--{option} {given} must be {' or '.join(known)}.")
        if self.times < (2 if self.protocol == "subsample" else 1):
            raise WrongUse(f"--repeats {self.times} is too few; stability needs at least two runs.")
        if self.protocol == "5x2" and self.times != 5:
            raise WrongUse("--protocol 5x2 has 5 repeats; use subsample for another number.")
        self.sizes_given()
        self.shard_given()
        check_cluster(self.cluster, self.jobs)

    def shard_given(self) -> tuple[int, int] | None:
        """Return which part of the tasks to run, and of how many; None for all."""
        if self.shard is None:
            return None
        numbers = re.fullmatch(r"(\d+)/(\d+)", self.shard.strip())
        part, n_parts = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
        if not 1 <= part <= n_parts:
            raise WrongUse(f"--shard {self.shard} must be part/number of parts, such as 3/10.")
        return part, n_parts

    @property
    def names(self) -> list[str] | None:
        """Names of the methods; None for the default panel."""
        given = split_at_commas(self.methods)
        return given or (["quick"] if self.quick else None)

    @property
    def times(self) -> int:
        """Number of repeats."""
        if self.repeats is not None:
            return self.repeats
        if self.quick and self.protocol == "subsample":
            return QUICK_REPEATS
        return REPEATS[self.protocol]

    @property
    def permutations(self) -> int:
        """Number of permutations of the outcomes."""
        if self.null is not None:
            return self.null
        return 0 if self.quick else PERMUTATIONS

    def sizes_given(self) -> list[int] | None:
        """Return the subset sizes that were typed, in order; None if there are none."""
        if self.sizes is None:
            return None
        parts = [part for part in re.split(r"[,\s]+", self.sizes) if part]
        if not parts or not all(part.isdigit() and int(part) > 0 for part in parts):
            raise WrongUse(f"--sizes {self.sizes!r} must be whole numbers, such as 5,10,20.")
        return sorted({int(part) for part in parts})
