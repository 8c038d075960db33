"""`compatibility` is empty, no text, or longer than 500 characters.

The field is optional; where it stands, the specification wants 1 to 500 characters of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("compatibility")
    if entry is None:
        return
    text = skill.string("compatibility")
    line = entry.at_key.line
    if isinstance(entry.value, (dict, list)):
        yield Problem(message="`compatibility` must be text, not a list or a map.", line=line)
    elif entry.value is None or (text is None and isinstance(entry.value, str)):
        yield Problem(message="`compatibility` is empty.", hint="delete the field, or say what is required", line=line)
    elif isinstance(entry.value, str) and len(entry.value) > 500:
        # As YAML has it: the line break that ends a folded text is one of them, here and in the public validator.
        said = f"`compatibility` has {len(entry.value)} characters; the specification allows 500."
        yield Problem(message=said, line=line)


RULE = Rule(
    code="SP010",
    slug="compatibility-malformed",
    title="compatibility is not 1 to 500 characters of text",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="write 1 to 500 characters",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="NVIDIA/skills/skills/omniverse-cad-to-simready",
    silent_on="anthropics/skills/template",
    examples=(
        Example(files={"SKILL.md": manifest(extra="compatibility: " + "x" * 501)}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="compatibility: [git]")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="compatibility:")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="compatibility: Requires git 2.40 or newer")}),
    ),
)
