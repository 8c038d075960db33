"""The body says nothing of what to do when something fails.

The network is down, the file is not there, the command exits with 1: without a word on it, agents retry for
ever, invent a result, or change something else. Counted are places that speak of failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_FAILURE = vocabulary(
    """error errors fail fails failed failing failure failures invalid exception exceptions timeout timeouts retry
    retries fallback abort aborts crash crashes crashed recover recovery rollback 错 失"""
) | {"not found", "exit code", "timed out", "times out", "fall back", "roll back", "does not exist", "doesn't work"}
_TROUBLE = vocabulary(
    """missing denied refused refuses corrupt corrupted unavailable problem problems troubleshoot troubleshooting issue
    issues wrong stuck damaged unknown warning warnings broken"""
)


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    found = parts.speaking_of(_FAILURE, least=12) + 0.2 * parts.speaking_of(_TROUBLE, least=12)
    found += sum(0.5 for code in parts.codes if not _FAILURE.isdisjoint(code.vocabulary))
    line = parts.codes[0].line if parts.codes else 0
    yield from graded(
        shortfall(found, 60),
        18,
        message="The body has no word on what to do when a step fails."
        if not found
        else "The body has few words on what to do when a step fails.",
        title="few words on what to do when a step fails" if found else None,
        hint="say of each step that can fail what to do then, and when to stop" if found else None,
        line=skill.at(line) if line else skill.opening,
        quiet=0.66,
    )


RULE = Rule(
    code="RE007",
    slug="no-word-on-failure",
    title="no word on what to do when a step fails",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add one line: what to do when it fails, and when to stop",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="vercel-labs/agent-skills/skills/composition-patterns",
    silent_on="obra/superpowers/skills/systematic-debugging",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n- If the export fails, read the last line.\n- A missing column means an old ledger.\n"
                    "- On a timeout retry once.\n- An invalid date stops the work.\n"
                    "- An unknown account is an error.\n- A broken file is refused.\n"
                )
            }
        ),
    ),
)
