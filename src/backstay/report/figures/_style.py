"""Colours, markers and names: one look for every figure, on screen, in the dark and on paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Required, TypedDict

from backstay.results import Role

# Hues apart for the common kinds of colour blindness, each at least 3:1 on its background.
# Light and dark; a figure drawn in the light ones becomes a themed one by exchanging names.
HUES = (
    ("#0069a8", "#5cb3f2"),  # blue
    ("#c34a00", "#ff9256"),  # vermilion
    ("#007f62", "#3fcea8"),  # green
    ("#a3478f", "#ea9bd6"),  # purple
    ("#8f6a00", "#e3b73f"),  # ochre
    ("#4d5aa8", "#a3aef5"),  # indigo
    ("#8c2331", "#f08a96"),  # wine
    ("#5a6b1e", "#b9cb68"),  # olive
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
INK, MUTED, GRID, PAPER, HEAT = "#1c2530", "#5a6675", "#dfe4ea", "#fefefe", "#2f7fc1"
# Light and dark of what is no series.
SHADES = {
    "ink": (INK, "#e8ecf1"),
    "muted": (MUTED, "#a6b1bf"),
    "grid": (GRID, "#343d49"),
    "paper": (PAPER, "#171c23"),
    "heat": (HEAT, "#3d8fd6"),
    "bg": ("#f5f7f9", "#0e1217"),
    "line": ("#d9dfe6", "#2c353f"),
    "head": ("#eef2f6", "#1f262f"),
    "mark": ("#eaf3fb", "#1b2a3a"),
    "accent": ("#0a5ca8", "#7fc1ff"),
    "warn": ("#b5651d", "#e8a35c"),
    "good": ("#00714f", "#52d3a5"),
}


# How a line that is not data looks.
DOTTED = (0, (1, 2))


class Looks(TypedDict, total=False):
    """How something drawn looks, in matplotlib's words.

    The ``gid`` names its entry in the legend: series-3, or band-3 for its interval. The
    ``linestyle`` is solid, "none", or dashes as matplotlib takes them.
    """

    color: Required[str]
    alpha: float
    gid: str | None
    linewidth: float
    linestyle: Any
    drawstyle: str
    marker: str | None
    markersize: float
    markerfacecolor: str
    markeredgewidth: float


@dataclass(frozen=True)
class Style:
    """How a method looks: its hue and marker; a control shares its method's, dashed and hollow."""

    hue: int
    control: bool = False
    area: bool = False

    @property
    def color(self) -> str:
        """The hue on a light background."""
        return HUES[self.hue % len(HUES)][0]

    @property
    def marker(self) -> str:
        """Differs where the hues begin again, too."""
        return MARKERS[(self.hue + self.hue // len(HUES)) % len(MARKERS)]

    @property
    def line(self) -> Any:
        """Solid, or dashed for a control."""
        return (0, (4, 2.2)) if self.control else "-"

    @property
    def face(self) -> str:
        """Colour inside the marker."""
        return PAPER if self.control else self.color

    def curve(self, place: int, width: float) -> Looks:
        """Return the looks of the line of a series."""
        looks: Looks = {"color": self.color, "linestyle": self.line, "gid": f"series-{place}"}
        return looks | {"linewidth": width}

    def marks(self, place: int, size: float, edge: float) -> Looks:
        """Return the looks of the marks of a series, without a line."""
        looks: Looks = {"color": self.color, "linestyle": "none", "gid": f"series-{place}"}
        looks |= {"marker": self.marker, "markerfacecolor": self.face}
        return looks | {"markersize": size, "markeredgewidth": edge}

    def band(self, place: int, alpha: float, width: float = 0) -> Looks:
        """Return the looks of the interval of a series."""
        return {"color": self.color, "alpha": alpha, "linewidth": width, "gid": f"band-{place}"}


def styles(roles: Mapping[str, Role]) -> dict[str, Style]:
    """Return the style of every method; a control has the hue of its method."""
    owner_of: dict[str, str] = {}
    for method, role in roles.items():
        if role.control is not None:
            owner_of.setdefault(role.control, method)
    hue = {method: i for i, method in enumerate(m for m in roles if m not in owner_of)}
    return {
        method: Style(hue.get(owner_of[method], place), control=True)
        if method in owner_of
        else Style(hue[method])
        for place, method in enumerate(roles)
    }


def css_variables() -> str:
    """Return the rules that set those variables: light, dark by wish or by system, and print."""
    pairs = {f"s{i}": pair for i, pair in enumerate(HUES)} | SHADES
    light, dark = (
        f"color-scheme:{name};" + "".join(f"--{key}:{pair[i]};" for key, pair in pairs.items())
        for i, name in enumerate(("light", "dark"))
    )
    return (
        f":root{{{light}}}"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f":root[data-theme=dark]{{{dark}}}"
        f"@media print{{:root,:root[data-theme=dark],:root:not([data-theme=light]){{{light}}}}}"
    )
