"""The sequential search: which subsets are examined, which moves are made.

Units are what moves: single features, or groups of them. The search knows
sets of units, scores and a criterion; folds, inducers and columns are the
evaluator's business.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.base import Array, Indices
from backstay.wrappers._units import NOTHING, columns_of

Members = NDArray[np.bool_]

# Scores and criterion values closer than this are equal: they differ by rounding only, since
# accuracies over n test rows in all are multiples of about 1/n.
TIE = 1e-10


@dataclass(frozen=True)
class Visit:
    """A subset the search moved to."""

    unit: int  # the unit moved, -1 for the start
    adding: bool
    members: Members
    score: float
    remainder: float
    criterion: float
    examination: int  # number of the examination that led here


@dataclass(frozen=True)
class Examination:
    """All candidates of one step."""

    adding: bool
    moved: Indices
    scores: Array
    remainders: Array
    values: Array
    n_features: Indices
    best: int


@dataclass
class Search:
    """A search under way: its settings, and what it has seen so far."""

    # J of `members` with each of the units `moved` added or removed; of `members` if there is none
    evaluate: Callable[[Members, Indices, bool], Array]
    criterion: Any  # see _criteria
    sizes: Indices  # features per unit
    fixed: Members  # units that stay in every subset
    forward: bool
    target: int  # number of units at which to end
    report: Callable[[Visit, int], None] | None = None  # called with every visit, its number
    visits: list[Visit] = field(default_factory=list)
    examinations: list[Examination] = field(default_factory=list)
    best_of_size: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        start = self.fixed.copy() if self.forward else np.ones(len(self.fixed), dtype=bool)
        scores, remainders = self._evaluate(start, NOTHING, True)
        if start.any():  # the empty set is never handed to the inducer
            self.criterion.observe(start[None, :], scores)
        score, remainder = float(scores[0]), float(remainders[0])
        self._visit(Visit(-1, self.forward, start, score, remainder, np.nan, -1))

    @property
    def current(self) -> Visit:
        """The latest visit."""
        return self.visits[-1]

    @property
    def arrived(self) -> bool:
        """Whether the target size is reached."""
        size = int(self.current.members.sum())
        return size >= self.target if self.forward else size <= self.target

    def movable(self, adding: bool) -> Indices:
        """Units that can be added, or removed without leaving the subset empty."""
        members = self.current.members
        if adding:
            return np.flatnonzero(~members)
        return np.flatnonzero(members & ~self.fixed) if members.sum() > 1 else NOTHING

    def examine(self, adding: bool) -> Examination | None:
        """Evaluate every possible move; None if there is none."""
        moved = self.movable(adding)
        if not len(moved):
            return None
        members = self.current.members
        scores, remainders = self._evaluate(members, moved, adding)
        candidates = np.repeat(members[None, :], len(moved), axis=0)
        candidates[np.arange(len(moved)), moved] = adding
        self.criterion.observe(candidates, scores)
        present = (self.current.score, self.current.remainder)
        values = self.criterion.values(scores, remainders, present, moved, adding)
        best = int(np.argmax(values >= values.max() - TIE))  # among equal ones the first
        sizes = candidates @ self.sizes
        examination = Examination(adding, moved, scores, remainders, values, sizes, best)
        self.examinations.append(examination)
        return examination

    def accept(self, examination: Examination) -> None:
        """Make the best move of the latest examination."""
        best, adding = examination.best, examination.adding
        unit = int(examination.moved[best])
        members = self.current.members.copy()
        members[unit] = adding
        figures = (examination.scores, examination.remainders, examination.values)
        score, remainder, value = (float(column[best]) for column in figures)
        number = len(self.examinations) - 1
        self._visit(Visit(unit, adding, members, score, remainder, value, number))

    def move(self, adding: bool) -> bool:
        """Examine and make the best move; False if there is none."""
        examination = self.examine(adding)
        if examination is None:
            return False
        self.accept(examination)
        return True

    def cycle(self, plus: int, minus: int) -> bool:
        """`plus` moves ahead, `minus` back; False when nothing is left to move."""
        for _ in range(plus):
            if not self.move(self.forward) or (minus == 0 and self.arrived):
                break
        if not len(self.movable(self.forward)):
            return False
        for _ in range(minus):
            self.move(not self.forward)
        return True

    def floating_cycle(self) -> bool:
        """One move ahead, then back while that beats the best subset known of its size."""
        self.move(self.forward)
        while (back := self.examine(not self.forward)) is not None:
            size = int(self.current.members.sum()) + (1 if back.adding else -1)
            if back.scores[back.best] <= self.best_of_size.get(size, -np.inf) + TIE:
                break
            self.accept(back)
        return True

    def run(self, moves: tuple[int, int] | None, *, only_gains: bool) -> Members | None:
        """Search to the end; with `only_gains` until J stops rising: return the subset before it.

        `moves` are those ahead and back in a cycle; None lets the search float.
        """
        while not self.arrived:
            before = self.current
            goes_on = self.floating_cycle() if moves is None else self.cycle(*moves)
            if only_gains and self.current.score <= before.score + TIE:
                return before.members
            if not goes_on:
                break
        return None

    def _evaluate(self, members: Members, moved: Indices, adding: bool) -> Array:
        """Return J of the candidates, and below it that of their remainders, nan if not needed."""
        scores = self.evaluate(members, moved, adding)
        remainders = np.full(len(scores), np.nan)
        if self.criterion.needs_remainder:
            remainders = self.evaluate(~members, moved, not adding)
        figures = np.array([scores, remainders])
        outside = figures[(figures < 0.0) | (figures > 1.0)]
        if self.criterion.needs_rates and len(outside):
            raise ValueError(
                f"criterion={type(self.criterion).__name__.lower()!r} needs scores in "
                f"[0, 1]; scoring gave {outside[0]!r}. Use criterion='plain' with it."
            )
        return figures

    def _visit(self, visit: Visit) -> None:
        size = int(visit.members.sum())
        self.best_of_size[size] = max(visit.score, self.best_of_size.get(size, -np.inf))
        self.visits.append(visit)
        if self.report is not None:
            self.report(visit, len(self.visits) - 1)


def order_units(search: Search, selected: Members) -> Indices:
    """Units from best to worst: the selected ones first, each part in the order of the path."""
    # Forward, a unit stands by the move that last added it; backward, by the move that last removed
    # it, the later the better. Units that never moved stand by the latest examination of that move.
    n_units = len(search.sizes)
    last_move = np.full(n_units, -1)
    for number, visit in enumerate(search.visits):
        if visit.unit >= 0 and visit.adding == search.forward:
            last_move[visit.unit] = number
    latest = np.full(n_units, -np.inf)
    for examination in search.examinations:
        if examination.adding == search.forward:
            latest[examination.moved] = examination.values
    inside = search.current.members
    if search.forward:
        moved, merit = np.where(inside, last_move, len(search.visits)), -latest
    else:
        moved, merit = np.where(inside, -len(search.visits), -last_move), latest
    moved = np.where(search.fixed, -len(search.visits) - 1, moved)
    return np.lexsort((np.arange(n_units), merit, moved, ~selected))


def path_frame(
    search: Search, units: list[Indices], labels: list[Any], names: NDArray[Any] | None
) -> pd.DataFrame:
    """One row per visit."""
    visits = search.visits
    columns = [columns_of(units, visit.members) for visit in visits]
    names = np.arange(search.sizes.sum()) if names is None else names
    moves = ["add" if visit.adding else "remove" for visit in visits[1:]]
    moved = [labels[visit.unit] for visit in visits[1:]]
    return pd.DataFrame(
        {
            "move": ["start", *moves],
            "feature": pd.Series([None, *moved], dtype=object),
            "n_features": [len(part) for part in columns],
            "score": [visit.score for visit in visits],
            "remainder_score": [visit.remainder for visit in visits],
            "criterion": [visit.criterion for visit in visits],
            "subset": [tuple(names[part].tolist()) for part in columns],
        }
    ).rename_axis("step")


def scores_frame(search: Search, labels: list[Any]) -> pd.DataFrame:
    """One row per candidate."""
    led_to = {visit.examination: visit.unit for visit in search.visits}
    examinations = search.examinations

    def column(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0), *values]).astype(dtype)

    lengths = [len(e.moved) for e in examinations]
    moved = column([e.moved for e in examinations], np.intp)
    accepted = np.repeat([led_to.get(n, -1) for n in range(len(examinations))], lengths)
    return pd.DataFrame(
        {
            "step": np.repeat(np.arange(1, len(examinations) + 1), lengths),
            "move": np.repeat(["add" if e.adding else "remove" for e in examinations], lengths),
            "feature": pd.Series([labels[u] for u in moved], dtype=object),
            "n_features": column([e.n_features for e in examinations], np.intp),
            "score": column([e.scores for e in examinations], np.float64),
            "remainder_score": column([e.remainders for e in examinations], np.float64),
            "criterion": column([e.values for e in examinations], np.float64),
            "accepted": moved == accepted,
        }
    )
