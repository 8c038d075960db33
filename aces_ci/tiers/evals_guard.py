"""Both sides of a change as what they promise to measure: findings for all that the head measures less."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from aces_ci.core.finding import Finding
from aces_ci.core.gate_evals import EvalsSide, weakening
from aces_ci.core.skill import SkillFile
from aces_ci.core.suites.run_policy import PATHS
from aces_ci.ports.dialect import Dialect
from aces_ci.tiers.suite import candidate, read_suite
from aces_ci.tiers.suite_policy import policy_of

_GRADERS = ("evals/grader.py", "evals/grader.sh", "evals/tests/grader.py", "evals/tests/grader.sh")
_FOLDERS = ("evals/files/", "evals/environment/", "evals/harbor/")
"""Fixtures, the sandbox's recipe, and native tasks: a change there changes what a case asks."""


def guard(
    before: Mapping[str, SkillFile],
    after: Mapping[str, SkillFile],
    dialects: Sequence[Dialect],
    *,
    root: str,
    skill_name: str,
) -> tuple[Finding, ...]:
    """Findings of category evals, for the gate `evals`. Pure; never raises for any bytes.

    `before` and `after` are a skill's files by skill-relative path; `root` its repository path.
    """
    base, head = (_side(files, dialects, skill_name) for files in (before, after))
    if not base.cases:
        return ()
    changed = next(
        (path for path in sorted({*before, *after}) if candidate(path) and _bytes(before, path) != _bytes(after, path)),
        next((path for path in (*PATHS, *_GRADERS) if _bytes(before, path) != _bytes(after, path)), "SKILL.md"),
    )
    place = changed if changed in after else "SKILL.md"
    text = (_bytes(after, place) or b"").decode("utf-8", "replace")
    return weakening(base, head, skill=root, path=place if root == "." else f"{root}/{place}", text=text)


def _side(files: Mapping[str, SkillFile], dialects: Sequence[Dialect], skill_name: str) -> EvalsSide:
    return EvalsSide(
        cases=read_suite(files, dialects, skill_name=skill_name).cases,
        attempts=_attempts(files),
        graders={
            path: hashlib.sha256(file.data).hexdigest()
            for path, file in files.items()
            if file.data is not None and (path in _GRADERS or path.startswith(_FOLDERS))
        },
    )


def _bytes(files: Mapping[str, SkillFile], path: str) -> bytes | None:
    file = files.get(path)
    return file.data if file else None


def _attempts(files: Mapping[str, SkillFile]) -> int | None:
    """What the skill's own run policy lowers attempts to; None where it leaves the plan alone."""
    found = policy_of(files)
    return found.policy.attempts if found else None
