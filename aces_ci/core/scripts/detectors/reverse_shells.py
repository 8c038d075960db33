"""Shells that a remote machine is given, and credentials that go through a raw connection."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.flow.output import told
from aces_ci.core.scripts.hazards import sureness
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.holdings import Content
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.wrappers import SHELLS

_TCP = ("/dev/tcp/", "/dev/udp/")
_SOCAT_SHELL = re2.compile(r"(?i)(?:exec|system):[\"']?(?:[\w/]*/)?(?:ba|z|da|k)?sh\b(?:\s*$|[,\"']|\s+-[il]+\b|\s*$)")
_REVERSE = re2.compile(
    r"(?s)socket.*(dup2|pty\.spawn|subprocess|/bin/(ba)?sh)|fsockopen.*(exec|proc_open|/bin/sh)|TCPSocket.*exec"
)
PEER = re2.compile(r"\b(\d{1,3}(\.\d{1,3}){3}|([a-z0-9-]+\.)+[a-z]{2,12})\b")
"""An address or a host's name that is written out."""


def _critical(shape: str, message: str, target: str | None = None, doubt: str = "") -> Suspicion:
    return Suspicion(
        kind=Kind.EXFILTRATION, shape=shape, severity=Severity.CRITICAL, message=message, target=target, doubt=doubt
    )


def _sockets(scene: Scene, command: Command) -> list[str]:
    """The raw connections that it reads or writes, by path or by a descriptor that the script has opened before."""
    found = [r.target.shape for r in command.redirects if r.target and r.target.shape.startswith(_TCP)]
    if command.name == "tee":
        found += [word.shape for word in command.operands if word.shape.startswith(_TCP)]
    numbers = {r.target.shape for r in command.redirects if r.operator.endswith("&") and r.target}
    for other in scene.commands[: command.index] if numbers - {"1", "2", "-"} else ():
        if other.name == "exec":
            opened = [r for r in other.redirects if r.target and str(r.descriptor) in numbers]
            found += [r.target.shape for r in opened if r.target and r.target.shape.startswith(_TCP)]
    return [each for each in found if not each.split("/")[3].startswith(("127.", "localhost"))]


def _shell_at(scene: Scene, command: Command, opened: Command) -> bool:
    """Whether a shell, or a command that only the run knows, is connected with what `exec` has opened."""
    numbers = {str(r.descriptor) for r in opened.redirects if r.descriptor is not None}
    joined = any(r.operator.endswith("&") and r.target and r.target.shape in numbers for r in command.redirects)
    return joined and (command.name in SHELLS or (bool(command.words) and command.name is None))


def _set_here(scene: Scene, socket: str) -> bool:
    """Whether the host of a raw connection is a variable that the script itself sets, in the open or encoded."""
    host = socket.split("/")[3].strip('"${}')
    values = (word for each in scene.commands for name, word in each.assignments if name == host)
    return any(word.text or "base64" in word.shape for word in values)


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every shell or secret of one command that a raw connection carries off."""
    sockets = _sockets(scene, command)
    name = command.name or ""
    held = bool(sockets) and name == "exec" and not command.operands
    if held and not any(_shell_at(scene, other, command) for other in scene.commands[command.index + 1 :]):
        return  # a descriptor alone: how a script waits for a port
    doubt = "" if any("$" not in each or _set_here(scene, each) for each in sockets) else sureness.NO_ADDRESS
    if sockets and (name in SHELLS or held):
        yield _critical("reverse-shell", "gives a remote machine a shell here", sockets[0], doubt)
    elif (
        sockets
        and (sent := next((each for each in told(scene, command) if each.content is Content.PRIVATE), None)) is not None
    ):
        doubt = doubt or sureness.leaving(sent.origin, (), published=True)
        yield _critical("send-secret", "sends credentials through a raw socket", None, doubt)
    doubt = "" if any(PEER.search(word.shape) for word in command.arguments) else sureness.NO_ADDRESS
    if name in {"nc", "ncat", "netcat"} and command.has("-e", "-c", "--exec", "--sh-exec"):
        if any(word.shape.rsplit("/", 1)[-1].split(" ")[0] in SHELLS for word in command.arguments):
            yield _critical("reverse-shell", "gives a remote machine a shell here", None, doubt)
    elif name in {"nc", "ncat", "netcat", "socat"} and any(
        s.name in SHELLS for s in scene.stages(command) if s is not command
    ):
        if any(word.shape.startswith(("127.", "localhost")) for word in command.arguments):
            return
        yield _critical("reverse-shell", "connects a shell with a remote machine", None, doubt)
    elif name == "socat" and any(_SOCAT_SHELL.search(word.shape) for word in command.arguments):
        yield _critical("reverse-shell", "connects a shell with a remote machine", None, doubt)
    elif name.startswith(("python", "perl", "ruby", "php")) and command.has("-c", "-e", "-r"):
        code = " ".join(word.shape for word in command.arguments)
        yield from (
            _critical("reverse-shell", "connects a shell with a remote machine", None, doubt)
            for _ in _REVERSE.findall(code)[:1]
        )
