"""One row a skill: what each tier says of it."""

from __future__ import annotations

from aces_ci.core.amount import NBSP, plural, signed
from aces_ci.core.change import How
from aces_ci.core.evidence import Tier
from aces_ci.core.finding import Category, Severity
from aces_ci.core.headline import to_fix
from aces_ci.core.inert import cell
from aces_ci.core.live import Word
from aces_ci.core.report import Report, SkillReport
from aces_ci.renderers._comment import judge as judging

ROWS = 8
"""More rows than this and the fine ones are one line."""
_CHANGE = {How.ADDED: "new", How.RENAMED: "moved", How.DELETED: "removed"}


def rows(report: Report) -> list[str]:
    """The table, blank line at its end."""
    shown = list(report.skills)
    rest = 0
    if len(shown) > ROWS:
        notable = sorted((skill for skill in shown if not _fine(skill)), key=_worst_first)
        rest = len(shown) - len(notable[:ROWS])
        shown = notable[:ROWS]
    heads = ("Skill", "Specification", "Quality", *judging.columns(report), "Live")
    lines = [f"| {' | '.join(heads)} |", "|" + ":--|" * len(heads)]
    lines += [_row(report, skill) for skill in shown]
    if rest:
        word = "others" if shown else "skills"
        calm = all(_fine(skill) for skill in report.skills if skill not in shown)
        lines.append(f"| {rest} {word} | {'nothing new' if calm else 'see the report'} |{' |' * (len(heads) - 2)}")
    return [*lines, ""]


def _fine(skill: SkillReport) -> bool:
    structure = skill.structure
    spec = structure is not None and structure.conformant
    lost = skill.live is not None and skill.live.word in _BAD
    return spec and not lost and not to_fix(skill) and not _count(skill, Severity.CRITICAL)


_BAD = {Word.REGRESSED, Word.NO_VERDICT}


def _worst_first(skill: SkillReport) -> tuple[object, ...]:
    """A sort key; a skill that cannot be read stands with those that have errors, equals keep their order."""
    structure = skill.structure
    read = structure is not None and structure.score is not None
    unread = not read and skill.change.how is not How.DELETED
    return (
        -_count(skill, Severity.CRITICAL),
        -max(_count(skill, Severity.ERROR), int(unread)),
        skill.live is None or skill.live.word not in _BAD,
        skill.change.how is How.DELETED,
        -len(to_fix(skill)),
    )


def _count(skill: SkillReport, severity: Severity) -> int:
    return sum(finding.severity is severity for finding in skill.findings)


def _row(report: Report, skill: SkillReport) -> str:
    note = _CHANGE.get(skill.change.how)
    name = cell(skill.change.label, 64) + (f" ({note})" if note else "")
    if skill.change.how is How.DELETED:
        return f"| {name} |{' – |' * (3 + len(judging.columns(report)))}"
    base = (judging.score(skill, "base"),) if judging.has_judged(report) else ()
    values = (name, specification(skill), quality(skill), judge(skill, report), *base, live(skill, report))
    return f"| {' | '.join(values)} |"


def specification(skill: SkillReport) -> str:
    """Errors against the specification, and critical security findings."""
    if skill.structure is None:
        return "not checked"
    errors = _count(skill, Severity.ERROR)
    critical = sum(f.severity is Severity.CRITICAL and f.category is Category.SECURITY for f in skill.findings)
    parts = [f"❌{NBSP}{plural(errors, 'error').replace(' ', NBSP)}" if errors else "✅"]
    if critical:
        parts.append(f"🔒{NBSP}{critical}{NBSP}critical")
    return " ".join(parts)


def quality(skill: SkillReport) -> str:
    """The structural score with its change."""
    if skill.structure is None or skill.structure.score is None:
        return "cannot be read"
    score, before = skill.structure.score, skill.structure.previous_score
    return f"{score} of 100" if before is None else f"{score} ({signed(score - before)})"


def judge(skill: SkillReport, report: Report) -> str:
    """The judge's overall score with its votes' range, or that it did not run."""
    if not skill.judgements:
        return "waits" if _waits(skill, report, Tier.JUDGE) else "not run"
    return judging.score(skill)


def live(skill: SkillReport, report: Report) -> str:
    """The live tier's word, or that it did not run."""
    if skill.live is not None:
        return skill.live.word.value.replace("_", " ")
    return "waits" if _waits(skill, report, Tier.LIVE) else _NOT_RUN.get(why_not(skill, report, Tier.LIVE), "not run")


_NOT_RUN = {"label": "not asked"}


def why_not(skill: SkillReport, report: Report, tier: Tier) -> str:
    """The code of what kept a tier from this skill; empty where nothing did."""
    for item in report.skipped:
        if item.tier is tier and item.skill in {None, skill.change.path}:
            return item.code
    return ""


def _waits(skill: SkillReport, report: Report, tier: Tier) -> bool:
    return why_not(skill, report, tier) == "fork"
