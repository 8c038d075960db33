"""Evidence for tests, with honest defaults: say only what the test is about."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aces_ci.core.change import Because, BecauseKind, How, Part
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import ChangedSkill, PolicySource, RunStarted
from aces_ci.core.score import Score
from aces_ci.core.trace.trajectory import Agent, Observation, ObservationResult, Step, ToolCall, Trajectory
from aces_ci.core.trial import Arm, Ending, Trial, Usage

SKILL = "skills/log-triage"
HEAD = "c41f7d80b5a69788c9d0e1f2a3b4c5d6e7f80912"
BASE = "d20aa91b6c7d8e9f00112233445566778899aabb"
JUDGE = "gpt-5.4-mini-2026-09-02/3/two_step"

Outcomes = Mapping[Arm, Mapping[str, Sequence[float | None]]]
"""Arm to case to the outcome of each attempt; None is a trial lost to the infrastructure."""


def a_trial(**changes: Any) -> Trial:
    """A finished trial of this change; its digest follows from what tells it apart."""
    fields: dict[str, Any] = {
        "skill": SKILL,
        "case": "disk-full-at-3am",
        "arm": Arm.WITH_SKILL,
        "harness": "claude-code",
        "model": "claude-sonnet-5",
        "attempt": 1,
        "stage": 1,
        "ending": Ending.FINISHED,
        "usage": Usage(input_tokens=36_000, output_tokens=3_000, requests=9, usd_micros=70_000),
        "seconds": 41.0,
        "resolved_model": "claude-sonnet-5-20261015",
        "harness_version": "2.1.332",
        **changes,
    }
    if "digest" not in fields:
        told = ("skill", "case", "arm", "harness", "model", "attempt", "side", "mode")
        name = "/".join(str(fields.get(key, "")) for key in told)
        fields["digest"] = hashlib.sha256(name.encode()).hexdigest()
    return Trial(**fields)


def a_score(trial: Trial | str, **changes: Any) -> Score:
    """A judged goal that was reached."""
    fields: dict[str, Any] = {
        "trial": trial if isinstance(trial, str) else trial.digest,
        "metric": "goal_accuracy",
        "value": 1.0,
        "because": "the goal was reached",
        "cites": (3,),
        "method": JUDGE,
        **changes,
    }
    return Score(**fields)


def a_comparison(
    outcomes: Outcomes, *, metric: str = "goal_accuracy", looks: Sequence[int] = (3, 5, 8), **changes: Any
) -> tuple[list[Trial], list[Score]]:
    """Trials and scores of one skill from the outcome of each attempt; `changes` go to every trial."""
    trials, scores = [], []
    for arm, cases in outcomes.items():
        for case, values in cases.items():
            for attempt, value in enumerate(values, start=1):
                stage = next((n for n, look in enumerate(looks, start=1) if attempt <= look), len(looks))
                ending = Ending.INFRA_FAILED if value is None else Ending.FINISHED
                trial = a_trial(case=case, arm=arm, attempt=attempt, stage=stage, ending=ending, **changes)
                trials.append(trial)
                if value is not None:
                    scores.append(a_score(trial, metric=metric, value=value))
    return trials, scores


def an_event(**changes: Any) -> Event:
    """A pull request of our own branch."""
    fields: dict[str, Any] = {
        "kind": EventKind.CHANGE_REQUEST,
        "forge": "github",
        "repo": "acme/agent-skills",
        "head_sha": HEAD,
        "base_sha": BASE,
        "base_ref": "main",
        "default_branch": "main",
        "change_request": 42,
        "head_repo": "acme/agent-skills",
        "server_url": "https://github.com",
        "run_url": "https://github.com/acme/agent-skills/actions/runs/8177",
        "title": "pull_request",
        **changes,
    }
    return Event(**fields)


def a_run(**changes: Any) -> RunStarted:
    """The header of an evidence file, with default settings."""
    fields: dict[str, Any] = {
        "event": an_event(),
        "merge_base": BASE,
        "policy": PolicySource(ref="main", sha=BASE, path="aces.yml"),
        "settings": {},
        "version": "0.4.0",
        "started": "2026-11-29T16:02:11Z",
        **changes,
    }
    return RunStarted(**fields)


def a_changed_skill(path: str = SKILL, **changes: Any) -> ChangedSkill:
    """A modified skill that has evals."""
    fields: dict[str, Any] = {
        "path": path,
        "name": path.rsplit("/", 1)[-1],
        "how": How.MODIFIED,
        "parts": (Part.MANIFEST,),
        "files": (f"{path}/SKILL.md",),
        "because": Because(kind=BecauseKind.OWN_FILE, path=f"{path}/SKILL.md"),
        "has_evals": True,
        **changes,
    }
    return ChangedSkill(**fields)


def a_trace(
    *commands: str, answer: str | None = "Here is the export, with every row and the totals you asked for." * 6
) -> Trajectory:
    """A run of shell commands, then an answer."""
    steps = [Step(step_id=1, source="user", message="Export the ledger.")]
    for number, command in enumerate(commands, start=2):
        call = ToolCall(tool_call_id=f"c{number}", function_name="Bash", arguments={"command": command})
        result = ObservationResult(source_call_id=f"c{number}", content="done", extra={"exit_code": 0})
        steps.append(
            Step(
                step_id=number,
                source="agent",
                message="",
                tool_calls=(call,),
                observation=Observation(results=(result,)),
            )
        )
    if answer is not None:
        steps.append(Step(step_id=len(steps) + 1, source="agent", message=answer))
    return Trajectory(agent=Agent(name="claude-code", version="2"), steps=tuple(steps))


def flagged(trials: Sequence[Trial], arm: Arm, *flags: Any) -> list[Trial]:
    """The same trials, those of one arm with flags."""
    return [replace(trial, flags=flags) if trial.arm is arm else trial for trial in trials]
