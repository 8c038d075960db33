"""The words and the numbers of one live summary that every part of the comment shares."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.grading.points import NBSP, interval, p_value
from aces_ci.core.inert import cell, code
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.live_text import SPOKEN, outcome_row
from aces_ci.core.report import Report, SkillReport

_ICONS = {
    Word.IMPROVED: "✅",
    Word.REGRESSED: "❌",
    Word.NO_DIFFERENCE: "✅",
    Word.CANNOT_TELL: "⚖️",
    Word.NO_VERDICT: "🚫",
}
WORDS = {word: (icon, SPOKEN[word]) for word, icon in _ICONS.items()}
"""Icon and word; the icon never stands alone."""


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


_NEED = (Word.REGRESSED, Word.NO_VERDICT, Word.CANNOT_TELL, Word.IMPROVED, Word.NO_DIFFERENCE)
FINE = frozenset({Word.IMPROVED, Word.NO_DIFFERENCE})
"""Words of which nobody has to do anything."""


def lives(report: Report) -> list[Live]:
    """Skills with live results: those that need somebody first, else in the order of the report."""
    base = report.event.base_name
    found = [Live(skill=skill, summary=skill.live, base=base) for skill in report.skills if skill.live is not None]
    return sorted(found, key=lambda live: _NEED.index(live.summary.word))


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
