"""A reference sends the agent on to another reference.

The specification asks for references one level below the manifest. An agent that has to follow chains reads
parts of them, or stops at the first. Files that the manifest links as well are fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import links
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    pointers = list(links(skill))
    direct = {pointer.resolved for pointer in pointers if pointer.path == skill.manifest}
    names = {path.rsplit("/", 1)[-1] for path in skill.files if path.rsplit("/", 1)[-1] in skill.body}
    for pointer in pointers:
        target = pointer.resolved
        if pointer.path == skill.manifest or target is None or target in direct or target not in skill.files:
            continue
        if target.endswith(".md") and target.rsplit("/", 1)[-1] not in names and target != skill.manifest:
            yield Problem(
                path=pointer.path,
                line=pointer.line,
                message=f"{target} can be reached only through {pointer.path}.",
                hint=f"link {target} from {skill.manifest}",
            )


RULE = Rule(
    code="EF006",
    slug="reference-leads-to-reference",
    title="reference is two steps away",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="link it from the manifest",
    check=check,
    weight=3,
    cap=9,
    requires=("SP001", "SP002"),
    fires_on="openai/skills/skills/.curated/notion-research-documentation",
    silent_on="getsentry/skills/skills/pr-link-issue",
    examples=(
        Example(
            files={
                "SKILL.md": manifest("See [a](references/a.md).\n"),
                "references/a.md": "# A\n\nSee [b](b.md).\n",
                "references/b.md": "# B\n",
            },
            lines=(3,),
            path="references/a.md",
        ),
        Example(
            files={
                "SKILL.md": manifest("See [a](references/a.md) and [b](references/b.md).\n"),
                "references/a.md": "See [b](b.md).\n",
                "references/b.md": "# B\n",
            }
        ),
    ),
)
