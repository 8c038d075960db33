"""What each arm promises about the target: seen where it is staged, absent where it is not."""

from __future__ import annotations

from collections.abc import Iterable

from aces_ci.core.skill import Skill
from aces_ci.core.spending.control import Expectation
from aces_ci.core.staging import Injection, Lineup
from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Arm

LISTED_CHARACTERS = 80
"""Harnesses cut long descriptions in their lists; the beginning is what all of them show."""
TELLING_CHARACTERS = 24
"""A shorter text may stand in a fixture or a prompt by chance."""
EXCERPT_CHARACTERS = 200


def expectation(lineup: Lineup, arm: Arm, case: Case, injection: Injection, fixtures: Iterable[bytes]) -> Expectation:
    """The arm check of one trial.

    Texts that the agent meets anyway (the task, a fixture, a neighbour, the other version of the skill) promise
    nothing: they are left out.
    """
    own = {Arm.WITH_SKILL: lineup.target, Arm.PREVIOUS: lineup.previous, Arm.BASELINE: ()}[arm]
    others = [skill for skill in (*lineup.target, *lineup.previous) if skill not in own]
    around = _flat("\n".join([case.prompt, *_texts(lineup.support), *map(_decoded, fixtures)]))
    met = _flat("\n".join([around, *_texts(own)]))
    absent = [text for skill in others for text in _telling(skill) if _flat(text) not in met]
    names = {skill.name or skill.directory for skill in others}
    unlisted = [name for name in names if name and len(name) > 3 and _flat(name) not in met]
    return Expectation(
        absent=tuple(dict.fromkeys(absent)),
        unlisted=tuple(sorted(unlisted)),
        listed=tuple(dict.fromkeys(text for skill in own for text in _listing(skill, around, injection))),
    )


def _listing(skill: Skill, around: str, injection: Injection) -> list[str]:
    """Texts of which one must be shown; a neighbour's text, or the task's, would keep the promise by itself."""
    if injection is Injection.PRELOADED:
        return [skill.body.strip()[:EXCERPT_CHARACTERS]]
    name, description = skill.name or skill.directory, skill.description or ""
    found = [text for text in (description[:LISTED_CHARACTERS], name) if text]
    return [text for text in found if _flat(text) not in around] or found[:1]


def _telling(skill: Skill) -> list[str]:
    excerpt = skill.body.strip()[:EXCERPT_CHARACTERS]
    return [
        text for text in ((skill.description or "")[:LISTED_CHARACTERS], excerpt) if len(text) >= TELLING_CHARACTERS
    ]


def _texts(skills: Iterable[Skill]) -> list[str]:
    return [file.text or "" for skill in skills for file in skill.files.values()]


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _flat(text: str) -> str:
    return " ".join(text.split())
