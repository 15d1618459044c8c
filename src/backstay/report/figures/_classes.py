"""What figures of classes share: a hue and a marker for every class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from backstay.report.figures._display import Display
from backstay.report.figures._style import Style


class ClassDisplay(Display):
    """A figure whose series are classes, in their order."""

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any]) -> None:
        super().__init__(data, {})
        self.classes = [str(name) for name in classes]

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes and their styles."""
        return [(name, Style(place)) for place, name in enumerate(self.classes)]
