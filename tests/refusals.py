"""How a file is refused."""

import pytest

from backstay.datasets import TableError, read_table


def complaint(path, target="kind", **options):
    """Return the one sentence in which a table is refused."""
    with pytest.raises(TableError) as caught:
        read_table(path, target, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    return text
