"""Where the goal worker runs: a sandbox whose only peer is the gateway, which holds the key and counts the money."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from aces_ci.core.errors import UsageError
from aces_ci.core.grading.judged import Settled
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.core.grading.subject import Subject
from aces_ci.core.spending.control import ArmSlot, Cap, Configuration, Secrets, Upstream
from aces_ci.core.spending.control import Limits as RequestLimits
from aces_ci.core.spending.exchange import TrialRecord
from aces_ci.core.spending.price import Price
from aces_ci.core.trial import Arm
from aces_ci.ports.goal_worker import Conversation, GoalWorker
from aces_ci.ports.sandbox import MIB, End, Job, Limits, Program, Ran, Sandbox, SandboxLost, Session
from aces_ci.tiers.goal import Round, settle_all
from aces_ci.tiers.link import Link
from aces_ci.tiers.purse import Purse, Requests

START_SECONDS = 120.0
"""Until it is imported on a loaded runner."""
EACH_SECONDS = 30.0
"""Of one conversation: two calls, and retries."""
MOST_SECONDS = 3600.0
CALL_SECONDS = 60.0
CALLS = 8
"""Of one conversation: two, as many again where the form is wrong, each retried once."""
TRIAL = "goal"
_LIMITS = Limits(memory_bytes=3072 * MIB, processes=256, log_bytes=16 * MIB, log_kept_bytes=8 * MIB)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRoom:
    """One worker, one model, one provider that speaks Chat Completions."""

    sandbox: Sandbox
    worker: GoalWorker
    image: str
    interpreter: str
    program: Program
    """The gateway's."""
    upstream: Upstream
    secrets: Secrets = field(repr=False)
    model: str
    prices: tuple[Price, ...] = ()
    purse: Purse = field(default_factory=lambda: Purse(None))
    """The run's: each request is set aside in it before it goes out."""
    cap_micros: int | None = None
    """Of one round, in millionths of a dollar."""
    run: str = ""
    """Label of what it starts, known to the next start in the same folder; empty: one that nobody else has."""

    def settle(self, subjects: Iterable[Subject]) -> Round:
        """One round. Every failure, also of the sandbox, makes all of its trials fall back."""
        return settle_all(subjects, self._judge)

    def _judge(self, conversations: Sequence[Conversation]) -> Sequence[Settled]:
        count = len(conversations)
        try:
            ran, record = self._run(conversations)
        except (UsageError, SandboxLost) as error:
            return (self._failed(f"its sandbox failed: {error}"),) * count
        judge = record.resolved_models[0] if record.resolved_models else self.model
        if ran.end is not End.EXITED:
            return (self._failed(ran.because or ran.end.value),) * count
        if ran.exit_code != 0:
            said = ran.stderr.data.decode("utf-8", "replace").strip().splitlines()[-1:]
            return (self._failed(f"it ended with exit code {ran.exit_code} {' '.join(said)}"),) * count
        return self.worker.verdicts(ran.stdout.data, count, judge)

    def _run(self, conversations: Sequence[Conversation]) -> tuple[Ran, TrialRecord]:
        seconds = min(MOST_SECONDS, START_SECONDS + EACH_SECONDS * len(conversations))
        limits = replace(_LIMITS, seconds=seconds)
        run = self.run or f"goal-{secrets.token_hex(4)}"
        with self.sandbox.open(run=run, slots=1, program=self.program, limits=limits) as session:
            requests = Requests(self.purse)
            requests.begin(TRIAL)
            link = Link(session.gateway, requests.take, requests.reserve)
            try:
                link.start(
                    self.secrets,
                    Configuration(
                        listeners=session.listeners, upstreams=(self.upstream,), prices=self.prices, journal=True
                    ),
                )
                return self._armed(conversations, session, link, limits)
            finally:
                link.close()

    def _armed(
        self, conversations: Sequence[Conversation], session: Session, link: Link, limits: Limits
    ) -> tuple[Ran, TrialRecord]:
        token = f"aces-{secrets.token_hex(16)}"
        slot = session.listeners[0].slot
        base_url = f"{session.base_url(0)}/v1"
        home = session.home(0)
        program = self.worker.program()
        asked = self.worker.request(
            conversations, model=self.model, base_url=base_url, token=token, seconds=CALL_SECONDS
        )
        caps = () if self.cap_micros is None else (Cap(scope="goal", usd_micros=self.cap_micros),)
        requests = RequestLimits(requests=CALLS * len(conversations), seconds=limits.seconds + 60)
        link.arm(
            ArmSlot(
                slot=slot,
                trial=TRIAL,
                token=token,
                arm=Arm.BASELINE,
                model=self.model,
                upstream=self.upstream.name,
                caps=caps,
                limits=requests,
                cache_key=TRIAL,
            )
        )
        try:
            job = Job(
                slot=0,
                image=self.image,
                command=(self.interpreter, "-I", f"{home}/{program.path}"),
                environment=self.worker.environment,
                stdin=asked,
                home=(program,),
                limits=limits,
            )
            ran = session.run(job, threading.Event())
        finally:
            record = link.disarm(slot)
        return ran, record

    def _failed(self, why: str) -> Settled:
        return Settled(item=REACHED, error=f"the {self.worker.name} worker: {why[:300]}", judge=self.model)
