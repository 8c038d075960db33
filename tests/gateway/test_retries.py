"""Retries are the gateway's alone, before the first byte; what comes of them is said once and plainly."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator

import pytest

from aces_ci.core.spending.exchange import Outcome, Protocol
from aces_ci.gateway.upstream import Patience, again
from tests.fakes.upstream import Reply, Seen
from tests.gateway.rig import KEY, rig


def _in_turn(*replies: Reply) -> Callable[[Seen], Reply]:
    turns: Iterator[Reply] = iter(replies)
    return lambda seen: next(turns)


OVERLOADED = Reply(
    raw=b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    content_type="text/event-stream",
)


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("first", [Reply(status=429), Reply(status=503), Reply(status=529), Reply(cut_after=-1)])
def test_what_may_work_the_second_time_is_tried_again_unseen(protocol: Protocol, first: Reply) -> None:
    async def scenario() -> None:
        async with rig(_in_turn(first, first, Reply(text="at last"))) as it:
            status, body = await it.post(protocol)
            assert (status, it.exchanges[0].outcome, it.exchanges[0].attempts) == (200, Outcome.COMPLETE, 3)
            assert "at last" in json.dumps(body)
            assert len({seen.raw for seen in it.upstream.seen}) == 1
            record = await it.gateway.disarm("s0")
            assert (record.infra, record.forwarded) == ("", 1)

    asyncio.run(scenario())


def test_an_error_that_opens_a_stream_is_tried_again_and_one_inside_it_is_not() -> None:
    async def scenario() -> None:
        async with rig(_in_turn(OVERLOADED, Reply(text="at last"))) as it:
            assert b"at last" in await it.stream(Protocol.MESSAGES)
            assert it.exchanges[0].attempts == 2
        begun = b'data: {"type":"message_start","message":{"id":"m","model":"x","usage":{}}}\n\n'
        late = Reply(raw=begun + (OVERLOADED.raw or b""), content_type="text/event-stream")
        async with rig(_in_turn(late)) as it:
            delivered = await it.stream(Protocol.MESSAGES)
            assert b"overloaded" in delivered
            exchange = it.exchanges[0]
            assert (exchange.outcome, exchange.attempts) == (Outcome.UPSTREAM_FAILED, 1)
            assert exchange.because == "overloaded_error: busy"

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_trouble_with_our_key_is_infrastructure_and_its_words_stay_here(status: int) -> None:
    words = f'{{"error":{{"type":"x","message":"key {KEY[-4:]} of organisation Acme"}}}}'.encode()

    async def scenario() -> None:
        async with rig(lambda seen: Reply(status=status, raw=words)) as it:
            answered, body = await it.post(Protocol.MESSAGES)
            assert answered == status
            assert "Acme" not in json.dumps(body) and KEY[-4:] not in json.dumps(body)
            assert (it.exchanges[0].outcome, it.exchanges[0].attempts) == (Outcome.UPSTREAM_FAILED, 1)
            assert (await it.gateway.disarm("s0")).infra == f"the provider answered {status}"

    asyncio.run(scenario())


@pytest.mark.parametrize("protocol", list(Protocol))
def test_what_is_wrong_with_the_request_is_told_to_the_agent_and_is_not_infrastructure(
    protocol: Protocol,
) -> None:
    words = b'{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens"}}'

    async def scenario() -> None:
        async with rig(lambda seen: Reply(status=400, raw=words), caps={"run": 10**9}) as it:
            status, body = await it.post(protocol)
            assert status == 400
            assert "prompt is too long: 9 tokens" in body["error"]["message"]
            assert it.exchanges[0].outcome is Outcome.REJECTED
            record = await it.gateway.disarm("s0")
            assert (record.infra, record.charged_micros) == ("", 0)

    asyncio.run(scenario())


def test_a_redirect_is_not_followed() -> None:
    async def scenario() -> None:
        async with rig() as other:
            target = {"location": f"{other.upstream.url}/v1/messages"}
            async with rig(lambda seen: Reply(status=307, headers=target)) as it:
                assert (await it.post(Protocol.MESSAGES))[0] == 502
                assert len(it.upstream.seen) == 1
                assert other.upstream.seen == []

    asyncio.run(scenario())


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def scenario() -> None:
        async with rig() as it:
            assert (await it.post(Protocol.CHAT))[0] == 200

    asyncio.run(scenario())


def test_the_client_is_told_not_to_retry_and_how_long_the_provider_wanted() -> None:
    async def scenario() -> None:
        busy = Reply(status=429, headers={"retry-after": "9999"})
        async with rig(lambda seen: busy, patience=Patience(retries=0)) as it:
            url, headers = f"{it.url}/v1/responses", {"authorization": "Bearer token-" + "t" * 20}
            body = {"model": "test-model", "input": "hi"}
            async with it.client.post(url, json=body, headers=headers) as response:
                assert response.status == 429
                assert response.headers["x-should-retry"] == "false"
                assert response.headers["retry-after"] == "60"
            assert (await it.gateway.disarm("s0")).infra == "the provider answered 429"

    asyncio.run(scenario())


def test_a_failure_that_the_cli_got_over_does_not_blame_the_provider() -> None:
    async def scenario() -> None:
        async with rig(_in_turn(Reply(status=500), Reply()), patience=Patience(retries=0)) as it:
            assert (await it.post(Protocol.CHAT))[0] == 500
            assert (await it.post(Protocol.CHAT))[0] == 200
            assert (await it.gateway.disarm("s0")).infra == ""

    asyncio.run(scenario())


def test_waits_grow_obey_the_provider_and_end() -> None:
    state = Patience(retries=4, backoff=1.0).begin()
    waits = []
    while (following := again(state, None)) is not None:
        state, wait = following
        waits.append(wait)
    assert len(waits) == 4
    assert waits[0] == 0 and 2 <= waits[1] < 4 <= waits[2] < 8 <= waits[3]
    for header, low, high in (("7", 7, 7), ("9999", 60, 60), ("soon", 0, 0), ("-1", 0, 0)):
        following = again(Patience().begin(), header)
        assert following is not None and low <= following[1] <= high, header
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    following = again(Patience().begin(), later)
    assert following is not None and 25 <= following[1] <= 31
