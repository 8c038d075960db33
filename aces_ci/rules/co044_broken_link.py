"""A link leads to no file.

Links of the manifest and of every Markdown file in the skill are resolved against the file that holds them.
Placeholders, anchors, code, and addresses with a scheme are left alone; nothing is fetched. A file outside of
the skill counts when it exists in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import exists, links, meant
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

FIRST, POWER = 8.0, 0.5
"""Points of the first broken link; `n` of them cost n ** POWER times as much, so that one more never costs nothing."""

GUESSED = 20
"""Links for which the file that was meant is looked for; where more are broken, a folder is missing."""


def check(skill: Skill) -> Iterator[Problem]:
    texts: dict[str, list[str]] = {skill.manifest: skill.text.split("\n")}
    count = 0
    for pointer in links(skill):
        if pointer.repository.startswith("../") or exists(skill, pointer):
            continue
        count += 1
        if pointer.path not in texts:
            texts[pointer.path] = (skill.files[pointer.path].text or "").split("\n")
        lines = texts[pointer.path]
        line = lines[pointer.line - 1] if pointer.line <= len(lines) else ""
        start = line.find(pointer.target)
        instead = meant(skill, pointer.path, pointer.target) if count <= GUESSED else None
        yield Problem(
            path=None if pointer.path == skill.manifest else pointer.path,
            message=f"Links to `{pointer.target}`, which does not exist.",
            title="links to a missing file",
            hint=f"correct the path: {instead} is there" if instead else f"correct the path, or add {pointer.target}",
            line=pointer.line,
            column=start + 1 if start >= 0 else None,
            end_column=start + len(pointer.target) + 1 if start >= 0 else None,
            deduction=FIRST * (count**POWER - (count - 1) ** POWER),
        )


RULE = Rule(
    code="CO044",
    slug="broken-link",
    title="broken link",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="correct the path, or add the file",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/security-scanning/skills/sast-configuration",
    silent_on="obra/superpowers/skills/brainstorming",
    examples=(
        Example(files={"SKILL.md": manifest("See [rates](references/rates.md).\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "See [a](references/a.md), [label](url), [x](${CLAUDE_PLUGIN_ROOT}/x.md), [web](https://a.b/c).\n\n"
                    "```md\n[text](path/to/file.md)\n```\n"
                ),
                "references/a.md": "See [b](b.md).\n",
                "references/b.md": "End.\n",
            }
        ),
    ),
)
