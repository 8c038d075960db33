"""`{skill, cases: [...]}`, which some public catalogues use although no page describes it, and one bare case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.dialects._rows import Shape, is_rows, read_rows
from aces_ci.ports.dialect import Document, Reading

_SHAPE = Shape(
    prompt=("prompt", "question"),
    reference=("expected_output", "ground_truth"),
    assertions=("assertions", "expectations", "expected_behavior"),
    roots=("evals", ""),
)
# Keys by which other tools' `cases` are told apart; their readers claim those.
_OTHER_TOOLS = ("engine", "schema_version", "runner", "kind", "providers", "stimuli", "scenarios")


@dataclass(frozen=True, slots=True)
class CasesObject:
    """Claimed by `cases` of objects with a prompt, or by one object that is itself a case."""

    name: str = "cases"
    checked: str = (
        "NVIDIA/skills `skills/dynamo-interconnect-check/evals/evals.json` and "
        "`skills/data-designer/evals/evals.json` at 7149a88"
    )

    def claims(self, document: Document) -> bool:
        """No key of another tool beside it."""
        data = document.data
        if not isinstance(data, Mapping) or any(key in data for key in _OTHER_TOOLS):
            return False
        return is_rows(data.get("cases"), _asks) or _is_case(data)

    def read(self, document: Document) -> Reading:
        """All cases; a bare object is one."""
        data: Any = document.data
        if _is_case(data):
            return read_rows(document, [data], _SHAPE, "")
        return read_rows(document, data.get("cases"), _SHAPE, "/cases")


def _asks(row: Mapping[str, Any]) -> bool:
    return "prompt" in row or "question" in row


def _is_case(data: object) -> bool:
    if not isinstance(data, Mapping) or any(key in data for key in ("evals", "cases")):
        return False
    graded = ("expected_output", "assertions", "expectations")
    return "question" in data or (isinstance(data.get("prompt"), str) and any(key in data for key in graded))


DIALECT = CasesObject()
