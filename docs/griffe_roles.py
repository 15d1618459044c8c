"""Part of the build of the pages: roles in docstrings become links, fixed fields no parameters."""

import re
from collections.abc import Iterator
from typing import Any

from griffe import Attribute, Class, DataclassesExtension, Extension, Function, Module, Object

# :class:`ReliefF` or :func:`backstay.stability.stability_curve`, as docstrings write them.
ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?([\w.]+)`")


def own_objects(parent: Object) -> Iterator[Object]:
    """Yield everything defined below a module or class, not what it imports."""
    for member in parent.members.values():
        if not member.is_alias:
            yield member
            yield from own_objects(member)


def drop_fixed_fields(kind: Class) -> None:
    """Take fields that a dataclass fixes by ``field(init=False)`` out of its constructor."""
    init = kind.members.get("__init__")
    for name, member in kind.members.items():
        fixed = isinstance(member, Attribute) and "init=False" in str(member.value)
        if fixed and isinstance(init, Function) and name in init.parameters:
            del init.parameters[name]


class Roles(Extension):
    """Replace roles by references that the pages can follow."""

    def on_package(self, *, pkg: Module, **kwargs: Any) -> None:
        """Rewrite the docstrings and signatures of a package once all of it is known."""
        DataclassesExtension().on_package(pkg=pkg, **kwargs)  # else it would come after this
        public = {
            name: f"{module.path}.{name}"
            for module in pkg.modules.values()
            if not module.name.startswith("_")
            for name in map(str, module.exports or [])
        }

        def reference(match: re.Match[str]) -> str:
            name = match[1].rpartition(".")[2]
            return f"[`{name}`][{public[name]}]" if name in public else f"`{name}`"

        for part in [pkg, *own_objects(pkg)]:
            if part.docstring:
                part.docstring.value = ROLE.sub(reference, part.docstring.value)
            if isinstance(part, Class):
                drop_fixed_fields(part)
