"""The skill calls itself other than its folder is called.

The specification requires the same name. Some agents index by folder and some by name; where the two differ,
a skill can be installed and still never be found. The folder usually is what others already refer to, so the
one-line fix is to write its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill

_VALID = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")
_NO_TEXT = re.compile(r"\d.*|true|false|null|yes|no|on|off|y|n")
"""Names that some YAML reads as a number, a truth value or nothing, unless they are quoted."""
_PROPERTIES = ("&", "*", "!")


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("name")
    directory = skill.directory
    if entry is None or not directory or isinstance(entry.value, (dict, list)):
        return
    name = entry.value.strip() if isinstance(entry.value, str) else entry.written
    if not name or unicodedata.normalize("NFKC", name) == unicodedata.normalize("NFKC", directory):
        return
    place = entry.at_value
    line = skill.text.split("\n")[place.line - 1]
    valid = _VALID.fullmatch(directory) is not None and len(directory) <= 64
    single = place.line == place.end_line and valid and not entry.written.startswith(_PROPERTIES)
    written = f'"{directory}"' if _NO_TEXT.fullmatch(directory) else directory
    yield Problem(
        message=f"The skill calls itself {name}, the directory is {directory}. "
        "The specification requires the same name; some agents skip the skill in silence.",
        hint=f"name: {written}" if valid else "rename both to lowercase words with hyphens",
        note=f"directory is `{directory}`; some agents skip the skill",
        line=place.line,
        column=place.column,
        end_line=place.end_line,
        end_column=place.end_column,
        replacement=(line, f"{line[: place.column - 1]}{written}{line[place.end_column - 1 :]}") if single else None,
    )


RULE = Rule(
    code="SP004",
    slug="name-differs-from-directory",
    title="name differs from the directory",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="write the directory's name",
    check=check,
    requires=("SP001", "SP002", "SP005"),
    fires_on="vercel-labs/agent-skills/skills/composition-patterns",
    silent_on="getsentry/skills/skills/document-api-endpoint",
    examples=(
        Example(files={"SKILL.md": manifest(name="parcel_quote")}, directory="parcel-quote", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="parcel-quote")}, directory="parcel-quote"),
        Example(files={"SKILL.md": manifest(name="2048")}, directory="2048", why="a number is still that name"),
    ),
)
