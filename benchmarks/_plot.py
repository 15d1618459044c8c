"""The plot of growth."""

from pathlib import Path

IMAGE = Path(__file__).parents[1] / "docs" / "_images" / "scaling.svg"
COLOURS = ("#1b6ca8", "#c1440e", "#3b7d3c", "#7b4b94", "#a87c00", "#c2477f", "#4a4a4a")


def draw(growth, path=IMAGE):
    """Draw time over size, both relative, a panel for each thing that grows, into an SVG file."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    panels = {}
    for name, fitted in growth.items():
        method, parameter = name.split(" in ")
        panels.setdefault(parameter, {})[method] = fitted
    colours = dict(zip(dict.fromkeys(n.split(" in ")[0] for n in growth), COLOURS, strict=True))
    with matplotlib.rc_context({"svg.hashsalt": "backstay", "font.size": 9}):
        figure, axes = plt.subplots(1, len(panels), figsize=(10, 3.6), sharey=True, squeeze=False)
        for ax, (parameter, curves) in zip(axes[0], panels.items(), strict=True):
            for method, fitted in curves.items():
                label = f"{method}: {fitted['exponent']:.2f}"
                sizes, taken = fitted["sizes"], fitted["seconds"]
                ax.loglog(
                    [size / sizes[0] for size in sizes],
                    [seconds / taken[0] for seconds in taken],
                    marker="o",
                    markersize=3,
                    color=colours[method],
                    label=label,
                )
            ax.set_xlabel(f"{parameter}, the fewest as 1")
            ax.xaxis.set_minor_formatter("")  # of a short axis they would overlap
            ax.grid(True, which="major", linewidth=0.3)
            ax.legend(frameon=False, fontsize=8)
        axes[0][0].set_ylabel("time, the smallest as 1")
        figure.tight_layout()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        plt.close(figure)
