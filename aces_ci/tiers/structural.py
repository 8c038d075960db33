"""Tier 1: rules over one skill become a score and located findings. Pure; milliseconds; no key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from graphlib import TopologicalSorter

from aces_ci.core import docs
from aces_ci.core.evidence import Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.reading.fingerprint import Anchors
from aces_ci.core.reading.ignores import Ignore, of_file
from aces_ci.core.rule import WEIGHTS, Problem, Profile, Rule
from aces_ci.core.skill import Sibling, Skill


@dataclass(slots=True)
class _Run:
    """What the rules said about one skill."""

    problems: list[tuple[Rule, Problem]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)


def assess(
    skill: Skill,
    rules: Sequence[Rule],
    *,
    profile: Profile,
    before: Skill | None = None,
    siblings: Sequence[Sibling] = (),
    disabled: frozenset[str] = frozenset(),
    added: bool = False,
) -> tuple[Structure, tuple[Finding, ...]]:
    """Score and findings of one skill, sorted new before old, worst first.

    Args:
        rules: every rule; those of another profile are skipped and say so.
        before: the same skill at the merge base; then each finding is told to be new or old.
        siblings: the skills an agent chooses from beside this one, itself excepted.
        disabled: codes that neither report nor deduct.
        added: there was no skill before, so all findings are new.
    """
    run = _run(replace(skill, siblings=tuple(siblings)), rules, profile, disabled)
    points = _points(run)
    old = _run(replace(before, siblings=tuple(siblings)), rules, profile, disabled) if before else None
    known = Counter(_prints(before, old)) if before and old else None
    findings = _findings(skill, run, profile, known, added)
    dimensions, score = _score(skill, run)
    structure = Structure(
        skill=skill.root,
        conformant=not any(finding.severity is Severity.ERROR for finding in findings),
        score=score,
        dimensions=dimensions,
        previous_score=_score(before, old)[1] if before and old else None,
        skipped_rules=dict(sorted(run.skipped.items())),
        profile=profile.value,
        name=skill.label,
        deductions=points,
        ignored=run.ignored,
    )
    return structure, findings


def _run(skill: Skill, rules: Sequence[Rule], profile: Profile, disabled: frozenset[str]) -> _Run:
    """Every rule in the order of what it requires; an effect of a cause already named is skipped."""
    by_code = {rule.code: rule for rule in rules}
    run = _Run()
    fired: set[str] = set()
    notes: dict[str, tuple[Ignore, ...]] = {}
    for code in _order(tuple((rule.code, rule.requires) for rule in rules)):
        rule = by_code[code]
        cause = next((needed for needed in rule.requires if needed in fired or needed in run.skipped), None)
        if code in disabled:
            run.skipped[code] = "disabled"
        elif profile not in rule.profiles:
            run.skipped[code] = f"not in profile {profile.value}"
        elif cause in fired and cause is not None:
            run.skipped[code] = f"{cause}: {by_code[cause].title}"
        elif cause is not None and not run.skipped[cause].startswith(("disabled", "not in profile")):
            run.skipped[code] = run.skipped[cause]
        else:
            for problem in rule.check(skill):
                fired.add(code)
                _keep(skill, rule, problem, run, notes)
    return run


@lru_cache(maxsize=16)
def _order(requirements: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[str, ...]:
    """Codes, each after what it requires; required rules that are not there count as silent."""
    known = {code for code, _ in requirements}
    graph = {code: [needed for needed in needs if needed in known] for code, needs in requirements}
    return tuple(TopologicalSorter(graph).static_order())


def _keep(skill: Skill, rule: Rule, problem: Problem, run: _Run, notes: dict[str, tuple[Ignore, ...]]) -> None:
    """Keeps a problem, unless a comment with a reason sets it aside.

    A critical security finding is never set aside by the file that carries it: whoever plants the one
    can plant the other. The baseline file of the default branch can.
    """
    path = problem.path or skill.manifest
    if not _grave(rule, problem):
        if path not in notes:
            notes[path] = of_file(skill, path)
        note = next((note for note in notes[path] if note.covers(rule.code, problem.line)), None)
        if note is not None:
            run.ignored[f"{rule.code} {skill.path_of(path)}:{problem.line}"] = note.reason
            return
    run.problems.append((rule, problem))


def _lost(run: _Run) -> Mapping[str, float]:
    """Points that each rule takes off its dimension, its cap respected."""
    lost: dict[str, float] = {}
    for rule, problem in run.problems:
        if rule.dimension is not None:
            points = rule.weight if problem.deduction is None else problem.deduction
            lost[rule.code] = min(rule.cap, lost.get(rule.code, 0.0) + points)
    return lost


def _points(run: _Run) -> Mapping[str, float]:
    """The same in points of the overall score, largest first."""
    dimension = {rule.code: rule.dimension for rule, _ in run.problems}
    shares = {
        code: round(points * WEIGHTS[where], 2)
        for code, points in _lost(run).items()
        if (where := dimension[code]) is not None and points > 0
    }
    return dict(sorted(shares.items(), key=lambda entry: (-entry[1], entry[0])))


def _score(skill: Skill, run: _Run) -> tuple[Mapping[str, int], int | None]:
    """Each dimension from 100 down, and their weighted sum; nothing where the manifest cannot be read."""
    if skill.frontmatter is None:
        return {}, None
    dimension = {rule.code: rule.dimension for rule, _ in run.problems}
    lost = _lost(run)
    exact = {
        where: max(0.0, 100.0 - sum(points for code, points in lost.items() if dimension[code] is where))
        for where in WEIGHTS
    }
    total = sum(WEIGHTS[where] * value for where, value in exact.items())
    return {where.value: round(value) for where, value in exact.items()}, round(total)


def _prints(skill: Skill, run: _Run) -> list[str]:
    """The fingerprint of every problem."""
    anchors = Anchors(skill)
    return [
        anchors.fingerprint(
            rule.code,
            problem.path,
            problem.line,
            whole_file=problem.whole_file or problem.once,
            end_line=problem.end_line,
            charge=problem.message if _grave(rule, problem) else "",
        )
        for rule, problem in run.problems
    ]


def _grave(rule: Rule, problem: Problem) -> bool:
    """Whether a problem can block by itself in every profile."""
    return rule.category is Category.SECURITY and (problem.severity or rule.severity) is Severity.CRITICAL


def _findings(
    skill: Skill, run: _Run, profile: Profile, known: Counter[str] | None, added: bool
) -> tuple[Finding, ...]:
    """Problems that deserve a line, with the rule's own texts where they bring none."""
    findings = []
    reported = {rule.code for rule, problem in run.problems if not problem.quiet}
    for (rule, problem), mark in zip(run.problems, _prints(skill, run), strict=True):
        if problem.quiet or not reported.isdisjoint(rule.explained_by):
            continue
        severity = problem.severity or rule.severity
        if profile is Profile.STRICT and rule.strict_severity is not None:
            severity = rule.strict_severity
        findings.append(
            Finding(
                skill=skill.root,
                code=rule.code,
                severity=severity,
                category=rule.category,
                path=skill.path_of(problem.path or skill.manifest),
                line=1 if problem.whole_file else max(1, problem.line),
                end_line=problem.end_line,
                column=problem.column,
                end_column=problem.end_column,
                whole_file=problem.whole_file,
                title=problem.title or rule.title,
                message=problem.message,
                hint=problem.hint or rule.hint,
                url=docs.rule(rule.code),
                confidence=problem.confidence or rule.confidence,
                new=True if added else (None if known is None else known[mark] == 0),
                replacement=problem.replacement,
                note=problem.note,
                fingerprint=mark,
            )
        )
    return tuple(sorted(findings, key=lambda finding: finding.order))
