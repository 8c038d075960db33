"""The second line: what decided, and its consequence."""

from __future__ import annotations

from aces_ci.core.amount import plural
from aces_ci.core.asking.judge_score import worst
from aces_ci.core.change import How
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.gate import GateName
from aces_ci.core.headline import subject
from aces_ci.core.inert import code, fence, prose, sentence
from aces_ci.core.report import Report, SkillReport
from aces_ci.core.verdict import State
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links
from aces_ci.renderers._comment.fix import is_code

NOT_TESTED = "Whether agents do better with {them} was **not** tested."


def lead(report: Report, place: Place) -> list[str]:
    """Lines of the paragraph below the heading, blank line at the end."""
    if report.verdict.state is State.BLOCKED:
        decided = deciding_finding(report)
        if decided is not None:
            return [*_finding(report, place, decided), ""]
        return [" ".join(sentence(gate.reason) for gate in report.verdict.by[:3]), ""]
    if report.verdict.state is State.WAITS:
        waiting = subject(report.skills)
        return [
            f"{waiting} {_keeps(report.skills)} to the specification. This is a fork, so nothing that needs a "
            "secret or runs its code has started.",
            "",
        ]
    if report.verdict.state is State.INCOMPLETE:
        missed = [gate for gate in report.verdict.by if gate.gate is GateName.INCOMPLETE]
        return [" ".join([*(sentence(gate.reason) for gate in missed[:3]), _text_only(report)]), ""]
    return [_text_only(report), ""]


def deciding_finding(report: Report) -> Finding | None:
    """The worst finding behind a blocked gate, if a finding decided."""
    reads = {GateName.SPEC: Category.SPEC, GateName.SECURITY: Category.SECURITY}
    for gate in report.verdict.by:
        category = reads.get(gate.gate)
        for skill in report.skills:
            for finding in skill.findings:
                bad = finding.severity in {Severity.ERROR, Severity.CRITICAL}
                if category is finding.category and bad and finding.skill == gate.skill:
                    return finding
    return None


def _finding(report: Report, place: Place, finding: Finding) -> list[str]:
    where = links.of_finding(report, place, finding) + _owner(report, finding)
    if finding.replacement is None:
        fix = code(finding.hint) if is_code(finding) else f"{prose(finding.hint)}."
        return [f"{prose(finding.message)} At {where}. **Fix**: {fix}"]
    old, new = finding.replacement
    return [
        f"{prose(finding.message)} One line in {where} fixes it:",
        "",
        fence(f"-{_one_line(old)}\n+{_one_line(new)}", "diff"),
    ]


def _owner(report: Report, finding: Finding) -> str:
    """The skill, where the heading speaks of several: `SKILL.md:2` alone would be any of them."""
    if len({gate.skill for gate in report.verdict.by}) < 2:
        return ""
    owner = next(skill for skill in report.skills if skill.change.path == finding.skill)
    return f" of {code(owner.change.label, 64)}"


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")[:200]


def _keeps(skills: tuple[SkillReport, ...]) -> str:
    return "keeps" if len(skills) == 1 else "keep"


def _text_only(report: Report) -> str:
    """What text alone can say, and that it is text alone."""
    kept = [skill for skill in report.skills if skill.change.how is not How.DELETED]
    gone = len(report.skills) - len(kept)
    if not kept:
        return f"{subject(report.skills)} {'was' if gone == 1 else 'were'} removed; nothing is left to check."
    broken = [skill for skill in kept if skill.structure is None or not skill.structure.conformant]
    who = subject(kept) if len(kept) != 2 else "Both skills"
    who = who if who[0] != "2" else who.replace("2 skills", "Both skills")
    many = len(kept) > 1
    if broken:
        keeps = f"{subject(broken)} {'does' if len(broken) == 1 else 'do'} not keep to the specification."
    else:
        keeps = f"{who[0].upper()}{who[1:]} {'keep' if many else 'keeps'} to the specification."
        if any(skill.judgements for skill in kept):
            weak = sum(len(worst(skill.judgements, len(skill.judgements))) for skill in kept)
            keeps = f"{keeps[:-1]} and the judge finds {plural(weak, 'weak point') if weak else 'no weak point'}."
    return f"{keeps} {NOT_TESTED.format(them='them' if many else 'it')}"
