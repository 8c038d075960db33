"""The live tier while it runs, as lines of text: which runs are done, and what may be said before the next look.

Before a planned look no arm is compared with another one: who sees a difference early stops early.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.inert import plain
from aces_ci.core.plan import PlannedTrial, TrialPlan
from aces_ci.core.trial import Arm, Ending, Trial

ARM_WORDS = {Arm.BASELINE: "no skill", Arm.PREVIOUS: "main", Arm.WITH_SKILL: "this"}
_CASE_WIDTH = 18
_CELLS_WIDTH = 10
"""Longer rows of marks are written as a count."""
_SCORE_WIDTH = 5
"""Of the column at the right: a blank or two, and up to 100."""


class Mark(StrEnum):
    """One run, as one character."""

    WAITING = "·"
    RUNNING = "▣"
    DONE = "■"
    RETRIED = "↺"
    FAILED = "!"
    """The agent failed or ran out of time: a result."""
    LOST = "x"
    """To infrastructure."""


def mark_of(trial: Trial, *, tries: int = 1) -> Mark:
    """The mark of a run that has ended."""
    if trial.missing:
        return Mark.LOST
    if trial.ending is not Ending.FINISHED:
        return Mark.FAILED
    return Mark.RETRIED if tries > 1 else Mark.DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Everything a frame shows."""

    marks: Mapping[str, Mark]
    """By trial digest; runs that are not in it wait."""
    scores: Mapping[tuple[str, str], float]
    """By skill and case: the mean outcome in [0, 1] so far of the arm with the skill, and of no other."""
    behind: frozenset[tuple[str, str]] = frozenset()
    """Of them those that a judge tells: their mean is that of the last look, until the next one asks."""
    look: int
    """The last look whose runs are all there; 0 before the first."""
    findings: Sequence[str] = ()
    """What that look said, a line a skill."""
    seconds: float = 0.0
    """Since the start."""
    paid_micros: int = 0
    cap_micros: int | None = None
    priced: bool = True


def frame(plan: TrialPlan, moment: Moment, *, width: int = 80, height: int = 24) -> list[str]:
    """The lines, none longer than `width`, no more than `height`."""
    foot = [*_counts(plan, moment), *_looks(plan, moment, width)]
    rows = _rows(plan, moment, counted=True)
    if max(map(len, rows), default=0) > width:
        rows = _rows(plan, moment, counted=False)
    room = max(1, height - len(foot) - 1)
    if len(rows) > room:
        rows = [*rows[: room - 1], f"  … and {len(rows) - room + 1} more"]
    return [line[:width].rstrip() for line in (*rows, *foot)]


def _rows(plan: TrialPlan, moment: Moment, *, counted: bool) -> list[str]:
    """One line a case, below the name of its skill where there are several. `counted`: with figures beside the marks.

    Everything moves as runs end but what a judge is asked for: that is scored at a look, and the column says at which.
    """
    lines: list[str] = []
    scored: dict[int, float] = {}
    behind: list[bool] = []
    shown = moment.look + 1
    for subject in plan.subjects:
        own = [trial for trial in plan.trials if (trial.skill, trial.side) == (subject.skill, subject.side)]
        if len(plan.subjects) > 1:
            side = " (own evals)" if subject.side == "head" else ""
            lines.append(f"  {plain(subject.skill, 60)}{side}")
        for case in subject.cases:
            of_case = [trial for trial in own if trial.case == case.id and trial.stage <= shown]
            arms = [
                f"{word} {_cells([trial for trial in of_case if trial.arm is arm], moment.marks, counted=counted)}"
                for arm, word in ARM_WORDS.items()
                if any(trial.arm is arm for trial in own)
            ]
            score = moment.scores.get((subject.skill, case.id)) if subject.side == "base" else None
            if score is not None:
                scored[len(lines)] = score
                behind.append((subject.skill, case.id) in moment.behind)
            name = plain(case.id, _CASE_WIDTH)
            lines.append(f"  {name:<{_CASE_WIDTH}} {'   '.join(arms)}")
    if not scored:
        return lines
    column = max(len(lines[at]) for at in scored) + _SCORE_WIDTH
    for at, score in scored.items():
        lines[at] += f"{100 * score:.0f}".rjust(column - len(lines[at]))
    when = "so far" if not any(behind) else f"at look {moment.look}"
    if any(behind) and not all(behind):
        when = f"so far; what is judged {when}"
    return [f"{ARM_WORDS[Arm.WITH_SKILL]}, {when}".rjust(column), *lines]


def _cells(trials: Sequence[PlannedTrial], marks: Mapping[str, Mark], *, counted: bool) -> str:
    found = [marks.get(trial.digest, Mark.WAITING) for trial in trials]
    over = sum(mark not in (Mark.WAITING, Mark.RUNNING) for mark in found)
    if len(found) <= _CELLS_WIDTH:
        return "".join(found) + (f" {over}/{len(found)}" if counted else "")
    odd = "".join(f" {found.count(mark)}{mark}" for mark in (Mark.FAILED, Mark.LOST) if mark in found)
    return f"{over:>3} of {len(found)}{odd}"


def _counts(plan: TrialPlan, moment: Moment) -> list[str]:
    new = plan.forecast.new
    ended = sum(mark not in (Mark.WAITING, Mark.RUNNING) for mark in moment.marks.values()) - plan.forecast.reused
    running = sum(mark is Mark.RUNNING for mark in moment.marks.values())
    lost = sum(mark is Mark.LOST for mark in moment.marks.values())
    money = f"${moment.paid_micros / 1e6:.2f}" if moment.priced else "price unknown"
    cap = "" if moment.cap_micros is None else f" of ${moment.cap_micros / 1e6:.2f}"
    minutes, seconds = divmod(int(moment.seconds), 60)
    left = ""
    if ended and ended < new:
        left = f", at most {max(1, round(moment.seconds / ended * (new - ended) / 60))} min left"
    return [f"  {ended} of {new} done · {running} running · {lost} lost · {money}{cap} · {minutes}:{seconds:02}{left}"]


def _looks(plan: TrialPlan, moment: Moment, width: int) -> list[str]:
    """What the last look said; before the first, that nothing is said."""
    keeps = "Ctrl-C keeps all"
    looks = len(plan.design.looks)
    if moment.look == 0 or not moment.findings:
        due = sum(trial.stage <= 1 for trial in plan.trials)
        lines = [f"  look 1 of {looks} comes after {due} runs: no lift before it"]
    else:
        lines = [f"  look {moment.look} of {looks}: {finding}" for finding in moment.findings]
    first = lines[0]
    return [
        f"{first:<{max(0, width - len(keeps) - 1)}} {keeps}" if len(first) + len(keeps) < width else first,
        *lines[1:],
    ]
