"""A token or key lies in a file of the skill.

Whoever installs the skill has it, and so has every clone of the repository after it is deleted. A hit needs a
provider's own shape, enough randomness, and no sign of a placeholder; the message never repeats the secret.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.documents import documents
from aces_ci.core.scan.secrets import Hit, find
from aces_ci.core.skill import Skill

_SEVERITY = {Confidence.HIGH: Severity.CRITICAL, Confidence.MEDIUM: Severity.WARNING, Confidence.LOW: Severity.INFO}


_WEB_KEY = re2.compile(r"(?i)\bfirebase_?(web_?)?(api_?)?key['\"]?\s*[:=]\s*['\"]?$")
"""The key that every page of a Firebase project hands to its visitors: it names the project and opens nothing."""


def _handed_out(text: str, hit: Hit) -> bool:
    before = text[text.rfind("\n", 0, hit.start) + 1 : hit.start]
    return hit.provider == "Google API" and _WEB_KEY.search(before) is not None


def check(skill: Skill) -> Iterator[Problem]:
    for path, text in documents(skill):
        for hit in find(text):
            confidence = Confidence.MEDIUM if _handed_out(text, hit) else hit.confidence
            yield Problem(
                path=path,
                line=hit.place.line,
                end_line=hit.place.end_line if hit.place.end_line > hit.place.line else None,
                column=hit.place.column,
                end_column=hit.place.end_column,
                message=f"This looks like a {hit.provider} secret ({hit.masked}); everyone who gets the skill gets it.",
                severity=_SEVERITY[confidence],
                confidence=confidence,
            )


RULE = Rule(
    code="SE004",
    slug="secret-in-file",
    title="secret lies in a file",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.CRITICAL,
    hint="revoke it now, take it out, and read it from an environment variable",
    check=check,
    fires_beyond="davila7/claude-code-templates/cli-tool/components/skills/database/using-neon at c2b584d",
    silent_on="vercel-labs/agent-skills/skills/vercel-cli-with-tokens",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/a.sh": "export GH=ghp" + "_a8Fk29dLQz71mBvXc0PqRt5YwEu3HsNj64Gi\n"},
            lines=(1,),
            path="scripts/a.sh",
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n`AKIAIOSFODNN7EXAMPLE`, `sk-ant-api03-your-key-here`, `ghp_xxxxxxxxxxxx`\n"
                )
            },
            why="placeholders",
        ),
    ),
)
