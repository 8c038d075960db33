"""promptfoo's configuration: templates in `prompts`, one case a test and template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import re2

from aces_ci.core.suites.case import Case, CheckKind
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._typed import case_id, list_at, mapping_at, text_at, weight_at
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"description", "prompts", "tests", "defaultTest"})
_KNOWN = frozenset({"description", "vars", "assert"})
_DEFAULTS = frozenset({"vars", "assert"})
_ASSERTION = frozenset({"type", "value", "weight"})
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
        defaults = mapping_at(data, "defaultTest", notes, "")
        notes.unknown(defaults, _DEFAULTS)
        base = Graded(notes)
        for index, item in enumerate(list_at(defaults, "assert", notes, "/defaultTest")):
            _assertion(item, base, f"/defaultTest/assert/{index}")
        shared = mapping_at(defaults, "vars", notes, "/defaultTest")
        read = partial(_cases, templates, shared, base)
        return reading(notes, each(data["tests"], notes, "/tests", "{vars, assert}", read))


def _templates(given: object, notes: Notes) -> list[str]:
    rows = [given] if isinstance(given, str | Mapping) else given
    found = []
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        raw = row.get("raw") if isinstance(row, Mapping) else row
        if isinstance(raw, str) and raw.strip() and not raw.startswith(("file://", "exec:")):
            found.append(raw)
        else:
            notes.error(f"/prompts/{index}", "this prompt is no text", "write the template in this file")
    if not found and not notes.has_errors:
        notes.error("/prompts", "there is no prompt", "write one template, e.g. {{task}}")
    return found


def _cases(
    templates: Sequence[str], shared: Mapping[str, Any], base: Graded, test: Mapping[str, Any], at: str, number: int
) -> Iterator[Case]:
    """One case a template, each made when it is asked for: together they could be longer than anyone reads."""
    notes = base.notes
    said = text_at(test, "description", notes, at)
    # A description is a sentence, and what it becomes as an id is nobody's fault.
    identity = case_id(said or f"test-{number}", Notes(notes.document), at, number)
    values = {**shared, **mapping_at(test, "vars", notes, at)}
    graded = base.copy()
    for index, item in enumerate(list_at(test, "assert", notes, at)):
        _assertion(item, graded, f"{at}/assert/{index}")
    skilled = any(check.kind is CheckKind.SKILL_READ for check in graded.checks)
    unmapped = {**notes.unknown(test, _KNOWN), **graded.left}
    for index, template in enumerate(templates, start=1):
        missing = [name for name in _VARIABLE.findall(template) if not isinstance(values.get(name), str | int | float)]
        if missing:
            notes.error(f"{at}/vars", f"test {number} sets no text `{missing[0][:60]}`", "add it to `vars`")
            continue
        yield Case(
            id=f"{identity}-{index}" if len(templates) > 1 else str(identity),
            prompt=_VARIABLE.sub(lambda found: str(values[found[1]]), template),
            trigger=True if skilled else None,
            expected_skill=notes.document.skill_name if skilled else None,
            checks=tuple(graded.checks),
            behaviors=tuple(graded.behaviors),
            provenance=f"{notes.document.path}#{at}",
            unmapped=unmapped,
        )


def _assertion(item: object, graded: Graded, at: str) -> None:
    notes = graded.notes
    if not isinstance(item, Mapping):
        notes.error(at, f"the assertion is {kind_of(item)}, not an object", "write {type, value}")
        return
    name, value = str(item.get("type", "")), item.get("value")
    weight = weight_at(item, notes, at)
    if name in _SENTENCES and isinstance(value, str) and value.strip():
        graded.sentence(value, weight=weight, at=at)
    elif (check := _mapped(name, value)) is None:
        notes.warn(at, f"assertion `{name[:40]}` is not run here", "write a sentence or a check beside it")
        graded.left["/".join(at.split("/")[-2:])] = item
        return
    elif not graded.check(check[0], check[1], at, weight=weight):
        return
    graded.unused(item, _ASSERTION, at)


def _mapped(name: str, value: Any) -> tuple[CheckKind, dict[str, Any]] | None:
    if name == "skill-used" and not (value is None or isinstance(value, str)):
        return None
    if name in ("contains-any", "icontains-any"):
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) and text for text in texts):
            return None
        folded = {"ignore_case": True} if name.startswith("i") else {}
        return CheckKind.REGEX, {"pattern": "|".join(map(re2.escape, texts)), **folded}
    plain: dict[str, tuple[CheckKind, dict[str, Any]]] = {
        "contains": (CheckKind.CONTAINS, {"value": value}),
        "icontains": (CheckKind.CONTAINS, {"value": value, "ignore_case": True}),
        "contains-all": (CheckKind.CONTAINS, {"values": value}),
        "icontains-all": (CheckKind.CONTAINS, {"values": value, "ignore_case": True}),
        "not-contains": (CheckKind.NOT_CONTAINS, {"value": value}),
        "not-icontains": (CheckKind.NOT_CONTAINS, {"value": value, "ignore_case": True}),
        "regex": (CheckKind.REGEX, {"pattern": value}),
        "not-regex": (CheckKind.NOT_REGEX, {"pattern": value}),
        "equals": (CheckKind.EQUALS, {"value": value}),
        "is-json": (CheckKind.JSON_SCHEMA, {"schema": value if value is not None else {}}),
        "skill-used": (CheckKind.SKILL_READ, {"skill": value} if value is not None else {}),
        "trajectory:tool-used": (CheckKind.TOOL_USED, {"tool": value}),
    }
    return plain.get(name)


DIALECT = Promptfoo()
