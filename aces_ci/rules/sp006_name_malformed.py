"""The name holds characters that the specification forbids.

Lowercase letters, digits and single hyphens between them are allowed; letters of any script count. Where name
and directory differ as well, that is reported instead, because its fix repairs both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("name")
    if entry is None:
        return
    name = unicodedata.normalize("NFKC", entry.value.strip() if isinstance(entry.value, str) else entry.written)
    faults = []
    if name != name.lower():
        faults.append("capital letters")
    if any(not (char.isalnum() or char == "-") for char in name):
        bad = sorted({char for char in name if not (char.isalnum() or char == "-")})
        faults.append("the characters " + " ".join(repr(char) for char in bad[:5]))
    if name.startswith("-") or name.endswith("-"):
        faults.append("a hyphen at an end")
    if "--" in name:
        faults.append("two hyphens in a row")
    if faults:
        place = entry.at_value
        fixed = re.sub(r"[^\w]+|_+", "-", name.lower()).strip("-") or "my-skill"
        yield Problem(
            message=f"The name holds {', '.join(faults)}; the specification allows lowercase letters, digits "
            "and single hyphens.",
            hint=f"call name and directory `{fixed}`",
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
        )


RULE = Rule(
    code="SP006",
    slug="name-malformed",
    title="name holds forbidden characters",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="use lowercase letters, digits and single hyphens",
    check=check,
    requires=("SP001", "SP002", "SP004", "SP005"),
    fires_on="openclaw/skills/skills/hhhh124hhhh/15-inspiring-examples-of-midjourney-color-prompts--d5f6c66e",
    silent_on="getsentry/skills/skills/presentation-creator",
    examples=(
        Example(files={"SKILL.md": manifest(name="Code Review")}, directory="Code Review", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="a--b")}, directory="a--b", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="-a")}, directory="-a", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="größe-2")}, directory="größe-2"),
    ),
)
