"""Folds: case by case, all metrics, versions with statistics. At most about 25 lines each."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.amount import plural
from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.grading.points import NBSP, interval, level_interval, number, row
from aces_ci.core.grading.skill_use_summary import FORMS
from aces_ci.core.inert import cell, prose
from aces_ci.core.lift import COMPOSITE, OUTCOME, OUTCOME_PARTS
from aces_ci.core.live import CaseRow, LiveSummary, MetricRow, Word
from aces_ci.core.live_text import levels_of
from aces_ci.core.trial import Arm
from aces_ci.renderers._live.diagnosis import excerpts
from aces_ci.renderers._live.shown import Live
from aces_ci.renderers._live.versions import versions

MOST_ROWS = 20
MOSTLY = 0.8
"""Share of runs from which a skill counts as found."""
ROUNDED = " Rows that do not subtract are rounded."
_ARMS = (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL)
_NAMES = {
    "outcome_checks": "outcome checks",
    "accuracy_outcome": "accuracy (outcome form)",
    "goal_accuracy": "goal accuracy",
    "behavior_check": "behaviour check",
    "skill_execution": "skill execution",
    "skill_efficiency": "skill efficiency",
    "security": "security",
    COMPOSITE: "composite",
}
_COUNT = {1: "the next one", 2: "the next two", 3: "the next three"}


def folds(found: list[Live]) -> list[str]:
    """Cases, metrics and versions of the skill that matters most; empty without live results.

    Of arms that may not be compared no row is set beside another one, however many skills there are.
    """
    if not found:
        return []
    fair = [live for live in found if live.summary.word is not Word.NO_VERDICT]
    if not fair:
        return versions(found[0])
    worst = next((live for live in fair if live.summary.word is Word.REGRESSED), fair[0])
    several = len(found) > 1
    return [*_cases(worst, several=several), *_metrics(worst), *versions(worst)]


def _header(first: str, live: Live, last: str) -> tuple[list[Arm], list[str]]:
    present = levels_of(live.summary)
    arms = [arm for arm in _ARMS if arm in present]
    titles = {Arm.BASELINE: "no skill", Arm.PREVIOUS: live.base_code, Arm.WITH_SKILL: "this change"}
    names = [first, *(titles[arm] for arm in arms), last]
    return arms, [f"| {' | '.join(names)} |", f"|:--{'|--:' * (len(arms) + 1)}|"]


def _pair(summary: LiveSummary, arms: Sequence[Arm]) -> tuple[int, int]:
    other = Arm.PREVIOUS if summary.basis is Contrast.CHANGE else Arm.BASELINE
    return arms.index(Arm.WITH_SKILL), arms.index(other)


def _cases(live: Live, *, several: bool) -> list[str]:
    summary = live.summary
    if Arm.WITH_SKILL not in levels_of(summary) or len(levels_of(summary)) < 2:
        return []
    change = "change" if summary.basis is Contrast.CHANGE else "lift"
    arms, lines = _header("Case", live, change)
    this, other = _pair(summary, arms)
    rows = list(summary.cases)
    if summary.word is Word.REGRESSED:
        rows.sort(key=lambda item: _difference(item, arms, this, other) or 0.0)
    shown = [_case(item, arms, this, other) for item in rows[:MOST_ROWS]]
    lines += [text for text, _ in shown]
    rounded = ROUNDED if any(flag for _, flag in shown) else ""
    if len(rows) > MOST_ROWS:
        lines.append(f"| {len(rows) - MOST_ROWS} more in the report |{' |' * (len(arms) + 1)}")
    title = f"Case by case: <code>{_html(live.skill.change.label)}</code>" if several else "Case by case"
    return [
        f"<details><summary>{title}</summary>",
        "",
        *lines,
        "",
        *excerpts(live),
        _case_note(summary, [_difference(item, arms, this, other) for item in rows]) + rounded,
        "</details>",
    ]


def _html(text: str) -> str:
    return "".join(char if char.isalnum() or char in "-_. " else "·" for char in text[:64])


def _difference(item: CaseRow, arms: Sequence[Arm], this: int, other: int) -> float | None:
    levels = dict(item.levels)
    first, second = levels.get(arms[this]), levels.get(arms[other])
    return None if first is None or second is None else first - second


def _case(item: CaseRow, arms: Sequence[Arm], this: int, other: int) -> tuple[str, bool]:
    levels = dict(item.levels)
    shown = row([levels.get(arm) for arm in arms], [(this, other, _difference(item, arms, this, other))])
    change = f"**{shown.differences[0]}**" if item.flagged else shown.differences[0]
    name = cell(item.case, 48) + (" (skill must stay out)" if item.negative else "")
    return f"| {' | '.join([name, *shown.levels, change])} |", shown.rounded


def _case_note(summary: LiveSummary, differences: Sequence[float | None]) -> str:
    text = f"Means of {plural(summary.attempts * summary.agents, 'run')}"
    known = [value for value in differences if value is not None]
    apart = known and min(known) <= -0.10 and max(known) >= 0.10
    if summary.word is Word.CANNOT_TELL and apart:
        text += ". The cases pull in different directions; that is why the interval is wide."
    else:
        text += "; a single case is too small for an interval of its own and decides nothing."
    if any(item.flagged for item in summary.cases):
        chance = 0.05 * len(summary.cases)
        text += f" Bold: worse on its own test; {chance:.1f} such cases are expected by chance."
    return text


def _metrics(live: Live) -> list[str]:
    summary = live.summary
    kept = [item for item in summary.metrics if item.metric in (OUTCOME, *_NAMES)]
    if len(kept) < 2:
        return []
    last = f"against {live.base_code}" if summary.basis is Contrast.CHANGE else "against no skill"
    arms, lines = _header("Metric", live, last)
    if Arm.WITH_SKILL not in arms or len(arms) < 2:
        return []
    parts = sum(item.metric in OUTCOME_PARTS for item in kept)
    shown = [_metric(summary, item, arms, parts) for item in kept]
    lines += [text for text, _ in shown]
    title = "All metrics: where the lift comes from" if summary.word is Word.IMPROVED else "All metrics"
    levels = f"Levels are means of {plural(summary.attempts * summary.agents, 'run')} in each of "
    levels += f"{plural(len(summary.cases), 'case')}; the interval stands at the difference. "
    rounded = ROUNDED if any(flag for _, flag in shown) else ""
    tail = " ".join(
        filter(
            None,
            (levels.strip(), _activation(summary), _use(summary), _found(summary), _fallbacks(kept), rounded.strip()),
        )
    )
    return [f"<details><summary>{title}</summary>", "", *lines, *(["", tail] if tail else []), "</details>"]


def _metric(summary: LiveSummary, item: MetricRow, arms: Sequence[Arm], parts: int) -> tuple[str, bool]:
    lift = item.change if summary.basis is Contrast.CHANGE else item.lift
    this, other = _pair(summary, arms)
    levels = dict(item.levels)
    point = lift.estimate.point if lift and lift.estimate else None
    shown = row([levels.get(arm) for arm in arms], [(this, other, point)])
    main = item.metric == OUTCOME
    name = f"**outcome** = mean of {_COUNT.get(parts, 'its parts')}" if main else _NAMES[item.metric]
    if item.metric == "goal_accuracy" and item.method:
        name += f" ({prose(item.method.rsplit('/', 1)[-1], 40)})"
    if item.metric == COMPOSITE:
        name += " of the six metrics"
    against = _against(item, lift, shown.differences[0], summary, main=main)
    return f"| {' | '.join([name, *shown.levels, against])} |", shown.rounded


def _against(item: MetricRow, lift: Lift | None, shown: str, summary: LiveSummary, *, main: bool) -> str:
    if lift is None or lift.estimate is None:
        return f"no interval: {prose(lift.because, 80)}" if lift else "–"
    perfect = all(level == 1.0 for _, level in item.levels)
    if item.metric == "security" and perfect:
        return f"0 (no finding in {summary.planned - summary.missing} runs)"
    text = f"{shown}{NBSP}{interval(lift.estimate)}"
    return f"**{text}**" if main else text


def _fallbacks(rows: Sequence[MetricRow]) -> str:
    """Which metric another method graded than the one that was to; every arm of it, or it were not compared."""
    told = [f"{_NAMES.get(item.metric, item.metric)}: {prose(item.fallback, 160)}" for item in rows if item.fallback]
    return f"Graded by another method in every arm, {'; '.join(told)}." if told else ""


def _activation(summary: LiveSummary) -> str:
    if summary.activation is None:
        return ""
    read, of, wrong, of_negative = summary.activation
    text = f"Skill read in {read} of {plural(of, 'run')} that call for it" if of else ""
    if of_negative:
        text += f"{', and' if text else 'Skill read'} in {wrong} of {of_negative} that do not"
    return f"{text}."


def _use(summary: LiveSummary) -> str:
    """The forms of the Skill-Use paper, where a case has items of its own."""
    levels = {row.form: row for row in summary.skill_use_levels}
    if "su" not in levels:
        return ""
    whole, *parts = (
        f"{name} {number(levels[form].level.point)}{NBSP}{level_interval(levels[form].level)}"
        for form, name in FORMS.items()
        if form in levels
    )
    return f"{whole} in {plural(levels['su'].runs, 'run')} of this change: {', '.join(parts)}."


def _found(summary: LiveSummary) -> str:
    """Of a skill that got worse although it is found and used as before: where to look."""
    row = next((item for item in summary.metrics if item.metric == "skill_execution"), None)
    lift = None if row is None else row.change if summary.basis is Contrast.CHANGE else row.lift
    if summary.word is not Word.REGRESSED or summary.activation is None or lift is None or lift.estimate is None:
        return ""
    read, of, _, _ = summary.activation
    moved = not lift.estimate.low <= 0 <= lift.estimate.high
    if moved or not of or read < MOSTLY * of:
        return ""
    return "`skill execution` did not move beyond chance: the skill is found and used. Its text is the likely cause."
