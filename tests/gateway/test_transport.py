"""The request line, headers and token, spoken byte by byte over a socket."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from aces_ci.core.spending.control import Limits
from aces_ci.core.spending.exchange import Outcome, Protocol
from aces_ci.gateway.lease import SPARE_LINES
from tests.gateway.rig import KEY, MESSAGES, ORDER, TOKEN, Rig, rig

BODY = json.dumps(MESSAGES).encode()
HONEST = [
    "host: x",
    f"x-api-key: {TOKEN}",
    "content-type: application/json",
    f"content-length: {len(BODY)}",
]


async def _raw(it: Rig, line: str, rows: list[str], body: bytes = BODY) -> bytes:
    host, port = it.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write("\r\n".join([line, *rows, "", ""]).encode("latin-1") + body)
        await writer.drain()
        async with asyncio.timeout(5):
            return await reader.readuntil(b"\r\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    finally:
        writer.close()


POST = "POST /v1/messages HTTP/1.1"
TRANSPORT = {
    "both framings": (POST, [*HONEST, "transfer-encoding: chunked"]),
    "chunked": (POST, [*HONEST[:3], "transfer-encoding: chunked"]),
    "two lengths": (POST, [*HONEST, "content-length: 1"]),
    "two equal lengths": (POST, [*HONEST, f"content-length: {len(BODY)}"]),
    "a signed length": (POST, [*HONEST[:3], f"content-length: +{len(BODY)}"]),
    "no length": (POST, HONEST[:3]),
    "a huge length": (POST, [*HONEST[:3], "content-length: 99999999999"]),
    "two keys": (POST, [*HONEST, f"x-api-key: {TOKEN}"]),
    "two authorizations": (POST, [*HONEST, "authorization: Bearer a", "authorization: Bearer b"]),
    "two hosts": (POST, [*HONEST, "host: y"]),
    "two content types": (POST, [*HONEST, "content-type: text/plain"]),
    "a form": (POST, [HONEST[0], HONEST[1], "content-type: text/plain", HONEST[3]]),
    "compressed": (POST, [*HONEST, "content-encoding: gzip"]),
    "upgrade": (POST, [*HONEST, "connection: upgrade", "upgrade: websocket"]),
    "expect": (POST, [*HONEST, "expect: 100-continue"]),
    "trailers": (POST, [*HONEST, "te: trailers", "trailer: x"]),
    "a folded header": (POST, [*HONEST, "x-a: b", " c: d"]),
    "a bare carriage return": (POST, [*HONEST, "x-a: b\rx-api-key: c"]),
    "a space before the colon": (POST, [*HONEST, "content-length : 5"]),
    "too many header bytes": (POST, [*HONEST, *(f"x-{number}: {'a' * 8000}" for number in range(9))]),
    "too many headers": (POST, [*HONEST, *(f"x-{number}: a" for number in range(200))]),
    "absolute form": ("POST http://evil.example/v1/messages HTTP/1.1", HONEST),
    "an encoded path": ("POST /v1/%6dessages HTTP/1.1", HONEST),
    "dots in the path": ("POST /v1/x/../messages HTTP/1.1", HONEST),
    "a double slash": ("POST //v1/messages HTTP/1.1", HONEST),
    "another query": ("POST /v1/messages?beta=false HTTP/1.1", HONEST),
    "a query where none is known": ("POST /v1/responses?x=1 HTTP/1.1", HONEST),
    "a fragment": ("POST /v1/messages#x HTTP/1.1", HONEST),
    "another method": ("PUT /v1/messages HTTP/1.1", HONEST),
    "connect": ("CONNECT evil.example:443 HTTP/1.1", HONEST),
    "batches": ("POST /v1/messages/batches HTTP/1.1", HONEST),
    "count tokens": ("POST /v1/messages/count_tokens HTTP/1.1", HONEST),
    "files": ("POST /v1/files HTTP/1.1", HONEST),
    "a stored response": ("GET /v1/responses/resp_1 HTTP/1.1", HONEST),
    "compact": ("POST /v1/responses/compact HTTP/1.1", HONEST),
    "embeddings": ("POST /v1/embeddings HTTP/1.1", HONEST),
    "organisation": ("GET /v1/organizations/me HTTP/1.1", HONEST),
    "vector stores": ("POST /v1/vector_stores HTTP/1.1", HONEST),
    "not HTTP": ("GIMME MODEL", HONEST),
}


def test_no_trick_of_framing_or_target_is_forwarded() -> None:
    async def scenario() -> None:
        async with rig() as it:
            for name, (line, rows) in TRANSPORT.items():
                status = await _raw(it, line, rows)
                assert not status or status.split()[1][:1] == b"4", (name, status)
            assert it.upstream.seen == []
            # Each one is in the record, also what the parser itself refused and what no handler has seen.
            assert len(it.exchanges) == len(TRANSPORT)
            assert {exchange.outcome for exchange in it.exchanges} == {Outcome.REFUSED}
            assert (await _raw(it, POST, HONEST)).startswith(b"HTTP/1.1 200")
            assert len(it.upstream.seen) == 1

    asyncio.run(scenario())


NO_REQUEST = ("not HTTP", "a signed length", "a space before the colon", "both framings")
"""What aiohttp's parser refuses by itself: no handler is ever called."""


def test_what_is_no_request_is_recorded_by_its_kind_and_never_by_its_words() -> None:
    async def scenario() -> None:
        async with rig(limits=Limits(max_output=1000, requests=3)) as it:
            for name in NO_REQUEST:
                line, rows = TRANSPORT[name]
                assert (await _raw(it, line, [*rows, "x-mark: of-the-sandbox"])).split()[1] == b"403", name
                told = it.exchanges[-1]
                assert (told.endpoint, told.outcome, told.charged_micros) == ("malformed", Outcome.REFUSED, None)
                assert told.refusal is not None and told.refusal.field == "framing"
                assert "no HTTP request (" in told.refusal.reason and TOKEN not in repr(told)
                assert "GIMME" not in repr(told) and "of-the-sandbox" not in repr(told)
            for _ in range(2 * SPARE_LINES):
                await _raw(it, *TRANSPORT["not HTTP"])
            assert len(it.exchanges) <= 3 + SPARE_LINES, "a flood of them does not fill the record"
            record = await it.gateway.disarm("s0")
            assert record.exchanges == len(it.exchanges)
            assert (await _raw(it, *TRANSPORT["not HTTP"])).split()[1] == b"403"
            assert record.exchanges == len(it.exchanges), "nobody holds the slot: there is no record to be in"
            assert it.upstream.seen == []

    asyncio.run(scenario())


def test_a_header_that_may_not_come_is_refused_by_its_name() -> None:
    names = {
        "chunked": "transfer-encoding",
        "compressed": "content-encoding",
        "upgrade": "upgrade",
        "expect": "expect",
        "trailers": "trailer",
        "two keys": "x-api-key",
        "two authorizations": "authorization",
        "a form": "content-type",
    }

    async def scenario() -> None:
        async with rig() as it:
            for case, name in names.items():
                chunk = f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n\r\n"
                await _raw(it, *TRANSPORT[case], chunk if case == "chunked" else BODY)
                refusal = it.exchanges[-1].refusal
                assert refusal is not None and refusal.field == f"header {name}", case
            assert len(it.exchanges) == len(names)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "rows",
    [
        [],
        ["x-api-key: "],
        ["x-api-key: wrong-token-wrong-token"],
        [f"x-api-key: {TOKEN} "[:-2]],
        [f"authorization: Basic {TOKEN}"],
        [f"authorization: Bearer {TOKEN}x"],
        [f"x-api-key: {TOKEN}", "authorization: Bearer another-token-entirely"],
    ],
)
def test_only_the_armed_token_opens_a_slot(rows: list[str]) -> None:
    async def scenario() -> None:
        async with rig() as it:
            status = await _raw(it, POST, [HONEST[0], *rows, *HONEST[2:]])
            assert status.startswith(b"HTTP/1.1 401"), status
            record = await it.gateway.disarm("s0")
            assert (record.unauthorised, record.exchanges, it.upstream.seen) == (1, 0, [])

    asyncio.run(scenario())


def test_a_token_is_worth_nothing_on_another_slot_and_after_its_trial() -> None:
    async def scenario() -> None:
        async with rig(slots=2) as it:
            other = f"{it.urls[1]}/v1/messages"
            async with it.client.post(other, json=MESSAGES, headers={"x-api-key": TOKEN}) as response:
                assert response.status == 401
            await it.gateway.disarm("s0")
            status, _ = await it.post(Protocol.MESSAGES)
            assert status == 401
            assert it.upstream.seen == []

    asyncio.run(scenario())


def test_a_request_whose_trial_ended_while_its_body_came_is_not_forwarded() -> None:
    async def scenario() -> None:
        async with rig() as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write("\r\n".join([POST, *HONEST, "", ""]).encode() + BODY[:20])
            await writer.drain()
            await asyncio.sleep(0.05)
            record = await it.gateway.disarm("s0")
            it.gateway.arm(replace(ORDER, trial="the-next", token="n" * 32))
            writer.write(BODY[20:])
            async with asyncio.timeout(5):
                assert b" 401 " in await reader.readuntil(b"\r\n")
            writer.close()
            assert not it.upstream.seen and not it.exchanges
            assert record.forwarded == (await it.gateway.disarm("s0")).forwarded == 0

    asyncio.run(scenario())


def test_bearer_and_key_header_both_work_and_the_token_never_goes_on() -> None:
    async def scenario() -> None:
        async with rig() as it:
            for header in ({"x-api-key": TOKEN}, {"authorization": f"Bearer {TOKEN}"}):
                url = f"{it.url}/v1/messages?beta=true"
                more = {
                    "anthropic-beta": "claude-code-20250219,context-1m-2025-08-07,files-api-2025-04-14",
                    "anthropic-organization": "org",
                    "cookie": "a=b",
                    "x-stainless-os": "Linux",
                    "user-agent": "agent",
                    "anthropic-version": "2099-01-01",
                }
                async with it.client.post(url, json=MESSAGES, headers=header | more) as response:
                    assert response.status == 200
            for seen in it.upstream.seen:
                assert seen.path == "/v1/messages"
                assert {**seen.headers, "host": "", "content-length": ""} == {
                    "host": "",
                    "content-length": "",
                    "content-type": "application/json",
                    "accept": "application/json",
                    "accept-encoding": "identity",
                    "user-agent": "aces-ci-gateway",
                    "anthropic-version": "2023-06-01",
                    "anthropic-beta": "claude-code-20250219",
                    "x-api-key": KEY,
                }
            assert it.exchanges[0].drops == ("beta:context-1m-2025-08-07", "beta:files-api-2025-04-14")

    asyncio.run(scenario())


def test_what_a_cli_asks_before_it_works_is_answered_here() -> None:
    async def scenario() -> None:
        async with rig() as it:
            async with it.client.head(f"{it.url}/api/hello") as response:
                assert response.status == 200
            async with it.client.get(f"{it.url}/v1/models") as response:
                assert response.status == 401
            async with it.client.get(f"{it.url}/v1/models", headers={"x-api-key": TOKEN}) as response:
                assert [row["id"] for row in (await response.json())["data"]] == [ORDER.model]
            assert (it.upstream.seen, it.exchanges) == ([], [])

    asyncio.run(scenario())
