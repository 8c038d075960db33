"""The words and the numbers of one live summary that every part of the comment shares."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.inert import cell, code
from aces_ci.core.live import ArmLevel, LiveSummary, Word
from aces_ci.core.points import NBSP, Row, interval, p_value, row
from aces_ci.core.report import Report, SkillReport
from aces_ci.core.trial import Arm

WORDS = {
    Word.IMPROVED: ("✅", "improved"),
    Word.REGRESSED: ("❌", "regressed"),
    Word.NO_DIFFERENCE: ("✅", "no difference"),
    Word.CANNOT_TELL: ("⚖️", "cannot tell yet"),
    Word.NO_VERDICT: ("🚫", "no verdict"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """One skill with live results."""

    skill: SkillReport
    summary: LiveSummary
    base: str
    """Name of the branch that it is compared with, plain."""

    @property
    def name(self) -> str:
        """The skill as a code span."""
        return code(self.skill.change.label, 64)

    @property
    def base_code(self) -> str:
        """The branch as a code span that may stand in a table."""
        return cell(self.base, 64)

    @property
    def against(self) -> str:
        """What the number that decided was measured against."""
        return code(self.base, 64) if self.summary.basis is Contrast.CHANGE else "no skill"

    @property
    def decisive(self) -> Lift | None:
        """The contrast that decided."""
        return self.summary.change if self.summary.basis is Contrast.CHANGE else self.summary.lift


def lives(report: Report) -> list[Live]:
    """Skills with live results, in the order of the report."""
    base = report.event.base_name
    return [Live(skill=skill, summary=skill.live, base=base) for skill in report.skills if skill.live is not None]


def levels_of(summary: LiveSummary) -> dict[Arm, ArmLevel]:
    """Arm to its level."""
    return {level.arm: level for level in summary.arms}


def outcome_row(summary: LiveSummary) -> Row:
    """Levels no skill, previous, this; differences change, lift: one number of decimals for all of them."""
    levels = levels_of(summary)
    points: list[float | None] = []
    for arm in (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL):
        found = levels.get(arm)
        points.append(found.outcome.point if found and found.outcome else None)
    return row(points, [(2, 1, _point(summary.change)), (2, 0, _point(summary.lift))])


def _point(lift: Lift | None) -> float | None:
    return lift.estimate.point if lift and lift.estimate else None


def difference(summary: LiveSummary, contrast: Contrast) -> str:
    """`+45 [+29, +62]`, or a dash where there is no estimate."""
    lift = summary.change if contrast is Contrast.CHANGE else summary.lift
    if lift is None or lift.estimate is None:
        return "–"
    shown = outcome_row(summary).differences[0 if contrast is Contrast.CHANGE else 1]
    return f"{shown}{NBSP}{interval(lift.estimate)}"


def with_p(summary: LiveSummary, contrast: Contrast) -> str:
    """The difference with its p, where the test could speak."""
    lift = summary.change if contrast is Contrast.CHANGE else summary.lift
    text = difference(summary, contrast)
    return text if lift is None or lift.p is None else f"{text}, {p_value(lift.p)}"


def whole(estimate: Estimate | None) -> int | None:
    """Points of a share, as an integer."""
    return None if estimate is None else round(100 * estimate.point)


def percent_of(value: float) -> str:
    """`96 %`, unbreakable."""
    return f"{round(100 * value)}{NBSP}%"
