"""The first line of everything: decision, object, word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.amount import plural
from aces_ci.core.change import has_previous
from aces_ci.core.estimate import Contrast
from aces_ci.core.finding import Severity
from aces_ci.core.gate import GateName, GateResult, Outcome
from aces_ci.core.inert import code, plain
from aces_ci.core.live import Unfair, Word
from aces_ci.core.report import Report, SkillReport
from aces_ci.core.verdict import State

ICONS = {
    State.BLOCKED: "❌",
    State.ACCEPTED: "✅",
    State.WAITS: "⏸️",
    State.REGRESSED: "⚠️",
    State.INVALID: "🚫",
    State.INCOMPLETE: "🚫",
    State.INCONCLUSIVE: "⚖️",
    State.NOT_COMPARED: "⚖️",
    State.IMPROVED: "✅",
    State.NO_DIFFERENCE: "✅",
    State.ADVICE: "✅",
    State.CLEAN: "✅",
    State.NOTHING: "✅",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """Icon and words. `markdown` holds code spans; `plain` is the same without any markup."""

    icon: str
    markdown: str

    @property
    def plain(self) -> str:
        """For e-mail subjects, check titles and logs."""
        return plain(self.markdown, 200)


def headline(report: Report) -> Headline:
    """The headline of a report."""
    state = report.verdict.state
    words = _WORDS[state]
    if state is State.BLOCKED:
        words = _BLOCKED.get(report.verdict.by[0].gate, _by_gate)
    return Headline(icon=ICONS[state], markdown=f"aces-ci: {words(report)}")


def subject(skills: Sequence[SkillReport], *, quote: str = "") -> str:
    """One skill by its name, more by their number."""
    if len(skills) == 1:
        return f"{quote}{code(skills[0].change.label, 64)}"
    return plural(len(skills), "skill")


def concerned(report: Report, gates: Sequence[GateResult]) -> list[SkillReport]:
    """The skills that these gate results speak of."""
    paths = {gate.skill for gate in gates}
    return [skill for skill in report.skills if skill.change.path in paths] or list(report.skills)


def to_fix(skill: SkillReport) -> list[str]:
    """Ids of findings worth a line that do not block: everything but errors, criticals and notes."""
    return [finding.id for finding in skill.findings if finding.severity is Severity.WARNING]


def _blocking(report: Report, name: GateName) -> list[SkillReport]:
    return concerned(report, [gate for gate in report.verdict.by if gate.gate is name])


def _spec(report: Report) -> str:
    skills = _blocking(report, GateName.SPEC)
    errors = sum(finding.severity is Severity.ERROR for skill in skills for finding in skill.findings)
    return f"blocked, {plural(errors, 'error')} in {subject(skills)}"


def _by_gate(report: Report) -> str:
    gate = report.verdict.by[0]
    return f"blocked by gate {code(gate.gate.value)} in {subject(_blocking(report, gate.gate))}"


_BLOCKED: Mapping[GateName, Callable[[Report], str]] = {
    GateName.SPEC: _spec,
    GateName.SECURITY: lambda r: f"blocked, critical security finding in {subject(_blocking(r, GateName.SECURITY))}",
    GateName.REGRESSION: lambda r: (
        f"blocked, {subject(_blocking(r, GateName.REGRESSION))} got worse than on {code(r.event.base_name, 64)}"
    ),
    GateName.EVALS: lambda r: f"blocked, cases removed or weakened in {subject(_blocking(r, GateName.EVALS))}",
    GateName.INVALID: lambda r: f"blocked, no fair comparison of {subject(_blocking(r, GateName.INVALID))}",
    GateName.STRUCTURAL: lambda r: f"blocked, quality score too low in {subject(_blocking(r, GateName.STRUCTURAL))}",
    GateName.LIFT: lambda r: f"blocked, {subject(_blocking(r, GateName.LIFT))} does not beat no skill",
    GateName.COVERAGE: lambda r: f"blocked, no cases for {subject(_blocking(r, GateName.COVERAGE))}",
}


def _of_word(report: Report, word: str) -> list[SkillReport]:
    return [skill for skill in report.skills if skill.live and skill.live.word.value == word]


def _accepted(report: Report) -> str:
    gates = [gate for gate in report.gates if gate.outcome is Outcome.ACCEPTED]
    return f"loss in {subject(concerned(report, gates))} accepted at {code(report.event.head_sha[:7])} by a writer"


def _invalid(report: Report) -> str:
    skills = [s for s in _of_word(report, "no_verdict") if s.live and Unfair.ABSENT not in s.live.unfair]
    because = skills[0].live.because if skills and skills[0].live else ""
    return f"no verdict, {because}" if because else f"no verdict for {subject(skills)}"


def _incomplete(report: Report) -> str:
    """What is missing: whole shards, else what the plan promised of a skill."""
    if report.missing_shards:
        return f"no verdict, {plural(len(report.missing_shards), 'shard')} missing"
    gates = [gate for gate in report.gates if gate.gate is GateName.INCOMPLETE and gate.skill is not None]
    why = gates[0].reason if gates and gates[0].outcome is Outcome.BROKEN else "planned runs never came"
    return f"no verdict for {subject(concerned(report, gates))}, {plain(why, 160)}"


def not_compared(skill: SkillReport) -> bool:
    """Whether a changed skill did well against no skill, and nobody held it against the version on the base."""
    live, change = skill.live, skill.change
    well = live is not None and live.basis is Contrast.LIFT and live.word in (Word.IMPROVED, Word.NO_DIFFERENCE)
    return well and has_previous(change.how, change.parts)


def _not_compared(report: Report) -> str:
    """The gate `regression` reads the base version; without it nothing is said of the change."""
    skills = [skill for skill in report.skills if not_compared(skill)]
    base = code(report.event.base_name, 64)
    if all(skill.live and skill.live.word is Word.IMPROVED for skill in skills):
        return f"agents do better with {subject(skills, quote='this ')} than without it, {base} was not compared"
    return f"{subject(skills)} was held against no skill alone, {base} was not compared"


def _against(report: Report, skills: Sequence[SkillReport]) -> str:
    """What the word of all these skills was measured against."""
    alone = bool(skills) and all(skill.live.basis is Contrast.LIFT for skill in skills if skill.live)
    return "no skill" if alone else code(report.event.base_name, 64)


def _regressed(report: Report) -> str:
    skills = _of_word(report, "regressed")
    against = _against(report, skills)
    worse = "does worse than no skill" if against == "no skill" else f"got worse than on {against}"
    return f"{subject(skills)} {worse} (does not block)"


def _inconclusive(report: Report) -> str:
    skills = _of_word(report, "cannot_tell")
    return f"cannot tell yet if {subject(skills, quote='this ')} beats {_against(report, skills)}"


def _improved(report: Report) -> str:
    """Against the base; where only the lift was measured, that is said in the first line."""
    skills = _of_word(report, "improved")
    alone = all(skill.live.basis is Contrast.LIFT for skill in skills if skill.live)
    return f"improved, agents do better with {subject(skills, quote='this ')}{' than without it' if alone else ''}"


def _advice(report: Report) -> str:
    count = sum(len(to_fix(skill)) for skill in report.skills)
    return f"passes, {plural(count, 'thing')} worth fixing in {subject([s for s in report.skills if to_fix(s)])}"


def _nothing(report: Report) -> str:
    count = len(report.unowned)
    if not count:
        return "no skill changed"
    return f"no skill changed; {plural(count, 'changed file')} {'belongs' if count == 1 else 'belong'} to no skill"


def _margin(report: Report) -> str:
    settings = _of_word(report, "no_difference")
    points = round(100 * next((s.live.margin for s in settings if s.live), 0.10))
    alone = _against(report, settings) == "no skill"
    return f"no difference over {points} points {'from no skill ' if alone else ''}in {subject(settings)}"


_WORDS: Mapping[State, Callable[[Report], str]] = {
    State.BLOCKED: _by_gate,
    State.ACCEPTED: _accepted,
    State.WAITS: lambda r: "text checks pass, the live run waits for a maintainer",
    State.REGRESSED: _regressed,
    State.INVALID: _invalid,
    State.INCOMPLETE: _incomplete,
    State.INCONCLUSIVE: _inconclusive,
    State.NOT_COMPARED: _not_compared,
    State.IMPROVED: _improved,
    State.NO_DIFFERENCE: _margin,
    State.ADVICE: _advice,
    State.CLEAN: lambda r: f"passes, nothing to fix in {subject(r.skills)}",
    State.NOTHING: _nothing,
}
