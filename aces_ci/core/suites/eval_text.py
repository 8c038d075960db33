"""Bytes of an evaluation file to data: JSON, JSON lines, YAML, TOML or CSV, strictly, with the first fault's place."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import tomllib
from dataclasses import dataclass
from typing import Any

import yaml

from aces_ci.core.suites import yaml_aliases

SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes of one file that are read at all; the largest public suite is a hundredth of it."""
VALUE_LIMIT = 200_000
"""Values of one file, counted by its brackets and commas before it is parsed: bounds time and memory."""
YAML_LIMIT = 1024 * 1024
"""YAML is a hundred times slower than JSON: a second's worth."""
DEPTH_LIMIT = 64
CASE_LIMIT = 10_000
"""Cases of one file; more is generated data, not a suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a file cannot be read. `line` is 1-based, None where the fault has no place."""

    message: str
    line: int | None
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Plain data, or a fault; exactly one of the two."""

    data: Any = None
    text: str = ""
    fault: Fault | None = None


def parse(path: str, raw: bytes) -> Parsed:
    """Parse by the file's ending; a wrong one is no reason to refuse JSON that calls itself .yaml."""
    if len(raw) > SIZE_LIMIT:
        return _fault(f"larger than {SIZE_LIMIT >> 20} MiB", None, "split it, or drop recorded outputs from it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return _fault(f"not UTF-8 (byte {error.start})", line, "save it as UTF-8")
    if "\0" in text:
        return _fault("binary data", text[: text.index("\0")].count("\n") + 1, "this is no text file")
    ending = path.rsplit(".", 1)[-1].lower()
    readers = {
        "json": _json,
        "jsonl": _json_lines,
        "ndjson": _json_lines,
        "yaml": _yaml,
        "yml": _yaml,
        "csv": _csv,
        "toml": _toml,
    }
    try:
        return readers.get(ending, _plain)(text)
    except RecursionError:
        return _fault(f"nested deeper than {DEPTH_LIMIT} levels", None, "flatten it")


def _json(text: str) -> Parsed:
    if not text.strip():
        return _fault("empty file", 1, "write at least one case")
    if text.count(",") + text.count("[") + text.count("{") > VALUE_LIMIT:
        return _fault(f"more than {VALUE_LIMIT} values: generated data, not a suite", None, "split it, or cut it down")
    try:
        data = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        return _fault(_said(text, error), error.lineno, _json_hint(text, error))
    except ValueError as error:
        return _fault(str(error), _line_of(text, str(error)), "JSON has no such value or key twice")
    return _checked(data, text)


def _said(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()):
        return "the file ends in the middle"
    return f"not JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"


def _json_hint(text: str, error: json.JSONDecodeError) -> str:
    before = text[: error.pos].rstrip()
    if before.endswith(","):
        return "remove the comma before it"
    if text[error.pos : error.pos + 2] in {"//", "/*"} or text[error.pos : error.pos + 1] == "#":
        return "JSON has no comments: remove it"
    if error.pos >= len(text.rstrip()):
        return "write the rest, down to the last bracket"
    return "correct the JSON at this place"


def _json_lines(text: str) -> Parsed:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _json(line)
        if found.fault is not None:
            return _fault(found.fault.message, number, found.fault.hint)
        rows.append(found.data)
        if len(rows) > CASE_LIMIT:
            break
    return _checked(rows, text)


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Safe, with dates as the text that was written, and with no key twice in a mapping."""

    def flatten_mapping(self, node: Any) -> None:
        """Looks at the keys as they are written, before those of `<<` come in, which may be overridden."""
        looked: set[int] = self.__dict__.setdefault("_looked", set())
        if id(node) not in looked:
            looked.add(id(node))
            _no_key_twice(node)
        super().flatten_mapping(node)


def _no_key_twice(node: yaml.MappingNode) -> None:
    seen: set[tuple[str, str]] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if (key.tag, key.value) in seen:
            raise yaml.constructor.ConstructorError(None, None, f'key "{key.value[:60]}" stands twice', key.start_mark)
        seen.add((key.tag, key.value))


# Dates stay the text that was written; JSON, which everything else speaks, has none.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _yaml(text: str) -> Parsed:
    if len(text) > YAML_LIMIT:
        return _fault(f"YAML longer than {YAML_LIMIT >> 20} MiB", None, "split it, or write it as JSON")
    try:
        # The composer in C offers no hook, so aliases are weighed before it runs.
        heavy = yaml_aliases.fault(text, _Base) if "*" in text else None
        if heavy is not None:
            return _fault(heavy[0], heavy[1], "write the value out")
        documents = list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = error.problem or error.context or "cannot be read"
        return _fault(f"not YAML: {said}", mark.line + 1 if mark else None, "correct the YAML on this line")
    except (yaml.YAMLError, ValueError) as error:
        return _fault(f"not YAML: {str(error).splitlines()[0]}", None, "correct the YAML")
    if not documents or documents == [None]:
        return _fault("empty file", 1, "write at least one case")
    return _checked(documents[0] if len(documents) == 1 else documents, text)


def _csv(text: str) -> Parsed:
    try:
        rows = [dict(row) for row in csv.DictReader(io.StringIO(text, newline=""), strict=True)]
    except csv.Error as error:
        return _fault(f"not CSV: {error}", None, "quote values that hold commas or line breaks")
    return _checked(rows, text)


def _toml(text: str) -> Parsed:
    try:
        return _checked(tomllib.loads(text), text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        said = str(error).split(" (at ")[0]
        return _fault(f"not TOML: {said}", int(place[1]) if place else None, "correct the TOML on this line")


def _plain(text: str) -> Parsed:
    return Parsed(data=None, text=text)


def _checked(data: Any, text: str) -> Parsed:
    if _depth(data) > DEPTH_LIMIT:
        return _fault(f"nested deeper than {DEPTH_LIMIT} levels", None, "flatten it")
    return Parsed(data=data, text=text)


def _depth(data: Any) -> int:
    deepest = 0
    stack = [(data, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if level > DEPTH_LIMIT:
            return level
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        stack.extend((child, level + 1) for child in children)
    return deepest


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(shown: str) -> float:
    value = float(shown)
    if not math.isfinite(value):
        raise ValueError(f"{shown[:60]} is too large for a number")
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f'key "{twice[:60]}" stands twice')
    return found


def _line_of(text: str, said: str) -> int | None:
    word = said.split('"')[1] if '"' in said else said.split()[0]
    at = text.rfind(word)
    return text[:at].count("\n") + 1 if at >= 0 else None


def _fault(message: str, line: int | None, hint: str) -> Parsed:
    return Parsed(fault=Fault(message=message, line=line, hint=hint))
