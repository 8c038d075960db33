"""Which files a tool call reads, writes or deletes, whatever its program calls its tools and their arguments."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from aces_ci.core.scripts.files import patch
from aces_ci.core.scripts.files.touch import How, Touch
from aces_ci.core.trace.named_paths import paths_in
from aces_ci.core.trace.tools import Deed, plain

_TEXTS = ("content", "file_text", "fileText", "new_string", "newString", "new_str", "newText", "new_source", "text",
          "contents", "code_edit", "replace", "diff")  # fmt: skip
_PATCHES = ("input", "patch", "patchText", "patch_text", "diff", "content")
_FROM = ("source", "src", "source_path", "old_path", "oldPath", "from", "sourcePath")
_TO = ("destination", "dst", "dest", "destination_path", "new_path", "newPath", "to", "destinationPath", "target")
_FOLDERS = ("path", "dir_path", "directory", "target_directory", "targetDirectory", "dir")
_SEARCHERS = frozenset(
    {"grep", "grep_search", "search_file_content", "codebase_search", "search", "search_files", "rg", "grep_files"}
)
"""Listing tools that show what stands in files."""
_DELETERS = ("delete", "remove")
_MOVERS = ("move", "rename")
_LIMIT = 200


def touches(name: str, deed: Deed, arguments: Mapping[str, object]) -> tuple[Touch, ...]:
    """In the order of the call, at most `_LIMIT`; empty where it names no file."""
    own = plain(name)
    found: Iterator[Touch]
    if deed is Deed.READ:
        found = (Touch(how=How.READ, path=path) for path in paths_in(arguments))
    elif deed is Deed.WRITE:
        found = _written(own, arguments)
    elif deed is Deed.LIST and own in _SEARCHERS:
        found = (Touch(how=How.READ, path=path) for path in _searched(arguments))
    else:
        return ()
    return tuple(dict.fromkeys(found))[:_LIMIT]


def _written(own: str, arguments: Mapping[str, object]) -> Iterator[Touch]:
    source, target = _first(arguments, _FROM), _first(arguments, _TO)
    if source and target:
        yield Touch(how=How.READ, path=source)
        yield Touch(how=How.WRITE, path=target)
        if own.startswith(_MOVERS):
            yield Touch(how=How.DELETE, path=source, deep=True)
        return
    for key in _PATCHES:
        value = arguments.get(key)
        if isinstance(value, str):
            yield from patch.touches(value)
    deletes = own.startswith(_DELETERS)
    text = None if deletes else written_text(arguments)
    whole = any(key in arguments for key in ("content", "contents", "file_text", "fileText"))
    for path in paths_in(arguments):
        yield Touch(how=How.DELETE if deletes else How.WRITE, path=path, deep=deletes, adds=not whole, text=text)


def written_text(arguments: Mapping[str, object]) -> str | None:
    """What the call puts into a file: its content, or each of its edits' new text."""
    edits = arguments.get("edits")
    texts = [value for key in _TEXTS if isinstance(value := arguments.get(key), str)]
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, Mapping):
            texts.extend(value for key in _TEXTS if isinstance(value := edit.get(key), str))
    return "\n".join(texts) if texts else None


def _searched(arguments: Mapping[str, object]) -> Iterator[str]:
    """The file, or the folder with the pattern for its files, in which is searched."""
    folder = _first(arguments, _FOLDERS) or ""
    chosen = [value for key in ("glob", "include", "include_pattern") if isinstance(value := arguments.get(key), str)]
    if not chosen and folder:
        yield folder
    for pattern in chosen:
        yield posixpath.join(folder, pattern.rstrip("*"))


def _first(arguments: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), None)
