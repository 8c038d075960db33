"""Where allowed names may lead: the public internet, by one lookup, to one machine."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from aces_ci.cli import gateway as command
from aces_ci.core.spending.connection import Passage
from aces_ci.core.spending.control import ArmSlot, Configuration, Secrets
from aces_ci.gateway.internet import DeniedError, Internet, is_global, system_lookup

PUBLIC = ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "8.8.8.8", "2001:4860:4860::8888")
INWARD = (
    "127.0.0.1",
    "127.8.8.8",
    "10.1.2.3",
    "172.17.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "192.88.99.1",
    "0.0.0.0",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:93.184.215.14",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808",
    "64:ff9b:1::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "3fff::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:2800::1%eth0",
    "fec0::1",
    "fc00::1",
    "ff02::1",
    "100::1",
    "5f00::1",
    "not an address",
    "",
)


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_reachable(address: str) -> None:
    assert is_global(address)


@pytest.mark.parametrize("address", INWARD)
def test_every_other_address_is_not(address: str) -> None:
    assert not is_global(address)


def internet(*answers: tuple[str, ...]) -> tuple[Internet, list[str]]:
    """One whose resolver gives the next answer at each lookup."""
    asked: list[str] = []
    left = list(answers)

    async def lookup(host: str) -> tuple[str, ...]:
        asked.append(host)
        answer = left.pop(0)
        await asyncio.sleep(0.01)
        return answer

    return Internet(lookup=lookup), asked


def test_a_name_is_looked_up_once_a_run_and_pinned() -> None:
    it, asked = internet(("93.184.215.14",), ("127.0.0.1",))

    async def twice() -> list[tuple[str, ...]]:
        return [await it.addresses("files.example.org"), await it.addresses("files.example.org")]

    assert asyncio.run(twice()) == [("93.184.215.14",)] * 2
    assert asked == ["files.example.org"], "a second answer, inward or not, is never asked for"


def test_two_first_lookups_at_once_agree_on_one_answer() -> None:
    it, asked = internet(("93.184.215.14",), ("8.8.8.8",))

    async def both() -> list[tuple[str, ...]]:
        return await asyncio.gather(it.addresses("files.example.org"), it.addresses("files.example.org"))

    one, other = asyncio.run(both())
    assert one == other and len(asked) == 2


@pytest.mark.parametrize("answer", [("10.0.0.1",), ("93.184.215.14", "10.0.0.1"), ("::ffff:127.0.0.1",), ()])
def test_a_name_that_points_inwards_is_denied_as_a_whole_and_not_pinned(answer: tuple[str, ...]) -> None:
    it, asked = internet(answer, ("93.184.215.14",))

    async def scenario() -> None:
        with pytest.raises(DeniedError, match="public internet") as told:
            await it.dial("files.example.org")
        assert told.value.passage is Passage.REFUSED
        assert await it.addresses("files.example.org") == ("93.184.215.14",)

    asyncio.run(scenario())
    assert len(asked) == 2


def test_a_name_that_is_not_found_is_nobodys_misdeed() -> None:
    async def lookup(host: str) -> tuple[str, ...]:
        raise OSError("no such host")

    with pytest.raises(DeniedError, match="not found") as told:
        asyncio.run(Internet(lookup=lookup).dial("files.example.org"))
    assert (told.value.status, told.value.passage) == (502, Passage.FAILED)


def test_the_next_pinned_address_is_tried_and_then_none() -> None:
    async def scenario() -> None:
        server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]

        async def lookup(host: str) -> tuple[str, ...]:
            return ("::1", "127.0.0.1") if host == "up.example" else ("::1",)

        it = Internet(lookup=lookup, admissible=lambda address: True, port=port)
        _, writer = await it.dial("up.example")
        assert writer.get_extra_info("peername")[0] == "127.0.0.1"
        writer.close()
        with pytest.raises(DeniedError, match="did not answer") as told:
            await it.dial("down.example")
        assert told.value.passage is Passage.FAILED
        server.close()

    asyncio.run(scenario())


def test_the_product_has_no_switch_for_another_internet() -> None:
    """Tests bring their own by argument; settings, orders and the command have no word for it."""
    real = Internet()
    assert (real.lookup, real.admissible, real.port) == (system_lookup, is_global, 443)
    assert "run(sys.stdin.buffer, sys.stdout.buffer)" in inspect.getsource(command)
    for value in (Secrets, Configuration, ArmSlot):
        assert not {"internet", "lookup", "admissible", "resolver", "port"} & set(value.__dataclass_fields__)
