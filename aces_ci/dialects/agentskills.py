"""The agentskills.io guide: `{skill_name, evals: [{id, prompt, expected_output, assertions, files}]}`.

Paths begin at the skill's root. It is what `evals create` writes, and where an object with `evals` goes that no other
dialect's keys tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.dialects._rows import Shape, is_rows, read_rows
from aces_ci.ports.dialect import Document, Reading

_SHAPE = Shape(assertions=("assertions", "expectations", "expected_behavior"), roots=("", "evals"), default_skill=True)
_OTHERS = ("expected_skill", "expected_script", "acceptable_skills", "acceptable_alternates", "expectations")


@dataclass(frozen=True, slots=True)
class AgentSkills:
    """Claimed by `evals` where neither the reference's keys nor `expectations` appear."""

    name: str = "agentskills"
    checked: str = "agentskills/agentskills `docs/skill-creation/evaluating-skills.mdx` at 69ef37e"

    def claims(self, document: Document) -> bool:
        """An object with `evals`, told apart from its two neighbours by what is not there."""
        if not isinstance(document.data, Mapping) or "evals" not in document.data:
            return False
        return not is_rows(document.data["evals"], lambda row: any(key in row for key in _OTHERS))

    def read(self, document: Document) -> Reading:
        """All cases."""
        return read_rows(
            document, document.data["evals"] if isinstance(document.data, Mapping) else None, _SHAPE, "/evals"
        )


DIALECT = AgentSkills()
