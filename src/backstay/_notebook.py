"""What a notebook shows of an object: a sentence and a table."""

from html import escape

import pandas as pd

SHOWN_ROWS = 20


def as_html(said: str, frame: pd.DataFrame) -> str:
    """Return a paragraph and a table.

    >>> as_html("a < b", pd.DataFrame({"x": [1]}))[:20]
    '<p>a &lt; b</p><tabl'
    """
    table = frame.to_html(index=False, max_rows=SHOWN_ROWS, float_format="{:.4g}".format)
    return f"<p>{escape(said)}</p>{table}"
