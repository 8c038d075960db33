"""Evidence to the one Report: pure, the same whether it comes from this run, a resumed one or several shards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aces_ci import __version__
from aces_ci.core import gates_text
from aces_ci.core.amount import in_micros
from aces_ci.core.event import Trust
from aces_ci.core.evidence import ChangedSkill, Evidence, Judgement
from aces_ci.core.finding import Finding, Severity
from aces_ci.core.gate import GateResult, Mode
from aces_ci.core.gate_evals import evals_gate
from aces_ci.core.gate_judge import judge_gate
from aces_ci.core.headline import not_compared
from aces_ci.core.live import LiveSummary, Unfair
from aces_ci.core.merge import Sorted, merge
from aces_ci.core.report import Cost, Links, Report, SkillReport
from aces_ci.core.trial import Trial
from aces_ci.core.verdict import Facts, decide
from aces_ci.tiers.recorded import never_came, plan_of


def assemble(evidence: Iterable[Evidence], *, links: Links | None = None, unverified: bool = False) -> Report:
    """The report.

    Args:
        links: pages of this run; None where there are none.
        unverified: the evidence is the word of a fork's own job.

    Raises:
        UsageError: the lines do not belong to one run.
    """
    found = merge(evidence)
    rows = _by_skill((*found.findings.values(), *found.judgements.values(), *found.trials.values()))
    skills = tuple(_skill(found, change, rows.get(change.path, ())) for change in found.skills.values())
    gates = tuple(_gates(found, skills))
    facts = Facts(
        skills=len(skills),
        findings_to_fix=sum(f.severity is Severity.WARNING for skill in skills for f in skill.findings),
        waits=any(item.code == "fork" for item in found.skipped.values()),
        words=frozenset(_words(found, skills)),
    )
    return Report(
        version=found.header.version or __version__,
        event=found.header.event,
        merge_base=found.header.merge_base,
        policy=found.header.policy,
        skills=skills,
        unowned=found.header.unowned,
        gates=gates,
        verdict=decide(gates, facts),
        skipped=tuple(found.skipped.values()),
        cost=_cost(found),
        links=links or Links(log=found.header.event.run_url),
        missing_shards=found.missing_shards,
        unverified=unverified,
        imported=tuple(found.imported.values()),
    )


def blocked(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Paths of the skills that a gate already blocks by this evidence: after tier 1, by their text."""
    gates = assemble(evidence).gates
    return frozenset(gate.skill for gate in gates if gate.blocks and gate.skill is not None)


def _by_skill(rows: Iterable[Finding | Judgement | Trial]) -> Mapping[str, Sequence[Finding | Judgement | Trial]]:
    """In their order, sorted out once: a look at all rows for each of many skills grows with the square of them."""
    found: defaultdict[str, list[Finding | Judgement | Trial]] = defaultdict(list)
    for row in rows:
        found[row.skill].append(row)
    return found


def _skill(found: Sorted, change: ChangedSkill, rows: Sequence[Finding | Judgement | Trial]) -> SkillReport:
    findings = [row for row in rows if isinstance(row, Finding)]
    trials = [row for row in rows if isinstance(row, Trial)]
    return SkillReport(
        change=change,
        structure=found.structures.get(change.path),
        findings=tuple(sorted(findings, key=_worst_first)),
        judgements=tuple(row for row in rows if isinstance(row, Judgement)),
        live=_live(found, change.path, trials, findings),
        proposed=found.proposed.get(change.path),
    )


def _worst_first(finding: Finding) -> tuple[object, ...]:
    return (finding.severity.rank, *finding.order)


def _live(found: Sorted, path: str, trials: Sequence[Trial], findings: Sequence[Finding]) -> LiveSummary | None:
    if not trials:
        return None
    # numpy is not for runs that only read text.
    from aces_ci.tiers.compare import summarise
    from aces_ci.tiers.push import since

    digests = {trial.digest for trial in trials}
    scores = [score for score in found.scores.values() if score.trial in digests]
    summary = summarise(trials, scores, plan_of(found, path))
    last, causes = found.last_pushes.get(path), found.diagnosed.get(path)
    if last is not None:
        summary = replace(summary, since=since(last, trials, scores, findings, summary))
    if causes is None:
        return summary
    return replace(summary, diagnosis=causes.causes, worth_a_look=causes.worth_a_look)


def _gates(found: Sorted, skills: tuple[SkillReport, ...]) -> Iterable[GateResult]:
    modes = found.header.settings.get("gates")
    mode = _Modes(modes if isinstance(modes, Mapping) else {})
    structural = found.header.settings.get("structural")
    minimum = structural.get("min_score", 70) if isinstance(structural, Mapping) else 70
    for skill in skills:
        if gates_text.applies(skill.change):
            yield from _text(skill, mode, int(minimum), found.header.event.trust, found.header.settings.get("judge"))
            if skill.live is not None:
                yield from _of_live(found, skill, mode)
            if missed := _missed(found, skill):
                yield gates_text.unmeasured_gate(skill.change, missed, mode("incomplete", Mode.ADVISE))
    if skills:
        yield gates_text.incomplete_gate(found.missing_shards, mode("incomplete", Mode.ADVISE))


def _words(found: Sorted, skills: tuple[SkillReport, ...]) -> Iterable[str]:
    """What the heading chooses from: what never came is not what ran unfairly, and no pass."""
    for skill in skills:
        if _missed(found, skill):
            yield "incomplete"
        elif skill.live is not None:
            yield "not_compared" if not_compared(skill) else skill.live.word.value
    if skills and found.missing_shards:
        yield "incomplete"


def _missed(found: Sorted, skill: SkillReport) -> str:
    """What the plan promised of a skill and never came, as a clause; empty where nothing is missed."""
    if skill.live is None:
        return never_came(found, skill.change.path)
    return skill.live.because if Unfair.ABSENT in skill.live.unfair else ""


def _text(skill: SkillReport, mode: _Modes, minimum: int, trust: Trust, judge: object) -> Iterable[GateResult]:
    change, structure, findings = skill.change, skill.structure, skill.findings
    yield gates_text.spec_gate(change, structure, findings, mode("spec", Mode.BLOCK))
    yield gates_text.security_gate(change, structure, findings, mode("security", Mode.BLOCK))
    yield gates_text.structural_gate(change, structure, minimum, mode("structural", Mode.ADVISE))
    yield evals_gate(skill.findings, mode.maybe("evals"), trust, change.path)
    if skill.judgements:
        yield judge_gate(skill.judgements, judge, mode("judge", Mode.ADVISE), change)
    if mode("coverage", Mode.OFF) is not Mode.OFF:
        yield gates_text.coverage_gate(change, mode("coverage", Mode.OFF))


def _of_live(found: Sorted, skill: SkillReport, mode: _Modes) -> Iterable[GateResult]:
    from aces_ci.core import gates_live

    summary = skill.live
    assert summary is not None
    path = skill.change.path
    accepted = found.header.settings.get("accepted") is True
    yield gates_live.regression_gate(summary, mode("regression", Mode.BLOCK), path, accepted=accepted)
    yield gates_live.lift_gate(summary, mode("lift", Mode.ADVISE), path)
    yield gates_live.invalid_gate(summary, mode.maybe("invalid"), path)
    yield gates_live.inconclusive_gate(summary, mode("inconclusive", Mode.ADVISE), path)


class _Modes:
    """The policy's word on each gate; `auto` and what is absent take the default."""

    def __init__(self, modes: Mapping[str, object]) -> None:
        self._modes = modes

    def __call__(self, gate: str, default: Mode) -> Mode:
        return self.maybe(gate) or default

    def maybe(self, gate: str) -> Mode | None:
        value = self._modes.get(gate)
        return Mode(value) if isinstance(value, str) and value in set(Mode) else None


def _cost(found: Sorted) -> Cost:
    fresh = [trial for trial in found.trials.values() if trial.recorded is None]
    reused = [trial for trial in found.trials.values() if trial.recorded is not None]
    judged = [j.usd_micros for j in found.judgements.values() if not j.cached]
    judge = None if None in judged else sum(value or 0 for value in judged)
    lived = [trial.usage.usd_micros for trial in fresh]
    lost = sum(trial.lost_micros for trial in fresh)
    live = None if None in lived else sum(value or 0 for value in lived) + lost
    saved = [trial.usage.usd_micros for trial in reused]
    readings, reread = _readings(found)
    judge_saved = [row.usd_micros for rows in reread for row in rows]
    budget = found.header.settings.get("budget")
    cap = budget.get("usd") if isinstance(budget, Mapping) else None
    return Cost(
        usd_micros=None if judge is None or live is None else judge + live,
        judge_usd_micros=judge,
        tokens=sum(t.usage.tokens for t in fresh) + sum(j.tokens for j in found.judgements.values() if not j.cached),
        seconds=found.seconds,
        cap_usd_micros=in_micros(cap) if isinstance(cap, int | float) else None,
        saved_usd_micros=None if None in saved or not saved else sum(value or 0 for value in saved),
        trials=len(found.trials),
        reused_trials=len(reused),
        judgements=readings,
        reused_judgements=len(reread),
        judge_saved_usd_micros=None if None in judge_saved or not judge_saved else sum(v or 0 for v in judge_saved),
    )


def _readings(found: Sorted) -> tuple[int, list[list[Judgement]]]:
    """How many sides of skills the judge read, and those of which every answer came from an earlier run."""
    sides: dict[tuple[str, str], list[Judgement]] = {}
    for row in found.judgements.values():
        if row.votes or row.tokens:
            sides.setdefault((row.skill, row.side), []).append(row)
    return len(sides), [rows for rows in sides.values() if all(row.cached for row in rows)]
