"""Authors' graders: `evals/grader.py|sh` and native tasks' verifiers, each run in a sandbox of its own, no network.

It sees a copy of the collected workspace, the trajectory and the case, by the reference's paths and environment names.
What it does to its copy is thrown away; all that comes back is its exit code and one bounded file.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.grading import grader_reply
from aces_ci.core.grading.grader import Grader
from aces_ci.core.grading.grader_reply import Reply
from aces_ci.core.grading.outcome_parts import CHECKS
from aces_ci.core.grading.subject import Subject
from aces_ci.core.lift import OUTCOME
from aces_ci.core.score import Part, Score
from aces_ci.core.staging import StagedFile
from aces_ci.core.suites.run_policy import Grading as Mode
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Arm
from aces_ci.ports.sandbox import MIB, End, Job, Limits, Session

RECIPE = "grader"
"""Folder of the image: a base with `/logs` and `/tests` where graders expect them."""
LIMITS = Limits(seconds=180.0, memory_bytes=1024 * MIB, processes=128, log_bytes=8 * MIB, collect_bytes=4 * MIB)
_REWARDS = "logs/verifier/"


def job(subject: Subject, grader: Grader, *, slot: int, image: str, home: str) -> Job:
    """The sandbox job. `home` is where its HOME will be, as it sees it."""
    program = ("python3", "-I") if grader.entry.endswith(".py") else ("bash",)
    tests, logs = f"{home}/tests", f"{home}/logs"
    environment = {
        "HARBOR_ATIF_PATH": f"{logs}/agent/trajectory.json",
        "HARBOR_ENTRY_JSON": f"{tests}/entry.json",
        "HARBOR_REWARD_JSON": f"{logs}/verifier/reward.json",
        "HARBOR_REWARD_TXT": f"{logs}/verifier/reward.txt",
        "HARBOR_CUSTOM_REWARD_JSON": f"{logs}/verifier/reward.json",
        "HARBOR_LOGS_DIR": logs,
        "HARBOR_TESTS_DIR": tests,
        "HARBOR_VERIFIER_DIR": f"{logs}/verifier",
        "HARBOR_GRADER": f"{tests}/{grader.entry}",
        "HARBOR_GRADER_SH": f"{tests}/{grader.entry}",
        "HARBOR_SKILL_EVALUATOR_REWARD_JSON": f"{logs}/verifier/reward.json",
        "LC_ALL": "C.UTF-8",
    }
    staged = [
        StagedFile(path=f"tests/{file.path}", data=file.data, executable=file.executable) for file in grader.files
    ]
    staged += [
        StagedFile(path="tests/entry.json", data=json.dumps(entry(subject, grader), indent=1).encode()),
        StagedFile(path="logs/agent/trajectory.json", data=trace_file.write(subject.trajectory)),
        StagedFile(path=f"{_REWARDS}.keep", data=b""),
    ]
    workspace = tuple(StagedFile(path=path, data=data) for path, data in sorted((subject.workspace or {}).items()))
    return Job(
        slot=slot,
        image=image,
        command=(*program, f"{tests}/{grader.entry}"),
        environment=environment,
        workspace=workspace,
        home=tuple(staged),
        keep_home=(_REWARDS,),
        limits=LIMITS,
    )


def entry(subject: Subject, grader: Grader) -> dict[str, Any]:
    """What the reference's graders find in `entry.json`."""
    case = subject.case
    return {
        "id": case.id,
        "question": case.prompt,
        "ground_truth": case.reference,
        "expected_behavior": [behavior.text for behavior in case.behaviors],
        "expected_skill": case.expected_skill,
        "expected_script": case.expected_script,
        "acceptable_skills": list(case.acceptable_skills),
        "should_trigger": case.trigger,
        "has_skill": subject.trial.arm is not Arm.BASELINE,
        "evaluated_skill": subject.cast.target[0] if subject.cast.target else None,
        "skill_workspace_mode": subject.trial.mode,
        "workspace_skill_names": [*subject.cast.support, *subject.cast.decoys],
        "grading_mode": grader.mode.value,
        "custom_grader": grader.entry,
    }


def ask(subject: Subject, grader: Grader, session: Session, *, slot: int, image: str, stop: threading.Event) -> Reply:
    """Run it once. A sandbox that failed is an error of nobody's grade, told as such."""
    ran = session.run(job(subject, grader, slot=slot, image=image, home=session.home(slot)), stop)
    if ran.end in {End.LOST, End.NOT_STARTED, End.CANCELLED}:
        return Reply(error=f"the grader's sandbox failed: {ran.because or ran.end.value}")
    files: Mapping[str, bytes] = {file.path: file.data for file in ran.home}
    code = ran.exit_code if ran.end is End.EXITED else None
    rewards = files.get(f"{_REWARDS}reward.json"), files.get(f"{_REWARDS}reward.txt")
    return grader_reply.read(code, *rewards, endings=grader.endings)


def combined(
    standard: Sequence[Score], reply: Reply | None, subject: Subject, grader: Grader | None
) -> tuple[Score, ...]:
    """Standard and custom scores as the mode wants them.

    `default`: the grader counts for nothing. `default_plus_custom`: its metrics stand beside, named `custom.…`, and
    never enter ours. `custom_only`: its `overall` is the outcome, and nothing of ours is scored. A native task's
    verifier gives the outcome in every mode, for nothing else of its case does. An error leaves its scores without a
    value, never 0, and does not touch the standard ones.
    """
    if grader is None or reply is None or (grader.mode is Mode.DEFAULT and not grader.native):
        return tuple(standard)
    method = grader.method
    custom = [
        subject.score(f"custom.{name}", mark.value, mark.because or "by the author's grader", method=method)
        for name, mark in reply.metrics.items()
    ]
    why = reply.error or ("the grader gave no `overall`" if reply.overall is None else "by the author's grader")
    if grader.mode is Mode.DEFAULT_PLUS_CUSTOM and not grader.native:
        return (*standard, subject.score("custom.overall", reply.overall, why, method=method), *custom)
    parts = () if reply.overall is None else (Part(name="overall", value=reply.overall, because=why),)
    whole = [subject.score(name, reply.overall, why, parts=parts, method=method) for name in (CHECKS, OUTCOME)]
    beside = [] if grader.mode is Mode.CUSTOM_ONLY else [row for row in standard if row.metric not in {CHECKS, OUTCOME}]
    return (*whole, *beside, *custom)
