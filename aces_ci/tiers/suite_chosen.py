"""What the live tier takes of a skill's suite: its cases as the skill's own policy chooses them, and what was left out.

A case of which a fixture or a check was refused does not run, and is named. A policy that cannot be read stops the
skill before anything is spent: a mistyped `max_cases` would cost what its author meant to save.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.errors import UsageError
from aces_ci.core.repo_path import join
from aces_ci.core.skill import SkillFile
from aces_ci.core.suites.case import Case
from aces_ci.ports.dialect import Dialect, Remark
from aces_ci.tiers.suite import read_suite
from aces_ci.tiers.suite_policy import FoundPolicy, policy_of

MOST_NOTES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Cases to run, in their order."""

    cases: tuple[Case, ...] = ()
    attempts: int | None = None
    """The last look that the skill asks for; it can only lower the plan's."""
    notes: tuple[str, ...] = ()
    """What was left out, refused or not applied, each with its place."""


def chosen(
    root: str, files: Mapping[str, SkillFile], dialects: Sequence[Dialect], *, skill_name: str, cap: int
) -> Chosen:
    """The suite of one side of one skill, under its own policy. `cap`: attempts at the plan's last look.

    Raises:
        UsageError: the policy is at fault or chooses no case, or every case of the suite is. Located.
    """
    suite = read_suite(files, dialects, skill_name=skill_name)
    found = policy_of(files)
    notes = [_said(root, remark) for remark in suite.errors]
    if not suite.cases:
        if suite.errors:
            raise _refused(root, suite.errors[0], "evals_unreadable", "no case of the suite can be run")
        return Chosen()
    if found is None:
        return Chosen(cases=suite.cases, notes=_bounded(notes))
    if found.errors:
        raise _refused(root, found.errors[0], "run_policy", "nothing was spent: the policy says what to run")
    cases = found.policy.chosen(suite.cases)
    if not cases:
        none = Remark(
            path=found.path,
            line=found.lines.get("/cases", found.lines.get("/exclude")),
            pointer="/cases",
            message=f"it chooses none of {len(suite.cases)} cases",
            hint="aces-ci evals validate --cases --format json lists their ids",
        )
        raise _refused(root, none, "run_policy", "nothing was spent: the policy says what to run")
    return Chosen(cases=cases, attempts=found.policy.attempts, notes=_bounded([*notes, *_refusals(root, found, cap)]))


def _refusals(root: str, found: FoundPolicy, cap: int) -> list[str]:
    """What a skill may not decide, where it tries to; keys of other tools in one clause."""
    place = join(root, found.path)
    attempts = found.policy.attempts
    said = []
    if attempts is not None and attempts > cap:
        line = found.lines.get("/attempts", found.lines.get("/harbor/n_attempts"))
        at = f"{place}:{line}" if line else place
        said.append(f"{at}: asks for {attempts} attempts; a skill cannot raise the {cap} of the plan")
    if found.policy.not_applicable:
        said.append(f"{place}: not applied here: {', '.join(found.policy.not_applicable)} (evals validate says why)")
    return said


def _said(root: str, remark: Remark) -> str:
    line = f":{remark.line}" if remark.line else ""
    out = "" if remark.message.endswith("left out") else ": left out"
    return f"{join(root, remark.path)}{line}: {remark.message}{out}"


def _refused(root: str, remark: Remark, code: str, why: str) -> UsageError:
    path = join(root, remark.path)
    place = f"{path}:{remark.line}" if remark.line else path
    return UsageError(
        f"{place}: {remark.message}", code=code, path=path, line=remark.line, why=why, do=remark.hint or None
    )


def _bounded(notes: Sequence[str]) -> tuple[str, ...]:
    more = len(notes) - MOST_NOTES
    return (*notes[:MOST_NOTES], *([f"{more} more (evals validate lists them)"] if more > 0 else []))
