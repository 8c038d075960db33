"""One request of a sandbox, from its first byte to its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from aiohttp import ClientError, web

from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol, Refusal
from aces_ci.core.spending.price import bound
from aces_ci.gateway import faults, guard, relay
from aces_ci.gateway.draft import Draft
from aces_ci.gateway.fetch import Call, Fetcher, NotAnsweredError
from aces_ci.gateway.lease import Lease, LimitError
from aces_ci.gateway.ledger import Ledger, OverBudgetError
from aces_ci.gateway.policy.gate import Forward, admit
from aces_ci.gateway.policy.request import printable
from aces_ci.gateway.strict_json import RefusedError, dump
from aces_ci.gateway.turn.assembler import SurpriseError
from aces_ci.gateway.upstream import UnansweredError

BODY_SECONDS = 60.0
REFUSED_STATUS = 403
"""Not 400: Claude Code answers that by sending other headers and other tools."""


class Desk:
    """Serves the requests of all slots."""

    def __init__(self, ledger: Ledger, fetcher: Fetcher, write: Callable[[Exchange], None]) -> None:
        self._ledger = ledger
        self._fetcher = fetcher
        self._write = write

    async def serve(self, request: web.BaseRequest, lease: Lease | None) -> web.StreamResponse:
        """Answer one request on a slot that `lease` holds, if any trial does."""
        method, path = request.method, request.raw_path
        try:
            found = guard.headers(request.raw_headers)
        except RefusedError as error:
            return self._refuse_unread(f"{method} headers", lease, error)
        if (method, path) in guard.LOCAL and path != "/v1/models":
            return web.Response(status=200)
        if lease is None or not (guard.same(guard.token(found), lease.order.token) and lease.valid()):
            if lease is not None:
                lease.unauthorised += 1
            return _closing(None, 401, "the token is not valid here")
        if lease.worn_out():
            lease.number += 1
            return _closing(None, REFUSED_STATUS, "far too many requests in this trial")
        draft = Draft(order=lease.order, number=0, endpoint=f"{method} {printable(path, 60)}")
        try:
            draft.protocol = guard.target(method, path)
            if draft.protocol is None:
                return web.json_response({"object": "list", "data": [{"id": lease.order.model, "object": "model"}]})
            length = guard.body_length(found)
            draft.number = lease.enter(length)
            raw = await _body(request, length)
            if not lease.valid():
                # The trial ended while its body came: it has been summed up, and nothing may be added or paid.
                return _closing(draft.protocol, 401, "the token is not valid here")
            betas, draft.notes = guard.betas(found) if draft.protocol is Protocol.MESSAGES else ((), ())
            draft.forward = admit(draft.protocol, raw, lease.terms)
        except RefusedError as error:
            draft.number = draft.number or _enter(lease)
            draft.refusal = Refusal(field=error.field, reason=error.reason)
            status = 404 if error.field == "endpoint" else REFUSED_STATUS
            return self._end(lease, draft, Outcome.REFUSED, status, str(error))
        except LimitError as error:
            draft.number = draft.number or lease.number
            return self._end(lease, draft, Outcome.LIMITED, REFUSED_STATUS, str(error))
        return await self._exchange(request, lease, draft, draft.forward, betas)

    async def _exchange(
        self,
        request: web.BaseRequest,
        lease: Lease,
        draft: Draft,
        forward: Forward,
        betas: tuple[str, ...],
    ) -> web.StreamResponse:
        downstream = web.StreamResponse(headers={"content-type": "text/event-stream", "cache-control": "no-store"})
        call = Call(
            lease=lease,
            draft=draft,
            forward=forward,
            betas=betas,
            request=request,
            downstream=downstream,
        )
        retry_after: str | None = None
        draft.price = lease.price
        if lease.price is not None:
            draft.reserved_micros = bound(lease.price, forward.max_input, forward.max_output)
        if request.transport is not None:
            lease.in_flight[draft.number] = request.transport
        try:
            async with lease.places:
                return await self._fetcher.fetch(call)
        except OverBudgetError as error:
            draft.end(Outcome.OVER_BUDGET, REFUSED_STATUS, str(error))
        except NotAnsweredError as error:
            draft.end(error.outcome, error.status, str(error))
            retry_after = error.retry_after
        except SurpriseError as error:
            draft.end(Outcome.SURPRISE, 502, str(error))
        except UnansweredError as error:
            draft.end(Outcome.UPSTREAM_FAILED, 502, str(error))
        except relay.SlowReaderError:
            draft.end(Outcome.ABANDONED, 200, "the sandbox stopped reading")
        except (ConnectionError, ClientError):
            draft.end(Outcome.ABANDONED, 499, "the sandbox went away")
        finally:
            # A cancelled handler (the sandbox went away, or the slot was taken back) ends here as well.
            lease.in_flight.pop(draft.number, None)
            self._record(lease, draft)
        if downstream.prepared:
            if request.transport is not None:
                request.transport.abort()  # a cut answer must not look like a whole one
            return downstream
        return _closing(forward.protocol, draft.status, draft.because, retry_after)

    def malformed(self, lease: Lease | None, kind: str) -> web.StreamResponse:
        """Answer bytes that are no HTTP request. `kind`: the parser's name for what is wrong with them."""
        return self._refuse_unread("malformed", lease, RefusedError("framing", f"no HTTP request ({kind})"))

    def _refuse_unread(self, endpoint: str, lease: Lease | None, error: RefusedError) -> web.StreamResponse:
        """What is not trusted enough to look for a token in it."""
        if lease is None or lease.worn_out():
            return _closing(None, REFUSED_STATUS, str(error))
        draft = Draft(order=lease.order, number=_enter(lease), endpoint=endpoint)
        draft.refusal = Refusal(field=error.field, reason=error.reason)
        return self._end(lease, draft, Outcome.REFUSED, REFUSED_STATUS, str(error))

    def _end(self, lease: Lease, draft: Draft, outcome: Outcome, status: int, because: str) -> web.StreamResponse:
        draft.end(outcome, status, because)
        self._record(lease, draft)
        return _closing(draft.protocol, status, because)

    def _record(self, lease: Lease, draft: Draft) -> None:
        exchange = draft.finish(self._ledger)
        lease.add(exchange)
        self._write(exchange)


def _enter(lease: Lease) -> int:
    try:
        return lease.enter(0)
    except LimitError:
        return lease.number


def _closing(protocol: Protocol | None, status: int, message: str, retry_after: str | None = None) -> web.Response:
    body: dict[str, Any] = faults.body(protocol, status, f"aces-ci gateway: {message}")
    response = web.Response(
        status=status,
        reason=HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Error",
        body=dump(body),
        headers={"content-type": "application/json", **faults.headers(retry_after)},
    )
    response.force_close()
    return response


async def _body(request: web.BaseRequest, length: int) -> bytes:
    """Exactly the declared bytes.

    Raises:
        RefusedError: they did not come in time.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.content.iter_any():
                body += chunk
    except TimeoutError:
        raise RefusedError("body", f"did not arrive within {BODY_SECONDS:.0f} seconds") from None
    if len(body) != length:
        raise RefusedError("body", "is not as long as declared")
    return bytes(body)
