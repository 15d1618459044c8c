"""A raster as a PNG in a data: address, for the cells of a heat map."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def png_address(pixels: NDArray[np.uint8]) -> str:
    """Return an address of an image: rows × columns × (red, green, blue, alpha).

    Examples
    --------
    >>> import numpy as np
    >>> png_address(np.zeros((1, 1, 4), dtype=np.uint8))[:22]
    'data:image/png;base64,'
    """
    height, width, _ = pixels.shape
    # Every row of a PNG begins with its filter; 0 is none.
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels, dtype=np.uint8))
    parts = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)
