"""Skill execution: was the skill opened, its script run, in that order, and were failures repaired?

The mean of the sub-checks that apply (ACES paper, section 4). One that does not apply is left out: a case
that expects no script says nothing about scripts, a run without a failed call nothing about repairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.recovery import failures
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score
from aces_ci.core.trace.scripts import ScriptRun, runs

ALTERNATE = 0.75
"""Credit for an acceptable alternate in place of the expected skill."""
FAILED_RUN = 0.5
"""Credit for a script that was started and never ended well."""


class SkillExecution:
    """Reads the trace alone."""

    name = "skill_execution"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where the case expects neither a skill nor a script and no call failed."""
        cites: list[int] = []
        parts: list[Part] = []
        if subject.negative:
            parts.append(_avoidance(subject, cites))
        else:
            parts += _use(subject, cites)
        parts += _repairs(subject, cites)
        if not parts:
            return subject.score(self.name, None, "the case expects no skill, and no call failed")
        value = sum(part.value for part in parts) / len(parts)
        worst = min(parts, key=lambda part: part.value)
        return subject.score(self.name, value, worst.because, cites=tuple(cites), parts=tuple(parts))


def _avoidance(subject: Subject, cites: list[int]) -> Part:
    used = [read.step for read in subject.target_reads]
    used += [run.step for script in subject.cast.scripts for run in runs(subject.actions, script) if run.started]
    cites += used
    if used:
        return Part(name="avoidance", value=0.0, because=f"step {min(used)} uses the skill where it must not")
    return Part(name="avoidance", value=1.0, because="the skill was not used, as the case wants")


def _use(subject: Subject, cites: list[int]) -> list[Part]:
    parts: list[Part] = []
    opened = [read.step for read in subject.target_reads]
    if subject.positive and not subject.cast.preloaded:
        parts.append(_activation(subject, opened, cites))
    script = subject.case.expected_script
    if not script:
        return parts
    ran = [run for run in runs(subject.actions, script) if run.started]
    parts.append(_execution(script, ran))
    cites += [run.step for run in ran]
    if ran and not subject.cast.preloaded:
        first = ran[0]
        before = any(read.action < first.action for read in subject.target_reads)
        because = "opened before its script ran" if before else f"step {first.step} ran before it was opened"
        parts.append(Part(name="order", value=float(before), because=because))
    return parts


def _activation(subject: Subject, opened: list[int], cites: list[int]) -> Part:
    if opened:
        cites.append(opened[0])
        return Part(name="activation", value=1.0, because=f"step {opened[0]} opened the skill")
    names = {name.casefold() for name in subject.case.acceptable_skills}
    other = next((read for read in subject.reads if read.worked and (read.name or "").casefold() in names), None)
    if other is not None:
        cites.append(other.step)
        because = f"step {other.step} opened an acceptable alternate"
        return Part(name="activation", value=ALTERNATE, because=because)
    return Part(name="activation", value=0.0, because="the skill was never opened")


def _execution(script: str, ran: list[ScriptRun]) -> Part:
    if any(run.worked is not False for run in ran):
        return Part(name="execution", value=1.0, because=f"step {ran[0].step} ran {script}")
    if ran:
        because = f"step {ran[-1].step} ran {script}, which failed"
        return Part(name="execution", value=FAILED_RUN, because=because)
    return Part(name="execution", value=0.0, because=f"{script} was never run")


def _repairs(subject: Subject, cites: list[int]) -> list[Part]:
    failed = failures(subject.actions)
    if not failed:
        return []
    cites += [failure.step for failure in failed]
    cites += [failure.repaired for failure in failed if failure.repaired is not None]
    broken = [failure for failure in failed if failure.repaired is None]
    because = (
        f"step {broken[0].step} failed and nothing like it worked later"
        if broken
        else f"{len(failed)} failed and were repaired"
    )
    return [Part(name="recovery", value=1 - len(broken) / len(failed), because=because)]


METRIC = SkillExecution()
