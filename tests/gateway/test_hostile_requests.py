"""Nothing that reaches beyond the sandbox is forwarded, and each refusal says which field it was."""

from __future__ import annotations

import asyncio

from aces_ci.core.spending.control import Limits
from aces_ci.core.spending.exchange import Outcome
from tests.gateway.hostile import HOSTILE
from tests.gateway.rig import PATHS, TOKEN, rig

LIMITS = Limits(max_output=1000, requests=10_000, request_bytes=1 << 30)


def test_every_hostile_request_is_refused_for_its_field_and_none_is_forwarded() -> None:
    async def scenario() -> None:
        async with rig(limits=LIMITS) as it:
            wrong = []
            for case in HOSTILE:
                data = {"data": case.body} if isinstance(case.body, bytes) else {"json": case.body}
                async with it.client.post(
                    it.url + PATHS[case.protocol],
                    headers={"x-api-key": TOKEN, "content-type": "application/json"},
                    **data,
                ) as response:
                    status = response.status
                last = it.exchanges[-1]
                named = last.refusal.field if last.refusal else None
                if (status, last.outcome, named) != (403, Outcome.REFUSED, case.field):
                    wrong.append((case.id, status, last.outcome, last.refusal))
            assert wrong == []
            assert len(it.exchanges) == len(HOSTILE)
            assert it.upstream.seen == []
            summary = await it.gateway.disarm("s0")
            assert (summary.forwarded, summary.refused) == (0, len(HOSTILE))

    asyncio.run(scenario())


def test_there_are_enough_of_them_and_no_two_are_the_same() -> None:
    assert len(HOSTILE) >= 80
    spellings = {(case.protocol, repr(case.body)) for case in HOSTILE}
    assert len(spellings) == len(HOSTILE)


def test_the_same_bodies_without_the_offence_are_forwarded() -> None:
    """The table proves something only if its bases pass."""

    async def scenario() -> None:
        async with rig() as it:
            for protocol in PATHS:
                status, _ = await it.post(protocol)
                assert status == 200
            assert len(it.upstream.seen) == len(PATHS)

    asyncio.run(scenario())
