"""A model provider on loopback that says what it is told to, in all three protocols, streamed or not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """Parsed."""
        value: dict[str, Any] = json.loads(self.raw)
        return value


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the model says, or how the provider fails. Token counts are (input, output, cache read, cache
    write)."""

    text: str = "hello"
    thinking: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    usage: tuple[int, int, int, int] | None = (100, 20, 0, 0)
    status: int = 200
    raw: bytes | None = None
    """Instead of everything above, with `content_type`."""
    content_type: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int = 1
    """Into how many deltas the text is cut."""
    delay: float = 0.0
    """Seconds before the status, as a model thinks."""
    gap: float = 0.0
    """Seconds before each event."""
    linger: float = 0.0
    """Seconds for which a stream stays open after its last event."""
    cut_after: int | None = None
    """Abort the connection after so many events; with -1 before any status."""
    model: str | None = None


Script = Callable[[Seen], Reply]


class FakeUpstream:
    """Remembers every request; `script` decides each reply."""

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script or (lambda seen: Reply())
        self.seen: list[Seen] = []
        self.open_streams = 0
        self.most_streams = 0
        self.cancelled = 0
        self.keep = True
        """Whether requests are remembered; off for measurements of memory."""
        self.url = ""

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[FakeUpstream]:
        """Serve on a port, 0 for one of the system's choice; `url` then says where."""
        server = web.Server(self._serve, access_log=None, handler_cancellation=True)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port, backlog=2048)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        raw = b"".join([chunk async for chunk in request.content.iter_any()])
        seen = Seen(path=request.path_qs, headers={k.lower(): v for k, v in request.headers.items()}, raw=raw)
        if self.keep:
            self.seen.append(seen)
        reply = self.script(seen)
        assert request.transport is not None
        if reply.cut_after == -1:
            request.transport.abort()
            return web.Response()
        await asyncio.sleep(reply.delay)
        body = seen.body
        if reply.raw is not None or reply.status != 200:
            return web.Response(
                status=reply.status,
                body=reply.raw or b'{"error":{"type":"x","message":"scripted"}}',
                headers={"content-type": reply.content_type or "application/json", **reply.headers},
            )
        if not body.get("stream"):
            await asyncio.sleep(reply.gap)
            return web.json_response(whole(seen.path, body, reply), headers=reply.headers)
        response = web.StreamResponse(
            headers={"content-type": reply.content_type or "text/event-stream", **reply.headers}
        )
        self.open_streams += 1
        self.most_streams = max(self.most_streams, self.open_streams)
        try:
            await response.prepare(request)
            for number, event in enumerate(events(seen.path, body, reply)):
                if number == reply.cut_after:
                    request.transport.abort()
                    return response
                if reply.gap:
                    await asyncio.sleep(reply.gap)
                await response.write(event)
            if reply.cut_after is not None:
                await asyncio.sleep(0.05)
                request.transport.abort()
                return response
            await asyncio.sleep(reply.linger)
            await response.write_eof()
        except (asyncio.CancelledError, ConnectionError):
            self.cancelled += 1
            raise
        finally:
            self.open_streams -= 1
        return response


def events(path: str, body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    """The stream of a reply, one encoded event at a time."""
    if path.startswith("/v1/messages"):
        return _messages_events(body, reply)
    if path.startswith("/v1/responses"):
        return _responses_events(body, reply)
    return _chat_events(body, reply)


def whole(path: str, body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The same reply, not streamed."""
    if path.startswith("/v1/messages"):
        return _message(body, reply)
    if path.startswith("/v1/responses"):
        return _response(body, reply)
    return _completion(body, reply)


def _pieces(text: str, count: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, count)))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _event(data: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _turns(body: dict[str, Any]) -> int:
    """Ids count with the conversation: a CLI takes two turns with one id for the same turn."""
    turns = body.get("messages") or body.get("input")
    return len(turns) if isinstance(turns, list) else 1


def _message(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": "c2ln"})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for number, (name, args) in enumerate(reply.calls):
        content.append({"type": "tool_use", "id": f"toolu_{_turns(body)}_{number}", "name": name, "input": args})
    return {
        "id": f"msg_{_turns(body)}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or body["model"],
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": _anthropic_usage(reply),
    }


def _anthropic_usage(reply: Reply) -> dict[str, int]:
    if reply.usage is None:
        return {}
    tokens_in, tokens_out, read, written = reply.usage
    return {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
    }


def _messages_events(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    message = _message(body, reply)
    usage = {**message["usage"], "output_tokens": 1} if reply.usage else {}
    start = {**message, "content": [], "stop_reason": None, "usage": usage}
    yield _event({"type": "message_start", "message": start}, "message_start")
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": part} for part in _pieces(block["text"], reply.pieces)]
        elif block["type"] == "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        else:
            empty = {**block, "input": {}}
            written = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in _pieces(written, 2)]
        yield _event({"type": "content_block_start", "index": index, "content_block": empty}, "content_block_start")
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
        yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
    yield _event({"type": "ping"}, "ping")
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": end, "usage": message["usage"]}, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


def _openai_usage(reply: Reply, names: tuple[str, str]) -> dict[str, Any] | None:
    if reply.usage is None:
        return None
    tokens_in, tokens_out, read, written = reply.usage
    total = tokens_in + read + written
    return {
        names[0]: total,
        f"{names[0]}_details": {"cached_tokens": read, "cache_write_tokens": written},
        names[1]: tokens_out,
        f"{names[1]}_details": {"reasoning_tokens": 0},
        "total_tokens": total + tokens_out,
    }


def _response(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        output.append({"type": "reasoning", "id": f"rs_{_turns(body)}", "summary": summary, "encrypted_content": None})
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{_turns(body)}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for number, (name, args) in enumerate(reply.calls):
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{_turns(body)}_{number}",
                "call_id": f"call_{_turns(body)}_{number}",
                "name": name,
                "arguments": json.dumps(args),
                "status": "completed",
            }
        )
    return {
        "id": f"resp_{_turns(body)}",
        "object": "response",
        "created_at": 1_795_000_000,
        "model": reply.model or body["model"],
        "status": "completed",
        "output": output,
        "tools": body.get("tools", []),
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "usage": _openai_usage(reply, ("input_tokens", "output_tokens")),
    }


def _responses_events(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    response = _response(body, reply)
    number = iter(range(1_000_000))

    def event(kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, "sequence_number": next(number), **fields}, kind)

    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=begun)
    for index, item in enumerate(response["output"]):
        where = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            yield event(
                "response.output_item.added",
                output_index=index,
                item={**item, "content": [], "status": "in_progress"},
            )
            part = item["content"][0]
            yield event("response.content_part.added", **where, content_index=0, part={**part, "text": ""})
            for piece in _pieces(part["text"], reply.pieces):
                yield event("response.output_text.delta", **where, content_index=0, delta=piece, logprobs=[])
            yield event("response.output_text.done", **where, content_index=0, text=part["text"], logprobs=[])
            yield event("response.content_part.done", **where, content_index=0, part=part)
        elif item["type"] == "function_call":
            yield event("response.output_item.added", output_index=index, item={**item, "arguments": ""})
            yield event("response.function_call_arguments.delta", **where, delta=item["arguments"])
            yield event(
                "response.function_call_arguments.done",
                **where,
                name=item["name"],
                arguments=item["arguments"],
            )
        else:
            yield event("response.output_item.added", output_index=index, item=item)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=response)


def _completion(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{_turns(body)}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for number, (name, args) in enumerate(reply.calls)
        ]
    return {
        "id": f"chatcmpl-{_turns(body)}",
        "object": "chat.completion",
        "created": 1_795_000_000,
        "model": reply.model or body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}],
        "usage": _openai_usage(reply, ("prompt_tokens", "completion_tokens")),
    }


def _chat_events(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    completion = _completion(body, reply)
    message = completion["choices"][0]["message"]

    def chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
        head = {"id": completion["id"], "object": "chat.completion.chunk", "created": completion["created"]}
        return _event({**head, "model": completion["model"], "choices": choices, **more})

    def delta(value: dict[str, Any], finish: str | None = None) -> bytes:
        return chunk([{"index": 0, "delta": value, "finish_reason": finish}])

    yield delta({"role": "assistant", "content": ""})
    if reply.thinking:
        yield delta({"reasoning_content": reply.thinking})
    for piece in _pieces(reply.text, reply.pieces):
        yield delta({"content": piece})
    for index, call in enumerate(message.get("tool_calls", [])):
        arguments = call["function"]["arguments"]
        yield delta({"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]})
        for part in _pieces(arguments, 2):
            yield delta({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield delta({}, completion["choices"][0]["finish_reason"])
    if completion["usage"] is not None:
        yield chunk([], usage=completion["usage"])
    yield b"data: [DONE]\n\n"


@contextmanager
def on_a_thread(fake: FakeUpstream) -> Iterator[FakeUpstream]:
    """The same beside code that has no loop of its own: served until the block ends."""
    loop, started, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with fake.running():
            started.set()
            await over.wait()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield fake
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
