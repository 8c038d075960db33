"""YAML with the place of every field, read from events so that size, depth and aliases stay bounded.

libyaml reads what is right, twenty times as fast; what it refuses goes to ruamel, whose word counts (YAML 1.2) and
whose complaints are located.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from aces_ci.changes.yaml_builder import MAX_DEPTH, Builder, Node, Refused, duplicate
from aces_ci.core.skill import Field, ParseProblem, Place

MAX_CHARACTERS = 16_384
_SALVAGED = 100
"""Entries that are read on their own after a syntax error; what comes later is read as part of the last."""

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OLD_BREAKS = re.compile("[\x85\u2028\u2029\ufeff]")
_BRACKET = re.compile(r"[\[\]{}]")
_ENTRY = re.compile(r"[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)")


def read(text: str, line: int) -> tuple[Mapping[str, Field] | None, tuple[ParseProblem, ...]]:
    """The top-level fields of a block that begins on `line` of its file, and all that is wrong with it.

    None where the block is no YAML mapping. After a syntax error each entry is read on its own, so that
    a second broken line is reported in the same run.
    """
    reading = _Reading(text, line)
    excess = _excess(text)
    if excess is not None:
        return None, (reading.problem(excess),)
    controls = tuple(reading.controls())
    clean = _UNPRINTABLE.sub("\ufffd", text) if controls else text
    try:
        fields = reading.fields(clean)
    except Refused as refused:
        problems = reading.salvage(clean) if refused.kind == "yaml" else ()
        return None, (*controls, *(problems or (reading.problem(refused),)))
    return (None if controls else fields), (*controls, *reading.found)


class _Reading:
    """One pass over one block."""

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]
        self.found: list[ParseProblem] = []

    def place(self, start: int, end: int) -> Place:
        """From offsets in the block to lines and columns of the file."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, max(end, start)) - 1
        return Place(
            line=self._line + first,
            column=start - self._starts[first] + 1,
            end_line=self._line + last,
            end_column=max(end, start) - self._starts[last] + 1,
        )

    def problem(self, refused: Refused) -> ParseProblem:
        """A refusal, located."""
        return ParseProblem(
            kind=refused.kind,
            message=refused.message,
            hint=refused.hint,
            place=self.place(refused.at, refused.at + 1),
            fatal=refused.kind != "duplicate_key",
        )

    def controls(self) -> Iterator[ParseProblem]:
        """Characters that YAML forbids, the first twenty."""
        for count, match in enumerate(_UNPRINTABLE.finditer(self._text)):
            if count == 20:
                return
            name = f"U+{ord(match[0]):04X}"
            yield self.problem(
                Refused(
                    "control",
                    f"The frontmatter holds the control character {name}, which YAML forbids.",
                    "delete the character",
                    match.start(),
                )
            )

    def fields(self, text: str, offset: int = 0) -> dict[str, Field]:
        """The fields of `text`, which stands at `offset` of the block.

        Raises:
            Refused: syntax, tags, or size.
        """
        builder = Builder(_events(text), text, offset)
        try:
            node = builder.document()
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = mark.index if mark is not None else 0
            raise _refused(error, text, min(at, len(text)), offset) from error
        except YAMLError as error:
            raise Refused("yaml", f"The frontmatter is not YAML: {error}.", "rewrite it", offset) from error
        self.found.extend(self.problem(duplicate) for duplicate in builder.duplicates)
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            what = "a list" if isinstance(node.value, list) else "plain text"
            raise Refused(
                "not_mapping",
                f"The frontmatter is {what}, not fields.",
                "write `name: ...` lines",
                node.start,
            )
        return {field.key: field for field in self._entries(node, 1)}

    def _entries(self, node: Node, levels: int) -> tuple[Field, ...]:
        return tuple(
            Field(
                key=str(key.written if not isinstance(key.value, str) else key.value),
                value=value.value,
                at_key=self.place(key.start, key.end),
                at_value=self.place(value.start, value.end),
                written=value.written,
                children=self._entries(value, levels - 1) if levels else (),
            )
            for key, value in node.entries
        )

    def salvage(self, text: str) -> tuple[ParseProblem, ...]:
        """Each top-level entry alone: all broken ones, in order of lines; also keys that come twice."""
        starts = [start for start in self._starts if _ENTRY.match(text, start)]
        self.found.clear()
        problems: list[ParseProblem] = []
        seen: set[str] = set()
        for start, end in pairwise([*starts[:_SALVAGED], len(text)]):
            key = text[start : text.index(":", start)].rstrip()
            if key in seen:
                problems.append(self.problem(duplicate(key, start)))
            seen.add(key)
            try:
                self.fields(text[start:end], start)
            except Refused as refused:
                problems.append(self.problem(refused))
        problems = problems[:_SALVAGED]
        broken = any(problem.kind != "duplicate_key" for problem in problems)
        return tuple(problems) if broken else ()


def _events(text: str) -> Iterator[Any]:
    # In YAML 1.1 these end a line, in 1.2 they are characters.
    if not _OLD_BREAKS.search(text):
        with suppress(yaml.YAMLError):
            return iter(list(yaml.parse(text, Loader=yaml.CBaseLoader)))
    # Not the round-trip kind: that one marks the folds of a folded text by control characters.
    return iter(YAML(typ="safe", pure=True).parse(text))


def _excess(text: str) -> Refused | None:
    """Why a block is not given to the scanner at all: it looks ahead over a whole nest of brackets."""
    if len(text) > MAX_CHARACTERS:
        message = f"The frontmatter has {len(text)} characters; more than {MAX_CHARACTERS} are not read."
        return Refused("bomb", message, "move the long text into the body or a reference", 0)
    depth = 0
    for match in _BRACKET.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(depth - 1, 0)
        if depth > 4 * MAX_DEPTH:
            message = f"The frontmatter opens {depth} brackets within each other and is not read."
            return Refused("bomb", message, "flatten it", match.start())
    return None


def _refused(error: MarkedYAMLError, text: str, at: int, offset: int) -> Refused:
    """The library's complaint in words that name the fix."""
    complaint = str(error.problem or error.context or "syntax error").strip()
    line = text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]
    key = line.split(":", 1)[0].strip() or "the value"
    if "mapping values are not allowed" in complaint:
        message = (
            f'The value of `{key[:60]}` holds ": " without quotes, so YAML ends it there. '
            "Agents then see no description, or no skill."
        )
        return Refused("yaml", message, "put the value in double quotes", at + offset)
    if (at < len(text) and text[at] == "\t") or "'\\t'" in complaint:
        return Refused("yaml", "A tab stands where YAML allows only spaces.", "indent with spaces", at + offset)
    if "end of stream" in complaint or "end of document" in complaint:
        begin = error.context_mark.index if error.context_mark is not None else at
        message, hint = "A quote or bracket is opened here and never closed.", "close it on the same line"
        return Refused("yaml", message, hint, begin + offset)
    message = f"The frontmatter is not valid YAML: {complaint}."
    return Refused("yaml", message, "put the value in double quotes", at + offset)
