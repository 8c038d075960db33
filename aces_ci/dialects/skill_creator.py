"""Anthropic's skill-creator: `{skill_name, evals: [{id, prompt, expected_output, expectations, files}]}`.

Paths begin at the skill's root.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.dialects._rows import Shape, is_rows, read_rows
from aces_ci.ports.dialect import Document, Reading

_SHAPE = Shape(assertions=("expectations", "assertions"), roots=("", "evals"), default_skill=True)
_REFERENCE = ("expected_skill", "expected_script", "acceptable_skills", "acceptable_alternates")


@dataclass(frozen=True, slots=True)
class SkillCreator:
    """Claimed by `expectations` in a case, without the reference's keys."""

    name: str = "skill-creator"
    checked: str = "anthropics/skills `skills/skill-creator/references/schemas.md` at 9d2f1ae"

    def claims(self, document: Document) -> bool:
        """`evals` with `expectations`, and no key of the reference's own."""
        rows = document.data.get("evals") if isinstance(document.data, Mapping) else None
        return is_rows(rows, lambda row: "expectations" in row) and not is_rows(
            rows, lambda row: any(key in row for key in _REFERENCE)
        )

    def read(self, document: Document) -> Reading:
        """All cases."""
        return read_rows(
            document, document.data["evals"] if isinstance(document.data, Mapping) else None, _SHAPE, "/evals"
        )


DIALECT = SkillCreator()
