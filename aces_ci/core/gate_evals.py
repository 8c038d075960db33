"""The gate that guards the others: whether a change measures less than before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from aces_ci.core.event import Trust
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.gate import GateName, GateResult, Mode, Outcome
from aces_ci.core.suites.case import Case, Role

WEAKENED = "EV900"
"""Code of the finding for each way in which a change measures less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalsSide:
    """What one side promises to measure for one skill."""

    cases: Sequence[Case]
    attempts: int | None = None
    """Attempts that the skill's own run policy asks for; None leaves the plan alone."""
    graders: Mapping[str, str] | None = None
    """Grader files and fixtures by path to a digest of their bytes."""


def weakened(base: EvalsSide, head: EvalsSide) -> Iterator[tuple[str, str]]:
    """Every way in which the head measures less than the base, in the order of the cases: (clause, id of the case).

    The id is empty where the clause is of no case that is still there.
    """
    after = {case.id: case for case in head.cases}
    for case in base.cases:
        new = after.get(case.id)
        if new is None:
            yield f"case {case.id} is gone", ""
            continue
        yield from ((f"case {case.id}: {clause}", case.id) for clause in _less(case, new))
    if head.attempts is not None and (base.attempts is None or head.attempts < base.attempts):
        before = "the plan's" if base.attempts is None else str(base.attempts)
        yield f"attempts lowered from {before} to {head.attempts}", ""
    for path, digest in (base.graders or {}).items():
        now = (head.graders or {}).get(path)
        if now is None:
            yield f"{path} is gone", ""
        elif now != digest:
            yield f"{path} is changed", ""


def _less(old: Case, new: Case) -> list[str]:
    found = []
    if new.prompt != old.prompt:
        found.append("its prompt is changed")
    if old.reference is not None and new.reference != old.reference:
        found.append("its reference answer is gone" if new.reference is None else "its reference is changed")
    if new.trigger != old.trigger:
        found.append("it no longer says the same about when the skill is used")
    checks = {check.id: check for check in new.checks}
    for check in old.checks:
        now = checks.get(check.id)
        if now is None:
            found.append(f"check {check.id} is gone")
        elif (now.kind, now.role, dict(now.args)) != (check.kind, check.role, dict(check.args)):
            found.append(f"check {check.id} is changed")
        elif now.weight < check.weight and check.role is not Role.GATE:
            found.append(f"check {check.id} weighs less")
    texts = {behavior.text for behavior in new.behaviors}
    found += [f"behaviour {behavior.id} is gone" for behavior in old.behaviors if behavior.text not in texts]
    return found


def weakening(base: EvalsSide, head: EvalsSide, *, skill: str, path: str, text: str = "") -> tuple[Finding, ...]:
    """One finding for each way in which the head measures less: the evidence that the gate reads later.

    `path` is the repository path of the evals that changed, or of the manifest where they are gone; `text` is what
    stands there now, in which the line of a case is looked up. A case that is gone has none.
    """
    lines = text.split("\n")
    found = []
    for clause, case in weakened(base, head):
        named = re.compile(rf"(?<![\w.-]){re.escape(case)}(?![\w.-])") if case else None
        mark = sha256("\0".join((WEAKENED, path, clause)).encode("utf-8", "surrogatepass"))
        line = next((number for number, row in enumerate(lines, start=1) if named and named.search(row)), None)
        found.append(
            Finding(
                skill=skill,
                code=WEAKENED,
                severity=Severity.WARNING,
                category=Category.EVALS,
                path=path,
                line=line or 1,
                whole_file=line is None,
                title="the change measures less than before",
                message=clause,
                hint=f"keep {f'case {case}' if case else 'it'} as it was, or lower it in a change of its own that a "
                "maintainer reads",
                new=True,
                fingerprint=mark.hexdigest()[:16],
            )
        )
    return tuple(found)


def evals_gate(
    findings: Sequence[Finding], mode: Mode | None, trust: Trust, skill: str, *, accepted: bool = False
) -> GateResult:
    """Broken where cases or checks are removed or weakened, or attempts lowered (`weakening`).

    `mode` None is the default: block for forks, advise for own branches.
    """
    used = (Mode.BLOCK if trust is Trust.FORK else Mode.ADVISE) if mode is None else mode

    def result(outcome: Outcome, reason: str, cites: tuple[str, ...] = ()) -> GateResult:
        return GateResult(gate=GateName.EVALS, mode=used, outcome=outcome, skill=skill, reason=reason, cites=cites)

    if used is Mode.OFF:
        return result(Outcome.OFF, "switched off by the policy")
    less = [finding for finding in findings if finding.code == WEAKENED]
    if not less:
        return result(Outcome.MET, "nothing is measured less than before")
    more = f"; {len(less) - 3} more" if len(less) > 3 else ""
    outcome = Outcome.ACCEPTED if accepted else Outcome.BROKEN
    reason = "; ".join(finding.message for finding in less[:3]) + more
    return result(outcome, reason, tuple(finding.id for finding in less))
