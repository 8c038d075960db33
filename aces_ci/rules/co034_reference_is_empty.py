"""A file that the skill points to is empty.

The agent spends a call to read it and learns nothing, and what the text promised to find there is missing: more than a
link that leads nowhere costs, which an agent at least notices.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import links, mentions
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    seen: set[str] = set()
    named = [(pointer.resolved, pointer.path, pointer.line) for pointer in links(skill)]
    named += [(path, skill.manifest, line) for path, line in mentions(skill)]
    for target, path, line in named:
        file = skill.files.get(target or "")
        if file is None or file.data is None or file.path in seen:
            continue
        seen.add(file.path)
        if not file.data.strip() and file.path.endswith((".md", ".txt")):
            yield Problem(
                message=f"{file.path} is empty, but the text sends the agent there.",
                path=None if path == skill.manifest else path,
                line=line,
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
    fires_beyond="ulises-jeremias/agent-toolkit/skills/core/pr-fallback at a7a24dd",
    silent_on="NVIDIA/skills/plugins/nvidia-skills/skills/nvidia-skill-finder",
    weight=13,
    cap=40,
    requires=("SP001", "SP002"),
    examples=(
        Example(
            files={"SKILL.md": manifest("See [rates](references/rates.md).\n"), "references/rates.md": "\n"}, lines=(5,)
        ),
        Example(
            files={"SKILL.md": manifest("See [one](references/example.md).\n"), "references/example.md": ""},
            lines=(5,),
            why="a file that is there is no placeholder, whatever its name",
        ),
        Example(
            files={"SKILL.md": manifest("Copy `references/rates.md`.\n"), "references/rates.md": ""},
            lines=(5,),
            why="a path in code sends the agent there as well",
        ),
        Example(
            files={"SKILL.md": manifest("See [rates](references/rates.md).\n"), "references/rates.md": "# Rates\n"}
        ),
    ),
)
