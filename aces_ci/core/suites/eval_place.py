"""The exact line of a JSON pointer in an evaluation file: JSON, JSON lines, YAML, CSV, TOML, front matter."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

POINTER_LIMIT = 512
"""Characters of one pointer: what lies below a longer one is named by the value around it."""
INDEX_LIMIT = 16 * 1024 * 1024
"""Characters of all pointers of one text; the rest is named without lines."""
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"\[{1,2}\s*([A-Za-z0-9_.-]+)\s*\]{1,2}\s*(?:#.*)?$")
_SET = re.compile(r"([A-Za-z0-9_-]+)\s*=")


def places(path: str, text: str) -> Mapping[str, int]:
    """Line, 1-based, of every value by its pointer; what is not indexed is found by the value around it."""
    ending = path.rsplit(".", 1)[-1].lower()
    found: dict[str, int] = {}
    room = INDEX_LIMIT
    try:
        for pointer, line in _READERS.get(ending, _whole)(text):
            room -= len(pointer)
            if room < 0:
                break
            if len(pointer) <= POINTER_LIMIT:
                found.setdefault(pointer, line)
    except (yaml.YAMLError, RecursionError, csv.Error):
        return {}
    return found


def line_at(found: Mapping[str, int], pointer: str) -> int | None:
    """The line of a pointer, or of the nearest value around it that stands in the text."""
    while pointer and pointer not in found:
        pointer = pointer.rpartition("/")[0]
    return found.get(pointer)


def json_flaw(text: str) -> tuple[str, int] | None:
    """What JSON has no word for, and its line: a constant of JavaScript, a number without end, a key that stands twice.

    The text is what a lenient reader takes; None where nothing is wrong with it.
    """
    seen: dict[int, set[str]] = {}
    for shown, line, level, is_key in _tokens(text):
        if is_key:
            known, name = seen.setdefault(level, set()), _unquoted(shown)
            if name in known:
                return f'key "{name[:60]}" stands twice', line
            known.add(name)
        elif shown == "{":
            seen[level + 1] = set()
        elif shown.lstrip("-") in ("NaN", "Infinity"):
            return f"{shown} is no JSON number", line
        elif shown[0] in "-0123456789" and not _fits(shown):
            return f"{shown[:60]} is too large for a number", line
    return None


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, its cells) of every row that is not empty, the head too.

    Raises:
        csv.Error: with what is wrong, and the line on which the row at fault begins.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for row in reader:
            if row:
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(str(error), begins) from None


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every line that is not blank: only a line feed ends one, as JSON lines have it."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _fits(shown: str) -> bool:
    try:
        return abs(float(shown)) != float("inf")
    except (ValueError, OverflowError):
        return False


def _unquoted(shown: str) -> str:
    try:
        return str(json.loads(shown, strict=False))
    except ValueError:
        return shown[1:-1]


def _whole(text: str) -> Iterator[tuple[str, int]]:
    yield "", 1


def _listed(text: str) -> Iterator[tuple[str, int]]:
    yield "", 1
    yield from ((f"/{index}", number) for index, (number, _) in enumerate(json_lines(text)))


def _table(text: str) -> Iterator[tuple[str, int]]:
    yield "", 1
    for index, (line, _) in enumerate(csv_rows(text)):
        if index:
            yield f"/{index - 1}", line


def _tokens(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """(token, line, how many containers are open around it, whether it is a key), without commas and colons."""
    open_objects: list[bool] = []
    line, at, key_next = 1, 0, False
    for token in _TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        shown = token[0]
        if shown in ("}", "]"):
            if open_objects:
                open_objects.pop()
            key_next = False
            yield shown, line, len(open_objects), False
        elif shown == ",":
            key_next = bool(open_objects) and open_objects[-1]
        elif shown == ":":
            key_next = False
        else:
            yield shown, line, len(open_objects), key_next and shown[0] == '"'
            if shown in ("{", "["):
                open_objects.append(shown == "{")
                key_next = shown == "{"


def _json(text: str) -> Iterator[tuple[str, int]]:
    """Walk the tokens with a stack of (pointer of the container, next index or None for an object)."""
    stack: list[list[Any]] = []
    key: str | None = None
    for shown, line, _, is_key in _tokens(text):
        if shown in ("}", "]"):
            if stack:
                stack.pop()
            continue
        if is_key:
            key = _unquoted(shown)
            continue
        top = stack[-1] if stack else None
        if top is None:
            pointer = ""
        elif top[1] is None:
            pointer = f"{top[0]}/{key}"
        else:
            pointer = f"{top[0]}/{top[1]}"
            top[1] += 1
        yield pointer, line
        key = None
        if shown in ("{", "["):
            # Below a pointer that is too long the parts are not told apart: each would be as long again.
            stack.append([pointer[: POINTER_LIMIT + 1], None if shown == "{" else 0])


def _yaml(text: str) -> Iterator[tuple[str, int]]:
    documents = list(yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    if not documents:
        return
    roots = [("", documents[0])] if len(documents) == 1 else [(f"/{i}", node) for i, node in enumerate(documents)]
    if len(documents) > 1:
        yield "", 1
    stack = list(reversed(roots))
    while stack:
        pointer, node = stack.pop()
        yield pointer, node.start_mark.line + 1
        if len(pointer) > POINTER_LIMIT:
            continue
        if isinstance(node, yaml.MappingNode):
            stack += [(f"{pointer}/{str(key.value)[: POINTER_LIMIT + 1]}", value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            stack += [(f"{pointer}/{index}", value) for index, value in enumerate(node.value)]


def _front(text: str) -> Iterator[tuple[str, int]]:
    yield "", 1
    found = _FRONT.match(text)
    if found:
        yield from ((pointer, line + 1) for pointer, line in _yaml(found[1]) if pointer)


def _toml(text: str) -> Iterator[tuple[str, int]]:
    """Tables and the keys of each; what stands in an inline value is named by its key."""
    yield "", 1
    table = ""
    for number, line in enumerate(text.split("\n"), start=1):
        opened, given = _TABLE.match(line.strip()), _SET.match(line)
        if opened:
            table = "/" + opened[1].replace(".", "/")
            yield table, number
        elif given:
            yield f"{table}/{given[1]}", number


_READERS = {
    "json": _json,
    "jsonl": _listed,
    "ndjson": _listed,
    "csv": _table,
    "yaml": _yaml,
    "yml": _yaml,
    "toml": _toml,
    "md": _front,
}
