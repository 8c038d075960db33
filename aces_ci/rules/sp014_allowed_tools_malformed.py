"""`allowed-tools` is neither text nor a list of texts.

The specification accepts a string with blanks between tools, or a YAML list of strings.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("allowed-tools")
    if entry is None or entry.value is None or isinstance(entry.value, str):
        return
    if not isinstance(entry.value, list) or not all(isinstance(item, str) for item in entry.value):
        yield Problem(message="`allowed-tools` must be a string, or a list of strings.", line=entry.at_key.line)


RULE = Rule(
    code="SP014",
    slug="allowed-tools-malformed",
    title="allowed-tools is not a list of names",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="write `allowed-tools: Read Bash(git:*)`",
    check=check,
    fires_beyond="Get-Real-XR/agent-plugins/plugins/active-descriptions/skills/describe at c5d0689",
    silent_on="NVIDIA/skills/skills/dicom-metadata-extract",
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest(extra="allowed-tools: {Read: true}")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="allowed-tools: [Read, 3]")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="allowed-tools: [Read, Bash]")}),
        Example(files={"SKILL.md": manifest(extra="allowed-tools: Read Bash(git:*)")}),
    ),
)
