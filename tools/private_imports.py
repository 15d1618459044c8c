"""A contract for import-linter: no package imports the private modules of another."""

from __future__ import annotations

import grimp
from importlinter import Contract, ContractCheck, fields, output

__all__ = ["PrivateImportsContract", "is_private_to_another"]


def is_private_to_another(importer: str, imported: str) -> bool:
    """Return whether a module is private to a package that the importer is not part of.

    Examples
    --------
    >>> is_private_to_another("backstay.report._page", "backstay.results._records")
    True
    >>> is_private_to_another("backstay.report._page", "backstay.results")
    False
    >>> is_private_to_another("backstay.report.figures._curves", "backstay.report._words")
    False
    """
    root, package, *modules = imported.split(".")
    if importer.split(".")[:2] == [root, package]:
        return False
    return any(part.startswith("_") for part in (package, *modules))


class PrivateImportsContract(Contract):
    """Forbid imports of ``root.package._module`` from outside ``root.package``.

    Options: ``exempt_modules``, which everyone may import with all that is below them.
    """

    type_name = "private_imports"

    exempt_modules = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Find every private import across packages."""
        exempt = tuple(f"{name}." for name in self.contract_options["exempt_modules"])
        roots = tuple(f"{name}." for name in self.session_options["root_packages"])
        found = sorted(
            (importer, imported, details["line_number"])
            for imported in graph.modules
            if imported.startswith(roots) and not f"{imported}.".startswith(exempt)
            for importer in graph.find_modules_that_directly_import(imported)
            if is_private_to_another(importer, imported)
            for details in graph.get_import_details(importer=importer, imported=imported)
        )
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """List the imports, with their lines."""
        for importer, imported, line in check.metadata["found"]:
            output.print_error(f"{importer}:{line} imports {imported}, private to its package")
        output.new_line()
