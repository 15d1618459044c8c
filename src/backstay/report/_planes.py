"""Displays that set things side by side: the plane, agreement, sample weights, run times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report._display import (
    Display,
    Point,
    axes_width,
    chance_of,
    fitted,
    one_dataset,
    padded,
)
from backstay.report._sheet import Sheet
from backstay.report._style import HEAT, INK, MUTED, PAPER, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from backstay.results import Results

__all__ = ["AgreementDisplay", "FitTimesDisplay", "ParetoDisplay", "SampleWeightsDisplay"]

# Rows of a lane drawn at most; those below the fence always are.
DRAWN_ROWS = 300
PARTS = (("preprocess", 5), ("method", 0), ("classifier", 4))


class ParetoDisplay(Display):
    """Methods in the plane of stability and accuracy, with the front of those not dominated."""

    narrow = (350, 340)

    def __init__(
        self,
        data: pd.DataFrame,
        roles: dict[str, dict[str, Any]],
        size: int | None,
        classifier: str,
        metric: str,
        chance: float,
    ) -> None:
        super().__init__(data, roles)
        self.size, self.classifier, self.metric, self.chance = size, classifier, metric, chance

    @classmethod
    def from_results(
        cls,
        results: Results,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
    ) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        size : int, default=None
            A size studied, which brings intervals; None for averages over the sizes.
        classifier, metric : str, default=None
            The study's first if None.
        """
        _, facts = one_dataset(results)
        data = results.pareto(size=size, classifier=classifier, metric=metric).frame()
        classifier = facts["classifiers"][0] if classifier is None else classifier
        metric = facts["scoring"][0] if metric is None else metric
        if size is not None:
            data = _with_intervals(data, results, size, classifier, metric)
        chance = chance_of(results, metric)
        return cls(data, facts["methods"], size, classifier, metric, chance)

    def _draw(self, ax: Axes | Sheet) -> None:
        known = self._data.dropna(subset=["stability", "accuracy"])
        front = known.loc[known["on_front"].to_numpy(dtype=bool)].sort_values(by="stability")
        ax.plot(
            front["stability"], front["accuracy"], color=MUTED, linewidth=1.2, linestyle=(0, (1, 2))
        )
        for place, name, style, rows in self._groups:
            row = rows.iloc[0]
            x, y = row["stability"], row["accuracy"]
            if not np.isfinite([x, y]).all():
                continue
            self._cross(ax, place, style, row)
            ax.plot(
                [x],
                [y],
                color=style.color,
                marker=style.marker,
                markersize=10 if row["on_front"] else 7.5,
                markerfacecolor=style.face,
                markeredgewidth=1.6,
                linestyle="none",
                gid=f"series-{place}",
            )
            where = "on the front" if row["on_front"] else f"dominated by {row['dominated_by']}"
            words = f"{name}: stability {x:.2f}, {self.metric} {y:.3f}, {where}"
            self._points.append(Point(x, y, place, words.replace("_", " ")))
        if np.isfinite(self.chance):
            ax.axhline(self.chance, color=INK, linewidth=1, linestyle=(0, (1, 2)))
        ax.grid(True)
        ax.set_xlabel("stability (Kuncheva)")
        ax.set_ylabel(f"{self.metric.replace('_', ' ')} ({self.classifier})")
        ends = {
            name: [known[c] for c in (name, f"{name}_low", f"{name}_high") if c in known]
            for name in ("stability", "accuracy")
        }
        ax.set_xlim(*padded(np.concatenate(ends["stability"]), 0.08))
        ax.set_ylim(*padded(np.append(np.concatenate(ends["accuracy"]), self.chance), 0.08))

    def _cross(self, ax: Axes | Sheet, place: int, style: Style, row: pd.Series[Any]) -> None:
        if "stability_low" not in row:
            return
        x, y = row["stability"], row["accuracy"]
        looks: dict[str, Any] = {
            "color": style.color,
            "linewidth": 1,
            "alpha": 0.45,
            "gid": f"band-{place}",
        }
        ax.hlines(y, row["stability_low"], row["stability_high"], **looks)
        ax.vlines(x, row["accuracy_low"], row["accuracy_high"], **looks)


def _with_intervals(
    data: pd.DataFrame, results: Results, size: int, classifier: str, metric: str
) -> pd.DataFrame:
    stability = results.stability("nogueira", [size]).frame()
    accuracy = results.accuracy(metric).frame()
    chosen = (accuracy["classifier"] == classifier) & (accuracy["size"] == size)
    for name, table in (("stability", stability), ("accuracy", accuracy[chosen])):
        ends = table[["method", "low", "high"]]
        ends = ends.rename(columns={end: f"{name}_{end}" for end in ("low", "high")})
        data = data.merge(ends, on="method", how="left", sort=False)
    return data


class AgreementDisplay(Display):
    """How far two methods select the same features on the same resamples, beyond chance."""

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]], size: int) -> None:
        super().__init__(data, roles)
        self.size = size
        n = len(self.matrix()[0])
        self.wide, self.narrow = (760, 70 + 40 * n), (350, 60 + 30 * n)

    @classmethod
    def from_results(cls, results: Results, size: int) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        size : int
            Number of features selected in each run.
        """
        _, facts = one_dataset(results)
        return cls(results.similarity(size).frame(), facts["methods"], size)

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: rows and columns are named on the axis."""
        return []

    def matrix(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return the methods, and the index of every two of them."""
        names = list(dict.fromkeys(self._data["first"]))
        place = {name: i for i, name in enumerate(names)}
        values = np.full((len(names), len(names)), np.nan)
        columns = (self._data[name].tolist() for name in ("first", "second", "kuncheva"))
        for first, second, value in zip(*columns, strict=True):
            i, j = place[first], place[second]
            values[i, j] = values[j, i] = value
        return names, values

    def _draw(self, ax: Axes | Sheet) -> None:
        names, values = self.matrix()
        n = len(names)
        # Points that a column has for its figures, a third being left to the names.
        room = 0.64 * axes_width(ax) / n
        for (i, j), value in np.ndenumerate(values):
            shade = 0.0 if np.isnan(value) else float(np.clip(value, 0, 1))
            # At most 0.6 opaque, so that the figure in the cell stays legible.
            ax.barh(i, 0.94, 0.88, j - 0.47, color=HEAT, alpha=0.04 + 0.5 * shade)
            words = f"{names[i]} and {names[j]}: "
            words += "undefined" if np.isnan(value) else f"{value:.2f}"
            self._points.append(Point(j, i, -1, words))
            told = "–" if np.isnan(value) else f"{100 * value:.0f}".replace("-", "−")
            if room >= 20:
                ax.text(j, i, told, ha="center", va="center", fontsize=11, color=INK)
        ax.set_xlim(-0.5, n - 0.5)
        ax.set_ylim(n - 0.5, -0.5)
        labels = [f"{i + 1}  {name}" for i, name in enumerate(names)]
        ax.set_yticks(range(n), [fitted(ax, label) for label in labels])
        shown = range(0, n, int(np.ceil(18 / room)))
        ax.set_xticks(shown, [str(i + 1) for i in shown])
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.set_frame_on(False)


class SampleWeightsDisplay(Display):
    """Mean weight of every row, by weighted method and class; low ones are outlying."""

    wide = (760, 300)
    narrow = (350, 320)

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]]) -> None:
        super().__init__(data, roles)
        self._controls = {role["control"] for role in roles.values()}
        n_lanes = sum(len(rows["class"].unique()) for _, rows, _ in self.lanes())
        height = 90 + 44 * max(n_lanes, 1)
        self.wide, self.narrow = (760, height), (350, height + 20)

    @classmethod
    def from_results(cls, results: Results) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        """
        _, facts = one_dataset(results)
        return cls(results.instance_weights().frame(), facts["methods"])

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: lanes are named on the axis."""
        return []

    def lanes(self) -> list[tuple[list[str], pd.DataFrame, float]]:
        """Return methods, rows and fence of every weighting that is not uniform.

        Methods that weigh rows alike, because they share a weighting, share a lane.
        The fence is Tukey's: the lower quartile less one and a half times the
        distance between the quartiles, over all rows.
        """
        found: list[tuple[list[str], pd.DataFrame, float]] = []
        for method, rows in self._data.groupby("method", sort=False):
            if method in self._controls or np.ptp(rows["weight"]) < 1e-12:
                continue
            for names, other, _ in found:
                if len(other) == len(rows) and np.allclose(
                    other["weight"], rows["weight"], rtol=1e-6
                ):
                    names.append(str(method))
                    break
            else:
                lower, upper = np.quantile(rows["weight"], [0.25, 0.75])
                found.append(([str(method)], rows, float(lower - 1.5 * (upper - lower))))
        return found

    def outlying(self) -> pd.DataFrame:
        """Return the rows below their fence, lowest weight first."""
        below = [
            rows[rows["weight"] < fence].assign(fence=fence) for _, rows, fence in self.lanes()
        ]
        frame = pd.concat(below) if below else self._data.iloc[:0].assign(fence=np.nan)
        return frame.sort_values("weight", kind="stable").reset_index(drop=True)

    def _draw(self, ax: Axes | Sheet) -> None:
        labels: list[str] = []
        several = len(self.lanes()) > 1
        for names, rows, fence in self.lanes():
            style = self._styles[names[0]]
            top = len(labels) - 0.5
            for kind, lane in rows.groupby("class", sort=False):
                self._lane(ax, lane, fence, len(labels), style, names[0])
                labels.append(f"{kind}: {', '.join(names)}" if several else str(kind))
            ax.vlines(fence, top + 0.06, len(labels) - 0.56, color=INK, linewidth=1)
        ax.axvline(1, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.set_yticks(range(len(labels)), [fitted(ax, label, 0.3) for label in labels])
        ax.set_xlabel("mean weight of a sample (1 is average)")
        ax.grid(True, axis="x")
        ends = [[*rows["weight"], fence] for _, rows, fence in self.lanes()]
        ax.set_xlim(*padded(np.concatenate([[1.0], *ends]), 0.04))

    def _lane(
        self,
        ax: Axes | Sheet,
        lane: pd.DataFrame,
        fence: float,
        height: int,
        style: Style,
        method: str,
    ) -> None:
        low = (lane["weight"] < fence).to_numpy()
        order = np.argsort(lane["weight"].to_numpy()[~low], kind="stable")
        thin = np.unique(np.linspace(0, len(order) - 1, min(len(order), DRAWN_ROWS)).astype(int))
        for rows, face, size in (
            (lane[~low].iloc[order[thin]], style.color, 4.5),
            (lane[low], PAPER, 7.5),
        ):
            # Spread evenly, not by chance: the same report gives the same bytes.
            spread = 0.26 * (((np.arange(len(rows)) * 0.618034) % 1) * 2 - 1)
            ax.plot(
                rows["weight"],
                height + spread,
                linestyle="none",
                marker="o",
                markersize=size,
                color=style.color,
                markerfacecolor=face,
                alpha=0.6 if face != PAPER else 1,
                markeredgewidth=0 if face != PAPER else 1.8,
            )
            columns = (rows[name].tolist() for name in ("name", "class", "weight"))
            for name, kind, weight, dy in zip(*columns, spread.tolist(), strict=True):
                words = f"{name} ({kind}): weight {weight:.2f} in {method}"
                words += ", below the fence" if weight < fence else ""
                self._points.append(Point(weight, height + dy, -1, words))


class FitTimesDisplay(Display):
    """Mean seconds of a method on a resample, by what they were spent on."""

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]]) -> None:
        super().__init__(data, roles)
        height = 76 + 30 * max(len(data), 1)
        self.wide, self.narrow = (760, height), (350, height + 12 * len(data))

    @classmethod
    def from_results(cls, results: Results) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        """
        _, facts = one_dataset(results)
        return cls(results.fit_times().frame(), facts["methods"])

    def series(self) -> list[tuple[str, Style]]:
        """Return what the time was spent on."""
        return [(name, Style(hue, area=True)) for name, hue in PARTS]

    def _draw(self, ax: Axes | Sheet) -> None:
        left = np.zeros(len(self._data))
        for place, (part, style) in enumerate(self.series()):
            seconds = self._data[f"{part}_seconds"].to_numpy()
            looks: dict[str, Any] = {"color": style.color, "gid": f"series-{place}"}
            ax.barh(np.arange(len(seconds)), seconds, 0.62, left, **looks)
            left = left + seconds
        ax.set_yticks(range(len(left)), [fitted(ax, name) for name in self._data["method"]])
        ax.set_ylim(len(left) - 0.4, -0.6)
        ax.set_xlim(0, 1.05 * float(left.max(initial=0)) or 1.0)
        ax.set_xlabel("seconds per resample")
        ax.grid(True, axis="x")
        for i, (_, row) in enumerate(self._data.iterrows()):
            spent = ", ".join(f"{part} {row[f'{part}_seconds']:.3g} s" for part, _ in PARTS)
            self._points.append(Point(left[i] / 2, i, -1, f"{row['method']}: {spent}"))
