"""What the model gateway costs: added latency, many streams at once, memory over many requests.

`python -m benchmarks.gateway [latency] [streams] [memory]` starts the real gateway process (unix sockets, as for a
sandbox) before a scripted provider in a process of its own, and prints the figures beside the direct way, measured
in turns in the same run. Targets: under 10 ms median a request and 20 ms to the first byte at concurrency 4 or
less; 1,000 streams, none dropped, at most twice the direct wall time; memory flat over 10,000 requests.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp

from aces_ci.core.spending.control import (
    ArmSlot,
    Cap,
    Configuration,
    Expectation,
    Limits,
    Listener,
    Noted,
    Secrets,
    Upstream,
    to_control,
)
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trial import Arm
from tests.fakes.upstream import FakeUpstream, Reply
from tests.gateway.rig import MODEL, PRICE, TOKEN

SLOTS = 20
RESERVED = b'{"event":"reserved"'
STREAMS = 1000
EVENTS = 25
GAP = 0.2
"""Seconds between events of a stream: five a second, as a model of moderate speed coalesces them."""
THINKING = 0.25
"""Seconds."""
LINES = "\n".join(f"line {number} of a tool result or a system prompt" for number in range(20))


def body(kilobytes: int, *, stream: bool) -> bytes:
    """A Messages request of about this size, in turns as an agent makes them."""
    turns = [{"role": "user", "content": [{"type": "text", "text": LINES}]} for _ in range(kilobytes)]
    tools = [
        {"name": f"tool_{number}", "description": LINES, "input_schema": {"type": "object"}} for number in range(8)
    ]
    whole: dict[str, Any] = {
        "model": MODEL,
        "max_tokens": 1000,
        "messages": turns,
        "tools": tools,
        "stream": stream,
    }
    return json.dumps(whole).encode()


def provide(pipe: Connection, reply: Reply) -> None:
    """The scripted provider's process; ends when its pipe does."""

    async def serve() -> None:
        upstream = FakeUpstream(lambda seen: reply)
        upstream.keep = False
        async with upstream.running():
            pipe.send(upstream.url)
            await asyncio.to_thread(pipe.poll, None)

    asyncio.run(serve())


@contextmanager
def provider(reply: Reply) -> Iterator[str]:
    """Its URL."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=provide, args=(theirs, reply), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.close()
        process.terminate()
        process.join()


@dataclass
class Way:
    """One way to the provider: a client and a URL for each slot, or one for the direct way."""

    clients: list[aiohttp.ClientSession]
    url: str
    pid: int = 0
    events: list[int] | None = None


@contextmanager
def gateway(url: str, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[Path], list[int]]]:
    """The gateway process, all slots armed; the count of events that it wrote."""
    paths = [folder / f"s{number}.sock" for number in range(SLOTS)]
    orders: list[Any] = [
        Secrets(keys={"fake": "sk-benchmark-0123456789"}),
        Configuration(
            listeners=tuple(Listener(slot=path.stem, path=str(path)) for path in paths),
            upstreams=(Upstream(name="fake", base_url=url, protocols=tuple(Protocol), insecure=True),),
            prices=(PRICE,),
            journal=True,
        ),
        *(
            ArmSlot(
                slot=path.stem,
                trial=path.stem,
                token=TOKEN,
                arm=Arm.BASELINE,
                model=MODEL,
                upstream="fake",
                caps=(Cap(scope="run", usd_micros=10**12), Cap(scope=path.stem, usd_micros=10**12)),
                limits=Limits(concurrent=60, requests=10**9, request_bytes=10**15),
                expectation=Expectation(absent=("the text of a skill that is not there",), unlisted=("skill-x",)),
            )
            for path in paths
        ),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "aces_ci", "gateway"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write("".join(to_control(order) + "\n" for order in orders).encode())
        process.stdin.flush()
        for _ in range(SLOTS + 1):
            process.stdout.readline()
        written = [0]

        def drain() -> None:
            """As the driver does: a payment that is written down is answered, and then the request goes out."""
            assert process.stdout and process.stdin
            with (folder / "spending.jsonl").open("ab", buffering=0) as book:
                for line in process.stdout:
                    written[0] += 1
                    if line.startswith(RESERVED):
                        told = json.loads(line)
                        book.write(line)
                        answer = to_control(Noted(slot=told["slot"], number=told["number"]))
                        process.stdin.write(answer.encode() + b"\n")
                        process.stdin.flush()

        threading.Thread(target=drain, daemon=True).start()
        try:
            yield process, paths, written
        finally:
            process.stdin.close()
            process.wait(20)


@asynccontextmanager
async def ways(reply: Reply) -> AsyncIterator[tuple[Way, Way]]:
    """The direct way and the way through the gateway."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(provider(reply))
        process, paths, written = stack.enter_context(gateway(url, folder))
        direct = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
        through = [
            await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path), limit=0)))
            for path in paths
        ]
        yield Way([direct], url), Way(through, "http://gateway", process.pid, written)


async def ask(way: Way, number: int, data: bytes) -> tuple[float, float, bool]:
    """One request: seconds to the first byte, seconds in all, and whether it came whole."""
    client = way.clients[number % len(way.clients)]
    start = time.perf_counter()
    headers = {"x-api-key": TOKEN, "content-type": "application/json"}
    first = 0.0
    tail = b""
    try:
        async with client.post(f"{way.url}/v1/messages", data=data, headers=headers) as response:
            async for chunk in response.content.iter_any():
                first = first or time.perf_counter() - start
                tail = (tail + chunk)[-200:]
            whole = response.status == 200 and (b"message_stop" in tail or b"usage" in tail)
    except aiohttp.ClientError:
        whole = False
    return first, time.perf_counter() - start, whole


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has used; hardly moved by what else the machine does."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def paced(direct: Way, through: Way, data: bytes, concurrency: int) -> dict[str, list[tuple[float, float]]]:
    """Each of `concurrency` agents asks on its own time, the direct way and through the gateway in turns."""
    taken: dict[str, list[tuple[float, float]]] = {"direct": [], "gateway": []}

    async def agent(number: int) -> None:
        chance = random.Random(number)
        for round_number in range(120 // concurrency):
            for name, way in (("direct", direct), ("gateway", through)):
                await asyncio.sleep(chance.uniform(0, THINKING))
                first, whole, came = await ask(way, number, data)
                assert came
                if round_number > 1:
                    taken[name].append((first, whole))

    await asyncio.gather(*(agent(number) for number in range(concurrency)))
    return taken


async def latency() -> None:
    """What the gateway adds to a provider that thinks for a while, at concurrency 1 and 4."""
    print(f"\nlatency: added by the gateway, milliseconds; the provider thinks for {THINKING * 1000:.0f}")
    async with ways(Reply(text="a short answer", pieces=3, delay=THINKING)) as (direct, through):
        for kilobytes, streamed in itertools.product((5, 100), (False, True)):
            data = body(kilobytes, stream=streamed)
            for concurrency in (1, 4):
                before = cpu(through.pid)
                taken = await paced(direct, through, data, concurrency)
                spent = (cpu(through.pid) - before) / (120 // concurrency * concurrency) * 1000
                what = 0 if streamed else 1
                far, near = ([row[what] * 1000 for row in taken[name]] for name in ("gateway", "direct"))
                added = statistics.median(far) - statistics.median(near)
                kind = "first byte of a stream" if streamed else "whole request"
                print(
                    f"  {len(data) // 1000:4d} kB, {kind:22s}, concurrency {concurrency}: median {added:5.1f}"
                    f"   (n={len(far)}, processor time {spent:.1f} a request)"
                )


async def streams() -> None:
    """A thousand streams at once."""
    reply = Reply(text="word " * EVENTS, pieces=EVENTS, gap=GAP)
    data = body(5, stream=True)
    print(f"\nstreams: {STREAMS} at once, each about {EVENTS + 6} events, one in {GAP} s")
    async with ways(reply) as (direct, through):
        walls = {}
        for name, way in (("direct", direct), ("gateway", through)):
            start = time.perf_counter()
            rows = await asyncio.gather(*(ask(way, number, data) for number in range(STREAMS)))
            walls[name] = time.perf_counter() - start
            dropped = sum(not whole for _, _, whole in rows)
            print(f"  {name:8s} {walls[name]:6.2f} s, dropped {dropped}")
        print(f"  ratio    {walls['gateway'] / walls['direct']:6.2f}")


async def memory() -> None:
    """Resident memory of the gateway over ten thousand requests."""
    print("\nmemory: resident megabytes of the gateway after so many requests (100 kB each)")
    async with ways(Reply(text="a short answer", pieces=3)) as (_, through):
        data = body(100, stream=True)
        status = Path(f"/proc/{through.pid}/status")
        done = 0
        sizes = []
        while done < 10_000:
            rows = await asyncio.gather(*(ask(through, number, data) for number in range(20)))
            assert all(whole for _, _, whole in rows)
            done += 20
            if done % 1000 == 0:
                line = next(row for row in status.read_text().splitlines() if row.startswith("VmRSS"))
                sizes.append(int(line.split()[1]) / 1024)
                print(f"  {done:6d}  {sizes[-1]:7.1f}")
        assert through.events is not None
        print(f"  growth from 2,000 to 10,000: {sizes[-1] - sizes[1]:+.1f} MB; {through.events[0]} events written")


def main() -> None:
    """Run the parts that are named, or all."""
    parts = {"latency": latency, "streams": streams, "memory": memory}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name in sys.argv[1:] or list(parts):
        asyncio.run(parts[name]())


if __name__ == "__main__":
    main()
