"""The description holds angle brackets or Markdown.

It is inserted into prompts that are themselves marked up with tags. Some agents refuse the skill, others break
their own prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_MARKUP = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>|\]\(|^#+ |\*\*", re.MULTILINE)


def check(skill: Skill) -> Iterator[Problem]:
    match = _MARKUP.search(skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if match and entry is not None:
        yield Problem(
            message=f"The description holds markup ({match[0][:20]!r}), which ends up inside the agent's own prompt.",
            line=entry.at_key.line,
        )


RULE = Rule(
    code="DI006",
    slug="markup-in-description",
    title="description holds markup",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write plain text without tags, bold or links",
    check=check,
    weight=8,
    requires=("SP001", "SP002", "SP008"),
    fires_on="vercel-labs/agent-skills/skills/react-view-transitions",
    silent_on="getsentry/skills/skills/pr-link-issue",
    examples=(
        Example(files={"SKILL.md": manifest(description="Converts <ledger> tags. Use when asked.")}, lines=(3,)),
        Example(files={"SKILL.md": manifest(description="Keeps sums < 100 apart. Use when asked.")}),
    ),
)
