"""A reference sends the agent on to another reference.

The specification asks for references one level below the manifest. An agent that has to follow chains reads
parts of them, or stops at the first. Files that the manifest links as well are fine. One finding a file that leads on.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import Pointer, links
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

EACH = 3.0
"""Points of one file that is two steps away."""
SHOWN = 3
"""Such files that a finding names; a big skill has hundreds."""


def check(skill: Skill) -> Iterator[Problem]:
    pointers = list(links(skill))
    direct = {pointer.resolved for pointer in pointers if pointer.path == skill.manifest}
    names = {path.rsplit("/", 1)[-1] for path in skill.files if path.rsplit("/", 1)[-1] in skill.body}
    far: dict[str, Pointer] = {}
    for pointer in pointers:
        target = pointer.resolved
        if pointer.path == skill.manifest or target is None or target in direct or target not in skill.files:
            continue
        if target.endswith(".md") and target.rsplit("/", 1)[-1] not in names and target != skill.manifest:
            far.setdefault(target, pointer)
    for path in dict.fromkeys(pointer.path for pointer in far.values()):
        targets = [target for target, pointer in far.items() if pointer.path == path]
        shown = ", ".join(targets[:SHOWN]) + (f" and {len(targets) - SHOWN} more" if len(targets) > SHOWN else "")
        yield Problem(
            path=path,
            line=far[targets[0]].line,
            message=f"{path} leads on to {shown}, which {skill.manifest} does not name.",
            hint=f"link {shown} from {skill.manifest}, or take {'them' if len(targets) > 1 else 'it'} in here",
            deduction=EACH * len(targets),
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
    weight=EACH,
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
                "SKILL.md": manifest("See [a](references/a.md) and [c](references/c.md).\n"),
                "references/a.md": "# A\n\nSee [b](b.md) and [d](d.md).\n\nThen [b](b.md) again.\n",
                "references/b.md": "# B\n",
                "references/c.md": "# C\n\nSee [b](b.md).\n",
                "references/d.md": "# D\n",
            },
            lines=(3,),
            path="references/a.md",
            why="both at once, and no second word on the same file",
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
