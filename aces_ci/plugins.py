"""Finds plug-ins: one module of a family, one constant. Importing a family has no other effect."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache


@cache
def load(package: str, constant: str, key: str) -> tuple[object, ...]:
    """The `constant` of every module of `aces_ci.<package>`, sorted by their attribute `key`.

    Modules whose name begins with an underscore are parts of a plug-in, not plug-ins.

    Raises:
        RuntimeError: a module lacks the constant, or two carry the same key. Both are bugs of ours.
    """
    found: dict[str, object] = {}
    for file in names(package):
        module = importlib.import_module(f"aces_ci.{package}.{file}")
        value = getattr(module, constant, None)
        if value is None:
            raise RuntimeError(f"{module.__name__} has no {constant}")
        name = str(getattr(value, key))
        if name in found:
            raise RuntimeError(f"two plug-ins of {package} are called {name}")
        found[name] = value
    return tuple(found[name] for name in sorted(found))


def names(package: str) -> tuple[str, ...]:
    """The modules of `aces_ci.<package>` that are plug-ins, by name; nothing of the family is imported.

    Raises:
        RuntimeError: there is no such family; a bug of ours.
    """
    family = importlib.util.find_spec(f"aces_ci.{package}")
    if family is None or family.submodule_search_locations is None:
        raise RuntimeError(f"there is no family {package}")
    found = pkgutil.iter_modules(family.submodule_search_locations)
    return tuple(info.name for info in found if not info.name.startswith("_"))
