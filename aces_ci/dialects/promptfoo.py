"""promptfoo's configuration: templates in `prompts`, one case a test and template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case, CheckKind
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import reading
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"description", "prompts", "tests", "defaultTest"})
_KNOWN = frozenset({"description", "vars", "assert"})
_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_SENTENCES = frozenset({"llm-rubric", "g-eval", "model-graded-closedqa", "factuality"})


@dataclass(frozen=True, slots=True)
class Promptfoo:
    """Claimed by `prompts` with `tests`."""

    name: str = "promptfoo"
    checked: str = (
        "promptfoo/promptfoo `examples/claude-agent-sdk/skill-comparison/promptfooconfig.yaml` at 02882d8, "
        "`.../skills/promptfooconfig.yaml` at 0481e31"
    )

    def claims(self, document: Document) -> bool:
        """`prompts` and `tests`, or `providers` and `tests`."""
        data = document.data
        return isinstance(data, Mapping) and "tests" in data and ("prompts" in data or "providers" in data)

    def read(self, document: Document) -> Reading:
        """Templates are filled from `vars`; a variable that nobody sets is an error."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        templates = _templates(data.get("prompts"), notes)
        tests = data["tests"]
        if not isinstance(tests, list):
            notes.error("/tests", f"`tests` is {kind_of(tests)}, not a list", "write the tests in this file")
            return reading(notes, [])
        defaults = data.get("defaultTest")
        defaults = defaults if isinstance(defaults, Mapping) else {}
        cases = []
        for number, test in enumerate(tests[:CASE_LIMIT], start=1):
            if not isinstance(test, Mapping):
                notes.error(f"/tests/{number - 1}", f"test {number} is {kind_of(test)}", "write {vars, assert}")
                continue
            for index, template in enumerate(templates, start=1):
                suffix = f"-{index}" if len(templates) > 1 else ""
                case = _case(test, defaults, template, notes, number, suffix)
                if case is not None:
                    cases.append(case)
        return reading(notes, cases)


def _templates(given: object, notes: Notes) -> list[str]:
    rows = [given] if isinstance(given, str | Mapping) else given
    found = []
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        raw = row.get("raw") if isinstance(row, Mapping) else row
        if isinstance(raw, str) and raw.strip() and not raw.startswith(("file://", "exec:")):
            found.append(raw)
        else:
            notes.error(f"/prompts/{index}", "this prompt is no text", "write the template in this file")
    if not found and not notes.errors:
        notes.error("/prompts", "there is no prompt", "write one template, e.g. {{task}}")
    return found


def _case(
    test: Mapping[str, Any], defaults: Mapping[str, Any], template: str, notes: Notes, number: int, suffix: str
) -> Case | None:
    at = f"/tests/{number - 1}"
    values: dict[str, Any] = {}
    for source in (defaults.get("vars"), test.get("vars")):
        values.update(source if isinstance(source, Mapping) else {})
    missing = [name for name in _VARIABLE.findall(template) if not isinstance(values.get(name), str | int | float)]
    if missing:
        notes.error(f"{at}/vars", f"test {number} sets no text `{missing[0]}`", "add it to `vars`")
        return None
    said = _values.text_at(test, "description", notes, at)
    identity = _values.case_id(said or f"test-{number}", Notes(notes.document), at, number)
    if identity is None:
        return None
    graded = Graded(notes)
    for source, base in ((defaults, "/defaultTest/assert"), (test, f"{at}/assert")):
        rows = source.get("assert")
        for index, item in enumerate(rows if isinstance(rows, list) else []):
            _assertion(item, graded, f"{base}/{index}")
    skilled = any(check.kind is CheckKind.SKILL_READ for check in graded.checks)
    return Case(
        id=f"{identity}{suffix}",
        prompt=_VARIABLE.sub(lambda found: str(values[found[1]]), template),
        trigger=True if skilled else None,
        expected_skill=notes.document.skill_name if skilled else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        provenance=f"{notes.document.path}#{at}",
        unmapped=notes.unknown(test, _KNOWN),
    )


def _assertion(item: object, graded: Graded, at: str) -> None:
    if not isinstance(item, Mapping):
        graded.notes.error(at, f"the assertion is {kind_of(item)}, not an object", "write {type, value}")
        return
    name, value = str(item.get("type", "")), item.get("value")
    weight = item.get("weight")
    heavy = float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) and weight >= 0 else 1.0
    if name in _SENTENCES and isinstance(value, str):
        graded.sentence(value, weight=heavy)
        return
    check = _mapped(name, value)
    if check is None:
        graded.notes.warn(at, f"assertion `{name[:40]}` is not run here", "write a sentence or a check beside it")
        return
    graded.check(check[0], check[1], at, weight=heavy)


def _mapped(name: str, value: Any) -> tuple[CheckKind, dict[str, Any]] | None:
    plain: dict[str, tuple[CheckKind, dict[str, Any]]] = {
        "contains": (CheckKind.CONTAINS, {"value": value}),
        "icontains": (CheckKind.CONTAINS, {"value": value, "ignore_case": True}),
        "contains-all": (CheckKind.CONTAINS, {"values": value}),
        "not-contains": (CheckKind.NOT_CONTAINS, {"value": value}),
        "not-icontains": (CheckKind.NOT_CONTAINS, {"value": value, "ignore_case": True}),
        "regex": (CheckKind.REGEX, {"pattern": value}),
        "not-regex": (CheckKind.NOT_REGEX, {"pattern": value}),
        "equals": (CheckKind.EQUALS, {"value": value}),
        "is-json": (CheckKind.JSON_SCHEMA, {"schema": value if value is not None else {}}),
        "skill-used": (CheckKind.SKILL_READ, {"skill": value} if isinstance(value, str) else {}),
        "trajectory:tool-used": (CheckKind.TOOL_USED, {"tool": value}),
    }
    return plain.get(name)


DIALECT = Promptfoo()
