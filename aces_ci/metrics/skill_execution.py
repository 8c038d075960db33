"""Skill execution: was the skill opened, its script run, in that order, and were failures repaired?

The mean of the sub-checks that apply (ACES paper, section 4). One that does not apply is left out: a case
that expects no script says nothing about scripts, a run without a failed call nothing about repairs. One that
applies and cannot be told leaves the metric without a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.judged_score import NOTHING_DONE
from aces_ci.core.grading.recovery import failures
from aces_ci.core.grading.sheet import Sheet
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.trace.scripts import ScriptRun, runs

ALTERNATE = 0.75
"""Credit for an acceptable alternate in place of the expected skill."""
FAILED_RUN = 0.5
"""Credit for a script that was started and never ended well."""


class SkillExecution:
    """Reads the trace alone."""

    name = "skill_execution"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where the case expects neither a skill nor a script and no call failed, where the agent did nothing,
        and where a sub-check that applies cannot be told.
        """
        if subject.idle:
            return subject.score(self.name, None, NOTHING_DONE)
        sheet = Sheet()
        if subject.negative:
            _avoidance(subject, sheet)
        else:
            _use(subject, sheet)
        _repairs(subject, sheet)
        return sheet.score(subject, self.name, "the case expects no skill, and no call failed")


def _avoidance(subject: Subject, sheet: Sheet) -> None:
    ran = [run for script in subject.cast.scripts for run in runs(subject.actions, script)]
    used = [read.step for read in subject.target_reads] + [run.step for run in ran if run.started]
    doubtful = next((run for run in ran if run.started is None), None)
    if used:
        sheet.add("avoidance", 0.0, f"step {min(used)} uses the skill where it must not", *used)
    elif subject.opened is None:
        sheet.doubt("avoidance", subject.why_unknown)
    elif doubtful is not None:
        sheet.doubt("avoidance", f"step {doubtful.step}: {doubtful.because}")
    else:
        sheet.add("avoidance", 1.0, "the skill was not used, as the case wants")


def _use(subject: Subject, sheet: Sheet) -> None:
    if subject.positive and not subject.cast.preloaded:
        _activation(subject, sheet)
    script = subject.case.expected_script
    if script:
        found = [run for run in runs(subject.actions, script) if run.started is not False]
        _execution(script, found, sheet)
        if found and not subject.cast.preloaded:
            _order(subject, found, sheet)


def _activation(subject: Subject, sheet: Sheet) -> None:
    if subject.opened:
        step = subject.target_reads[0].step
        sheet.add("activation", 1.0, f"step {step} opened the skill", step)
        return
    names = {name.casefold() for name in subject.case.acceptable_skills}
    other = next((read for read in subject.reads if read.worked and (read.name or "").casefold() in names), None)
    if subject.opened is None:
        sheet.doubt("activation", subject.why_unknown)
    elif other is not None:
        sheet.add("activation", ALTERNATE, f"step {other.step} opened an acceptable alternate", other.step)
    else:
        tried = next((read for read in subject.reads if subject.cast.is_target(read.name) and read.because), None)
        why = f"the skill was never opened (step {tried.step}: {tried.because})" if tried else None
        sheet.add("activation", 0.0, why or "the skill was never opened")


def _execution(script: str, found: Sequence[ScriptRun], sheet: Sheet) -> None:
    sheet.cites += [run.step for run in found]
    ran = [run for run in found if run.started]
    good = next((run for run in ran if run.worked is not False), None)
    doubtful = next((run for run in found if run.started is None), None)
    if good is not None:
        sheet.add("execution", 1.0, f"step {good.step} ran {script}")
    elif doubtful is not None:
        sheet.doubt("execution", f"step {doubtful.step}: {doubtful.because}")
    elif ran:
        sheet.add("execution", FAILED_RUN, f"step {ran[-1].step} ran {script}, which failed")
    else:
        sheet.add("execution", 0.0, f"{script} was never run")


def _order(subject: Subject, found: Sequence[ScriptRun], sheet: Sheet) -> None:
    """Read before run; within one call, by the order of its commands."""
    first = next((run for run in found if run.started), None)
    if first is None:
        return  # whether it ran at all is the doubt, and execution tells it
    opened = min(((read.action, read.at) for read in subject.target_reads), default=None)
    maybe = [(read.action, read.at) for read in subject.doubtful_reads]
    earliest, place = (found[0].action, found[0].at), (first.action, first.at)
    if opened is not None and opened < earliest:
        sheet.add("order", 1.0, "opened before its script ran")
    elif opened is not None and opened < place:
        sheet.doubt("order", f"step {found[0].step}: {found[0].because}")
    elif any(each < place for each in maybe):
        sheet.doubt("order", f"nobody can tell whether it was open when step {first.step} ran its script")
    else:
        sheet.add("order", 0.0, f"step {first.step} ran before it was opened")


def _repairs(subject: Subject, sheet: Sheet) -> None:
    failed = failures(subject.actions)
    if not failed:
        return
    sheet.cites += [failure.step for failure in failed]
    sheet.cites += [failure.repaired for failure in failed if failure.repaired is not None]
    broken = [failure for failure in failed if failure.repaired is None]
    because = (
        f"step {broken[0].step} failed and nothing like it worked later"
        if broken
        else f"{len(failed)} failed and were repaired"
    )
    sheet.add("recovery", 1 - len(broken) / len(failed), because)


METRIC = SkillExecution()
