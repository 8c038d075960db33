"""The gates that read text and the run itself: spec, security, structural, judge, coverage, incomplete."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.amount import plural
from aces_ci.core.change import How
from aces_ci.core.evidence import ChangedSkill, Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.gate import GateName, GateResult, Mode, Outcome


def spec_gate(skill: ChangedSkill, structure: Structure | None, findings: Sequence[Finding], mode: Mode) -> GateResult:
    """Broken by an error of category spec; undecidable where tier 1 left no word on the skill."""
    errors = [f for f in findings if f.category is Category.SPEC and f.severity is Severity.ERROR]
    if structure is None:
        return _result(GateName.SPEC, mode, Outcome.UNDECIDABLE, skill, "the text was not checked")
    if errors:
        cites = tuple(finding.id for finding in errors)
        reason = plural(len(errors), "error") + " against the specification"
        return _result(GateName.SPEC, mode, Outcome.BROKEN, skill, reason, cites)
    return _result(GateName.SPEC, mode, Outcome.MET, skill, "keeps to the specification")


def security_gate(
    skill: ChangedSkill, structure: Structure | None, findings: Sequence[Finding], mode: Mode
) -> GateResult:
    """Broken by a critical security finding that this change brought (or that nobody could compare)."""
    if structure is None:
        return _result(GateName.SECURITY, mode, Outcome.UNDECIDABLE, skill, "the text was not scanned")
    bad = [
        f
        for f in findings
        if f.category is Category.SECURITY and f.severity is Severity.CRITICAL and f.new is not False
    ]
    if bad:
        reason = plural(len(bad), "critical security finding") + " new in this change"
        return _result(GateName.SECURITY, mode, Outcome.BROKEN, skill, reason, tuple(f.id for f in bad))
    return _result(GateName.SECURITY, mode, Outcome.MET, skill, "no new critical finding")


def structural_gate(skill: ChangedSkill, structure: Structure | None, minimum: int, mode: Mode) -> GateResult:
    """Broken by a score below `minimum`, or below the lower one that the baseline file records.

    A manifest that cannot be read has no score, and gate spec says so.
    """
    if structure is None or structure.score is None:
        return _result(GateName.STRUCTURAL, mode, Outcome.UNDECIDABLE, skill, "there is no score")
    held = min(minimum, minimum if structure.recorded_score is None else structure.recorded_score)
    broken = structure.score < held
    reason = f"scores {structure.score}, {'below' if broken else 'at least'} {held}"
    reason += ", which the baseline file holds it to" if held < minimum else ""
    return _result(GateName.STRUCTURAL, mode, Outcome.BROKEN if broken else Outcome.MET, skill, reason)


def coverage_gate(skill: ChangedSkill, mode: Mode) -> GateResult:
    """Broken where a skill has no evals."""
    outcome = Outcome.MET if skill.has_evals else Outcome.BROKEN
    return _result(GateName.COVERAGE, mode, outcome, skill, "has evals" if skill.has_evals else "has no evals")


def incomplete_gate(missing: Sequence[int], mode: Mode) -> GateResult:
    """Broken by a shard that did not come to its end."""
    if missing:
        reason = f"{plural(len(missing), 'shard')} missing: {', '.join(map(str, missing[:20]))}"
        return GateResult(gate=GateName.INCOMPLETE, mode=mode, outcome=Outcome.BROKEN, skill=None, reason=reason)
    return GateResult(
        gate=GateName.INCOMPLETE, mode=mode, outcome=Outcome.MET, skill=None, reason="every part came to its end"
    )


def unmeasured_gate(skill: ChangedSkill, missed: str, mode: Mode) -> GateResult:
    """Broken by runs that the plan promised and that never came; `missed` says which."""
    return _result(GateName.INCOMPLETE, mode, Outcome.BROKEN, skill, missed)


def applies(skill: ChangedSkill) -> bool:
    """Whether there is text to judge: a removed skill has none."""
    return skill.how is not How.DELETED


def _result(
    gate: GateName,
    mode: Mode,
    outcome: Outcome,
    skill: ChangedSkill,
    reason: str,
    cites: tuple[str, ...] = (),
) -> GateResult:
    if mode is Mode.OFF:
        return GateResult(gate=gate, mode=mode, outcome=Outcome.OFF, skill=skill.path, reason="switched off")
    return GateResult(gate=gate, mode=mode, outcome=outcome, skill=skill.path, reason=reason, cites=cites)
