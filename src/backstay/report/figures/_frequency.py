"""How often features were selected."""

import numpy as np

from backstay.report.figures._display import Canvas, Point, SizeDisplay
from backstay.report.figures._style import DOTTED, INK, MUTED

# Ranks at which a curve is drawn, and pointed at, at most; evenly spaced.
DRAWN_RANKS, POINTED_RANKS = 240, 60


class SelectionFrequencyDisplay(SizeDisplay):
    """Share of runs that chose a feature, most often chosen first, beside perfect stability."""

    question = "frequency"

    def finding(self) -> str:
        """Say how many features came up in most runs, per method."""
        words = []
        for name, rows in self._data.groupby("method", sort=False):
            often = int((rows["frequency"] > 0.5).sum())
            words.append(f"{name} {often} of {len(rows)} ever chosen")
        return (
            f"Each run chooses {self.size}. Features chosen in more than half of the runs: "
            f"{'; '.join(words) or 'none'}."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        n_most = 1 if self._data.empty else int(self._data.groupby("method").size().max())
        end = max(min(3 * self.size, n_most), self.size + 3)
        points = []
        for place, name, style, rows in self._groups:
            shares = rows["frequency"].to_numpy()[:end]
            shares = np.append(shares, np.zeros(end - len(shares)))
            ranks = np.unique(np.linspace(1, end, min(end, DRAWN_RANKS)).astype(int))
            looks = style.curve(place, 1.3 * self._strength(name))
            looks["drawstyle"] = "steps-mid" if end <= 60 else "default"
            canvas.plot(ranks, shares[ranks - 1], **looks)
            pointed = np.unique(np.linspace(0, min(end, len(rows)) - 1, POINTED_RANKS).astype(int))
            for i, row in zip(pointed.tolist(), rows.iloc[pointed].to_dict("records"), strict=True):
                words = f"{name}: {row['name']}, chosen in {row['frequency']:.0%} of runs"
                points.append(Point(i + 1, row["frequency"], place, f"{words} (no. {i + 1})"))
        corners = [0.5, self.size + 0.5, self.size + 0.5, end + 0.5]
        canvas.plot(corners, [1, 1, 0, 0], color=INK, linewidth=1.2, linestyle=DOTTED)
        for share in (0.5, 0.85):
            canvas.axhline(share, color=MUTED, linewidth=0.7)
        canvas.set_xlim(0.5, end + 0.5)
        canvas.set_ylim(-0.03, 1.05)
        canvas.set_yticks([0, 0.25, 0.5, 0.75, 0.85, 1], ["0", "25", "50", "75", "85", "100 %"])
        canvas.set_xlabel("features, most often chosen first")
        canvas.set_ylabel("share of runs")
        return points
