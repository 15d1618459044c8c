"""What a display draws on: matplotlib's Axes, or our Sheet with the same methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from backstay.report.figures._sheet import Sheet

# Checked against both: a display draws on either. Limits are always set, because a sheet does not
# guess them. Labels of the y axis may have several lines.
if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Canvas: TypeAlias = Axes | Sheet
else:
    Canvas = Sheet
