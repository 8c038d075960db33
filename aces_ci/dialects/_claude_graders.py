"""The six grader types of `claude plugin eval` as checks and sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aces_ci.core.suites.case import CheckKind
from aces_ci.dialects._checks import Graded

_FLAGS = "ims"


def grade(name: str, keys: Mapping[str, Any], body: str, graded: Graded, at: str) -> None:
    """One grader; what is not run here is named, with its reason."""
    kind = keys.get("type")
    notes = graded.notes
    weight = keys.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0:
        notes.error(at, f"grader `{name}`: `weight` is no number from 0", "write a number")
        return
    readers = {"regex": _regex, "tool_used": _used, "tool_order": _order, "file_exists": _file}
    if kind == "llm":
        said = keys.get("criteria") or body
        if isinstance(said, str) and said.strip():
            graded.sentence(said, weight=float(weight))
        else:
            notes.error(at, f"grader `{name}` has neither criteria nor a body", "write what the judge is to look for")
        return
    if kind == "baseline":
        notes.warn(at, f"grader `{name}` compares with a recorded run: not run here", "add an `llm` grader beside it")
        return
    reader = readers.get(str(kind))
    if reader is None:
        known = ", ".join((*readers, "llm", "baseline"))
        notes.error(at, f"grader `{name}`: there is no type `{str(kind)[:40]}`", f"write one of {known}")
        return
    found = reader(name, keys, graded, at)
    if found is not None:
        graded.check(found[0], found[1], at, text="", weight=float(weight), name=name)


Found = tuple[CheckKind, dict[str, Any]] | None


def _regex(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    pattern, match, target = keys.get("pattern"), str(keys.get("match", "contains")), keys.get("target", "last_message")
    if not isinstance(pattern, str):
        graded.notes.error(at, f"grader `{name}` has no pattern", "write one")
        return None
    flags = "".join(flag for flag in str(keys.get("flags", "")) if flag in _FLAGS)
    shown = f"(?{flags}){pattern}" if flags else pattern
    wanted = match == "contains"
    if match not in ("contains", "not_contains"):
        graded.notes.warn(at, f"grader `{name}` counts matches: not run here", "use `contains`, or a file check")
        return None
    if target == "last_message":
        return (CheckKind.REGEX if wanted else CheckKind.NOT_REGEX), {"pattern": shown}
    if isinstance(target, Mapping) and isinstance(target.get("path"), str) and wanted:
        return CheckKind.FILE_MATCHES, {"path": target["path"], "pattern": shown}
    graded.notes.warn(
        at,
        f"grader `{name}` looks at `{str(target)[:40]}`: not run here",
        "narration proves nothing; look at the last message, a file or a tool call",
    )
    return None


def _used(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    del graded, at
    tool, pattern = keys.get("tool"), keys.get("input_match")
    most = keys.get("max")
    if tool == "Skill" and most != 0:
        plain = isinstance(pattern, str) and re.fullmatch(r"[\w-]+", pattern)
        return CheckKind.SKILL_READ, ({"skill": pattern} if plain else {})
    limits = {key: keys[key] for key in ("min", "max") if key in keys}
    if most == 0 and tool == "Skill":
        return CheckKind.TOOL_NOT_USED, {"tool": tool}
    if most == 0:
        return CheckKind.TOOL_NOT_USED, {"tool": tool, **_input(tool, pattern)}
    return CheckKind.TOOL_USED, {"tool": tool, **limits, **_input(tool, pattern)}


def _input(tool: object, pattern: object) -> dict[str, Any]:
    """The input as that tool names it; other tools' inputs are looked through by their usual key."""
    if not isinstance(pattern, str):
        return {}
    keys = {"Bash": "command", "Read": "file_path", "Write": "file_path", "Edit": "file_path", "WebFetch": "url"}
    return {"arguments": {keys.get(str(tool), "input"): pattern}}


def _order(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    del name, graded, at
    return CheckKind.TOOL_ORDER, {"tools": [_step(keys.get("before")), _step(keys.get("after"))]}


def _step(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    found = {"tool": value.get("tool")}
    return {**found, "pattern": value["input_match"]} if "input_match" in value else found


def _file(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    del name, graded, at
    kind = CheckKind.FILE_ABSENT if keys.get("exists") is False else CheckKind.FILE_EXISTS
    return kind, {"path": keys.get("path")}
