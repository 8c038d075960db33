"""What grades a waza task: its `expected` block and its graders, as checks and sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import re2

from aces_ci.core.suites.case import CheckKind
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import kind_of
from aces_ci.dialects._typed import items_at, mapping_at, texts_at, trigger_at, weight_at

_EXPECTED = frozenset(
    {"output_contains", "output_contains_any", "output_not_contains", "tool_calls", "should_trigger", "behavior"}
)
_RULES = {"required_tools": CheckKind.TOOL_USED, "forbidden_tools": CheckKind.TOOL_NOT_USED}
_CALLS = {"required": CheckKind.TOOL_USED, "forbidden": CheckKind.TOOL_NOT_USED}
_GRADER = frozenset({"type", "name", "weight", "config", "rubric"})


def expected(task: Mapping[str, Any], graded: Graded, at: str) -> tuple[bool | None, dict[str, Any]]:
    """(whether the skill is to trigger, what has no place here)."""
    notes = graded.notes
    if isinstance(task.get("expected"), str):
        if task["expected"].strip():
            graded.sentence(task["expected"], at=f"{at}/expected")
        return None, {}
    block, at = mapping_at(task, "expected", notes, at), f"{at}/expected"
    for text in texts_at(block, "output_contains", notes, at):
        graded.check(CheckKind.CONTAINS, {"value": text, "ignore_case": True}, f"{at}/output_contains")
    for text in texts_at(block, "output_not_contains", notes, at):
        graded.check(CheckKind.NOT_CONTAINS, {"value": text, "ignore_case": True}, f"{at}/output_not_contains")
    anyone = texts_at(block, "output_contains_any", notes, at)
    if anyone:
        pattern = "|".join(map(re2.escape, anyone))
        graded.check(CheckKind.REGEX, {"pattern": pattern, "ignore_case": True}, f"{at}/output_contains_any")
    left = notes.unknown(block, _EXPECTED)
    rules = mapping_at(block, "behavior", notes, at)
    _called_each(rules, _RULES, graded, f"{at}/behavior")
    rest = notes.unknown(rules, frozenset(_RULES))
    left = {**left, "behavior": rest} if rest else left
    calls = mapping_at(block, "tool_calls", notes, at)
    _called_each(calls, _CALLS, graded, f"{at}/tool_calls")
    rest = notes.unknown(calls, frozenset(_CALLS))
    left = {**left, "tool_calls": rest} if rest else left
    return trigger_at(block, "should_trigger", notes, at), left


def _called_each(row: Mapping[str, Any], keys: Mapping[str, CheckKind], graded: Graded, at: str) -> None:
    for key, kind in keys.items():
        for item in items_at(row, key, graded.notes, at):
            _called(kind, item, graded, f"{at}/{key}")


def _called(kind: CheckKind, item: object, graded: Graded, at: str) -> None:
    """A name, or `{name|tool, pattern}`; a pattern without a tool is one of the command."""
    if isinstance(item, str):
        graded.check(kind, {"tool": item}, at)
        return
    row: Mapping[str, Any] = item if isinstance(item, Mapping) else {}
    name, pattern = row.get("name", row.get("tool")), row.get("pattern")
    if isinstance(name, str):
        graded.check(kind, {"tool": name}, at)
        graded.unused(row, frozenset({"name", "tool"}), at)
    elif isinstance(pattern, str):
        command = CheckKind.COMMAND_RAN if kind is CheckKind.TOOL_USED else CheckKind.COMMAND_NOT_RAN
        graded.check(command, {"pattern": pattern}, at)
        graded.unused(row, frozenset({"pattern"}), at)
    else:
        graded.notes.error(at, f"a tool call is {kind_of(item)}", "write the tool's name")


def grader(item: object, graded: Graded, at: str) -> None:
    """`{type, name, weight, config}`; programs and Python assertions are named as not run."""
    notes = graded.notes
    if not isinstance(item, Mapping):
        notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, name, config}")
        return
    kind = str(item.get("type", ""))
    config = mapping_at(item, "config", notes, at)
    weight, before, told = weight_at(item, notes, at), graded.counts, notes.count
    used: Collection[str] = ()
    reader = _READERS.get(kind)
    if reader is not None:
        used = reader(config, graded, f"{at}/config")
    elif kind in ("prompt", "llm"):
        used = ("prompt",)
        said = next((text for text in (config.get("prompt"), item.get("rubric")) if isinstance(text, str)), None)
        if said and said.strip():
            graded.sentence(said, at=at)
    graded.weigh(before, weight)
    if graded.counts != before:
        graded.unused(config, frozenset(used), f"{at}/config")
        graded.unused(item, _GRADER, at)
    elif notes.count == told:
        name = str(item.get("name") or kind)[:40]
        notes.warn(at, f"grader `{name}` ({kind[:20]}) is not run here", "add a check that says the same")
        graded.left["/".join(at.strip("/").split("/")[-2:])] = item


def _schema(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    schema = mapping_at(config, "schema", graded.notes, at)
    if "schema" in config and (schema or config["schema"] == {}):
        graded.check(CheckKind.JSON_SCHEMA, {"schema": schema}, f"{at}/schema")
    return ("schema",)


def _skills(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    for name in texts_at(config, "required_skills", graded.notes, at):
        graded.check(CheckKind.SKILL_READ, {"skill": name}, f"{at}/required_skills")
    return ("required_skills",)


def _tools(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    keys = {"expect_tools": CheckKind.TOOL_USED, "reject_tools": CheckKind.TOOL_NOT_USED, **_RULES}
    _called_each(config, keys, graded, at)
    return keys


def _sequence(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    tools = texts_at(config, "expected_actions", graded.notes, at)
    if tools:
        graded.check(CheckKind.TOOL_ORDER, {"tools": tools}, f"{at}/expected_actions")
    return ("expected_actions",)


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


def _text(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    for key, (kind, argument, folded) in _TEXT_KEYS.items():
        for text in texts_at(config, key, graded.notes, at):
            graded.check(kind, {argument: text, **({"ignore_case": True} if folded else {})}, f"{at}/{key}")
    return _TEXT_KEYS


def _file(config: Mapping[str, Any], graded: Graded, at: str) -> Collection[str]:
    notes = graded.notes
    for path in texts_at(config, "must_exist", notes, at):
        graded.check(CheckKind.FILE_EXISTS, {"path": path}, f"{at}/must_exist")
    for path in texts_at(config, "must_not_exist", notes, at):
        graded.check(CheckKind.FILE_ABSENT, {"path": path}, f"{at}/must_not_exist")
    for index, row in enumerate(items_at(config, "content_patterns", notes, at)):
        here = f"{at}/content_patterns/{index}"
        if not isinstance(row, Mapping):
            notes.error(here, f"the pattern is {kind_of(row)}, not an object", "write {path, must_match}")
            continue
        for key, kind in (("must_match", CheckKind.FILE_MATCHES), ("must_not_match", CheckKind.FILE_NOT_MATCHES)):
            for pattern in texts_at(row, key, notes, here):
                graded.check(kind, {"path": row.get("path"), "pattern": pattern}, f"{here}/{key}")
        graded.unused(row, frozenset({"path", "must_match", "must_not_match"}), here)
    return ("must_exist", "must_not_exist", "content_patterns")


_READERS: Mapping[str, Callable[[Mapping[str, Any], Graded, str], Collection[str]]] = {
    "text": _text,
    "regex": _text,
    "file": _file,
    "json_schema": _schema,
    "skill_invocation": _skills,
    "tool_constraint": _tools,
    "tool_calls": _tools,
    "action_sequence": _sequence,
}
