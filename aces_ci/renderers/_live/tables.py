"""One skill measured: three rows, the arms. Two or more: one row a skill, columns in order of need."""

from __future__ import annotations

from collections import Counter

from aces_ci.core.amount import plural, tokens
from aces_ci.core.estimate import Contrast
from aces_ci.core.grading.points import BAR_HEADER, NBSP, bar, level_interval
from aces_ci.core.inert import cell
from aces_ci.core.live import ArmLevel, LiveSummary, Word
from aces_ci.core.live_text import SPOKEN, levels_of, outcome_row
from aces_ci.core.trial import Arm
from aces_ci.renderers._live.shown import FINE, WORDS, Live, difference

ROWS = 8
"""More skills than this and the fine ones are one line."""
_ARMS = (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL)


def table(found: list[Live]) -> list[str]:
    """The table, blank line at its end."""
    return [*(_arms(found[0]) if len(found) == 1 else _skills(found)), ""]


def _arms(live: Live) -> list[str]:
    levels, row = levels_of(live.summary), outcome_row(live.summary)
    lines = [
        f"| | Outcome (0{NBSP}to{NBSP}100) | `{BAR_HEADER}` | Tokens / run | USD / run |",
        "|:--|:--|:--|--:|--:|",
    ]
    names = {Arm.BASELINE: "no skill", Arm.PREVIOUS: f"skill on {live.base_code}", Arm.WITH_SKILL: "**this change**"}
    for place, arm in enumerate(_ARMS):
        if arm in levels:
            lines.append(f"| {names[arm]} | {_level(levels[arm], row.levels[place])} | {_cost(levels[arm])} |")
    if row.rounded and live.summary.word is not Word.NO_VERDICT:
        why = (
            "levels count all runs, differences only cases with runs in both arms"
            if live.summary.missing
            else "rounded"
        )
        lines += ["", f"Rows that do not subtract: {why}."]
    return lines


def _level(level: ArmLevel, shown: str) -> str:
    if level.outcome is None:
        return "not scored | "
    strong = f"**{shown}**" if level.arm is Arm.WITH_SKILL else shown
    return f"{strong}{NBSP}{level_interval(level.outcome)} | `{bar(level.outcome)}`"


def _cost(level: ArmLevel) -> str:
    used = "not known" if level.tokens is None else tokens(level.tokens)
    price = "not known" if level.usd_micros is None else f"{level.usd_micros / 1_000_000:.2f}"
    return f"{used} | {price}"


def _skills(found: list[Live]) -> list[str]:
    base = found[0].base_code
    lines = [
        f"| Skill | Result | Against {base} | No skill → {base} → this | Against no skill |",
        "|:--|:--|:--|:--|:--|",
    ]
    shown = found if len(found) <= ROWS else [live for live in found if live.summary.word not in FINE][:ROWS]
    lines += [_skill(live) for live in shown]
    left = found[len(shown) :]
    if left:
        calm = all(live.summary.word in FINE for live in left)
        lines.append(f"| {plural(len(left), 'other')} | {'nothing new' if calm else _left(left)} | | | |")
    return lines


def _left(left: list[Live]) -> str:
    """How often each word stands in the rows that are not shown."""
    counts = Counter(SPOKEN[live.summary.word] for live in left)
    return ", ".join(f"{count} {word}" for word, count in counts.items()) + ": see the report"


def _lost(summary: LiveSummary) -> str:
    """How many of the planned runs have no outcome: a row with lost runs is not one without."""
    return f" ({summary.missing} of {plural(summary.planned, 'run')} not scored)" if summary.missing else ""


def _skill(live: Live) -> str:
    summary, row = live.summary, outcome_row(live.summary)
    icon, word = WORDS[summary.word]
    present = levels_of(summary)
    steps = [
        f"**{row.levels[place]}**" if arm is Arm.WITH_SKILL else row.levels[place]
        for place, arm in enumerate(_ARMS)
        if arm in present
    ]
    values = (
        cell(live.skill.change.label, 64),
        f"{icon}{NBSP}{word}{_lost(summary)}",
        difference(summary, Contrast.CHANGE),
        f"{NBSP}→{NBSP}".join(steps),
        difference(summary, Contrast.LIFT),
    )
    return f"| {' | '.join(values)} |"
