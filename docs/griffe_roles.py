"""Part of the build of the pages: Sphinx roles in docstrings become links."""

import re
from collections.abc import Iterator
from typing import Any

from griffe import Extension, Module, Object

# :class:`ReliefF` or :func:`backstay.stability.stability_curve`, as docstrings write them.
ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?([\w.]+)`")


def own_objects(parent: Object) -> Iterator[Object]:
    """Yield everything defined below a module or class, not what it imports."""
    for member in parent.members.values():
        if not member.is_alias:
            yield member
            yield from own_objects(member)


class Roles(Extension):
    """Replace roles by references that the pages can follow."""

    def on_package(self, *, pkg: Module, **kwargs: Any) -> None:
        """Rewrite the docstrings of a package once all of it is known."""
        public = {
            name: f"{module.path}.{name}"
            for module in pkg.modules.values()
            if not module.name.startswith("_")
            for name in map(str, module.exports or [])
        }

        def reference(match: re.Match[str]) -> str:
            name = match[1].rpartition(".")[2]
            return f"[`{name}`][{public[name]}]" if name in public else f"`{name}`"

        for found in [pkg, *own_objects(pkg)]:
            if found.docstring:
                found.docstring.value = ROLE.sub(reference, found.docstring.value)
