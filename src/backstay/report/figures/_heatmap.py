"""The signature, sample by sample."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.cluster.hierarchy import leaves_list, linkage

from backstay.report._words import clean, count, two_decimals
from backstay.report.figures._classes import SampleDisplay
from backstay.report.figures._display import Canvas, Point
from backstay.report.figures._labels import one_line
from backstay.report.figures._numbers import shaded
from backstay.report.figures._style import PAPER, Looks, Style

# Values further from 0 have the colour of this one.
STRONGEST = 3.0
# Names of features take this share of the width at most.
NAMES = 0.26
# Above and below the mean: apart for all kinds of colour blindness, on white and on black.
HIGH, LOW = (214, 96, 24), (47, 127, 193)
# Features that are drawn, the most often chosen first: a picture of more cannot be read.
SHOWN = 40
# Height of the bar of outcomes, in cells.
BAR = 0.8
# Height of the marks of events above it.
MARK = 0.25


class HeatmapDisplay(SampleDisplay):
    """Values of the signature: a row per feature, a column per sample, in order of the outcomes.

    Of more than 40 features, the 40 that were chosen most often. Samples of a class, and features,
    are ordered by hierarchical clustering (mean linkage of Euclidean distances). Orange is above
    the mean of the feature, blue below it.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import HeatmapDisplay
    >>> rows = [("g", i, f"s{i}", "ab"[i % 2], i - 1.5) for i in range(4)]
    >>> data = pd.DataFrame(rows, columns=["name", "row", "sample", "class", "value"])
    >>> HeatmapDisplay(data, ["a", "b"]).finding()
    'Values of 1 feature in 4 samples, from −1.5 to 1.5 standard deviations. High in b: g.'
    """

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any], by: str = "class") -> None:
        super().__init__(data, classes, by)
        self.features, self.values, self._samples = _ordered(data, self.classes, self.order)
        height = 62 + 15 * max(len(self.features), 4)
        self.wide, self.narrow = (760, height), (350, height)

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes as areas of colour."""
        return [(name, Style(place, area=True)) for place, name in enumerate(self.classes)]

    def finding(self) -> str:
        """Say how many features and samples there are, and in which class features are high."""
        if not self.values.size:
            return "There are no values of the signature."
        known = self.values[np.isfinite(self.values)]
        words = (
            f"Values of {count(len(self.features), 'feature')} in "
            f"{count(len(self._samples), 'sample')}, from {known.min():.1f} to {known.max():.1f} "
            "standard deviations."
        ).replace("-", "−")
        for name, features in self._high().items():
            words += f" High in {name}: {', '.join(features)}."
        if self.measured:
            place = np.arange(len(self._samples)) - (len(self._samples) - 1) / 2
            rises = np.nansum(self.values * place, axis=1) > 0
            names = ", ".join(np.array(self.features)[rises]) or "none"
            what = "follow-up" if self.order != self.by else "the outcome"
            words += f" Samples are in order of {what}. Rising with it: {names}."
        return words

    def grid(self) -> dict[str, Any]:
        """Return names of columns and rows, and the values, from which a page makes its labels."""
        values = np.where(np.isfinite(self.values), self.values.round(2), np.nan)
        cells = [[None if np.isnan(v) else v for v in row] for row in values.tolist()]
        return {"columns": self.columns, "rows": self.features, "values": cells}

    def _high(self) -> Mapping[str, list[str]]:
        """Return, by class, the features whose mean is highest in it."""
        codes, high = self.codes, dict[str, list[str]]()
        present = np.unique(codes).tolist() if self.classes else []
        means = [np.nanmean(self.values[:, codes == c], axis=1) for c in present]
        for i, name in enumerate(self.features if means else ()):
            most = present[int(np.argmax([mean[i] for mean in means]))]
            high.setdefault(self.classes[most], []).append(name)
        return {name: high[name] for name in self.classes if name in high}

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        n, m = len(self.features), len(self._samples)
        if not n or not m:
            return []
        rasters = [(_pixels(self.values), (n - 0.5, -0.5))]
        if self.measured:
            rasters.append((shaded(self._samples[self.order]), (-0.6, -0.6 - BAR)))
        for pixels, ends in rasters:
            extent = (-0.5, m - 0.5, *ends)
            canvas.imshow(pixels, extent=extent, aspect="auto", interpolation="nearest")
        codes, top = self.codes, -0.6 - BAR
        if "event" in self._samples:
            top -= 2 * MARK
            events = np.flatnonzero(self._samples["event"].to_numpy(dtype=bool)) - 0.5
            canvas.barh(top + MARK, 1, MARK, events, color=Style(1).color)
        for place, (_, style) in enumerate(self.series()):
            columns = np.flatnonzero(codes == place)
            if len(columns):
                start, end = float(columns[0]) - 0.5, float(columns[-1]) + 0.5
                # A bar above the cells; the gap to the next class is part of the next column.
                looks: Looks = {"color": style.color, "gid": f"series-{place}"}
                canvas.barh(-0.6 - BAR / 2, end - start, BAR, start, **looks)
                if end < m - 0.5:
                    canvas.vlines(end, -0.6 - BAR, n - 0.5, color=PAPER, linewidth=1.5)
        canvas.set_yticks(
            list(range(n)), [one_line(clean(name), NAMES * width) for name in self.features]
        )
        canvas.set_xticks([], [])
        canvas.set_xlim(-0.5, m - 0.5)
        canvas.set_ylim(n - 0.5, top - 0.1)
        canvas.set_xlabel(count(m, "sample"))
        canvas.set_frame_on(False)
        names = self.columns
        return [
            Point(j, i, -1, cell_label(names[j], self.features[i], value))
            for (i, j), value in np.ndenumerate(self.values)
        ]

    @property
    def samples(self) -> list[str]:
        """Names of the samples in the order they are drawn in."""
        return [str(name) for name in self._samples.get("sample", ())]

    @property
    def columns(self) -> list[str]:
        """Names of the samples with their outcomes."""
        if self._samples.empty:
            return []
        pairs = zip(self.samples, self._samples[self.by], strict=True)
        return [self._named(name, outcome) for name, outcome in pairs]

    @property
    def codes(self) -> NDArray[np.intp]:
        """The class of every sample, as its place among the classes; 0 for others."""
        place = {name: i for i, name in enumerate(self.classes)}
        return np.array([place.get(str(name), 0) for name in self._samples.get(self.by, ())], int)


def cell_label(sample: str, feature: str, value: float) -> str:
    """Say what a cell shows, as the script of the page does."""
    said = "missing" if np.isnan(value) else two_decimals(round(value, 2))
    return f"{sample}, {feature}: {said}"


def _ordered(
    data: pd.DataFrame, classes: Sequence[str], by: str
) -> tuple[list[str], NDArray[np.float64], pd.DataFrame]:
    """Return features, values and samples, in the order they are drawn in.

    Samples are in the order of their classes or numbers; within a class a clustering orders them.
    """
    if data.empty:
        return [], np.empty((0, 0)), data
    n_samples = data["row"].nunique()
    values = data["value"].to_numpy(dtype=float).reshape(-1, n_samples)[:SHOWN]
    features = data["name"].iloc[::n_samples].astype(str).tolist()[:SHOWN]
    samples = data.iloc[:n_samples]
    filled = np.nan_to_num(values)
    if classes or not is_numeric_dtype(samples[by]):
        kinds = samples[by].astype(str).to_numpy() if classes else np.full(n_samples, "")
        parts = [np.flatnonzero(kinds == name) for name in (classes or [""])]
        columns = np.concatenate([own[_leaves(filled[:, own].T)] for own in parts])
    else:
        columns = np.argsort(samples[by].to_numpy(), kind="stable")
    rows = _leaves(filled)
    return [features[i] for i in rows], values[rows][:, columns], samples.iloc[columns]


def _leaves(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order of a clustering's leaves."""
    if len(points) < 3:
        return np.arange(len(points))
    return np.asarray(leaves_list(linkage(points, "average")), dtype=np.intp)


def _pixels(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return colours that fade to nothing at 0, so that they suit any background."""
    known = np.nan_to_num(np.clip(values / STRONGEST, -1, 1))
    pixels = np.zeros((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where(known[..., None] > 0, HIGH, LOW)
    pixels[..., 3] = np.round(255 * np.abs(known) ** 0.8)
    return pixels
