"""One trial: stage, arm, run, collect, disarm, and say how it ended.

Only the daemon and the gateway's upstream record may call anything infrastructure. All else that keeps an agent from
finishing (its exit code, its log, a full disk, no memory, a killed relay) is the agent's failure and a result.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from aces_ci.core.errors import UsageError
from aces_ci.core.plan import PlannedTrial, TrialPlan, staged_lineup
from aces_ci.core.spending.control import ArmSlot, Cap
from aces_ci.core.spending.control import Limits as RequestLimits
from aces_ci.core.spending.exchange import ArmCheck, TrialRecord
from aces_ci.core.staging import StagedFile, case_files, prompt, skill_files
from aces_ci.core.trial import Ending, Flag, Trial
from aces_ci.ports.harness import Failure, Harness, HarnessLog, Invocation
from aces_ci.ports.sandbox import End, Job, Limits, Ran, SandboxLost, Session, Turn
from aces_ci.tiers.link import Link
from aces_ci.tiers.network import environment
from aces_ci.tiers.promise import expectation

ARM_GRACE_SECONDS = 60.0
"""The token outlives the agent's own deadline by this much: starting a container takes its time."""
_ENDED_BY = {
    End.TIMED_OUT: Ending.TIMED_OUT,
    End.OUT_OF_MEMORY: Ending.AGENT_FAILED,
    End.LOG_FLOOD: Ending.AGENT_FAILED,
    End.NOT_STARTED: Ending.INFRA_FAILED,
    End.LOST: Ending.INFRA_FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What every trial of a run shares."""

    plan: TrialPlan
    session: Session
    link: Link
    harnesses: Mapping[str, Harness]
    limits: Limits
    requests: RequestLimits
    isolates: bool
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One try: the trial as evidence, and what came out of sandbox and gateway."""

    trial: Trial
    ran: Ran
    record: TrialRecord
    prompt: str
    tries: int = 1
    """More than 1: infrastructure failed before."""


@dataclass(slots=True)
class _Lent:
    """A turn with which the slot is lent: the token's time begins as the agent starts, not as it is made ready."""

    turn: Turn
    lend: Callable[[], None]
    lent: bool = False
    failed: UsageError | SandboxLost | None = None
    """Why it could not be lent: no word on the trial, and none that a sandbox may take for its own."""

    def wait(self) -> bool:
        """As the turn's; False also where the slot is not to be had."""
        if not self.turn.wait():
            return False
        try:
            self.lend()
        except (UsageError, SandboxLost) as error:
            self.failed = error
            self.turn.over()
            return False
        self.lent = True
        return True

    def over(self) -> None:
        """As the turn's."""
        self.turn.over()


def attempt(
    bench: Bench,
    planned: PlannedTrial,
    slot: int,
    caps: tuple[Cap, ...],
    stop: threading.Event,
    turn: Turn,
    begin: Callable[[], None],
) -> Tried | None:
    """Make one trial ready in a slot and run it when its turn comes; None where it was refused or `stop` ended it.

    `begin` is called right before the agent starts.

    Raises:
        SandboxLost: the gateway is gone. Nothing can be said of this trial.
        UsageError: it cannot be staged, or the gateway refuses it.
    """
    plan = bench.plan
    contender = plan.contenders[planned.contender]
    harness = bench.harnesses[contender.harness]
    token = f"aces-{secrets.token_hex(16)}"
    job, text = _job(bench, planned, harness, token, slot)
    listener = bench.session.listeners[slot].slot
    order = ArmSlot(
        slot=listener,
        trial=planned.digest,
        token=token,
        arm=planned.arm,
        model=contender.model,
        upstream=contender.upstream,
        caps=caps,
        limits=replace(bench.requests, seconds=bench.limits.seconds + ARM_GRACE_SECONDS),
        expectation=expectation(
            staged_lineup(plan.subject(planned).lineup, planned.mode),
            planned.arm,
            plan.case(planned),
            plan.design.injection,
            plan.subject(planned).fixtures.values(),
        ),
        hosts=plan.design.network,
        cache_key=f"{bench.run}-{contender.harness}-{contender.model}-{planned.arm.value}",
    )

    def lend() -> None:
        begin()
        bench.link.arm(order)

    lent = _Lent(turn, lend)
    record = TrialRecord(
        slot=listener, trial=planned.digest, exchanges=0, forwarded=0, refused=0, arm=ArmCheck(fair=None)
    )
    try:
        ran = bench.session.run(job, stop, lent)
    finally:
        if lent.lent:
            record = bench.link.disarm(listener)
    if lent.failed is not None:
        raise lent.failed
    if ran.end is End.CANCELLED:
        return None
    return Tried(trial=told(planned, plan, harness, ran, record, bench.isolates), ran=ran, record=record, prompt=text)


def told(
    planned: PlannedTrial, plan: TrialPlan, harness: Harness, ran: Ran, record: TrialRecord, isolates: bool
) -> Trial:
    """The trial as evidence. Reads neither arm nor case to decide how it ended."""
    contender = plan.contenders[planned.contender]
    log = HarnessLog(
        exit_code=None if ran.end is End.TIMED_OUT else ran.exit_code,
        stdout=ran.stdout.data,
        stderr=ran.stderr.data,
        home={file.path: file.data for file in ran.home},
    )
    failure = harness.failure(log) if ran.end is End.EXITED else None
    ending, because = _ending(ran, failure, record)
    return Trial(
        digest=planned.digest,
        skill=planned.skill,
        case=planned.case,
        arm=planned.arm,
        harness=contender.harness,
        model=contender.model,
        attempt=planned.attempt,
        stage=planned.stage,
        ending=ending,
        because=because,
        usage=replace(record.usage, usd_micros=record.charged_micros),
        seconds=round(ran.seconds, 3),
        resolved_model=record.resolved_models[0] if record.resolved_models else None,
        harness_version=harness.version,
        flags=_flags(record, isolates),
        side=planned.side,
        mode=planned.mode,
        tools=record.tool_digests[0] if record.tool_digests else None,
        drops=record.drops,
        connections=record.connections,
    )


def _job(bench: Bench, planned: PlannedTrial, harness: Harness, token: str, slot: int) -> tuple[Job, str]:
    plan = bench.plan
    contender, subject, case = plan.contenders[planned.contender], plan.subject(planned), plan.case(planned)
    lineup = staged_lineup(subject.lineup, planned.mode)
    text = prompt(case, planned.arm, lineup, plan.design.injection)
    launch = harness.launch(
        Invocation(
            prompt=text,
            model=contender.model,
            base_url=bench.session.base_url(slot),
            api=contender.api,
            token=token,
            home=bench.session.home(slot),
            workspace=bench.session.workspace(slot),
            turns=plan.design.turns,
            command=contender.command,
        )
    )
    skills = tuple(replace(file, path=f"{harness.skills}/{file.path}") for file in skill_files(lineup.of(planned.arm)))
    files: tuple[StagedFile, ...] = (*launch.home, *skills)
    reaches = bool(plan.design.network)
    proxy = environment(bench.session.proxy(slot), token) if reaches else {}
    job = Job(
        slot=slot,
        image=contender.image,
        command=launch.command,
        environment={**launch.environment, **proxy},
        stdin=launch.stdin,
        workspace=case_files(case, subject.fixtures),
        home=files,
        keep_home=harness.keep_home,
        limits=bench.limits,
        network=reaches,
    )
    return job, text


def _ending(ran: Ran, failure: Failure | None, record: TrialRecord) -> tuple[Ending, str]:
    if ran.end in (End.NOT_STARTED, End.LOST):
        return Ending.INFRA_FAILED, ran.because
    failed = ran.end is not End.EXITED or failure is not None
    # An agent that never heard from a model has told nothing of the skill, however it took its leave.
    unheard = not record.resolved_models
    if record.infra and (failed or unheard):
        # The provider's fault by the gateway's own record: the agent may have crashed or waited because of it.
        return Ending.INFRA_FAILED, record.infra
    if ran.end is not End.EXITED:
        return _ENDED_BY[ran.end], ran.because
    if record.over_budget:
        return Ending.AGENT_FAILED, "its budget was spent"
    if failure is not None:
        noted = f" ({ran.notes[0]})" if ran.notes else ""
        return Ending.AGENT_FAILED, f"{failure.because}{noted}"
    return Ending.FINISHED, ""


def _flags(record: TrialRecord, isolates: bool) -> tuple[Flag, ...]:
    found = []
    if record.arm.fair is False:
        found.append(Flag.CONTAMINATED)
    if record.over_budget:
        found.append(Flag.BUDGET)
    if not isolates:
        # Without isolation an agent can reach its rivals' files and the network: its trace is its own word.
        found.append(Flag.UNVERIFIED)
    return tuple(found)


def with_other_tools_flagged(trial: Trial, others: Iterable[Trial]) -> Trial:
    """Flag a trial whose model was offered other tools than the first one of its harness and model."""
    if trial.tools is None:
        return trial
    for other in others:
        same = (other.harness, other.model, other.mode) == (trial.harness, trial.model, trial.mode)
        if same and other.tools is not None and (other.tools, other.drops) != (trial.tools, trial.drops):
            return replace(trial, flags=(*trial.flags, Flag.UNEQUAL_TOOLS))
    return trial
