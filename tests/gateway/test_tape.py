"""Record and replay: byte for byte, without a key, and never a guess."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import Configuration, Listener, Secrets, Upstream
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol
from aces_ci.gateway.gateway import Gateway
from aces_ci.gateway.tape import Tape, derive
from tests.fakes.upstream import Reply, Seen
from tests.gateway.rig import BODIES, KEY, ORDER, PATHS, PRICE, TOKEN, rig

SHARED = "shared between recorder and player"


def _script(seen: Seen) -> Reply:
    return Reply(text=f"answer {len(seen.raw)} {seen.path}", pieces=3, calls=(("sh", {"a": "é"}),))


async def _replayed(
    lines: list[dict[str, Any]], protocol: Protocol, body: dict[str, Any], times: int = 1
) -> tuple[list[tuple[int, bytes]], list[Exchange], list[bool]]:
    exchanges: list[Exchange] = []
    gateway = Gateway(
        Configuration(
            listeners=(Listener(slot="s0", port=0),),
            # Nothing listens there: a replay that asks upstream fails.
            upstreams=(Upstream(name="fake", base_url="https://127.0.0.1:9", protocols=tuple(Protocol)),),
            prices=(PRICE,),
            mode="replay",
        ),
        Secrets(keys={}, recording_key=SHARED),
        exchanged=exchanges.append,
    )
    accepted = [gateway.load(line) for line in lines]
    (listener,) = await gateway.open()
    gateway.arm(replace(ORDER, trial="another-trial"))
    answers = []
    try:
        async with aiohttp.ClientSession() as client:
            for _ in range(times):
                url = f"http://127.0.0.1:{listener.port}{PATHS[protocol]}"
                async with client.post(url, json=body, headers={"x-api-key": TOKEN}) as response:
                    answers.append((response.status, await response.read()))
    finally:
        await gateway.close()
    return answers, exchanges, accepted


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("streamed", [True, False])
def test_a_replayed_answer_is_the_recorded_one_byte_for_byte(protocol: Protocol, streamed: bool) -> None:
    async def scenario() -> None:
        body = {**BODIES[protocol], "stream": streamed}
        async with rig(_script, mode="record", recording_key=SHARED) as it:
            url, headers = it.url + PATHS[protocol], {"x-api-key": TOKEN}
            async with it.client.post(url, json=body, headers=headers) as response:
                live = await response.read()
            recorded, first = list(it.recorded), it.exchanges[0]
        assert len(recorded) == 1
        answers, exchanges, accepted = await _replayed(recorded, protocol, body)
        assert (answers, accepted) == ([(200, live)], [True])
        assert exchanges[0].replayed
        assert exchanges[0].response == first.response
        assert exchanges[0].request_digest == first.request_digest
        assert exchanges[0].usage is not None and first.usage is not None
        assert exchanges[0].usage.tokens == first.usage.tokens

    asyncio.run(scenario())


def test_equal_questions_get_their_answers_in_the_order_of_the_recording() -> None:
    async def scenario() -> None:
        turns = iter(range(10))
        async with rig(lambda seen: Reply(text=f"answer {next(turns)}"), mode="record", recording_key=SHARED) as it:
            for _ in range(2):
                await it.post(Protocol.CHAT)
            recorded = list(it.recorded)
        answers, exchanges, _ = await _replayed(recorded, Protocol.CHAT, BODIES[Protocol.CHAT], times=3)
        said = [json.loads(body).get("choices", [{}])[0].get("message", {}).get("content") for _, body in answers]
        assert said == ["answer 0", "answer 1", None]
        assert (answers[2][0], exchanges[2].outcome) == (502, Outcome.REPLAY_MISS)

    asyncio.run(scenario())


def test_an_error_about_the_request_is_recorded_and_one_of_the_provider_is_not() -> None:
    async def scenario() -> None:
        for status, lines in ((400, 1), (500, 0)):
            async with rig(lambda seen, status=status: Reply(status=status), mode="record") as it:
                await it.post(Protocol.CHAT)
                assert len(it.recorded) == lines

    asyncio.run(scenario())


def test_a_miss_fails_and_is_never_asked_upstream() -> None:
    async def scenario() -> None:
        answers, exchanges, _ = await _replayed([], Protocol.MESSAGES, BODIES[Protocol.MESSAGES])
        assert answers[0][0] == 502
        assert (exchanges[0].outcome, exchanges[0].attempts) == (Outcome.REPLAY_MISS, 0)

    asyncio.run(scenario())


def test_a_recording_that_was_touched_is_a_miss() -> None:
    async def scenario() -> None:
        async with rig(_script, mode="record", recording_key=SHARED) as it:
            await it.post(Protocol.CHAT)
            (line,) = it.recorded
        for name, value in (
            ("body", line["body"].replace("answer", "anSwer")),
            ("digest", "0" * 64),
            ("trial", "other"),
            ("nth", 2),
            ("status", 201),
            ("type", "text/event-stream"),
            ("mac", "0" * 64),
            ("v", 2),
        ):
            tape = Tape(derive(SHARED))
            assert tape.load(line) is True
            assert Tape(derive(SHARED)).load({**line, name: value}) is False, name
        assert Tape(derive("another key")).load(line) is False
        assert Tape(derive(SHARED)).load({**line, "more": 1}) is False

    asyncio.run(scenario())


def test_the_recording_holds_no_key_and_its_own_key_comes_from_the_providers() -> None:
    async def scenario() -> None:
        async with rig(_script, mode="record") as it:
            await it.post(Protocol.CHAT)
            (line,) = it.recorded
        assert KEY not in json.dumps(line)
        assert Tape(derive(KEY)).load(line) is True
        assert derive(KEY) != derive(KEY + "x")

    asyncio.run(scenario())


def test_a_replay_without_any_key_is_refused_at_the_start() -> None:
    configuration = Configuration(
        listeners=(Listener(slot="s0", port=0),),
        upstreams=(Upstream(name="fake", base_url="https://x", protocols=tuple(Protocol)),),
        mode="replay",
    )
    with pytest.raises(UsageError, match="recordings need a key"):
        Gateway(configuration, Secrets(keys={}), exchanged=lambda exchange: None)
