"""A file that the skill points to is empty.

The agent spends a call to read it and learns nothing, and what the text promised to find there is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import links
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    seen: set[str] = set()
    for pointer in links(skill):
        file = skill.files.get(pointer.resolved or "")
        if file is None or file.data is None or pointer.resolved in seen or pointer.resolved is None:
            continue
        seen.add(pointer.resolved)
        if not file.data.strip() and file.path.endswith((".md", ".txt")):
            yield Problem(
                message=f"{pointer.resolved} is empty, but the text sends the agent there.",
                path=None if pointer.path == skill.manifest else pointer.path,
                line=pointer.line,
            )


RULE = Rule(
    code="CO034",
    slug="reference-is-empty",
    title="links to an empty file",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the file, or take the link out",
    check=check,
    silent_on="NVIDIA/skills/plugins/nvidia-skills/skills/nvidia-skill-finder",
    weight=9,
    cap=18,
    requires=("SP001", "SP002"),
    examples=(
        Example(
            files={"SKILL.md": manifest("See [rates](references/rates.md).\n"), "references/rates.md": "\n"}, lines=(5,)
        ),
        Example(
            files={"SKILL.md": manifest("See [rates](references/rates.md).\n"), "references/rates.md": "# Rates\n"}
        ),
    ),
)
