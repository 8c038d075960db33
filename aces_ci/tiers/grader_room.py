"""Where graders run: sandboxes of their own behind a gateway that is none, so that nothing is in reach."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from aces_ci.core.errors import UsageError
from aces_ci.core.grading.grader import Grader
from aces_ci.core.grading.grader_reply import Reply
from aces_ci.core.grading.subject import Subject
from aces_ci.core.plan import TrialPlan
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest, Program, Sandbox, SandboxLost, Session
from aces_ci.tiers import custom

Asked = tuple[Subject, Grader]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRoom:
    """One session for a whole look: each grader has a container and volumes of its own, as each agent has."""

    sandbox: Sandbox
    images: Mapping[tuple[StagedFile, ...], str]
    """By the environment that a grader is built on."""
    slots: int
    run: str = ""
    """Label of what it starts, known to the next start in the same folder; empty: one that nobody else has."""

    @classmethod
    def of(cls, plan: TrialPlan, sandbox: Sandbox, env: Mapping[str, str], run: str = "") -> GraderRoom | None:
        """With its images, built before money is spent; None where no skill brings a grader. Raises UsageError."""
        graders = [each for item in plan.subjects for each in (item.grader, *item.verifiers.values()) if each]
        if not graders:
            return None
        base = env.get("ACES_SANDBOX_BASE") or None
        images = {
            files: sandbox.image(ImageRequest(recipe=custom.RECIPE, environment=files, base=base))
            for files in dict.fromkeys(grader.environment for grader in graders)
        }
        return cls(sandbox=sandbox, images=images, slots=max(1, plan.design.workers), run=run)

    def answers(self, asked: Iterable[Asked]) -> Iterator[tuple[Subject, Grader, Reply]]:
        """Every reply, in the order of asking, as many graders at once as there are slots.

        `asked` is read no further ahead than that. A sandbox that fails is an error in the reply.
        """
        rows = iter(asked)
        first = next(rows, None)
        if first is None:
            return
        rows = itertools.chain([first], rows)
        with ExitStack() as stack:
            # It listens to nobody and ends with its input.
            idle = Program(image=next(iter(self.images.values())), command=("cat",))
            run = self.run or f"graders-{secrets.token_hex(4)}"
            try:
                session = stack.enter_context(
                    self.sandbox.open(run=run, slots=self.slots, program=idle, limits=custom.LIMITS)
                )
            except (UsageError, SandboxLost) as error:
                failed = _failed(error)
                yield from ((subject, grader, failed) for subject, grader in rows)
                return
            pool = stack.enter_context(ThreadPoolExecutor(max_workers=self.slots, thread_name_prefix="aces-grader"))
            yield from self._answered(rows, session, pool)

    def _answered(
        self, rows: Iterator[Asked], session: Session, pool: ThreadPoolExecutor
    ) -> Iterator[tuple[Subject, Grader, Reply]]:
        free = list(range(self.slots))
        running: deque[tuple[Subject, Grader, int, Future[Reply]]] = deque()

        def ended() -> tuple[Subject, Grader, Reply]:
            subject, grader, slot, future = running.popleft()
            reply = future.result()
            free.append(slot)
            return subject, grader, reply

        for subject, grader in rows:
            slot = free.pop()
            running.append((subject, grader, slot, pool.submit(self._ask, subject, grader, session, slot)))
            if not free:
                yield ended()
        while running:
            yield ended()

    def _ask(self, subject: Subject, grader: Grader, session: Session, slot: int) -> Reply:
        image = self.images[grader.environment]
        try:
            return custom.ask(subject, grader, session, slot=slot, image=image, stop=threading.Event())
        except (UsageError, SandboxLost) as error:
            return _failed(error)


def _failed(error: Exception) -> Reply:
    return Reply(error=f"the grader's sandbox failed: {error}")
