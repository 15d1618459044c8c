"""``backstay demo``: the whole way on data that come with the package."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay.cli._guard import Debug, command_line, guarded
from backstay.cli._outputs import make_folder, show_results, write_outputs
from backstay.cli._show import say, table

if TYPE_CHECKING:
    import pandas as pd

    from backstay.results import Results


N_SELECTED = 50
N_PERMUTATIONS = 5


@guarded
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the reports.")] = Path(
        "backstay-demo"
    ),
    repeats: Annotated[int, typer.Option(min=2, help="Random splits of each data set.")] = 10,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Tasks at once; all cores if omitted.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Show everything on two small data sets, one of them with a known truth.

    For example:

    [bold]backstay demo[/bold]
    """
    start = time.perf_counter()
    make_folder(out)
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    from backstay.datasets import make_han_yu

    say(
        f"Two data sets, the default panel, {repeats} random splits and {N_PERMUTATIONS} "
        "permutations of the outcomes each: enough to see how it works in less than a minute, and "
        "fewer than a study should have (backstay run: 50 and 20). AUC decides."
    )
    settings: dict[str, Any] = {"repeats": repeats, "jobs": jobs}
    say()
    say("1. Data whose truth is known: 100 × 1000, of which 50 features matter", "bold")
    say("   (Han and Yu's blocks of ten correlated features; the classes follow from five blocks)")
    X, y, truth = make_han_yu(random_state=0)
    names = [f"relevant {j}" if truth[j] > 0 else f"noise {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    results = _study(out, "han-yu", frame, y, [10, 20, N_SELECTED, 100], truth=truth, **settings)
    found = results.selections.relevant_found(N_SELECTED)
    assert found is not None
    rows = [
        [row.method, f"{row.found:.1f} of {found.size}", f"{row.right} of {row.signature}"]
        for row in found.frame().itertuples(index=False)
    ]
    say()
    table(
        ["method", "relevant per run", "in the signature"],
        rows,
        f"The truth: {found.size} features selected, {found.n_relevant} are relevant "
        f"({found.by_chance:.1f} by chance)",
    )
    say()
    say("2. Breast cancer: 569 × 30, from scikit-learn", "bold")
    data = load_breast_cancer(as_frame=True)
    labels = np.array(data.target_names)[data.target]
    _study(out, "breast-cancer", data.data, labels, [1, 2, 5, 10], **settings)
    say()
    say(f"Done in {time.perf_counter() - start:.0f} s. Open the reports in a browser:", "bold")
    for name in ("han-yu", "breast-cancer"):
        say(f"  {(out / name / 'report.html').resolve()}")


def _study(
    out: Path, name: str, X: pd.DataFrame, y: Any, sizes: list[int], *, repeats: int,
    jobs: int | None, truth: Any = None,
) -> Results:  # fmt: skip
    """Run a study and show what it found."""
    from joblib import cpu_count

    from backstay.study import Study, Subsampling, make_methods

    folder = out / name
    make_folder(folder)
    study = Study(
        make_methods(),
        Subsampling(repeats),
        sizes=sizes,
        null=N_PERMUTATIONS,
        store=folder / "study.db",
        n_jobs=jobs or cpu_count(),
        random_state=0,
        verbose=1,
    )
    about = {"command": command_line(), "source": f"backstay demo, {name}"}
    results = study.run(X, y, dataset=name, truth=truth, provenance=about)
    show_results(results, write_outputs(results, folder, None, command_line()))
    return results
