"""Calls inside a call: Codex's `exec` tool runs JavaScript that calls `tools.exec_command({...})`.

The text is read token by token for exactly that shape; nothing is executed. What only a run could know (a
command put together from variables) stays unknown, it is never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import re2

_TOKEN = re2.compile(
    r"""(?s)\s+|//[^\n]*|/\*.*?\*/"""
    r"""|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
    r"""|(?P<word>[A-Za-z_$][\w$]*|\d[\w.]*)|(?P<mark>.)"""
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
INPUT_LIMIT = 262_144
"""Characters that are read; the rest is ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """One call found in the text. A key whose value is only known at run time is None."""

    name: str
    arguments: Mapping[str, object]


def calls(source: str) -> tuple[Inner, ...]:
    """Every `tools.NAME(...)` in the order of the text. Never raises."""
    tokens = list(_tokens(source[:INPUT_LIMIT]))
    known: dict[str, object] = {}
    found: list[Inner] = []
    for at, (kind, value) in enumerate(tokens):
        if kind == "word" and _mark(tokens, at + 1, "=") and not _mark(tokens, at + 2, "="):
            text = _value(tokens, at + 2, known)
            if isinstance(text, str):
                known[value] = text
        if (kind, value) == ("word", "tools") and _mark(tokens, at + 1, ".") and _mark(tokens, at + 3, "("):
            found.append(Inner(name=tokens[at + 2][1], arguments=_arguments(tokens, at + 4, known)))
    return tuple(found)


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(source):
        for kind in ("string", "word", "mark"):
            value = match.group(kind)
            if value is not None:
                yield kind, value
                break


def _mark(tokens: list[tuple[str, str]], at: int, mark: str) -> bool:
    return at < len(tokens) and tokens[at] == ("mark", mark)


def _arguments(tokens: list[tuple[str, str]], at: int, known: Mapping[str, object]) -> dict[str, object]:
    """Top-level keys of the object literal that begins at `at`; `input` for a bare text."""
    if not _mark(tokens, at, "{"):
        return {"input": _value(tokens, at, known)} if at < len(tokens) else {}
    found: dict[str, object] = {}
    depth = 0
    while at < len(tokens):
        kind, value = tokens[at]
        if kind == "mark" and value in "{[(":
            depth += 1
        elif kind == "mark" and value in "}])":
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1 and kind in {"word", "string"} and _begins(tokens, at):
            key = _unquoted(value) if kind == "string" else value
            if _mark(tokens, at + 1, ":"):
                found[key or ""] = _value(tokens, at + 2, known)
                at += 1
            else:
                found[key or ""] = known.get(value)
        at += 1
    return found


def _begins(tokens: list[tuple[str, str]], at: int) -> bool:
    return _mark(tokens, at - 1, "{") or _mark(tokens, at - 1, ",")


def _value(tokens: list[tuple[str, str]], at: int, known: Mapping[str, object]) -> object:
    """A literal, a list of literals, a name that holds one, or texts joined by `+`; None where it is none."""
    if _mark(tokens, at, "["):
        items: list[object] = []
        at += 1
        while at < len(tokens) and not _mark(tokens, at, "]"):
            if not _mark(tokens, at, ","):
                items.append(_value(tokens, at, known))
            at += 1
        return items if all(isinstance(item, str) for item in items) else None
    parts: list[str] = []
    while at < len(tokens):
        kind, value = tokens[at]
        part = _unquoted(value) if kind == "string" else known.get(value) if kind == "word" else None
        if not isinstance(part, str):
            return _number(value) if kind == "word" and not parts else None
        parts.append(part)
        if not _mark(tokens, at + 1, "+"):
            return "".join(parts)
        at += 2
    return None


def _number(word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        return None


def _unquoted(literal: str) -> str | None:
    """The text of a literal; None for a template with a hole in it."""
    if literal[0] == "`" and "${" in literal:
        return None
    out: list[str] = []
    characters = iter(literal[1:-1])
    for character in characters:
        if character != "\\":
            out.append(character)
            continue
        escaped = next(characters, "")
        if escaped in {"x", "u"}:
            digits = "".join(next(characters, "") for _ in range(2 if escaped == "x" else 4))
            out.append(chr(int(digits, 16)) if _hex(digits) else digits)
        else:
            out.append(_ESCAPES.get(escaped, escaped))
    return "".join(out)


def _hex(digits: str) -> bool:
    return bool(digits) and all(digit in "0123456789abcdefABCDEF" for digit in digits)
