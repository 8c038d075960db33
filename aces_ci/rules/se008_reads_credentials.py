"""Credentials of the user are read.

Keys, password stores and cloud credentials that a skill opens end up in the agent's context, in its log, and with
the model's provider. A project's own `.env` is a note only: tools read it every day.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.hazards import problems
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    return problems(skill, Kind.SECRET_READ, tail="What an agent reads is sent to its model's provider.")


RULE = Rule(
    code="SE008",
    slug="reads-credentials",
    title="reads the user's credentials",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    hint="let the tool that needs the credential read it, without printing it",
    check=check,
    fires_on="vercel-labs/agent-skills/skills/vercel-cli-with-tokens",
    silent_on="anthropics/skills/skills/claude-api",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```bash\ncat ~/.aws/credentials\n```\n")}, lines=(8,)),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\n```bash\ncp .env.example .env\naws sts get-caller-identity\n```\n")
            }
        ),
    ),
)
