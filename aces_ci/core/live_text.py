"""The live result of one skill as lines without markup: for terminals and logs, whoever prints them."""

from __future__ import annotations

from aces_ci.core.amount import dollars, plural, tokens
from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.grading.points import MINUS, NBSP, Row, bar, interval, level_interval, p_value, row
from aces_ci.core.inert import plain
from aces_ci.core.live import ArmLevel, LiveSummary, Word
from aces_ci.core.trial import Arm

SPOKEN = {
    Word.IMPROVED: "improved",
    Word.REGRESSED: "regressed",
    Word.NO_DIFFERENCE: "no difference",
    Word.CANNOT_TELL: "cannot tell yet",
    Word.NO_VERDICT: "no verdict",
}
"""The words as people read them."""
_ARMS = (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL)


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


def ascii_of(text: str) -> str:
    """Plain minus and spaces, which every terminal and grep has."""
    return text.replace(MINUS, "-").replace(NBSP, " ")


def size_of(summary: LiveSummary) -> str:
    """What the numbers rest on, as in `6 cases x 5 runs`."""
    lost = f", {summary.missing} of {summary.planned} not scored" if summary.missing else ""
    return f"{plural(len(summary.cases), 'case')} x {plural(summary.attempts, 'run')} an arm{lost}"


def result_line(summary: LiveSummary, label: str, base: str, width: int = 0) -> str:
    """`label  word  difference against base  difference against no skill`, each with its interval."""
    parts = []
    for contrast, name in ((Contrast.CHANGE, plain(base, 40)), (Contrast.LIFT, "no skill")):
        text = difference_of(summary, contrast)
        if text:
            parts.append(f"{text} against {name}")
    shown = "   ".join(parts) or plain(summary.because, 120)
    if summary.word is Word.NO_VERDICT and parts:
        shown += f"   ({plain(summary.because, 120)})"
    shown += f"   {size_of(summary)}"
    return f"{plain(label, 40):<{width}}  {SPOKEN[summary.word]:<15} {shown}"


def difference_of(summary: LiveSummary, contrast: Contrast) -> str:
    """`-31 [-46, -16] p<.001`, or nothing without an estimate."""
    lift = summary.change if contrast is Contrast.CHANGE else summary.lift
    if lift is None or lift.estimate is None:
        return ""
    shown = outcome_row(summary).differences[0 if contrast is Contrast.CHANGE else 1]
    p = f" {p_value(lift.p).replace(NBSP, '')}" if lift.p is not None else ""
    return ascii_of(f"{shown} {interval(lift.estimate)}{p}")


def difference_against(summary: LiveSummary, contrast: Contrast, name: str) -> str:
    """`-31 [-46, -16] against main, p < .001`, or nothing without an estimate."""
    lift = summary.change if contrast is Contrast.CHANGE else summary.lift
    shown, _, _ = difference_of(summary, contrast).partition(" p")
    if lift is None or not shown:
        return ""
    return f"{shown} against {name}" + (f", {ascii_of(p_value(lift.p))}" if lift.p is not None else "")


def arm_lines(summary: LiveSummary, base: str) -> list[str]:
    """One line an arm: level with interval, bar, tokens and money a run."""
    shown, levels = outcome_row(summary), levels_of(summary)
    names = {Arm.BASELINE: "no skill", Arm.PREVIOUS: plain(base, 8), Arm.WITH_SKILL: "this"}
    lines = []
    for place, arm in enumerate(_ARMS):
        level = levels.get(arm)
        if level is None or level.outcome is None:
            continue
        used = "" if level.tokens is None else f"   {ascii_of(tokens(level.tokens))} tokens"
        cost = "" if level.usd_micros is None else f"   {dollars(level.usd_micros)}"
        numbers = f"{shown.levels[place]:>4} {ascii_of(level_interval(level.outcome)):<10}"
        lines.append(f"  {names[arm]:<9}{numbers} {bar(level.outcome)}{used}{cost}")
    return lines
