"""Getting one admitted request answered: set money aside, ask, retry, relay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from aces_ci.core.scan.redact import Redactor
from aces_ci.core.spending.exchange import Outcome, Protocol, Reserved
from aces_ci.gateway import faults, guard, relay
from aces_ci.gateway.draft import Draft
from aces_ci.gateway.lease import Lease
from aces_ci.gateway.ledger import Ledger, OverBudgetError
from aces_ci.gateway.policy.gate import Forward
from aces_ci.gateway.policy.request import printable
from aces_ci.gateway.strict_json import RefusedError, parse
from aces_ci.gateway.tape import Tape
from aces_ci.gateway.turn.assembler import Assembler, SurpriseError
from aces_ci.gateway.turn.chat import ChatAssembler
from aces_ci.gateway.turn.messages import MessageAssembler
from aces_ci.gateway.turn.responses import ResponseAssembler
from aces_ci.gateway.upstream import RETRIED, Answer, Patience, UnansweredError, again

ASSEMBLERS: Mapping[Protocol, Callable[[], Assembler]] = {
    Protocol.MESSAGES: MessageAssembler,
    Protocol.RESPONSES: ResponseAssembler,
    Protocol.CHAT: ChatAssembler,
}
MAX_ERROR = 64 * 1024
"""Bytes of a provider's error that are read."""
OURS = frozenset({401, 402, 403, 404})
"""Statuses about our key, account or model name: no sandbox can cause them."""


class NotAnsweredError(Exception):
    """The exchange ends with an error for the sandbox."""

    def __init__(self, outcome: Outcome, status: int, because: str, retry_after: str | None = None) -> None:
        super().__init__(because)
        self.outcome = outcome
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One admitted request and the two ends it runs between."""

    lease: Lease
    draft: Draft
    forward: Forward
    betas: tuple[str, ...]
    request: web.BaseRequest
    downstream: web.StreamResponse


class Fetcher:
    """Asks the provider, or the tape that stands for it."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        keys: Mapping[str, str],
        mode: str,
        tape: Tape | None,
        recorded: Callable[[dict[str, Any]], None],
        reserved: Callable[[Reserved], asyncio.Future[bool] | None],
        patience: Patience,
    ) -> None:
        self._ledger = ledger
        self._keys = keys
        self._redactor = Redactor(keys.values())
        self._mode = mode
        self._tape = tape
        self._recorded = recorded
        self._reserved = reserved
        self._patience = patience

    async def fetch(self, call: Call) -> web.StreamResponse:
        """The answer, delivered: streamed through `downstream`, or whole as what is returned.

        Raises:
            OverBudgetError: money is missing; nothing more was sent.
            NotAnsweredError: the provider said no, a replay missed, or all retries are used up.
            SurpriseError, UnansweredError, SlowReaderError: as in `relay`.
        """
        draft = call.draft
        state = self._patience.begin()
        while True:
            await self._reserve(call)
            retry_after: str | None = None
            try:
                answer = await self._ask(call)
                retry_after = answer.retry_after
                if answer.status == 200:
                    delivered = await self._deliver(call, answer)
                    if delivered is not None:
                        return delivered
                    status, why = 529, f"the provider reports: {draft.assembler and draft.assembler.failed}"
                else:
                    status, why = answer.status, await self._refused(call, answer)
                draft.billed = False
            except UnansweredError as error:
                if call.downstream.prepared:
                    raise
                status, why = 502, str(error)
                draft.billed = error.sent
            following = again(state, retry_after)
            if following is None or self._mode == "replay":
                raise NotAnsweredError(Outcome.UPSTREAM_FAILED, status, why, retry_after)
            state, wait = following
            self._release(draft)
            await asyncio.sleep(wait)

    async def _reserve(self, call: Call) -> None:
        draft, lease = call.draft, call.lease
        if draft.reserved_micros is not None:
            draft.reservation = await self._ledger.reserved(lease.scopes, draft.reserved_micros)
        draft.billed = False
        noted = self._noted(lease, draft)
        if not draft.attempts:
            lease.watch.look(call.forward.protocol, call.forward.body, draft.number)
        if noted is not None and not await noted:
            raise OverBudgetError("run")
        draft.billed = True

    def _noted(self, lease: Lease, draft: Draft) -> asyncio.Future[bool] | None:
        """Tell the driver; done when the payment is on its disk, or when it has said that there is no money."""
        if draft.reservation is None or self._mode == "replay":
            return None
        micros = draft.reservation.micros + draft.lost_micros
        return self._reserved(
            Reserved(slot=lease.order.slot, trial=lease.order.trial, number=draft.number, micros=micros)
        )

    def _release(self, draft: Draft) -> None:
        """End one attempt: what may have been billed stays charged."""
        if draft.reservation is None:
            return
        lost = draft.reservation.micros if draft.billed else 0
        self._ledger.settle(draft.reservation, lost)
        draft.lost_micros += lost
        draft.reservation = None

    async def _ask(self, call: Call) -> Answer:
        lease, forward = call.lease, call.forward
        if self._mode == "replay":
            assert self._tape is not None
            answer = self._tape.ask(lease.order.trial, forward.digest)
            if answer is None:
                why = f"no recording of request {forward.digest[:16]}"
                raise NotAnsweredError(Outcome.REPLAY_MISS, 502, why)
            call.draft.asked()
            call.draft.replayed = True
            return answer
        call.draft.asked()
        key = self._keys.get(lease.order.upstream, "")
        headers = guard.upstream(forward.protocol, key, call.betas, stream=forward.stream)
        return await lease.channel.ask(guard.PATHS[forward.protocol], forward.raw, headers)

    async def _deliver(self, call: Call, answer: Answer) -> web.StreamResponse | None:
        """What the sandbox gets; None where the stream began with an error and nothing was delivered."""
        draft, forward, downstream = call.draft, call.forward, call.downstream
        draft.assembler = assembler = ASSEMBLERS[forward.protocol]()
        draft.progress = progress = relay.Progress(
            secret=self._keys.get(call.lease.order.upstream, "").encode(),
            taken=bytearray() if self._mode == "record" else None,
        )
        expected = "text/event-stream" if forward.stream else "application/json"
        if answer.content_type != expected:
            raise SurpriseError(f"an answer of type {answer.content_type[:60]}")
        if answer.request_id:
            downstream.headers["request-id"] = printable(answer.request_id, 80)

        async def write(data: bytes) -> None:
            if not downstream.prepared:
                draft.delivering()
                await downstream.prepare(call.request)
            await downstream.write(data)

        def idle() -> bool:
            transport = call.request.transport
            return transport is None or transport.get_write_buffer_size() == 0

        result: web.StreamResponse
        if forward.stream:
            try:
                await relay.stream(answer.chunks, assembler, write, idle, progress)
            except UnansweredError:
                if not progress.finished:
                    raise
            draft.answered()
            if assembler.failed and not progress.started:
                return None
            if not assembler.complete:
                raise UnansweredError(assembler.failed or "the stream ended too early", sent=True)
            await downstream.write_eof()
            result = downstream
        else:
            body = await relay.whole(answer.chunks, assembler, progress)
            draft.answered()
            draft.delivering()
            result = web.Response(body=body, headers={"content-type": "application/json"})
        draft.end(Outcome.COMPLETE, 200)
        self._keep(call, answer, progress.taken)
        return result

    async def _refused(self, call: Call, answer: Answer) -> str:
        """Why a status other than 200 came, where trying again may help.

        Raises:
            NotAnsweredError: it does not help.
        """
        call.draft.billed = False
        try:
            raw = await relay.gather(answer.chunks, MAX_ERROR)
        except UnansweredError:
            raw = b""
        call.draft.answered()
        because = f"the provider answered {answer.status}"
        if answer.status in RETRIED:
            return because
        self._keep(call, answer, raw)
        if not 400 <= answer.status < 500 or answer.status in OURS:
            status = answer.status if answer.status >= 400 else 502
            raise NotAnsweredError(Outcome.UPSTREAM_FAILED, status, because)
        try:
            said = parse(raw.decode("utf-8", errors="replace"))
        except RefusedError:
            said = {}
        message = self._redactor.text(faults.said_by_provider(answer.status, said))
        raise NotAnsweredError(Outcome.REJECTED, answer.status, message)

    def _keep(self, call: Call, answer: Answer, taken: bytes | bytearray | None) -> None:
        if self._mode != "record" or self._tape is None or taken is None:
            return
        trial, digest = call.lease.order.trial, call.forward.digest
        line = self._tape.record(
            trial=trial,
            digest=digest,
            nth=self._tape.count(trial, digest),
            status=answer.status,
            content_type=answer.content_type,
            body=bytes(taken),
        )
        if line is not None:
            self._recorded(line)
