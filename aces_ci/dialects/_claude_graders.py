"""The six grader types of `claude plugin eval` as checks and sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from aces_ci.core.suites.case import CheckKind
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import kind_of
from aces_ci.dialects._typed import flag_at, text_at, weight_at

_FLAGS = "ims"
_WITHOUT_EFFECT = "gu"
"""Flags of JavaScript that change nothing where one match is looked for in text."""
_SHARED = frozenset({"type", "name", "weight"})


def grade(name: str, keys: Mapping[str, Any], body: str, graded: Graded, at: str) -> None:
    """One grader; what is not run here is named, with its reason."""
    kind = keys.get("type")
    notes = graded.notes
    before = notes.count
    weight = weight_at(keys, notes, at)
    if notes.count > before:
        return
    if keys.get("arm") not in (None, "both"):
        notes.warn(f"{at}/arm", f"grader `{name}` counts in every arm here", "leave it; arms are compared by outcome")
    if kind == "llm":
        said = text_at(keys, "criteria", notes, at) or body
        if said.strip():
            graded.sentence(said, weight=weight, at=at)
            graded.unused(keys, _SHARED | {"criteria", "arm"}, at)
        else:
            notes.error(at, f"grader `{name}` has neither criteria nor a body", "write what the judge is to look for")
        return
    if kind == "baseline":
        notes.warn(at, f"grader `{name}` compares with a recorded run: not run here", "add an `llm` grader beside it")
        graded.left[f"graders/{name}"] = dict(keys)
        return
    reader = _READERS.get(str(kind))
    if reader is None:
        known = ", ".join((*_READERS, "llm", "baseline"))
        notes.error(f"{at}/type", f"grader `{name}`: there is no type `{str(kind)[:40]}`", f"write one of {known}")
        return
    found = reader(name, keys, graded, at)
    if found is None:
        graded.left[f"graders/{name}"] = dict(keys)
    elif name in {check.id for check in graded.checks}:
        notes.error(at, f"grader `{name}` stands twice in this case", "give it a name of its own")
    elif graded.check(found[0], found[1], at, text="", weight=weight, name=name):
        graded.unused(keys, _SHARED | {"arm", *_KEYS[str(kind)]}, at)


Found = tuple[CheckKind, dict[str, Any]] | None


def _regex(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    notes = graded.notes
    pattern, target = keys.get("pattern"), keys.get("target", "last_message")
    match = text_at(keys, "match", notes, at) or "contains"
    given = text_at(keys, "flags", notes, at) or ""
    if not isinstance(pattern, str):
        notes.error(at, f"grader `{name}` has no pattern", "write one")
        return None
    odd = sorted(set(given) - set(_FLAGS) - set(_WITHOUT_EFFECT))
    if odd:
        notes.warn(
            f"{at}/flags", f"flag `{odd[0]}` has no meaning here", f"write of {_FLAGS}, or put it in the pattern"
        )
    flags = "".join(flag for flag in _FLAGS if flag in given)
    shown = f"(?{flags}){pattern}" if flags else pattern
    wanted = match == "contains"
    if match not in ("contains", "not_contains"):
        notes.warn(at, f"grader `{name}` counts matches: not run here", "use `contains`, or a file check")
        return None
    if target == "last_message":
        return (CheckKind.REGEX if wanted else CheckKind.NOT_REGEX), {"pattern": shown}
    if isinstance(target, Mapping) and isinstance(target.get("path"), str):
        kind = CheckKind.FILE_MATCHES if wanted else CheckKind.FILE_NOT_MATCHES
        return kind, {"path": target["path"], "pattern": shown}
    notes.warn(
        at,
        f"grader `{name}` looks at `{str(target)[:40]}`: not run here",
        "narration proves nothing; look at the last message, a file or a tool call",
    )
    return None


def _used(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    tool, most, least = keys.get("tool"), keys.get("max"), keys.get("min")
    pattern = text_at(keys, "input_match", graded.notes, at)
    for key, value in (("min", least), ("max", most)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            said = f"grader `{name}`: `{key}` is {kind_of(value)}, not a whole number from 0"
            graded.notes.error(f"{at}/{key}", said, "write such a number")
            return None
    if tool == "Skill" and most != 0:
        if most is not None or (least or 0) > 1:
            graded.notes.warn(
                at, f"grader `{name}`: how often a skill is used is not counted here", "leave min and max out"
            )
        plain = pattern is not None and re.fullmatch(r"[\w-]+", pattern)
        return CheckKind.SKILL_READ, ({"skill": pattern} if plain else {})
    if most == 0:
        return CheckKind.TOOL_NOT_USED, {"tool": tool, **({} if tool == "Skill" else _input(tool, pattern))}
    limits = {key: value for key, value in (("min", least), ("max", most)) if value is not None}
    return CheckKind.TOOL_USED, {"tool": tool, **limits, **_input(tool, pattern)}


def _input(tool: object, pattern: str | None) -> dict[str, Any]:
    """The input as that tool names it; other tools' inputs are looked through by their usual key."""
    if pattern is None:
        return {}
    keys = {"Bash": "command", "Read": "file_path", "Write": "file_path", "Edit": "file_path", "WebFetch": "url"}
    return {"arguments": {keys.get(str(tool), "input"): pattern}}


def _order(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    del name, graded, at
    return CheckKind.TOOL_ORDER, {"tools": [_step(keys.get("before")), _step(keys.get("after"))]}


def _step(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    rest = {key: each for key, each in value.items() if key not in ("tool", "input_match")}
    # A key that nobody knows stays, so that the check is refused by its name.
    return {"tool": value.get("tool"), **({"pattern": value["input_match"]} if "input_match" in value else {}), **rest}


def _file(name: str, keys: Mapping[str, Any], graded: Graded, at: str) -> Found:
    del name
    absent = flag_at(keys, "exists", graded.notes, at) is False
    return (CheckKind.FILE_ABSENT if absent else CheckKind.FILE_EXISTS), {"path": keys.get("path")}


_READERS = {"regex": _regex, "tool_used": _used, "tool_order": _order, "file_exists": _file}
_KEYS: Mapping[str, Collection[str]] = {
    "regex": ("pattern", "flags", "match", "target"),
    "tool_used": ("tool", "input_match", "min", "max"),
    "tool_order": ("before", "after"),
    "file_exists": ("path", "exists"),
}
