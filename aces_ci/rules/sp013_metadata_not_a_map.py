"""`metadata` is not a map.

The specification defines it as keys with text values. A list or plain text is dropped or refused. An empty
field is read as an empty map.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("metadata")
    if entry is not None and entry.value is not None and not isinstance(entry.value, dict):
        yield Problem(message="`metadata` must be a map of keys to text.", line=entry.at_key.line)


RULE = Rule(
    code="SP013",
    slug="metadata-not-a-map",
    title="metadata is not a map",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="write it as `metadata:` with indented `key: value` lines",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/cyberforexblockchain/nexus-translate at 1e90d60",
    silent_on="openai/skills/skills/.curated/gh-address-comments",
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest(extra="metadata: [a, b]")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="metadata: text")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra='metadata: {author: "me"}')}),
    ),
)
