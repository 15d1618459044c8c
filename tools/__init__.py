"""The project's own tools: a contract for imports, minimum versions, public names, pages."""
