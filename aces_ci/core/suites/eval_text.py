"""Bytes of an evaluation file to data: JSON, JSON lines, YAML, TOML or CSV, strictly, with the first fault's place."""

from __future__ import annotations

import csv
import json
import math
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.eval_place import csv_rows, json_flaw, json_lines, line_at, places
from aces_ci.core.suites.eval_yaml import NotYaml, documents
from aces_ci.core.suites.plain_data import DEPTH_LIMIT, flaw

SIZE_LIMIT = 1024 * 1024
"""Bytes of one file that are read at all, as many as of any file of a skill: YAML of that size takes a second."""
VALUE_LIMIT = 200_000
"""Values of one file, counted by its separators before it is parsed: bounds time and memory."""
CASE_LIMIT = 10_000
"""Cases of one file; more is generated data, not a suite."""
_SEPARATORS = {
    "json": ",[{",
    "jsonl": ",[{\n",
    "ndjson": ",[{\n",
    "yaml": ",[{\n",
    "yml": ",[{\n",
    "csv": ",\n",
    "toml": ",[{\n",
}


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
    if sum(map(text.count, _SEPARATORS.get(ending, ""))) > VALUE_LIMIT:
        return _fault(f"more than {VALUE_LIMIT} values: generated data, not a suite", None, "split it, or cut it down")
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
        found = readers.get(ending, _plain)(text)
    except RecursionError:
        return _fault(f"nested deeper than {DEPTH_LIMIT} levels", None, "flatten it")
    wrong = flaw(found.data) if found.fault is None else None
    if wrong is None:
        return found
    where = None if wrong.pointer is None else line_at(places(path, text), wrong.pointer)
    return _fault(wrong.message, where, wrong.hint)


def _json(text: str) -> Parsed:
    if not text.strip():
        return _fault("empty file", 1, "write at least one case")
    try:
        data = json.loads(text, parse_constant=_refused, parse_float=_finite, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        return _fault(_said(text, error), error.lineno, _json_hint(text, error))
    except ValueError as error:
        # The decoder says that something is wrong, not where.
        where = json_flaw(text)
        said, line = where if where is not None else (str(error), None)
        return _fault(said, line, "JSON has no such value or key twice")
    return Parsed(data=data, text=text)


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(shown: str) -> float:
    value = float(shown)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


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
    for number, line in json_lines(text):
        found = _json(line)
        if found.fault is not None:
            return _fault(found.fault.message, number, found.fault.hint)
        rows.append(found.data)
    return Parsed(data=rows, text=text)


def _yaml(text: str) -> Parsed:
    try:
        found = documents(text)
    except NotYaml as error:
        return _fault(str(error), error.line, error.hint)
    if not found or found == [None]:
        return _fault("empty file", 1, "write at least one case")
    return Parsed(data=found[0] if len(found) == 1 else found, text=text)


def _csv(text: str) -> Parsed:
    """A row is a mapping; values beyond the head's columns stand below None, missing ones are None."""
    rows: list[dict[str | None, Any]] = []
    head: list[str] | None = None
    try:
        for line, cells in csv_rows(text):
            if head is None:
                head = cells
                twice = next((name for name in cells if cells.count(name) > 1), None) if len(cells) < 1000 else "..."
                if twice is not None:
                    return _fault(f'column "{twice[:60]}" stands twice', line, "name each column once")
                continue
            row: dict[str | None, Any] = dict(zip(head, [*cells, *[None] * (len(head) - len(cells))], strict=False))
            if len(cells) > len(head):
                row[None] = cells[len(head) :]
            rows.append(row)
    except csv.Error as error:
        said, line = error.args
        return _fault(f"not CSV: {said}", line, "quote values that hold commas or line breaks")
    return Parsed(data=rows, text=text)


def _toml(text: str) -> Parsed:
    try:
        return Parsed(data=tomllib.loads(text), text=text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        said = str(error).split(" (at ")[0]
        return _fault(f"not TOML: {said}", int(place[1]) if place else None, "correct the TOML on this line")
    except ValueError as error:
        # A whole number of more digits than Python reads.
        return _fault(f"not TOML: {str(error).split(';')[0][:80]}", None, "correct the TOML")


def _plain(text: str) -> Parsed:
    return Parsed(data=None, text=text)


def _fault(message: str, line: int | None, hint: str) -> Parsed:
    return Parsed(fault=Fault(message=message, line=line, hint=hint))
