"""The last fold: what ran, around it what stood, how it was tested, and what a reader must know of it."""

from __future__ import annotations

from aces_ci.core.amount import plural
from aces_ci.core.grading.points import NBSP, interval, number
from aces_ci.core.inert import code, prose, sentence
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.live_text import levels_of
from aces_ci.core.trial import Arm
from aces_ci.renderers._live.around import amounts, around
from aces_ci.renderers._live.reached import network_lines
from aces_ci.renderers._live.shown import Live, percent_of


def versions(live: Live) -> list[str]:
    summary = live.summary
    parts = [" (all arms) · ".join(code(part, 80) for part in summary.versions) + " (all arms)"]
    if summary.judge:
        votes = ""
        if summary.agreement and summary.agreement[1]:
            share = percent_of(summary.agreement[0] / summary.agreement[1])
            votes = f", two votes agree on {share} of {plural(summary.agreement[1], 'item')}"
            if summary.flip_rate is not None:
                votes += f", so it shrinks lifts by about {percent_of(2 * summary.flip_rate)} or more"
        parts.append(f"judge {code(summary.judge, 120)}{votes}")
    if summary.answers:
        parts.append(answers(summary.answers))
    parts += around(summary)
    rows = [f"{' · '.join(parts)}.", *network_lines(summary), _test(summary), *_remarks(live)]
    lines = [*(f"{line}\\" for line in rows[:-1]), rows[-1]]
    reused = ", what was reused" if any(level.recorded for level in summary.arms) else ""
    return [f"<details><summary>Versions, statistics{reused}</summary>", "", *lines, "</details>"]


def answers(told: tuple[int, int]) -> str:
    """How many of the runs' final answers differ: below the number of runs, they carry less than it says."""
    return f"{plural(told[0], 'different answer')} in {plural(told[1], 'run')} (by case and arm)"


def _test(summary: LiveSummary) -> str:
    alpha = f"{summary.alpha * summary.skills:.3f}".removeprefix("0")
    shared = (
        f"{alpha} / {summary.skills} changed skills each way"
        if summary.skills > 1
        else f"{alpha} each way, 1 changed skill"
    )
    text = f"Exact within-case permutation test, {shared}, {_look(summary)}"
    text += f", seed {summary.seed}." if summary.seed else "."
    if summary.word in (Word.IMPROVED, Word.REGRESSED):
        early = ", and those of a run that stopped early higher still" if summary.look < summary.looks else ""
        text += f" Estimates that pass a test on few runs run high{early}: read the interval, not the point."
    if summary.word is Word.CANNOT_TELL and summary.noise is not None:
        design = f"{len(summary.cases)} × {summary.attempts}"
        text += (
            f' "Would show": change seen in 4 of 5 repetitions at 5{NBSP}% error. Two identical skills at {design} '
            f"differ by 5 points or more in about {round(10 * summary.noise)} of 10 repetitions."
        )
    return text


def _beyond(summary: LiveSummary) -> str:
    """Runs that are there and do not count, and why: they came after the answer, or before a look was complete."""
    runs = plural(summary.beyond, "further run")
    are = "is" if summary.beyond == 1 else "are"
    return f"{runs} past look {summary.look} {are} in the evidence and not counted: nobody planned to look there."


def _look(summary: LiveSummary) -> str:
    if not summary.look:
        return "no look is complete"
    if summary.look < summary.looks and summary.stopped:
        return f"stopped after look {summary.look} of {summary.looks} {prose(summary.stopped, 120)}"
    return f"look {summary.look} of {summary.looks}"


def _remarks(live: Live) -> list[str]:
    summary = live.summary
    lines = []
    stored = {level.arm: level.recorded for level in summary.arms if level.recorded}
    for arm, when in stored.items():
        name = "no skill" if arm is Arm.BASELINE else live.base_code
        text = f"Arm {name}: recorded {prose(when[:10], 10)}, same digests, so it informs and does not gate"
        beside = Arm.PREVIOUS in levels_of(summary) and Arm.PREVIOUS not in stored
        lines.append(f"{text}; {live.base_code} was run again beside this change." if beside else f"{text}.")
    lines += amounts(live)
    if summary.cannot_gate:
        lines.append(f"Does not gate: {prose(summary.cannot_gate, 200)}.")
    if summary.beyond and summary.word is not Word.NO_VERDICT:
        lines.append(_beyond(summary))
    for group in summary.groups:
        if group.flagged:
            lines.append(f"{code(group.name, 40)} alone looks worse (Holm-adjusted): look there, it is no verdict.")
    if summary.routing_premium is not None:
        premium = summary.routing_premium
        lines.append(f"Routing premium (group minus isolated): {number(premium.point)}{NBSP}{interval(premium)}.")
    if summary.head is not None:
        second = summary.head.change or summary.head.lift
        if second and second.estimate:
            shown = f"{number(second.estimate.point)}{NBSP}{interval(second.estimate)}"
            lines.append(f"On this change's own evals, which do not gate: {shown}.")
    lines += [sentence(note) for note in summary.notes[:5]]
    return lines
