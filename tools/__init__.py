"""Tools of the project itself: a contract for imports, and the minimum versions."""
