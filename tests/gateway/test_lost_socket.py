"""Without isolation an agent may take its slot's sockets away: the next trial finds them in their places again."""

from __future__ import annotations

import asyncio
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import ArmSlot, DisarmSlot, Listener, Secrets
from aces_ci.core.trial import Arm
from aces_ci.gateway.gateway import Gateway
from tests.gateway.rig import KEY, MODEL, TOKEN
from tests.gateway.test_program import _configuration, process


def impostor(path: Path) -> None:
    """Another socket, on which nobody answers."""
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def file(path: Path) -> None:
    path.unlink()
    path.write_text("x")


def folder(path: Path) -> None:
    path.unlink()
    (path / "deep").mkdir(parents=True)


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent / "precious")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "deleted": Path.unlink,
    "moved": moved,
    "another socket": impostor,
    "a file": file,
    "a folder": folder,
    "a link": link,
    "its folder is gone": lambda path: shutil.rmtree(path.parent, ignore_errors=True),
}


async def answered(path: Path) -> bool:
    """Whether the gateway answers there."""
    async with (
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as client,
        client.get("http://gateway/v1/models", headers={"x-api-key": TOKEN}) as response,
    ):
        return response.status == 200


def test_whatever_an_agent_does_to_its_sockets_the_next_trial_has_them(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "s0").mkdir()
    paths = tmp_path / "s0/gw.sock", tmp_path / "s0/net.sock"
    order = ArmSlot(slot="s0", trial="t" * 64, token=TOKEN, arm=Arm.BASELINE, model=MODEL, upstream="fake")

    async def scenario() -> None:
        with process() as gateway:
            gateway.tell(Secrets(keys={"fake": KEY}))
            listener = Listener(slot="s0", path=str(paths[0]), tunnel_path=str(paths[1]))
            gateway.tell(_configuration("http://127.0.0.1:9", listener))
            assert (await asyncio.to_thread(gateway.hear))["event"] == "ready"
            for name, damage in DAMAGE.items():
                for path in paths:
                    if path.parent.exists():
                        damage(path)
                gateway.tell(order)
                assert (await asyncio.to_thread(gateway.hear))["event"] == "armed", name
                assert await answered(paths[0]), name
                _, writer = await asyncio.open_unix_connection(str(paths[1]))
                writer.close()
                assert [stat.S_IMODE(path.lstat().st_mode) for path in paths] == [0o660, 0o660]
                gateway.tell(DisarmSlot(slot="s0"))
                assert (await asyncio.to_thread(gateway.hear))["event"] == "disarmed"
            assert gateway.child.stdin is not None
            gateway.child.stdin.close()
            assert await asyncio.to_thread(gateway.child.wait, 10) == 0
        assert not any(path.exists() for path in paths)

    asyncio.run(scenario())
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_socket_that_is_still_there_is_left_alone_and_one_without_room_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "s0/gw.sock"
    path.parent.mkdir()

    async def scenario() -> None:
        configuration = _configuration("http://127.0.0.1:9", Listener(slot="s0", path=str(path)))
        gateway = Gateway(configuration, Secrets(keys={}), exchanged=lambda exchange: None)
        await gateway.open()
        before = path.lstat().st_ino
        await gateway.restore("s0")
        assert path.lstat().st_ino == before
        shutil.rmtree(path.parent)
        path.parent.write_text("a file where the folder was")
        with pytest.raises(UsageError, match="socket of slot s0 is gone"):
            await gateway.restore("s0")
        await gateway.close()

    asyncio.run(scenario())
