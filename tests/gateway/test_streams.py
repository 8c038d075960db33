"""Streams: what is delivered, what is held back, and what the record says when one end goes away."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from aces_ci.core.spending.exchange import INFRA_OUTCOMES, Outcome, Protocol
from aces_ci.gateway import relay
from tests.fakes.upstream import Reply, events
from tests.gateway.rig import BODIES, CHAT, MESSAGES, PATHS, TOKEN, Rig, rig

STARTED = {"type": "content_block_start", "index": 0}
ADDED = {"type": "response.output_item.added", "output_index": 0}
COMPLETED = {"type": "response.completed"}
FULL = Reply(
    text="hello wörld \N{GRINNING FACE}",
    thinking="let me see",
    calls=(("sh", {"cmd": "ls", "n": [1, 2]}), ("read", {"path": "a"})),
    pieces=4,
    usage=(100, 20, 30, 7),
)


def _texts(data: bytes) -> list[str]:
    rows = [line.removeprefix("data: ") for line in data.decode().split("\n") if line.startswith("data: ")]
    return [row if row == "[DONE]" else json.loads(row) for row in rows]


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_stream_arrives_event_by_event_as_the_provider_wrote_it(protocol: Protocol) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: FULL) as it:
            delivered = await it.stream(protocol)
            sent = b"".join(events(PATHS[protocol], it.upstream.seen[0].body, FULL))
            assert _texts(delivered) == _texts(sent)
            assert it.exchanges[0].outcome is Outcome.COMPLETE

    asyncio.run(scenario())


@pytest.mark.parametrize("protocol", list(Protocol))
def test_streamed_and_whole_answers_leave_the_same_record(protocol: Protocol) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: FULL, caps={"run": 10**9}) as it:
            await it.stream(protocol)
            await it.post(protocol)
            streamed, whole = it.exchanges
            assert streamed.usage == whole.usage
            assert streamed.usage is not None
            assert (streamed.usage.input_tokens, streamed.usage.output_tokens) == (100, 20)
            assert (streamed.usage.cache_read_tokens, streamed.usage.cache_write_tokens) == (30, 7)
            assert streamed.charged_micros == 100 * 3 + 20 * 15 + 30 * 300 // 1000 + -(-7 * 3750 // 1000)
            assert streamed.resolved_model == whole.resolved_model == "test-model"
            said_streamed, said_whole = _said(streamed.response), _said(whole.response)
            assert said_streamed == said_whole != {}

    asyncio.run(scenario())


def _said(response):  # type: ignore[no-untyped-def]
    if "content" in response:
        return response["content"]
    if "output" in response:
        return response["output"]
    return response["choices"][0]["message"]


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_stream_cut_by_the_provider_is_its_fault_and_is_cut_for_the_sandbox_as_well(
    protocol: Protocol,
) -> None:
    async def scenario() -> None:
        cut = Reply(text="a long text", pieces=5, cut_after=4)
        async with rig(lambda seen: cut) as it:
            url, body = it.url + PATHS[protocol], {**BODIES[protocol], "stream": True}
            with pytest.raises(Exception, match=r"payload|disconnected|reset"):
                async with it.client.post(url, json=body, headers={"x-api-key": TOKEN}) as response:
                    await response.read()
            exchange = it.exchanges[0]
            assert exchange.outcome in INFRA_OUTCOMES
            assert exchange.response is not None
            assert len(it.upstream.seen) == 1, "nothing is asked again after the first byte"
            assert (await it.gateway.disarm("s0")).infra

    asyncio.run(scenario())


def test_items_of_a_server_that_numbers_nothing_are_told_apart_by_their_ids() -> None:
    """Local model servers send no output_index and leave the final output to the items."""

    async def scenario() -> None:
        items = [{"type": "message", "id": f"msg_{number}", "role": "assistant", "content": []} for number in range(3)]
        rows: list[dict[str, object]] = [{"type": "response.created", "response": {"id": "r", "model": "m"}}]
        rows += [{"type": "response.output_item.done", "item": item} for item in items]
        usage = {"input_tokens": 3, "output_tokens": 2}
        rows.append({"type": "response.completed", "response": {"model": "m", "output": [], "usage": usage}})
        raw = b"".join(b"data: " + json.dumps(row).encode() + b"\n\n" for row in rows)
        async with rig(lambda seen: Reply(raw=raw, content_type="text/event-stream")) as it:
            await it.stream(Protocol.RESPONSES)
            exchange = it.exchanges[0]
            assert exchange.outcome is Outcome.COMPLETE
            assert exchange.response is not None and exchange.response["output"] == items
            assert exchange.usage is not None and exchange.usage.tokens == 5

    asyncio.run(scenario())


def test_a_stream_that_only_stops_is_not_complete() -> None:
    """The provider closes cleanly, but never said that the turn is over."""

    async def scenario() -> None:
        begun = b"".join(list(events("/v1/messages", MESSAGES, Reply(text="half")))[:3])
        reply = Reply(raw=begun, content_type="text/event-stream")
        async with rig(lambda seen: reply) as it:
            await it.stream(Protocol.MESSAGES)
            assert it.exchanges[0].outcome is Outcome.UPSTREAM_FAILED
            assert it.exchanges[0].because == "the stream ended too early"

    asyncio.run(scenario())


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_sandbox_that_goes_away_ends_the_request_to_the_provider(protocol: Protocol) -> None:
    async def scenario() -> None:
        slow = Reply(text="x" * 100, pieces=100, gap=0.05)
        async with rig(lambda seen: slow, caps={"run": 10**9}) as it:
            await _read_a_little_and_leave(it, protocol)
            for _ in range(100):
                if it.exchanges and it.upstream.cancelled:
                    break
                await asyncio.sleep(0.02)
            assert it.exchanges[0].outcome is Outcome.ABANDONED
            assert it.exchanges[0].charged_micros == it.exchanges[0].reserved_micros
            assert it.upstream.cancelled == 1
            assert not (await it.gateway.disarm("s0")).infra, "the agent's own doing is never infrastructure"

    asyncio.run(scenario())


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_cli_that_hangs_up_after_the_last_event_pays_what_it_used(protocol: Protocol) -> None:
    """The provider keeps the connection open; the client has all it wants and leaves."""

    async def scenario() -> None:
        async with rig(lambda seen: Reply(linger=30.0), caps={"run": 10**9}) as it:
            url, body = it.url + PATHS[protocol], {**BODIES[protocol], "stream": True}
            response = await it.client.post(url, json=body, headers={"x-api-key": TOKEN})
            taken = b""
            last = {Protocol.MESSAGES: b"message_stop", Protocol.CHAT: b"[DONE]"}
            while last.get(protocol, b"response.completed") not in taken:
                taken += await response.content.readany()
            response.close()
            for _ in range(100):
                if it.exchanges:
                    break
                await asyncio.sleep(0.02)
            exchange = it.exchanges[0]
            assert exchange.outcome is Outcome.COMPLETE
            assert exchange.charged_micros == 100 * 3 + 20 * 15

    asyncio.run(scenario())


def test_a_provider_that_breaks_off_after_the_last_event_has_answered() -> None:
    async def scenario() -> None:
        count = len(list(events("/v1/messages", MESSAGES, Reply())))
        async with rig(lambda seen: Reply(cut_after=count)) as it:
            await it.stream(Protocol.MESSAGES)
            assert it.exchanges[0].outcome is Outcome.COMPLETE

    asyncio.run(scenario())


def test_taking_a_slot_back_cancels_settles_and_records_what_is_in_flight() -> None:
    async def scenario() -> None:
        slow = Reply(text="x" * 100, pieces=100, gap=0.05)
        async with rig(lambda seen: slow, caps={"run": 10**9}) as it:
            running = asyncio.create_task(it.stream(Protocol.CHAT))
            while not it.upstream.open_streams:
                await asyncio.sleep(0.01)
            record = await it.gateway.disarm("s0")
            await running
            assert (record.forwarded, record.unsettled) == (1, 1)
            assert it.exchanges[0].outcome is Outcome.ABANDONED
            assert it.gateway.ledger.account("run").held == 0

    asyncio.run(scenario())


def test_a_slow_reader_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "WRITE_SECONDS", 0.2)

    async def scenario() -> None:
        flood = Reply(text="x" * 20_000_000, pieces=200)
        async with rig(lambda seen: flood) as it:
            host, port = it.url.removeprefix("http://").split(":")
            raw = socket.socket()
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(raw, (host, int(port)))
            body = json.dumps({**CHAT, "stream": True}).encode()
            head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-api-key: {TOKEN}\r\n"
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            await loop.sock_sendall(raw, head.encode() + body)
            for _ in range(200):
                if it.exchanges:
                    break
                await asyncio.sleep(0.05)
            raw.close()
            assert it.exchanges[0].because == "the sandbox stopped reading"
            assert it.exchanges[0].outcome is Outcome.ABANDONED

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("protocol", "event"),
    [
        (Protocol.MESSAGES, {**STARTED, "content_block": {"type": "server_tool_use"}}),
        (Protocol.MESSAGES, {**STARTED, "content_block": {"type": "web_search_tool_result"}}),
        (Protocol.RESPONSES, {**ADDED, "item": {"type": "web_search_call"}}),
        (Protocol.RESPONSES, {"type": "response.web_search_call.searching", "output_index": 0}),
        (Protocol.RESPONSES, {"type": "response.mcp_call.in_progress"}),
        (Protocol.RESPONSES, {**COMPLETED, "response": {"output": [{"type": "code_interpreter_call"}]}}),
        (Protocol.CHAT, {"choices": [{"index": 0, "delta": {"annotations": [{"type": "url_citation"}]}}]}),
        (Protocol.CHAT, {"choices": [{"index": 1, "delta": {"content": "x"}}]}),
        (Protocol.MESSAGES, {"no": "type"}),
        (Protocol.RESPONSES, {"no": "type"}),
        (Protocol.CHAT, {"no": "choices"}),
    ],
)
def test_a_hosted_tool_in_the_answer_is_a_surprise_that_is_not_delivered(
    protocol: Protocol, event: dict[str, object]
) -> None:
    async def scenario() -> None:
        first = next(iter(events(PATHS[protocol], BODIES[protocol], Reply())))
        raw = first + b"data: " + json.dumps(event).encode() + b"\n\n" + b"data: {}\n\n"
        reply = Reply(raw=raw, content_type="text/event-stream")
        async with rig(lambda seen: reply) as it:
            delivered = await it.stream(protocol)
            assert it.exchanges[0].outcome is Outcome.SURPRISE, it.exchanges[0]
            assert json.dumps(event).encode() not in delivered

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (Protocol.MESSAGES, {"type": "message", "content": [{"type": "server_tool_use"}]}),
        (Protocol.RESPONSES, {"object": "response", "output": [{"type": "file_search_call"}]}),
        (Protocol.CHAT, {"choices": [{"message": {"annotations": [{}]}}]}),
        (Protocol.CHAT, {"choices": [{}, {}]}),
        (Protocol.RESPONSES, {"object": "conversation"}),
        (Protocol.MESSAGES, {"type": "completion"}),
    ],
)
def test_a_whole_answer_is_looked_at_as_well(protocol: Protocol, body: dict[str, object]) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: Reply(raw=json.dumps(body).encode())) as it:
            status, _ = await it.post(protocol)
            assert (status, it.exchanges[0].outcome) == (502, Outcome.SURPRISE)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b"<html>", content_type="text/html"),
        Reply(raw=b'{"a":1,"a":2}'),
        Reply(raw=b"\xff\xfe"),
        Reply(raw=b""),
    ],
)
def test_an_answer_that_is_not_the_protocol_is_not_delivered(reply: Reply) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: reply) as it:
            status, body = await it.post(Protocol.RESPONSES)
            assert (status, it.exchanges[0].outcome) == (502, Outcome.SURPRISE)
            assert "html" not in json.dumps(body["error"]) or "type" in body["error"]["message"]

    asyncio.run(scenario())


async def _read_a_little_and_leave(it: Rig, protocol: Protocol) -> None:
    url, body = it.url + PATHS[protocol], {**BODIES[protocol], "stream": True}
    response = await it.client.post(url, json=body, headers={"x-api-key": TOKEN})
    await response.content.readany()
    response.close()
