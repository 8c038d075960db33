"""Why a skill did not help: the classes of a zero or negative lift, each with its evidence.

A class is named only where this change's runs show it clearly more often than the comparator's; a suggestion is
made only where a line of the skill or a step of a trace can be cited for it. Pure: traces come in as values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from aces_ci.core.diagnosis import Cause, Diagnosis, Place
from aces_ci.core.estimate import Contrast
from aces_ci.core.lift import table
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.reading.text_change import ChangedLine, changed_lines
from aces_ci.core.score import Score
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Ending, Trial
from aces_ci.tiers.case_runs import Run, Runs, collect, said
from aces_ci.tiers.pattern import CLEAR, MOSTLY, clear, count, gap, made

SHORT_ANSWER = 200
"""Characters below which an answer can be a truncated one."""
MORE = 1.3
"""Times the comparator's median number of calls."""
_VERIFY = re.compile(r"\b(?:check|verif|compar|validat|confirm|re-?read|test|total)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """The manifest on both sides. `before` None: there was none."""

    path: str
    """Repository-relative."""
    after: str
    before: str | None = None
    behaviors: Mapping[str, str] = field(default_factory=dict)
    """Sentence of each expected behaviour by its id, as the cases say it; untrusted text."""


def diagnose(
    summary: LiveSummary,
    trials: Sequence[Trial],
    scores: Iterable[Score],
    trajectories: Mapping[str, Trajectory],
    text: SkillText,
) -> tuple[Diagnosis, ...]:
    """Causes, the best supported first; empty where the skill helped or nothing is clear.

    A change that is no worse than the base, and still no better than no skill, is compared with no skill: then every
    line of the skill may be the cause.
    """
    contrast = _loss(summary)
    if contrast is None:
        return ()
    if contrast is not summary.basis:
        summary, text = replace(summary, basis=contrast), replace(text, before=None)
    runs = collect(summary, [t for t in trials if t.skill == summary.skill], table(scores), trajectories)
    if not runs.this or not runs.other:
        return ()
    # Where no case fell, what agents follow has misled nobody.
    misused = _misused(runs, text) if runs.fell else None
    named = [*([] if misused is None else [misused]), *slips(runs, text)]
    if not named:
        unexplained = _read_but_worse(runs) if _falls(summary) else None
        named = [item for item in (_more_calls(runs), unexplained) if item is not None]
    return tuple(sorted(named, key=best_supported))


def slips(runs: Runs, text: SkillText) -> list[Diagnosis]:
    """What goes wrong clearly more often than in the comparator's runs, whatever became of the outcome."""
    found = (cause(runs, text) for cause in (_unstable, _undiscovered, _unsafe, _unverified, _truncated))
    return [item for item in found if item is not None]


def best_supported(item: Diagnosis) -> tuple[object, ...]:
    """A sort key: with a line of the skill first, then by how much more often it is seen."""
    return (item.place is None, -gap(item))


def _loss(summary: LiveSummary) -> Contrast | None:
    """The contrast whose lift is zero or negative, the one that decides first; None where there is none."""
    if summary.word is Word.NO_VERDICT:
        return None
    if summary.word is Word.REGRESSED:
        return summary.basis
    for contrast in dict.fromkeys((summary.basis, Contrast.LIFT)):
        points = _points(summary, contrast)
        if points is not None and points <= 0:
            return contrast
    return None


def _falls(summary: LiveSummary) -> bool:
    """Whether the lift is below zero as it is shown, in whole points: at zero there is no loss to explain."""
    points = _points(summary, summary.basis)
    return points is not None and round(points) < 0


def _points(summary: LiveSummary, contrast: Contrast) -> float | None:
    lift = summary.change if contrast is Contrast.CHANGE else summary.lift
    return lift.estimate.point * 100 if lift is not None and lift.estimate is not None else None


def _unstable(runs: Runs, text: SkillText) -> Diagnosis | None:
    del text

    def broke(run: Run) -> bool:
        return run.trial.ending in (Ending.AGENT_FAILED, Ending.TIMED_OUT)

    seen, compared = count(runs.this, broke), count(runs.other, broke)
    if not clear(seen, compared, least=CLEAR):
        return None
    hit = next(run for run in runs.this if broke(run))
    step = hit.actions[-1].step if hit.actions else None
    what = hit.trial.because or hit.trial.ending.value.replace("_", " ")
    return made(runs, Cause.UNSTABLE, seen=seen, compared=compared, what=what, hit=hit, step=step)


def _undiscovered(runs: Runs, text: SkillText) -> Diagnosis | None:
    rated = [run for run in runs.this if run.part("skill_execution", "activation") is not None]

    def unread(run: Run) -> bool:
        part = run.part("skill_execution", "activation")
        return part is not None and part.value < 1

    seen = count(rated, unread)
    if not rated or seen[0] < MOSTLY * seen[1]:
        return None
    hit = next(run for run in rated if unread(run))
    line = next((n for n, row in enumerate(text.after.split("\n"), 1) if row.startswith("description:")), None)
    return made(
        runs,
        Cause.NEVER_DISCOVERED,
        seen=seen,
        compared=count([r for r in runs.other if r.part("skill_execution", "activation")], unread),
        what="the skill is not opened",
        hit=hit,
        place=Place(path=text.path, line=line, side="head") if line else None,
        suggestion="saying in the description when to use it, in the words of these tasks",
    )


def _unsafe(runs: Runs, text: SkillText) -> Diagnosis | None:
    def unsafe(run: Run) -> bool:
        value = run.value("security")
        return value is not None and value < 1

    seen, compared = count(runs.this, unsafe), count(runs.other, unsafe)
    if not clear(seen, compared, least=CLEAR):
        return None
    hit = next(run for run in runs.this if unsafe(run))
    score = hit.scores["security"]
    step = score.cites[0] if score.cites else None
    return made(
        runs,
        Cause.UNSAFE,
        seen=seen,
        compared=compared,
        what=score.because,
        hit=hit,
        step=step,
        place=_cause_of(text, hit, step),
        suggestion="taking the step out",
    )


def _cause_of(text: SkillText, hit: Run, step: int | None) -> Place | None:
    """The added line whose literal text the cited call carries."""
    calls = " ".join(said(action) for action in hit.actions if action.step == step)
    for line in changed_lines(text.before or "", text.after)[0]:
        if any(signal in calls for signal in line.signals):
            return Place(path=text.path, line=line.line, side="head")
    return None


def _misused(runs: Runs, text: SkillText) -> Diagnosis | None:
    """An added flag, script or command that this change's runs follow and the comparator's do not."""
    best: tuple[float, ChangedLine, str, tuple[int, int], tuple[int, int]] | None = None
    this, other = [r for r in runs.this if r.traced], [r for r in runs.other if r.traced]
    for line in changed_lines(text.before or "", text.after)[0]:
        for signal in line.signals:
            seen = count(this, lambda run, signal=signal: run.uses(signal) is not None)  # type: ignore[misc]
            compared = count(other, lambda run, signal=signal: run.uses(signal) is not None)  # type: ignore[misc]
            if not clear(seen, compared):
                continue
            more = seen[0] / seen[1] - compared[0] / compared[1]
            if best is None or more > best[0]:
                best = (more, line, signal, seen, compared)
    if best is None:
        return None
    _, line, signal, seen, compared = best
    hit = next(run for run in this if run.uses(signal) is not None)
    return made(
        runs,
        Cause.MISUSED,
        seen=seen,
        compared=compared,
        what=signal,
        hit=hit,
        step=hit.uses(signal),
        place=Place(path=text.path, line=line.line, side="head"),
        suggestion="taking it out, or limiting it to where it holds",
    )


def _unverified(runs: Runs, text: SkillText) -> Diagnosis | None:
    """A behaviour of checking that fails now and held before, best with the removed line that asked for it."""
    names = {part.name for run in runs.other if (s := run.scores.get("behavior_check")) for part in s.parts}
    best: Diagnosis | None = None
    removed = changed_lines(text.before or "", text.after)[1]
    for name in sorted(names):

        def skipped(run: Run, name: str = name) -> bool:
            part = run.part("behavior_check", name)
            return part is not None and part.value < 1

        sentence = text.behaviors.get(name, name)
        if not _VERIFY.search(sentence):
            continue
        seen, compared = count(runs.this, skipped), count(runs.other, skipped)
        if not clear(seen, compared):
            continue
        hit = next(run for run in runs.this if skipped(run))
        words = ChangedLine(line=1, text=sentence).words
        asked = max(removed, key=lambda line: len(line.words & words), default=None)
        near = asked is not None and len(asked.words & words) >= 2
        item = made(
            runs,
            Cause.SKIPPED_VERIFICATION,
            seen=seen,
            compared=compared,
            what=sentence,
            hit=hit,
            place=Place(path=text.path, line=asked.line, side="base") if near and asked else None,
            suggestion="putting it back",
        )
        if best is None or gap(item) > gap(best):
            best = item
    return best


def _truncated(runs: Runs, text: SkillText) -> Diagnosis | None:
    del text
    this, other = [r for r in runs.this if r.traced], [r for r in runs.other if r.traced]
    usual = median([len(run.answer or "") for run in other]) if other else 0

    def short(run: Run) -> bool:
        length = len(run.answer or "")
        return length < SHORT_ANSWER and length < usual / 4

    seen, compared = count(this, short), count(other, short)
    if not clear(seen, compared):
        return None
    hit = next(run for run in this if short(run))
    what = f"{hit.answer[:60]}" if hit.answer else "no final answer"
    step = hit.actions[-1].step if hit.actions else None
    return made(runs, Cause.TRUNCATED, seen=seen, compared=compared, what=what, hit=hit, step=step)


def _more_calls(runs: Runs) -> Diagnosis | None:
    this, other = [r for r in runs.this if r.traced], [r for r in runs.other if r.traced]
    if not this or not other:
        return None
    usual = median([len(run.actions) for run in other])

    def more(run: Run) -> bool:
        return len(run.actions) > MORE * max(1, usual)

    seen, compared = count(this, more), count(other, more)
    if not clear(seen, compared):
        return None
    hit = next(run for run in this if more(run))
    what = f"more than {MORE:.1f} times the calls ({round(usual)} before)"
    return made(runs, Cause.MORE_CALLS, seen=seen, compared=compared, what=what, hit=hit, step=hit.actions[-1].step)


def _read_but_worse(runs: Runs) -> Diagnosis | None:
    """The skill is opened and agents do worse: named without a suggestion, because no line can be cited."""

    def opened(run: Run) -> bool:
        part = run.part("skill_execution", "activation")
        return part is not None and part.value >= 1

    seen = count(runs.this, opened)
    if seen[0] < MOSTLY * seen[1]:
        return None
    hit = next(run for run in runs.this if opened(run))
    what = "the skill is read, and no single changed line explains the loss"
    return made(runs, Cause.MISUSED, seen=seen, compared=count(runs.other, opened), what=what, hit=hit)
