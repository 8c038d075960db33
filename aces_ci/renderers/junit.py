"""`junit.xml`: a suite a skill, a case a category of findings, and one for each later tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aces_ci.core.amount import plural
from aces_ci.core.estimate import Contrast
from aces_ci.core.evidence import Tier
from aces_ci.core.formats.junit import TierCase, junit
from aces_ci.core.gate import GateName, GateResult
from aces_ci.core.inert import plain
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.live_text import SPOKEN, difference_of, size_of
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place

_OF_LIVE = frozenset(
    {
        GateName.REGRESSION,
        GateName.LIFT,
        GateName.INVALID,
        GateName.INCOMPLETE,
        GateName.INCONCLUSIVE,
        GateName.EVALS,
        GateName.COVERAGE,
    }
)


@dataclass(frozen=True, slots=True)
class JUnit:
    """Only what blocks is a failure; what did not run is skipped with its reason."""

    name: str = "junit"
    filename: str = "junit.xml"

    def render(self, report: Report, place: Place) -> str:
        """The document."""
        del place
        rows = [
            (s.change.path, s.findings, _blocks(report, s, frozenset({GateName.STRUCTURAL}))) for s in report.skills
        ]
        tiers = {skill.change.path: tuple(_tiers(report, skill)) for skill in report.skills}
        return junit(rows, report.cost.seconds, tiers)


def _tiers(report: Report, skill: SkillReport) -> Iterator[TierCase]:
    judged = [item for item in skill.judgements if item.side == "head" and item.score is not None]
    yield TierCase(
        name="judge",
        failed=_blocks(report, skill, frozenset({GateName.JUDGE})),
        skipped=None if judged else _why(report, skill, Tier.JUDGE),
        said=", ".join(f"{item.criterion} {item.score:.1f} ({plural(len(item.votes), 'vote')})" for item in judged),
    )
    yield TierCase(
        name="live",
        failed=_blocks(report, skill, _OF_LIVE),
        skipped=_undecided(skill.live) if skill.live else _why(report, skill, Tier.LIVE),
        said=_live(skill.live, report.event.base_name) if skill.live else "",
    )


def _undecided(summary: LiveSummary) -> str | None:
    """What keeps a live run from a decision: a test without one is not passed, and the format has no better word."""
    if summary.word not in (Word.NO_VERDICT, Word.CANNOT_TELL):
        return None
    return f"{SPOKEN[summary.word]}: {summary.because}"


def _live(summary: LiveSummary, base: str) -> str:
    """The word and why, then each difference with its interval, and what they rest on."""
    pairs = ((Contrast.CHANGE, plain(base, 40)), (Contrast.LIFT, "no skill"))
    shown = [f"{text} against {name}" for contrast, name in pairs if (text := difference_of(summary, contrast))]
    return "; ".join((f"{summary.word.value}: {summary.because}", *shown, size_of(summary)))


def _blocks(report: Report, skill: SkillReport, gates: frozenset[GateName]) -> str | None:
    """Why one of these gates blocks this skill, or None."""
    blocking: list[GateResult] = [
        gate for gate in report.gates if gate.blocks and gate.gate in gates and gate.skill == skill.change.path
    ]
    return "; ".join(f"{gate.gate.value}: {gate.reason}" for gate in blocking) or None


def _why(report: Report, skill: SkillReport, tier: Tier) -> str:
    return next(
        (item.because for item in report.skipped if item.tier is tier and item.skill in {None, skill.change.path}),
        _missed(report, skill) if tier is Tier.LIVE else "did not run",
    )


def _missed(report: Report, skill: SkillReport) -> str:
    """What the plan promised of this skill and never came."""
    gates = (gate for gate in report.gates if gate.gate is GateName.INCOMPLETE and gate.skill == skill.change.path)
    return next((gate.reason for gate in gates), "did not run")


RENDERER = JUnit()
