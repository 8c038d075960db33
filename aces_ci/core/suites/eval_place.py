"""The line of a JSON pointer in the text of an evaluation file, exactly, for JSON, YAML, JSON lines and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

INDEX_LIMIT = 256 * 1024
"""Characters of a text whose places are worked out; a longer one is named without lines."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def places(path: str, text: str) -> Mapping[str, int]:
    """Line, 1-based, of every value by its pointer; empty where the text is too long or no such data."""
    if len(text) > INDEX_LIMIT:
        return {}
    ending = path.rsplit(".", 1)[-1].lower()
    if ending in ("jsonl", "ndjson", "csv"):
        return dict(_rows(text, head=ending == "csv"))
    if text.lstrip()[:1] in ("{", "["):
        return dict(_json(text))
    if ending not in ("yaml", "yml"):
        return {"": 1}
    try:
        return dict(_yaml(text))
    except (yaml.YAMLError, RecursionError):
        return {}


def line_at(found: Mapping[str, int], pointer: str) -> int | None:
    """The line of a pointer, or of the nearest value around it that stands in the text."""
    while pointer and pointer not in found:
        pointer = pointer.rpartition("/")[0]
    return found.get(pointer)


def _rows(text: str, *, head: bool) -> Iterator[tuple[str, int]]:
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    yield "", 1
    for index, number in enumerate(lines[1:] if head else lines):
        yield f"/{index}", number


def _json(text: str) -> Iterator[tuple[str, int]]:
    """Walk the tokens with a stack of (pointer of the container, next index or None for an object)."""
    stack: list[list[Any]] = []
    line, at, key = 1, 0, None
    for token in _TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        shown = token[0]
        if shown in ("}", "]"):
            if stack:
                stack.pop()
            continue
        if shown == ",":
            if stack and stack[-1][1] is not None:
                stack[-1][1] += 1
            key = None
            continue
        if shown == ":":
            continue
        if stack and stack[-1][1] is None and key is None and shown not in ("{", "["):
            key = shown[1:-1]
            continue
        top = stack[-1] if stack else None
        pointer = "" if top is None else f"{top[0]}/{key if top[1] is None else top[1]}"
        yield pointer, line
        key = None
        if shown in ("{", "["):
            stack.append([pointer, None if shown == "{" else 0])


def _yaml(text: str) -> Iterator[tuple[str, int]]:
    root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    stack = [("", root)] if root is not None else []
    while stack:
        pointer, node = stack.pop()
        yield pointer, node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            stack += [(f"{pointer}/{key.value}", value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            stack += [(f"{pointer}/{index}", value) for index, value in enumerate(node.value)]
