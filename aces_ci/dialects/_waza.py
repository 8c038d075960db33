"""What grades a waza task: its `expected` block and its graders, as checks and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import re2

from aces_ci.core.suites.case import CheckKind
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import kind_of

_EXPECTED = frozenset(
    {"output_contains", "output_contains_any", "output_not_contains", "tool_calls", "should_trigger", "behavior"}
)
_BEHAVIOR = frozenset({"required_tools", "forbidden_tools"})
_CALLS = frozenset({"required", "forbidden"})


def expected(block: object, graded: Graded, at: str) -> tuple[object, dict[str, Any]]:
    """(whether the skill is to trigger, what has no place here)."""
    notes = graded.notes
    if isinstance(block, str) and block.strip():
        graded.sentence(block)
        return None, {}
    if not isinstance(block, Mapping):
        return None, {}
    for text in _values.texts_at(block, "output_contains", notes, at):
        graded.check(CheckKind.CONTAINS, {"value": text, "ignore_case": True}, at)
    for text in _values.texts_at(block, "output_not_contains", notes, at):
        graded.check(CheckKind.NOT_CONTAINS, {"value": text, "ignore_case": True}, at)
    anyone = _values.texts_at(block, "output_contains_any", notes, at)
    if anyone:
        graded.check(CheckKind.REGEX, {"pattern": "|".join(map(re2.escape, anyone)), "ignore_case": True}, at)
    rules = block.get("behavior")
    left = notes.unknown(block, _EXPECTED)
    if isinstance(rules, Mapping):
        _tools({"expect_tools": rules.get("required_tools"), "reject_tools": rules.get("forbidden_tools")}, graded, at)
        rest = notes.unknown(rules, _BEHAVIOR)
        left = {**left, "behavior": rest} if rest else left
    calls = block.get("tool_calls")
    if isinstance(calls, Mapping):
        notes.unknown(calls, _CALLS)
        for item in _listed(calls.get("required")):
            _called(CheckKind.TOOL_USED, item, graded, at)
        for item in _listed(calls.get("forbidden")):
            _called(CheckKind.TOOL_NOT_USED, item, graded, at)
    return block.get("should_trigger"), left


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _called(kind: CheckKind, item: object, graded: Graded, at: str) -> None:
    """A name, or `{name|tool, pattern}`; a pattern without a tool is one of the command."""
    if isinstance(item, str):
        graded.check(kind, {"tool": item}, at)
        return
    name = item.get("name", item.get("tool")) if isinstance(item, Mapping) else None
    pattern = item.get("pattern") if isinstance(item, Mapping) else None
    if isinstance(name, str):
        graded.check(kind, {"tool": name}, at)
    elif isinstance(pattern, str):
        command = CheckKind.COMMAND_RAN if kind is CheckKind.TOOL_USED else CheckKind.COMMAND_NOT_RAN
        graded.check(command, {"pattern": pattern}, at)
    else:
        graded.notes.error(at, f"a tool call is {kind_of(item)}", "write the tool's name")


def grader(item: object, graded: Graded, at: str) -> None:
    """`{type, name, config}`; programs and Python assertions are named as not run."""
    notes = graded.notes
    if not isinstance(item, Mapping):
        notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, name, config}")
        return
    kind = str(item.get("type", ""))
    config = item.get("config")
    config = config if isinstance(config, Mapping) else {}
    before = len(graded.checks) + len(graded.behaviors) + len(notes.errors)
    reader = _READERS.get(kind)
    if reader is not None:
        reader(config, graded, at)
    elif kind in ("prompt", "llm"):
        said = next((text for text in (config.get("prompt"), item.get("rubric")) if isinstance(text, str)), None)
        if said and said.strip():
            graded.sentence(said)
    if len(graded.checks) + len(graded.behaviors) + len(notes.errors) == before:
        name = str(item.get("name") or kind)[:40]
        notes.warn(at, f"grader `{name}` ({kind[:20]}) is not run here", "add a check that says the same")


def _schema(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    if isinstance(config.get("schema"), Mapping):
        graded.check(CheckKind.JSON_SCHEMA, {"schema": config["schema"]}, at)


def _skills(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    for name in _values.texts_at(config, "required_skills", graded.notes, at):
        graded.check(CheckKind.SKILL_READ, {"skill": name}, at)


def _tools(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    for key, check in (("expect_tools", CheckKind.TOOL_USED), ("reject_tools", CheckKind.TOOL_NOT_USED)):
        rows = config.get(key)
        for tool in rows if isinstance(rows, list) else []:
            _called(check, tool, graded, at)


def _sequence(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    tools = _values.texts_at(config, "expected_actions", graded.notes, at)
    if tools:
        graded.check(CheckKind.TOOL_ORDER, {"tools": tools}, at)


_TEXT_KEYS = {
    "contains": (CheckKind.CONTAINS, "value", True),
    "contains_cs": (CheckKind.CONTAINS, "value", False),
    "not_contains": (CheckKind.NOT_CONTAINS, "value", True),
    "not_contains_cs": (CheckKind.NOT_CONTAINS, "value", False),
    "regex_match": (CheckKind.REGEX, "pattern", False),
    "must_match": (CheckKind.REGEX, "pattern", False),
    "regex_not_match": (CheckKind.NOT_REGEX, "pattern", False),
    "must_not_match": (CheckKind.NOT_REGEX, "pattern", False),
}


def _text(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    for key, (kind, argument, folded) in _TEXT_KEYS.items():
        for text in _values.texts_at(config, key, graded.notes, at):
            graded.check(kind, {argument: text, **({"ignore_case": True} if folded else {})}, at)


def _file(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    for path in _values.texts_at(config, "must_exist", graded.notes, at):
        graded.check(CheckKind.FILE_EXISTS, {"path": path}, at)
    for path in _values.texts_at(config, "must_not_exist", graded.notes, at):
        graded.check(CheckKind.FILE_ABSENT, {"path": path}, at)
    patterns = config.get("content_patterns")
    for row in patterns if isinstance(patterns, list) else []:
        if not isinstance(row, Mapping):
            continue
        for pattern in _values.texts_at(row, "must_match", graded.notes, at):
            graded.check(CheckKind.FILE_MATCHES, {"path": row.get("path"), "pattern": pattern}, at)


_READERS: Mapping[str, Callable[[Mapping[str, Any], Graded, str], None]] = {
    "text": _text,
    "regex": _text,
    "file": _file,
    "json_schema": _schema,
    "skill_invocation": _skills,
    "tool_constraint": _tools,
    "tool_calls": _tools,
    "action_sequence": _sequence,
}
