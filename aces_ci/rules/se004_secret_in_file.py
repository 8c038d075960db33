"""A token or key lies in a file of the skill.

Whoever installs the skill has it, and so has every clone of the repository after it is deleted. A hit needs a
provider's own shape, enough randomness, and no sign of a placeholder; the message never repeats the secret. It is a
warning among tests, fixtures and samples, beside words that call it an example, where documentation prints it for
everybody, where it is an id without its secret, and where it is a Google key that a page hands to its visitors.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.documents import documents
from aces_ci.core.scan.exposed import doubt
from aces_ci.core.scan.secrets import find
from aces_ci.core.scan.stance import about_security
from aces_ci.core.skill import Skill

_SEVERITY = {Confidence.HIGH: Severity.CRITICAL, Confidence.MEDIUM: Severity.WARNING, Confidence.LOW: Severity.INFO}


def check(skill: Skill) -> Iterator[Problem]:
    security = about_security(skill)
    for path, text in documents(skill):
        hits = find(text)
        for hit in hits:
            severity, confidence, why = _SEVERITY[hit.confidence], hit.confidence, ""
            if severity is Severity.CRITICAL and (why := doubt(path, text, hit, hits, security=security)):
                severity, confidence = Severity.WARNING, Confidence.MEDIUM
            yield Problem(
                path=path,
                line=hit.place.line,
                end_line=hit.place.end_line if hit.place.end_line > hit.place.line else None,
                column=hit.place.column,
                end_column=hit.place.end_column,
                message=f"This looks like a {hit.provider} secret ({hit.masked}); everyone who gets the skill gets it."
                + (f" {why}" if why else ""),
                severity=severity,
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
