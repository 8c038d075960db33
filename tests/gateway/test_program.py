"""The gateway as the driver runs it: a process, orders in, events out, a unix socket between."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import (
    ArmSlot,
    Cap,
    Configuration,
    Control,
    DisarmSlot,
    Limits,
    Listener,
    Noted,
    Secrets,
    Upstream,
    from_control,
    to_control,
)
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol, TrialRecord, from_event, to_event
from aces_ci.core.trial import Arm
from aces_ci.gateway.gateway import Gateway
from aces_ci.gateway.outbox import Outbox
from aces_ci.gateway.program import begin
from tests.fakes.upstream import FakeUpstream, Reply
from tests.gateway.rig import KEY, MESSAGES, MODEL, ORDER, PRICE, TOKEN, rig


class Process:
    """A running `aces-ci gateway`."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        self.lines: list[str] = []

    def tell(self, order: Control) -> None:
        """Send one order."""
        assert self.child.stdin is not None
        self.child.stdin.write(to_control(order).encode() + b"\n")
        self.child.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next event."""
        assert self.child.stdout is not None
        line = self.child.stdout.readline().decode()
        assert line, "the gateway ended"
        self.lines.append(line)
        event: dict[str, Any] = json.loads(line)
        return event


@contextmanager
def process() -> Iterator[Process]:
    """A gateway process with an empty environment; killed at the end if it is still there."""
    with subprocess.Popen(
        [sys.executable, "-m", "aces_ci", "gateway"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path.cwd())},
    ) as child:
        try:
            yield Process(child)
        finally:
            child.kill()


def _configuration(url: str, *listeners: Listener) -> Configuration:
    return Configuration(
        listeners=listeners,
        upstreams=(Upstream(name="fake", base_url=url, protocols=tuple(Protocol), insecure=True),),
        prices=(PRICE,),
    )


def test_a_trial_from_arming_to_its_record_over_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "gw.sock"

    async def scenario() -> None:
        async with FakeUpstream(lambda seen: Reply(text="hi", status=200)).running() as upstream:
            with process() as gateway:
                gateway.tell(Secrets(keys={"fake": KEY}))
                gateway.tell(_configuration(upstream.url, Listener(slot="s0", path=str(path))))
                ready = await asyncio.to_thread(gateway.hear)
                assert ready["event"] == "ready" and ready["listeners"][0]["path"] == str(path)
                mode = path.stat().st_mode
                assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660
                gateway.tell(
                    ArmSlot(
                        slot="s0",
                        trial="t" * 64,
                        token=TOKEN,
                        arm=Arm.BASELINE,
                        model=MODEL,
                        upstream="fake",
                        caps=(Cap(scope="run", usd_micros=10**6),),
                    )
                )
                assert (await asyncio.to_thread(gateway.hear))["event"] == "armed"
                connector = aiohttp.UnixConnector(str(path))
                async with aiohttp.ClientSession(connector=connector) as client:
                    for body in (MESSAGES, {**MESSAGES, "container": "x"}):
                        async with client.post(
                            "http://gateway/v1/messages", json=body, headers={"x-api-key": TOKEN}
                        ) as response:
                            await response.read()
                gateway.tell(DisarmSlot(slot="s0"))
                heard = [await asyncio.to_thread(gateway.hear) for _ in range(3)]
                assert [event["event"] for event in heard] == ["exchange", "exchange", "disarmed"]
                parsed = [from_event(line) for line in gateway.lines]
                exchanges = [item for item in parsed if isinstance(item, Exchange)]
                records = [item for item in parsed if isinstance(item, TrialRecord)]
                assert [item.outcome for item in exchanges] == [Outcome.COMPLETE, Outcome.REFUSED]
                assert records[0].charged_micros == exchanges[0].charged_micros == 600
                assert upstream.seen[0].headers["x-api-key"] == KEY

                # The canary: in no argument, no environment, no open file's name, nothing written.
                proc = Path(f"/proc/{gateway.child.pid}")
                for name in ("cmdline", "environ"):
                    assert KEY.encode() not in (proc / name).read_bytes()
                assert gateway.child.stdin is not None
                gateway.child.stdin.close()
                assert await asyncio.to_thread(gateway.child.wait, 10) == 0
                assert gateway.child.stderr is not None
                written = "".join(gateway.lines) + gateway.child.stderr.read().decode()
                assert KEY not in written
                assert MODEL in written, "the positive control: the same search finds what is there"
                assert not path.exists()

    asyncio.run(scenario())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_goes_out_before_the_driver_has_written_down_what_it_may_cost(tmp_path: Path) -> None:
    """One request that is noted and forwarded, one that is taken back while it waits, one without money."""
    path = tmp_path / "gw.sock"

    async def scenario() -> None:
        async with FakeUpstream(lambda seen: Reply(text="hi", status=200)).running() as upstream:
            with process() as gateway:
                gateway.tell(Secrets(keys={"fake": KEY}))
                configured = _configuration(upstream.url, Listener(slot="s0", path=str(path)))
                gateway.tell(replace(configured, journal=True))
                assert (await asyncio.to_thread(gateway.hear))["event"] == "ready"
                caps = (Cap(scope="run", usd_micros=10**6),)
                gateway.tell(replace(ORDER, caps=caps))
                assert (await asyncio.to_thread(gateway.hear))["event"] == "armed"

                async def ask() -> int:
                    async with (
                        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as client,
                        client.post("http://g/v1/messages", json=MESSAGES, headers={"x-api-key": TOKEN}) as response,
                    ):
                        return response.status

                first = asyncio.create_task(ask())
                reserved = await asyncio.to_thread(gateway.hear)
                assert (reserved["event"], reserved["number"]) == ("reserved", 1) and reserved["micros"] > 0
                await asyncio.sleep(0.2)
                assert upstream.seen == [], "it waits for the driver"
                gateway.tell(Noted(slot="s0", number=1))
                assert await first == 200 and len(upstream.seen) == 1
                assert (await asyncio.to_thread(gateway.hear))["event"] == "exchange"

                second = asyncio.create_task(ask())
                assert (await asyncio.to_thread(gateway.hear))["number"] == 2
                gateway.tell(DisarmSlot(slot="s0"))
                events = [await asyncio.to_thread(gateway.hear) for _ in range(2)]
                with pytest.raises(aiohttp.ClientError):
                    await second
                assert [event["event"] for event in events] == ["exchange", "disarmed"]
                assert (events[0]["outcome"], events[0]["attempts"]) == ("abandoned", 0)
                assert len(upstream.seen) == 1 and events[1]["charged_micros"] == 600
                gateway.tell(Noted(slot="s0", number=2))
                gateway.tell(replace(ORDER, caps=caps))
                assert (await asyncio.to_thread(gateway.hear))["event"] == "armed", "a late answer changes nothing"

                third = asyncio.create_task(ask())
                number = (await asyncio.to_thread(gateway.hear))["number"]
                gateway.tell(Noted(slot="s0", number=number, granted=False))
                assert await third == 403
                told = await asyncio.to_thread(gateway.hear)
                assert (told["outcome"], told["attempts"], told["charged_micros"]) == ("over_budget", 0, None)
                assert len(upstream.seen) == 1, "what the driver has no money for does not go out"

    asyncio.run(scenario())


def test_the_process_cannot_be_dumped_or_read_by_its_own_user() -> None:
    with process() as gateway:
        gateway.tell(Secrets(keys={"fake": KEY}))
        gateway.tell(_configuration("http://127.0.0.1:9", Listener(slot="s0", port=0)))
        assert gateway.hear()["event"] == "ready"
        status = Path(f"/proc/{gateway.child.pid}/limits").read_text(encoding="ascii")
        core = next(line for line in status.splitlines() if line.startswith("Max core file size"))
        assert core.split()[4:6] == ["0", "0"]
        # The kernel gives the files of a process that may not be dumped to root.
        assert Path(f"/proc/{gateway.child.pid}/mem").stat().st_uid == 0


def test_wrong_orders_are_faults_and_the_gateway_goes_on() -> None:
    with process() as gateway:
        gateway.tell(Secrets(keys={"fake": KEY}))
        gateway.tell(_configuration("http://127.0.0.1:9", Listener(slot="s0", port=0)))
        assert gateway.hear()["event"] == "ready"
        assert gateway.child.stdin is not None
        for line in (b"not json\n", b'{"op":"explode"}\n', b'{"op":"disarm","slot":"s0","force":true}\n'):
            gateway.child.stdin.write(line)
            gateway.child.stdin.flush()
            assert gateway.hear()["event"] == "fault"
        gateway.tell(DisarmSlot(slot="s0"))
        assert gateway.hear()["message"] == "slot s0 is not lent"
        gateway.tell(Secrets(keys={"fake": "sk-second-0123456789"}))
        assert gateway.hear()["message"] == "secrets and configuration are told once"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [_configuration("http://127.0.0.1:9", Listener(slot="s0", port=0))],
        [Secrets(keys={"fake": KEY}), DisarmSlot(slot="s0")],
        [Secrets(keys={"fake": KEY}), _configuration("ftp://x", Listener(slot="s0", port=0))],
        [Secrets(keys={"fake": KEY}), _configuration("https://u:p@x", Listener(slot="s0", port=0))],
        [Secrets(keys={"fake": KEY}), _configuration("https://x?key=1", Listener(slot="s0", port=0))],
        [Secrets(keys={"fake": KEY}), _configuration("https://x")],
        [
            Secrets(keys={"fake": KEY}),
            _configuration("https://x", Listener(slot="s0", port=0), Listener(slot="s0", port=0)),
        ],
    ],
)
def test_a_start_that_cannot_work_is_one_clear_error_without_the_key(lines: list[Control]) -> None:
    told = io.BytesIO("".join(to_control(line) + "\n" for line in lines).encode())
    with pytest.raises(UsageError) as caught:
        secrets, configuration = begin(told)
        Gateway(configuration, secrets, exchanged=lambda exchange: None)
    assert caught.value.do and KEY not in caught.value.text()


def test_at_the_command_line_such_a_start_exits_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aces_ci", "gateway"],
        input=f'{{"op":"secrets","keys":{{"a":"{KEY}"}}}}\n'.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    error = done.stderr.decode()
    assert error.startswith("error: ") and "do:" in error and "Traceback" not in error
    assert KEY not in error


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slot": "s9"}, "no slot s9"),
        ({"upstream": "nobody"}, "no upstream nobody"),
        ({"token": "short"}, "too short"),
        ({"hosts": ("example.com",)}, "no tunnel"),
        ({"hosts": ("api.openai.com",), "slot": "s1"}, "may not be in network.allow"),
        ({"hosts": ("127.0.0.1",), "slot": "s1"}, "may not be in network.allow"),
    ],
)
def test_an_arming_that_cannot_work_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    async def scenario() -> None:
        async with rig(order=None, tunnel=tmp_path / "t.sock") as it:
            with pytest.raises(UsageError, match=words):
                it.gateway.arm(replace(ORDER, **change))
            it.gateway.arm(ORDER)
            with pytest.raises(UsageError, match="lent already"):
                it.gateway.arm(ORDER)

    asyncio.run(scenario())


def test_control_lines_and_events_survive_the_wire() -> None:
    orders: list[Control] = [
        Secrets(keys={"a": "k"}, recording_key="r"),
        _configuration("https://x", Listener(slot="s", path="/x", tunnel_path="/y")),
        ArmSlot(
            slot="s",
            trial="t",
            token="x" * 16,
            arm=Arm.PREVIOUS,
            model="m",
            upstream="u",
            limits=Limits(seconds=1.5),
            hosts=("h",),
        ),
        DisarmSlot(slot="s"),
    ]
    for order in orders:
        line = to_control(order)
        assert "\n" not in line and line.isascii()
        assert from_control(line) == order


def test_a_control_line_that_is_refused_does_not_repeat_its_values() -> None:
    for line in (
        f'{{"op":"secrets","keys":{{"a":["{KEY}"]}}}}',
        f'{{"op":"secrets","keys":"{KEY}"}}',
        f'{{"op":"secrets","keys":{{}},"recording_key":["{KEY}"]}}',
        f'{{"op":"secrets" "{KEY}"',
    ):
        with pytest.raises(UsageError) as caught:
            from_control(line)
        assert KEY not in caught.value.text()


def test_the_driver_refuses_events_of_another_version() -> None:
    async def scenario() -> Exchange:
        async with rig() as it:
            await it.post(Protocol.MESSAGES)
            return it.exchanges[0]

    exchange = asyncio.run(scenario())
    line = to_event(exchange)
    assert from_event(line) == exchange
    assert from_event('{"event":"ready"}') is None
    for wrong in (
        line.replace('"v":1', '"v":2'),
        line.replace('"status"', '"state"'),
        line.replace('"number":1', '"number":"1"'),
        "[]",
        "{",
    ):
        with pytest.raises(UsageError):
            from_event(wrong)


def test_a_key_that_a_provider_repeats_leaves_neither_to_the_sandbox_nor_to_the_driver() -> None:
    stream = io.BytesIO()
    outbox = Outbox(stream, [KEY])
    outbox.put(json.dumps({"because": f"wrong key {KEY}!"}))
    outbox.put("after")
    outbox.close()
    assert stream.getvalue() == b'{"because": "wrong key [redacted]!"}\nafter\n'

    async def scenario() -> None:
        words = json.dumps({"error": {"message": f"bad field near {KEY}"}}).encode()
        async with rig(lambda seen: Reply(status=400, raw=words)) as it:
            _, body = await it.post(Protocol.CHAT)
            assert "bad field near" in json.dumps(body)
            assert KEY not in json.dumps(body)

    asyncio.run(scenario())


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("streamed", [True, False])
def test_an_answer_that_holds_the_key_goes_no_further(protocol: Protocol, streamed: bool) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: Reply(text=f"the key is {KEY}")) as it:
            if streamed:
                assert KEY.encode() not in await it.stream(protocol)
            else:
                assert KEY not in json.dumps((await it.post(protocol))[1])
            assert it.exchanges[0].outcome is Outcome.SURPRISE

    asyncio.run(scenario())
