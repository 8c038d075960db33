"""What each kind of check needs to be told, and what is wrong with arguments: found when evals are read, not when paid.

Patterns are RE2 (https://github.com/google/re2/wiki/Syntax): no text of an agent can make one slow, which is also why
look-around and back-references are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import re2

from aces_ci.core.suites.case import CheckKind, Role

Test = Callable[[object], bool]

_QUIET = re2.Options()
_QUIET.log_errors = False


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: what it must be, in words, and the test for it."""

    words: str
    test: Test
    schema: Mapping[str, object]
    """The same as JSON schema."""


@dataclass(frozen=True, slots=True)
class Form:
    """The arguments of one kind. Of each tuple in `needs` at least one must be given."""

    takes: Mapping[str, Argument]
    needs: tuple[tuple[str, ...], ...] = ()
    role: Role = Role.MUST
    """What such a check counts towards where its author does not say."""
    alone: tuple[tuple[str, ...], ...] = ()
    """Of each tuple at most one may be given: another would be left unused."""


def faults(kind: CheckKind, args: Mapping[str, object]) -> Iterator[str]:
    """One clause for each thing that is wrong; nothing where the check can be evaluated."""
    form = FORMS[kind]
    for names in form.needs:
        if not any(name in args for name in names):
            yield f"`{kind.value}` needs {' or '.join(f'`{name}`' for name in names)}"
    yield from _together(kind, args)
    for name, value in args.items():
        argument = form.takes.get(name)
        if argument is None:
            known = ", ".join(form.takes)
            yield f"`{kind.value}` has no argument `{name[:40]}` (it takes {known})"
        elif not argument.test(value):
            yield f"`{name}` of `{kind.value}` must be {argument.words}"
    if isinstance(args.get("schema"), Mapping):
        # Slow to import, and few cases have one.
        from aces_ci.core.suites import answer_schema

        unusable = answer_schema.problem(args["schema"])  # type: ignore[arg-type]
        if unusable:
            yield unusable
    for pattern in _patterns(args):
        problem = pattern_problem(pattern)
        if problem:
            yield f"the pattern `{pattern[:60]}` is not RE2: {problem}"


def _together(kind: CheckKind, args: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with arguments that are right one by one."""
    for names in FORMS[kind].alone:
        given = [name for name in names if name in args]
        if len(given) > 1:
            yield f"`{kind.value}` takes one of {', '.join(f'`{name}`' for name in given)}, not {len(given)}"
    least, most = args.get("min"), args.get("max")
    if _is_count(least) and _is_count(most) and least > most:  # type: ignore[operator]
        yield f"`min` of `{kind.value}` is above its `max`: it could never pass"


def pattern_problem(pattern: str) -> str | None:
    """Why RE2 refuses a pattern; None where it takes it."""
    try:
        re2.compile(f"(?m){pattern}", _QUIET)
    except re2.error as error:
        said = error.args[0] if error.args else "refused"
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return None


def role_of(kind: CheckKind) -> Role:
    """What a check of this kind counts towards where nobody says."""
    return FORMS[kind].role


def _patterns(args: Mapping[str, object]) -> Iterator[str]:
    if isinstance(args.get("pattern"), str):
        yield str(args["pattern"])
    arguments = args.get("arguments")
    if isinstance(arguments, Mapping):
        yield from (value for value in arguments.values() if isinstance(value, str))
    tools = args.get("tools")
    for tool in tools if isinstance(tools, list | tuple) else ():
        if isinstance(tool, Mapping) and isinstance(tool.get("pattern"), str):
            yield tool["pattern"]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scalar(value: object) -> bool:
    return _is_text(value) or (isinstance(value, int | float) and not isinstance(value, bool))


def _is_tool(value: object) -> bool:
    if not isinstance(value, Mapping):
        return _is_text(value)
    return _is_text(value.get("tool", value.get("name"))) and set(value) <= {"tool", "name", "pattern"}


_TEXT = Argument("text", _is_text, {"type": "string", "minLength": 1})
_SCALAR = Argument("text or a number", _is_scalar, {"type": ["string", "number"]})
_DIGEST = Argument(
    "64 hexadecimal digits",
    lambda value: isinstance(value, str) and re2.fullmatch("[0-9a-fA-F]{64}", value) is not None,
    {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"},
)
_FLAG = Argument("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
_COUNT = Argument("a whole number from 0", _is_count, {"type": "integer", "minimum": 0})
_CODE = Argument(
    "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool), {"type": "integer"}
)
_WHERE = Argument("`answer` or `output`", lambda value: value in ("answer", "output"), {"enum": ["answer", "output"]})
_TEXTS = Argument(
    "a list of texts",
    lambda value: isinstance(value, list | tuple) and bool(value) and all(map(_is_scalar, value)),
    {"type": "array", "minItems": 1, "items": {"type": ["string", "number"]}},
)
_OBJECT = Argument(
    "an object",
    lambda value: isinstance(value, Mapping) and bool(value),
    {"type": "object", "minProperties": 1, "additionalProperties": {"type": ["string", "null"]}},
)
_SCHEMA = Argument("an object, a JSON schema", lambda value: isinstance(value, Mapping), {"type": "object"})
_TEXT_MAP = Argument(
    "an object of texts",
    lambda value: isinstance(value, Mapping) and all(map(_is_text, value.values())),
    {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
)
_TOOLS = Argument(
    "a list of names, or of objects with `tool` and `pattern`",
    lambda value: isinstance(value, list | tuple) and bool(value) and all(map(_is_tool, value)),
    {
        "type": "array",
        "minItems": 1,
        "items": {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "tool": {"type": "string"},
                        "name": {"type": "string"},
                        "pattern": {"type": "string"},
                    },
                },
            ]
        },
    },
)

_ON_TEXT = {"where": _WHERE, "ignore_case": _FLAG}
_ONE_OF = (("value", "values"),)
_VALUES = Form({"value": _SCALAR, "values": _TEXTS, **_ON_TEXT}, _ONE_OF, Role.OUTCOME, _ONE_OF)
_PATTERN = Form({"pattern": _TEXT, **_ON_TEXT}, (("pattern",),), Role.OUTCOME)
_PATH = Form({"path": _TEXT}, (("path",),), Role.OUTCOME)
_COMMAND = {"program": _TEXT, "pattern": _TEXT, "worked": _FLAG}
_TOOL = {"tool": _TEXT, "name": _TEXT, "arguments": _TEXT_MAP}
_NAMES = (("tool", "name"),)
_HOLDS = {"pattern": _TEXT, "contains": _TEXT, "equals": _TEXT, "sha256": _DIGEST, "value": _TEXT}
_HELD = (tuple(_HOLDS),)

FORMS: Mapping[CheckKind, Form] = {
    CheckKind.CONTAINS: _VALUES,
    CheckKind.NOT_CONTAINS: _VALUES,
    CheckKind.REGEX: _PATTERN,
    CheckKind.NOT_REGEX: _PATTERN,
    CheckKind.EQUALS: Form({"value": _SCALAR, **_ON_TEXT}, (("value",),), Role.OUTCOME),
    CheckKind.FILE_EXISTS: _PATH,
    CheckKind.FILE_ABSENT: _PATH,
    CheckKind.FILE_MATCHES: Form({"path": _TEXT, **_HOLDS}, (("path",), *_HELD), Role.OUTCOME, _HELD),
    CheckKind.FILE_NOT_MATCHES: Form({"path": _TEXT, **_HOLDS}, (("path",), *_HELD), Role.OUTCOME, _HELD),
    CheckKind.JSON_SCHEMA: Form({"schema": _SCHEMA, "path": _TEXT, "where": _WHERE}, (("schema",),), Role.OUTCOME),
    CheckKind.COMMAND_RAN: Form(_COMMAND, (("program", "pattern"),)),
    CheckKind.COMMAND_NOT_RAN: Form(_COMMAND, (("program", "pattern"),), Role.MUST_NOT),
    CheckKind.TOOL_USED: Form({**_TOOL, "min": _COUNT, "max": _COUNT}, _NAMES, alone=_NAMES),
    CheckKind.TOOL_NOT_USED: Form(_TOOL, _NAMES, Role.MUST_NOT, _NAMES),
    CheckKind.TOOL_ORDER: Form({"tools": _TOOLS}, (("tools",),)),
    CheckKind.SCRIPT_RUN: Form({"script": _TEXT, "worked": _FLAG}, (("script",),)),
    CheckKind.EXIT_STATUS: Form({"code": _CODE, "program": _TEXT, "pattern": _TEXT, "worked": _FLAG}),
    CheckKind.SKILL_READ: Form({"skill": _TEXT}),
    CheckKind.WORKSPACE: Form({"files": _OBJECT}, (("files",),), Role.OUTCOME),
}
