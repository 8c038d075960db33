"""The second line: the one number that decided, its interval, its p, and the consequence."""

from __future__ import annotations

from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.grading.points import NBSP, interval, number, p_value, threshold
from aces_ci.core.headline import headline, not_compared
from aces_ci.core.inert import prose, sentence
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.live_text import outcome_row
from aces_ci.core.report import Report
from aces_ci.core.verdict import State
from aces_ci.renderers._live.shown import Live, difference, lives, with_p

_STATES = {
    State.REGRESSED: Word.REGRESSED,
    State.ACCEPTED: Word.REGRESSED,
    State.BLOCKED: Word.REGRESSED,
    State.INVALID: Word.NO_VERDICT,
    State.INCOMPLETE: Word.NO_VERDICT,
    State.INCONCLUSIVE: Word.CANNOT_TELL,
    State.IMPROVED: Word.IMPROVED,
    State.NO_DIFFERENCE: Word.NO_DIFFERENCE,
}


def lead(report: Report) -> list[str]:
    """Lines below the heading for the skill that the heading speaks of; empty where live decided nothing."""
    found = lives(report)
    wanted = _STATES.get(report.verdict.state)
    if report.verdict.state is State.NOT_COMPARED:
        chosen = next((live for live in found if not_compared(live.skill)), None)
    else:
        chosen = next((live for live in found if live.summary.word is wanted), None)
    if chosen is None:
        return []
    blocks = report.verdict.exit_code != 0
    named = len(found) == 1 or chosen.name in headline(report).markdown
    return [*_lines(chosen, blocks=blocks, owner="" if named else f"{chosen.name}: "), ""]


def _lines(live: Live, *, blocks: bool, owner: str) -> list[str]:
    summary = live.summary
    if summary.word is Word.NO_VERDICT:
        said = f"{owner}{sentence(summary.because)} Nothing is concluded from this run."
        return _joined([said, *_informs(live), *lost(summary)])
    first = f"{owner}{_number(live)}{_consequence(live, blocks=blocks)}"
    second = _earns(live) if summary.word is Word.CANNOT_TELL else ""
    return _joined([first, *([second] if second else []), *lost(summary)])


def _joined(lines: list[str]) -> list[str]:
    return [*(f"{line}\\" for line in lines[:-1]), lines[-1]]


def _number(live: Live) -> str:
    lift = live.decisive
    if lift is None or lift.estimate is None:
        return f"No number against {live.against}: {prose(live.summary.because, 200)}"
    shown = outcome_row(live.summary).differences[0 if live.summary.basis is Contrast.CHANGE else 1]
    text = f"**{shown} points** against {live.against}, 95{NBSP}% interval {interval(lift.estimate)}"
    if live.summary.word not in (Word.IMPROVED, Word.REGRESSED):
        return text
    early = f" after an early stop at look {live.summary.look} of {live.summary.looks}"
    text += early if live.summary.look < live.summary.looks else ""
    return text if lift.p is None else f"{text}, {p_value(lift.p)}{_against(lift)}"


def _against(lift: Lift) -> str:
    """What p is held against at this look."""
    return "" if lift.threshold is None else f" (at most {threshold(lift.threshold)} decides)"


def _informs(live: Live) -> list[str]:
    """The estimate that an arm of another day still gives: with its interval, without a p and without a word."""
    lift = live.decisive
    if lift is None or lift.estimate is None:
        return []
    return [f"It informs, and decides nothing: {difference(live.summary, live.summary.basis)} against {live.against}."]


def _consequence(live: Live, *, blocks: bool) -> str:
    summary, gate = live.summary, "" if blocks else " No gate blocks."
    if summary.word is Word.REGRESSED:
        return f".{_worth(summary.lift)}" if summary.basis is Contrast.CHANGE else f".{gate}"
    if summary.word is Word.CANNOT_TELL:
        if live.decisive is None or live.decisive.estimate is None:
            return f".{gate}"
        low, high = live.decisive.estimate.low, live.decisive.estimate.high
        if summary.crossed or low > 0 or high < 0:
            return f": {prose(summary.because, 200)}.{gate}"
        return f": it may be worse or better.{gate}"
    if summary.word is Word.NO_DIFFERENCE:
        return f": surely within {number(summary.margin)} points either way on these cases.{gate}"
    return f".{gate}"


def _worth(lift: Lift | None) -> str:
    if lift is None or lift.estimate is None:
        return ""
    if lift.estimate.low > 0:
        return " It still beats no skill, so repair it rather than drop it."
    if lift.estimate.high < 0:
        return " It is worse than no skill as well."
    return " Whether it still beats no skill cannot be told."


def _earns(live: Live) -> str:
    lift = live.summary.lift
    if live.summary.basis is not Contrast.CHANGE or lift is None or lift.estimate is None:
        return ""
    text = f"{with_p(live.summary, Contrast.LIFT).replace(',' + NBSP, ',' + NBSP)}"
    shown, _, p = text.partition(f"], p{NBSP}")
    against = f"{shown}] against no skill, p{NBSP}{p}" if p else f"{text} against no skill"
    if lift.estimate.low > 0:
        return f"The skill as such earns its place: {against}."
    if lift.estimate.high < 0:
        return f"The skill as such does harm: {against}."
    return f"Whether the skill as such earns its place cannot be told either: {against}."


def lost(summary: LiveSummary) -> list[str]:
    """What the lost runs could have made of the difference, and whether the word holds all the same; empty without."""
    if summary.missing_bounds is None:
        return []
    mine, of_mine, theirs, of_theirs = summary.lost
    low, high = (number(value) for value in summary.missing_bounds)
    other = "the base version" if summary.basis is Contrast.CHANGE else "no skill"
    text = (
        f"Not scored: {mine} of {of_mine} runs of this change, {theirs} of {of_theirs} of {other}; with them at their "
    )
    text += f"worst and at their best the difference would lie between {low} and {high} points."
    if summary.lost_unequally:
        held = summary.word in (Word.IMPROVED, Word.REGRESSED)
        text += " The arms lost unequally many" + ("; the word holds at the worst too." if held else ".")
    return [text]
