"""A column of texts as its different texts, and which of them every row holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets._exact import plain_text


@dataclass(frozen=True)
class DistinctTexts:
    """The different texts of a column, in order of appearance; a gap has the place -1.

    Whatever is asked of the texts is asked once of each: a table may have thousands of columns
    of a few texts.
    """

    values: list[str]
    places: NDArray[np.intp]

    @property
    def known(self) -> NDArray[np.intp]:
        """Places of the rows that are no gaps."""
        return self.places[self.places >= 0]

    def by_row(self) -> pd.Series:
        """Return the text of every row, None for a gap."""
        texts = np.array([*self.values, None], dtype=object)
        return pd.Series(texts[self.places], dtype=object)

    def numbers_by_row(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for every row the number that stands for its text."""
        return np.append(numbers, np.nan)[self.places]


def distinct_texts(column: pd.Series) -> DistinctTexts:
    """Return the different texts of a column, without blanks around them.

    >>> texts = distinct_texts(pd.Series([" a", "b", None, "a "]))
    >>> texts.values, texts.places.tolist()
    (['a', 'b'], [0, 1, -1, 0])
    """
    if not isinstance(column.dtype, pd.StringDtype):
        column = plain_text(column)
    places, values = pd.factorize(column.to_numpy(object))
    bare = [value.strip() for value in values]
    if "" in bare or len(set(bare)) < len(bare):
        merged, values = pd.factorize(np.array([text or None for text in bare], dtype=object))
        places, bare = np.append(merged, -1)[places], list(values)
    return DistinctTexts(bare, places)
