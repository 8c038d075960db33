"""The live tier: runs what the plan names, look by look, and writes every trial down as it ends.

Resume is nothing special: trials whose digest is in the evidence are not run again. What a killed run had paid for a
trial that it could not finish is counted against the budget, because every payment is in the book before it is made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from aces_ci.core.plan import PlannedTrial, TrialPlan
from aces_ci.core.spending.book import Book
from aces_ci.core.spending.control import Configuration, Secrets, Upstream
from aces_ci.core.spending.control import Limits as RequestLimits
from aces_ci.core.spending.price import Price
from aces_ci.core.trial import Trial
from aces_ci.ports.converter import Converter
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import Limits, Program, Sandbox, SandboxLost
from aces_ci.ports.sink import Sink
from aces_ci.tiers.affordable import set_aside
from aces_ci.tiers.link import Link
from aces_ci.tiers.network import listeners
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.remains import remains
from aces_ci.tiers.running import Running, Turn
from aces_ci.tiers.schedule import Budget, Rations, next_trials
from aces_ci.tiers.till import Till
from aces_ci.tiers.trial import Bench, Tried, attempt, with_other_tools_flagged

INFRA_RETRIES = 1
"""Per trial: each retry is a second chance that the other arm may not get."""
LOST_IN_A_ROW = 6
"""So many infrastructure failures one after the other end the run: the provider or the daemon is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """With what a plan is run."""

    sandbox: Sandbox
    harnesses: Mapping[str, Harness]
    program: Program
    secrets: Secrets = field(repr=False)
    upstreams: tuple[Upstream, ...]
    prices: tuple[Price, ...] = ()
    limits: Limits = field(default_factory=Limits)
    requests: RequestLimits = field(default_factory=RequestLimits)
    budget: Budget = field(default_factory=Budget)
    purse: Purse = field(default_factory=lambda: Purse(None))
    """The run's, from which its judges are paid too."""
    converters: Mapping[str, Converter] = field(default_factory=dict)
    """By harness: its own log may add times and exit codes to the trajectory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Something changed: a trial started (`trial` None) or ended."""

    planned: PlannedTrial
    trial: Trial | None = None
    tries: int = 1
    paid_micros: int = 0
    """By all starts of this run so far, money that is set aside included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Why the tier stopped, and how far it came."""

    stopped: str = ""
    """A clause: empty when all planned trials were run."""
    look: int = 0
    """The last look whose trials are all there."""
    started: int = 0
    lost: int = 0
    paid_micros: int = 0
    """Millionths of a dollar over all starts of this run, tries that were lost included."""


def run(  # noqa: PLR0913 - the ports, by name
    plan: TrialPlan,
    means: Means,
    sink: Sink,
    *,
    run_id: str,
    done: Mapping[str, Trial] | None = None,
    book: Book | None = None,
    decided: Callable[[int], str | None] = lambda look: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    stop: threading.Event | None = None,
) -> Ended:
    """Run the plan's missing trials and append each to `sink` as it ends.

    `done`: trials of earlier starts by digest; those that infrastructure lost are tried again. `book`: what those
    starts paid; it is kept up to date. `decided(look)` is asked when all trials of a look are there; a clause ends
    the run.
    `stop` set: nothing new starts, running agents are killed, their trials are left to the next run.

    Raises:
        UsageError: the sandbox cannot be opened, or a skill cannot be staged. SandboxLost: the gateway never came up.
    """
    known = {digest: trial for digest, trial in (done or {}).items() if not trial.missing}
    till = Till(sink, book if book is not None else Book(), means.purse)
    engine = _Engine(plan, means, sink, known, till, on_progress, stop or threading.Event())
    if all(trial.digest in known for trial in plan.trials):
        return engine.looks(None, decided)
    # One half holds agents that run, the other what is made ready or taken apart meanwhile.
    slots = plan.design.workers * (2 if means.sandbox.stages_ahead else 1)
    with means.sandbox.open(run=run_id, slots=slots, program=means.program, limits=means.limits) as session:
        link = Link(session.gateway, till.take, till.reserve)
        try:
            link.start(
                means.secrets,
                Configuration(
                    listeners=listeners(session.listeners, plan.design.network),
                    upstreams=means.upstreams,
                    prices=means.prices,
                    journal=True,
                ),
            )
            bench = Bench(
                plan=plan,
                session=session,
                link=link,
                harnesses=means.harnesses,
                limits=means.limits,
                requests=means.requests,
                isolates=means.sandbox.isolates,
                run=run_id,
            )
            return engine.looks(bench, decided)
        finally:
            link.close()


_Landing = tuple[PlannedTrial, "Future[Tried | None]"]


def _failed(row: _Landing) -> bool:
    """Whether nothing, or nothing that counts, came of it."""
    error = row[1].exception()
    tried = None if error else row[1].result()
    return tried is None or tried.trial.missing


class _Engine:
    """The state of one run of the tier."""

    def __init__(
        self,
        plan: TrialPlan,
        means: Means,
        sink: Sink,
        known: dict[str, Trial],
        till: Till,
        on_progress: Callable[[Progress], None],
        stop: threading.Event,
    ) -> None:
        self._plan, self._means, self._sink = plan, means, sink
        self._known, self._progress, self._stop = known, on_progress, stop
        self._till = till
        most = means.requests.max_output
        least = max(set_aside(who, means.harnesses, most) for who in plan.contenders)
        self._rations = Rations(means.budget, plan, till.paid_micros, max_output=most, least=least)
        self._lost_in_a_row = 0
        self._ended = Ended()
        self._because = ""

    def looks(self, bench: Bench | None, decided: Callable[[int], str | None]) -> Ended:
        """All looks in order, until one decides."""
        ended = self._looks(bench, decided)
        return replace(ended, paid_micros=self._till.paid_micros)

    def _looks(self, bench: Bench | None, decided: Callable[[int], str | None]) -> Ended:
        for look in range(1, len(self._plan.design.looks) + 1):
            missing = [trial for trial in self._plan.trials if trial.stage == look and trial.digest not in self._known]
            if missing and bench is not None:
                self._stage(bench, missing)
            if self._because:
                return replace(self._ended, stopped=self._because)
            self._ended = replace(self._ended, look=look)
            verdict = decided(look)
            if verdict:
                return replace(self._ended, stopped=verdict)
        return self._ended

    def _stage(self, bench: Bench, missing: list[PlannedTrial]) -> None:
        waiting = next_trials(missing)
        landing: list[_Landing] = []
        running = Running(
            self._plan.design.workers,
            len(bench.session.listeners),
            lambda planned, slot, turn: self._try(bench, planned, slot, turn),
        )
        try:
            while True:
                # What was lost may end the run; all else is written down while the next agents start.
                landing = self._landed([*landing, *running.ended()], only=_failed)
                if self._closed(busy=running.busy):
                    running.refuse()
                elif not self._spent(busy=False):
                    for planned in () if self._on_the_brink(running.settling) else running.start():
                        self._progress(Progress(planned=planned))
                    running.prepare(waiting)
                landing = self._landed(landing)
                if not running:
                    return
                running.wait()
        except BaseException:
            self._stop.set()
            raise
        finally:
            running.close()

    def _try(self, bench: Bench, planned: PlannedTrial, slot: int, turn: Turn) -> Tried | None:
        caps = self._rations.caps(planned)
        last: Tried | None = None
        for tries in range(1, INFRA_RETRIES + 2):
            tried = attempt(bench, planned, slot, caps, self._stop, turn, lambda: self._till.begin(planned.digest))
            last = last if tried is None else replace(tried, tries=tries)
            if tried is None or not tried.trial.missing:
                break
        return last

    def _landed(self, landing: list[_Landing], only: Callable[[_Landing], bool] = lambda row: True) -> list[_Landing]:
        """Write down those that have ended; what is left."""
        for planned, future in filter(only, landing):
            self._land(planned, future)
        return [row for row in landing if not only(row)]

    def _land(self, planned: PlannedTrial, future: Future[Tried | None]) -> None:
        try:
            tried = future.result()
        except SandboxLost as error:
            self._because = self._because or str(error)
            self._ended = replace(self._ended, lost=self._ended.lost + 1)
            return
        if tried is None:
            return
        trial = self._finished(tried)
        self._sink.add(trial)
        self._known[trial.digest] = trial
        self._lost_in_a_row = self._lost_in_a_row + 1 if trial.missing else 0
        self._ended = replace(self._ended, started=self._ended.started + 1, lost=self._ended.lost + int(trial.missing))
        self._progress(Progress(planned=planned, trial=trial, tries=tried.tries, paid_micros=self._till.paid_micros))

    def _finished(self, tried: Tried) -> Trial:
        """Write what belongs to the trial first: the line of evidence is what makes it count."""
        digest = tried.trial.digest
        trial, files = remains(
            tried,
            self._till.end(digest),
            self._means.converters.get(tried.trial.harness),
            paid_micros=self._till.paid_for(digest),
        )
        self._sink.keep(files)
        return with_other_tools_flagged(trial, self._known.values())

    def _on_the_brink(self, settling: int) -> bool:
        """Whether what is not known yet could end the run: only then is it worth waiting for with the next agent."""
        return self._lost_in_a_row > 0 and self._lost_in_a_row + settling >= LOST_IN_A_ROW

    def _closed(self, *, busy: bool) -> bool:
        if self._stop.is_set():
            self._because = self._because or "it was interrupted"
        elif self._lost_in_a_row >= LOST_IN_A_ROW:
            self._because = self._because or f"the last {LOST_IN_A_ROW} runs were lost to infrastructure"
        elif not self._because:
            self._because = self._spent(busy=busy)
        return bool(self._because)

    def _spent(self, *, busy: bool) -> str:
        """Why nothing more may start. What requests of `busy` agents have set aside is not gone: it is waited for."""
        held = self._till.held_micros if busy else 0
        return self._rations.empty(self._till.paid_micros - held, judged_away=self._means.purse.empty(held))
