"""Every file that a file tool's call names: one, or a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aces_ci.core.trace.tools import path_in

_LISTS = (
    "paths",
    "file_paths",
    "filePaths",
    "files",
    "include",
    "absolute_paths",
    "filenames",
    "targets",
    "edits",
    "changes",
)
_LIMIT = 200


def paths_in(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """Paths and patterns in the order of the call; empty where it names none."""
    return tuple(dict.fromkeys(_all(arguments)))[:_LIMIT]


def _all(arguments: Mapping[str, object]) -> Iterator[str]:
    one = path_in(arguments)
    if one is not None:
        yield one
    for key in _LISTS:
        listed = arguments.get(key)
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, str):
                yield each
            elif isinstance(each, Mapping) and (found := path_in(each)) is not None:
                yield found
