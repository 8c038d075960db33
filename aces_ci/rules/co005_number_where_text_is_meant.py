"""A bare number stands where text is meant.

YAML reads `1.10` as the number 1.1 and `2048` as an integer; readers that print it back change it, and readers
that want text refuse it.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    lines = skill.text.split("\n")
    fields = skill.frontmatter or {}
    metadata = fields.get("metadata")
    entries = [fields[key] for key in ("name", "description", "license", "compatibility", "version") if key in fields]
    for entry in (*entries, *(metadata.children if metadata else ())):
        if isinstance(entry.value, (bool, int, float)) and entry.written:
            at = entry.at_value
            old = lines[at.line - 1]
            changed = isinstance(entry.value, float) and str(entry.value) != entry.written
            yield Problem(
                message=f"`{entry.key[:40]}: {entry.written[:40]}` is read as "
                f"{'the number ' + str(entry.value) if changed else 'a number or truth value'}, not as text.",
                hint=f'write "{entry.written[:40]}" in quotes',
                line=at.line,
                column=at.column,
                quiet=not changed and entry.key not in ("name", "description", "license", "compatibility"),
                deduction=3.0 if changed else 0.5,
                replacement=(old, f'{old[: at.column - 1]}"{entry.written}"{old[at.end_column - 1 :]}'),
            )


RULE = Rule(
    code="CO005",
    slug="number-where-text-is-meant",
    title="a bare number stands where text is meant",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="put it in quotes",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/viral-sangani/celo-agent-skills/skills/8004 at 1e90d60",
    silent_on="NVIDIA/skills/skills/cudaq-guide",
    cap=4,
    requires=("SP001", "SP002"),
    examples=(
        Example(
            files={"SKILL.md": manifest(name="2048", extra="metadata:\n  version: 1.10")},
            directory="2048",
            lines=(2, 5),
        ),
        Example(files={"SKILL.md": manifest(extra='metadata:\n  version: "1.10"')}),
    ),
)
