"""Run the code of docs/notebook.ipynb and keep what its cells show in the file.

python -m tools.notebook
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def cells(notebook: Path = NOTEBOOK) -> list[dict[str, Any]]:
    """Return the cells of a notebook."""
    return list(json.loads(notebook.read_text(encoding="utf-8"))["cells"])


def run_cell(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell as Jupyter would, and return its outputs: what was printed, and its last value."""
    *first, last = ast.parse(code).body
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(first, []), "<cell>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        else:
            exec(compile(code, "<cell>", "exec"), names)
    outputs: list[dict[str, Any]] = []
    if said.getvalue():
        text = said.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        outputs.append({"output_type": "execute_result", "metadata": {}, "data": shown(value)})
    return outputs


def shown(value: Any) -> dict[str, Any]:
    """Return a value in the forms in which a notebook can show it."""
    import matplotlib.pyplot as plt

    if plt.get_fignums():
        picture = io.BytesIO()
        plt.savefig(picture, format="png", dpi=60, bbox_inches="tight")
        plt.close("all")
        text = base64.b64encode(picture.getvalue()).decode()
        return {"image/png": text, "text/plain": ["<Figure>"]}
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_") and (html := value._repr_html_()):
        data["text/html"] = html.splitlines(keepends=True)
    return data


def main() -> None:
    """Run all cells in an empty folder, in order, and write the notebook."""
    import matplotlib as mpl

    mpl.use("Agg")
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    back = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for count, cell in enumerate(
                (cell for cell in notebook["cells"] if cell["cell_type"] == "code"), start=1
            ):
                cell["outputs"] = run_cell("".join(cell["source"]), names)
                cell["execution_count"] = count
                for output in cell["outputs"]:
                    if output["output_type"] == "execute_result":
                        output["execution_count"] = count
        finally:
            os.chdir(back)
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
