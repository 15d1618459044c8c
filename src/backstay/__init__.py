"""Stable feature selection: rank features, and say how far the ranking can be trusted."""

__version__ = "0.1.0.dev0"
__all__: list[str] = ["__version__"]
