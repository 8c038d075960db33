"""`junit.xml`: a suite a skill, a case a category of findings, and one for each later tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aces_ci.core.evidence import Tier
from aces_ci.core.formats.junit import TierCase, junit
from aces_ci.core.gate import GateName, GateResult
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place

_OF_LIVE = frozenset(
    {GateName.REGRESSION, GateName.LIFT, GateName.INVALID, GateName.INCONCLUSIVE, GateName.EVALS, GateName.COVERAGE}
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
        said=", ".join(f"{item.criterion} {item.score:.1f}" for item in judged),
    )
    yield TierCase(
        name="live",
        failed=_blocks(report, skill, _OF_LIVE),
        skipped=None if skill.live else _why(report, skill, Tier.LIVE),
        said=f"{skill.live.word.value}: {skill.live.because}" if skill.live else "",
    )


def _blocks(report: Report, skill: SkillReport, gates: frozenset[GateName]) -> str | None:
    """Why one of these gates blocks this skill, or None."""
    blocking: list[GateResult] = [
        gate for gate in report.gates if gate.blocks and gate.gate in gates and gate.skill == skill.change.path
    ]
    return "; ".join(f"{gate.gate.value}: {gate.reason}" for gate in blocking) or None


def _why(report: Report, skill: SkillReport, tier: Tier) -> str:
    return next(
        (item.because for item in report.skipped if item.tier is tier and item.skill in {None, skill.change.path}),
        "did not run",
    )


RENDERER = JUnit()
