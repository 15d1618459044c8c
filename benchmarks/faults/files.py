"""A file that is not a proper table must be read, or refused in one sentence."""

import contextlib
import gzip
import io
import random
import tempfile
import warnings
from pathlib import Path

from backstay.cli._app import run

FAULT = "file that is no proper table"
TRIALS = 100
BROKEN = {"error"}
NAMES = [
    "=1+1",
    "<script>alert(1)</script>",
    "\x1b[31mred",
    "a\tb",
    "ü",
    "",
    " ",
    "nan",
    "x" * 5000,
]
CELLS = [
    "1",
    "-3.5",
    "NA",
    "",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1,5",
    "１２",
    "x",
    '"',
    "\x00",
    "1" * 400,
]


def table(draw):
    """Return the text of a table with odd names and cells."""
    n, d = draw.choice([0, 1, 5, 20, 30, 40]), draw.randrange(0, 12)
    names = [draw.choice(NAMES) if draw.random() < 0.1 else f"g{j}" for j in range(d)]
    odd = draw.choice([0.0, 0.0, 0.01, 0.3])
    between = draw.choice([",", ",", ";", "\t"])
    careless = draw.choice([0.0, 0.0, 0.0, 0.03])  # share of rows that are not as they should be
    lines = [between.join([*names, "class"])]
    for _ in range(n):
        cells = [
            draw.choice(CELLS) if draw.random() < odd else f"{draw.gauss(0, 1):.3f}" for _ in names
        ]
        kind = draw.choice(["", "c", "nan"] if draw.random() < careless else ["a", "b"])
        if draw.random() < careless:
            cells.append("1")  # a field too many
        lines.append(between.join([*cells, kind]))
    return draw.choice(["\n", "\n", "\r\n", "\r"]).join(lines)


def content(draw):
    """Return the bytes of a nasty file and a suffix for it."""
    text = table(draw)
    data = text.encode(
        draw.choice(["utf-8"] * 5 + ["utf-8-sig", "utf-16", "utf-32", "cp037"]), "replace"
    )
    if draw.random() < 0.2:
        data = data[: draw.randrange(len(data) + 1)]
    if draw.random() < 0.15:
        data = bytes(draw.randrange(256) for _ in range(draw.randrange(3000)))
    for _ in range(draw.choice([0, 0, 0, 1, 20])):
        if data:
            at = draw.randrange(len(data))
            data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    suffix = draw.choice(
        [".csv", ".csv", ".csv", ".tsv", ".txt", ".gct", ".npz", ".parquet", ".csv.gz"]
    )
    if suffix.endswith(".gz") and draw.random() < 0.7:
        data = gzip.compress(data)[: draw.choice([None, -3])]
    return data, suffix


@contextlib.contextmanager
def laboratory():
    with tempfile.TemporaryDirectory() as folder:

        def trial(seed):
            data, suffix = content(random.Random(seed))
            path = Path(folder) / f"{seed}{suffix}"
            path.write_bytes(data)
            said, wrong = io.StringIO(), io.StringIO()
            command = ["run", str(path), "-t", "class", "--dry-run", "-o", f"{folder}/out"]
            try:
                with (
                    warnings.catch_warnings(),
                    contextlib.redirect_stdout(said),
                    contextlib.redirect_stderr(wrong),
                ):
                    code = run(command)
            except Exception as error:
                return f"error: {type(error).__name__}: {error}"
            lines = [line for line in wrong.getvalue().splitlines() if not line.startswith("Warn")]
            if code == 0:
                return "read"
            if code == 2 and len(lines) == 1:
                return "refused"
            return f"error: exit code {code}: {' '.join(lines)[:200]}"

        yield trial
