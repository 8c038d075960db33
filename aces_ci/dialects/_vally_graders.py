"""What grades a Vally stimulus: its graders and constraints, as checks and sentences.

Names and arguments are those of https://microsoft.github.io/vally/reference/graders/ and the pages below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from aces_ci.core.suites.case import CheckKind
from aces_ci.dialects._checks import IMPLIED, Graded
from aces_ci.dialects._notes import kind_of
from aces_ci.dialects._typed import flag_at, items_at, mapping_at, texts_at, weight_at

_GRADER = frozenset({"type", "name", "config", "weight"})
_ENDED = frozenset({*IMPLIED, "completed"})
_SKILLS = frozenset({"required", "disallowed"})
_CALLS = frozenset({"required", "disallowed", "sequence"})
_NAME = re.compile(r"\^?([\w.:/-]+)\$?")
_TEXTS = {
    "output-contains": (CheckKind.CONTAINS, CheckKind.NOT_CONTAINS, ("substring", "value"), "value"),
    "output-not-contains": (CheckKind.NOT_CONTAINS, CheckKind.CONTAINS, ("substring", "value"), "value"),
    "output-matches": (CheckKind.REGEX, CheckKind.NOT_REGEX, ("pattern",), "pattern"),
    "output-not-matches": (CheckKind.NOT_REGEX, CheckKind.REGEX, ("pattern",), "pattern"),
    "file-exists": (CheckKind.FILE_EXISTS, CheckKind.FILE_ABSENT, (), ""),
    "file-not-exists": (CheckKind.FILE_ABSENT, CheckKind.FILE_EXISTS, (), ""),
    "file-contains": (CheckKind.FILE_MATCHES, CheckKind.FILE_NOT_MATCHES, ("substring", "value"), "contains"),
    "file-not-contains": (CheckKind.FILE_NOT_MATCHES, CheckKind.FILE_MATCHES, ("substring", "value"), "contains"),
    "file-matches": (CheckKind.FILE_MATCHES, CheckKind.FILE_NOT_MATCHES, ("pattern",), "pattern"),
    "file-not-matches": (CheckKind.FILE_NOT_MATCHES, CheckKind.FILE_MATCHES, ("pattern",), "pattern"),
}
"""The check, its negation, the keys of its text, and what we call that."""


def grade(item: object, graded: Graded, at: str, *, rubric: bool) -> None:
    """`{type, name, config}`. What is not run here is named; `rubric`: whether the stimulus has one."""
    notes = graded.notes
    if not isinstance(item, Mapping):
        notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, config}")
        return
    name = item["type"] if isinstance(item.get("type"), str) else ""
    config = mapping_at(item, "config", notes, at)
    weight, before = weight_at(item, notes, at), graded.counts
    graded.unused(item, _GRADER, at)
    if name in _ENDED or (name == "prompt" and rubric and not config):
        # That a run ended well its own status says; `prompt` alone is the judge of the stimulus's rubric.
        graded.unused(config, frozenset(), f"{at}/config")
    elif name in _TEXTS:
        _text(name, config, graded, f"{at}/config")
    elif name in _READERS:
        _READERS[name](config, graded, f"{at}/config")
    elif name == "prompt":
        said = next((config[key] for key in ("prompt", "rubric", "criteria") if isinstance(config.get(key), str)), "")
        if said.strip():
            graded.sentence(said, at=at)
            graded.unused(config, frozenset({"prompt", "rubric", "criteria"}), f"{at}/config")
        elif not rubric:
            notes.error(at, "the grader `prompt` has neither a prompt nor a rubric", "write what the judge looks for")
    else:
        said = f"grader `{name[:40]}` is not run here"
        notes.warn(at, said, "add a sentence or a check that says the same")
        graded.left["/".join(at.split("/")[-2:])] = item
    graded.weigh(before, weight)


def constraints(limits: Mapping[str, Any], graded: Graded, at: str) -> None:
    """Tools and skills that are expected and refused; the other limits belong to the plan."""
    notes = graded.notes
    for tool in texts_at(limits, "expect_tools", notes, at):
        graded.check(CheckKind.TOOL_USED, {"tool": tool}, f"{at}/expect_tools")
    for tool in texts_at(limits, "reject_tools", notes, at):
        graded.check(CheckKind.TOOL_NOT_USED, {"tool": tool}, f"{at}/reject_tools")
    _skills({"required": limits.get("expect_skills"), "disallowed": limits.get("reject_skills")}, graded, at)


def triggers(graders: list[Any], limits: Mapping[str, Any], skill: str) -> bool | None:
    """What graders and constraints say of the skill itself: that it is used, that it stays out, or nothing."""
    configs = [item.get("config") for item in graders if isinstance(item, Mapping)]
    rows = [config for config in configs if isinstance(config, Mapping)]
    wanted = [row.get("required") for row in rows] + [limits.get("expect_skills")]
    refused = [row.get("disallowed") for row in rows] + [limits.get("reject_skills")]
    for named, answer in ((wanted, True), (refused, False)):
        if any(skill == names or (isinstance(names, list) and skill in names) for names in named):
            return answer
    return None


def _text(name: str, config: Mapping[str, Any], graded: Graded, at: str) -> None:
    kind, opposite, keys, argument = _TEXTS[name]
    negate = flag_at(config, "negate", graded.notes, at)
    exact = flag_at(config, "case_sensitive", graded.notes, at)
    args: dict[str, Any] = {"path": config.get("path")} if name.startswith("file-") else {}
    found = next((key for key in keys if key in config), None)
    if found is not None:
        args[argument] = config[found]
    if kind in (CheckKind.CONTAINS, CheckKind.NOT_CONTAINS) and not exact:
        # An answer is compared without regard to case unless it says otherwise; a file always exactly.
        args["ignore_case"] = True
    if graded.check(opposite if negate else kind, args, at):
        used = {"negate", "path", *keys} | ({"case_sensitive"} if name.startswith("output-") else set())
        graded.unused(config, frozenset(used), at)


def _skills(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    own = graded.notes.document.skill_name
    for name in texts_at(config, "required", graded.notes, at):
        graded.check(CheckKind.SKILL_READ, {"skill": name}, f"{at}/required")
    for name in texts_at(config, "disallowed", graded.notes, at):
        if name != own:
            graded.notes.warn(f"{at}/disallowed", f"that `{name[:60]}` stays out is not looked at here", "leave it")
    graded.unused(config, _SKILLS, at)


def _calls(config: Mapping[str, Any], graded: Graded, at: str) -> None:
    notes = graded.notes
    for index, item in enumerate(items_at(config, "required", notes, at)):
        _called(item, graded, f"{at}/required/{index}", CheckKind.TOOL_USED)
    for index, item in enumerate(items_at(config, "disallowed", notes, at)):
        _called(item, graded, f"{at}/disallowed/{index}", CheckKind.TOOL_NOT_USED)
    rows = items_at(config, "sequence", notes, at)
    names = [_plain(row.get("name") if isinstance(row, Mapping) else row) for row in rows]
    if rows and all(names):
        graded.check(CheckKind.TOOL_ORDER, {"tools": names}, f"{at}/sequence")
    elif rows:
        notes.warn(f"{at}/sequence", "an order of patterns of names is not run here", "name the tools")
    graded.unused(config, _CALLS, at)


def _called(item: object, graded: Graded, at: str, kind: CheckKind) -> None:
    """A tool by its name, or by a pattern of its command; other patterns of names have no check here."""
    notes = graded.notes
    row: Mapping[str, Any] = item if isinstance(item, Mapping) else {"name": item}
    name, command = _plain(row.get("name")), row.get("command")
    patterns = {**mapping_at(row, "args", notes, at), **{key: row[key] for key in ("command", "path") if key in row}}
    used = {"name", "command", "path", "args"}
    if name is not None:
        args: dict[str, Any] = {"tool": name, **({"arguments": patterns} if patterns else {})}
        if kind is CheckKind.TOOL_USED and "min_count" in row:
            args["min"] = row["min_count"]
            used.add("min_count")
        done = graded.check(kind, args, at)
    elif isinstance(command, str) and len(patterns) == 1:
        ran = CheckKind.COMMAND_RAN if kind is CheckKind.TOOL_USED else CheckKind.COMMAND_NOT_RAN
        done = graded.check(ran, {"pattern": command}, at)
    else:
        notes.warn(at, "a pattern of tool names is not run here", "name the tool, or give its `command`")
        graded.left["/".join(at.strip("/").split("/")[-2:])] = item
        return
    if done:
        graded.unused(row, frozenset(used), at)


def _plain(name: object) -> str | None:
    """The name that a pattern stands for where it stands for one."""
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    return found[1] if found else None


_READERS: Mapping[str, Callable[[Mapping[str, Any], Graded, str], None]] = {
    "skill-invocation": _skills,
    "tool-calls": _calls,
}
