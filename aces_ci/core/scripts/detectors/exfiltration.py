"""Commands that read credentials, send private data away, or open a way in."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors.private_files import BODY, SENDERS, TOKEN_TOOLS, carries, handed_over, reads
from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.wrappers import SHELLS

_SECRET_NAME = re2.compile(
    r"\$\{?\w*(SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_?KEY|ACCESS_KEY|TOKEN|"
    r"CREDENTIALS?)\w*\}?"
)
_TCP = ("/dev/tcp/", "/dev/udp/")
_REVERSE = re2.compile(
    r"(?s)socket.*(dup2|pty\.spawn|subprocess|/bin/(ba)?sh)|fsockopen.*(exec|proc_open|/bin/sh)|TCPSocket.*exec"
)
_DNS = frozenset({"dig", "nslookup", "host", "ping"})


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every such shape of one command."""
    yield from _reverse_shell(scene, command)
    if sends(command):
        yield from _sending(scene, command)
    secrets = reads(scene, command)
    if secrets and not sends(command):
        yield _secret_read(secrets[0])
    if command.name in _DNS and any(True for inner in scene.inner(command) if inner.name):
        private = [path for inner in scene.inner(command) for path in carries(scene, inner)]
        if private:
            yield _critical("dns-exfiltration", f"sends {private[0]} away inside a host name", private[0])


def sends(command: Command) -> bool:
    """Whether the command can carry its input, or a file, to another machine."""
    name = command.name or ""
    if name in {"scp", "rsync"}:
        return any(":" in word.shape and not word.shape.startswith(("/", ".", "-")) for word in command.operands[-1:])
    if name in {"aws", "gsutil", "az", "gcloud"}:
        words = [word.shape for word in command.operands]
        return any(w in {"cp", "mv", "sync", "upload"} for w in words) and words[-1].startswith(
            ("s3://", "gs://", "https://")
        )
    return name in SENDERS


def _critical(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.EXFILTRATION, shape=shape, severity=Severity.CRITICAL, message=message, target=target)


def _secret_read(path: str) -> Suspicion:
    project = paths.project_secret(path) or path == "the environment" or TOKEN_TOOLS.match(path) is not None
    return Suspicion(
        kind=Kind.SECRET_READ,
        shape="secret-read",
        severity=Severity.INFO if project else Severity.WARNING,
        message=f"reads credentials ({path})",
        target=path,
        confidence=Confidence.MEDIUM if project else Confidence.HIGH,
    )


def _sending(scene: Scene, command: Command) -> Iterator[Suspicion]:
    private = list(_content(scene, command))
    sources = [*scene.before(command), *scene.inner(command)]
    kinds = {hosts.host(url)[0] for url in hosts.destinations(command)}
    if private:
        if kinds and kinds <= {Host.LOCAL}:
            return
        if _one_field(scene, command, private[0]) and not kinds & {Host.DROP, Host.ADDRESS, Host.PLAIN}:
            stranger = Host.UNKNOWN in kinds and TOKEN_TOOLS.match(private[0]) is not None
            yield Suspicion(
                kind=Kind.EXFILTRATION,
                shape="use-secret",
                severity=Severity.WARNING if stranger else Severity.INFO,
                confidence=Confidence.MEDIUM,
                message=f"passes a value of {private[0]} to another machine",
                target=private[0],
            )
            return
        yield _critical("send-secret", f"sends {private[0]} to another machine", private[0])
    elif Host.DROP in kinds and (sources or command.has(*BODY)):
        # a named file that goes to a file host is an upload; a stream of who knows what is not
        severity = Severity.CRITICAL if sources else Severity.WARNING
        yield Suspicion(
            kind=Kind.EXFILTRATION, shape="send-to-drop", severity=severity, target=hosts.of(command)[0],
            message="sends data to a site that collects whatever arrives",
        )  # fmt: skip
    elif _secret_in_url(command):
        yield Suspicion(
            kind=Kind.EXFILTRATION, shape="secret-in-url", severity=Severity.INFO, confidence=Confidence.LOW,
            message="puts a secret into a URL, where logs keep it", target=hosts.of(command)[0],
        )  # fmt: skip


def _content(scene: Scene, command: Command) -> Iterator[str]:
    """The private files whose content a sender gets, the nearest source first."""
    body = command.has(*BODY)
    piped = takes_input(command)
    if body or piped or command.name in {"scp", "rsync", "aws", "gsutil"}:
        # a key that is copied to a server of one's own is how one sets it up; a credential is not
        yield from (reads if command.name in {"scp", "rsync"} else carries)(scene, command)
        yield from handed_over(scene, command)
    if piped:
        yield from (path for stage in scene.before(command) for path in carries(scene, stage))
    wanted = reads if _only_logs_in(command) else carries
    yield from (path for stage in scene.inner(command) for path in wanted(scene, stage))


def _only_logs_in(command: Command) -> bool:
    """Whether all that is substituted stands in headers: a key in the header of its API is how that API is used."""
    pairs = zip([None, *command.arguments], command.arguments, strict=False)
    filled = [before for before, word in pairs if "$(" in word.shape or "`" in word.shape]
    return all(before is not None and before.shape in {"-H", "--header", "-u", "--user"} for before in filled)


def _one_field(scene: Scene, command: Command, path: str) -> bool:
    """Whether a program picks one value out of an application's own settings: how an API is used."""
    if TOKEN_TOOLS.match(path):
        return True
    if not paths.project_secret(path):
        return False
    return any(stage.name in {"jq", "yq", "grep", "cut", "sed", "awk"} for stage in scene.inner(command))


def takes_input(command: Command) -> bool:
    """Whether what is piped in is sent: always for `nc`, for `curl` only with `-d @-`, `-T -` and their like."""
    if command.name in {"curl", "wget", "http", "https", "xh"}:
        return any(
            word.shape.endswith(("@-", "=-")) or word.shape in {"-", "/dev/stdin", "@/dev/stdin"}
            for word in command.arguments
        )
    return True


def _secret_in_url(command: Command) -> bool:
    return any(_SECRET_NAME.search(url) for url in hosts.of(command))


def _reverse_shell(scene: Scene, command: Command) -> Iterator[Suspicion]:
    sockets = [r for r in command.redirects if r.target and r.target.shape.startswith(_TCP)]
    name = command.name or ""
    if sockets and (name in SHELLS or name == "exec"):
        yield _critical(
            "reverse-shell",
            "gives a remote machine a shell here",
            sockets[0].target.shape if sockets[0].target else None,
        )
    elif sockets and any(carries(scene, stage) for stage in (command, *scene.before(command))):
        yield _critical("send-secret", "sends credentials through a raw socket")
    if name in {"nc", "ncat", "netcat"} and command.has("-e", "-c", "--exec", "--sh-exec"):
        if any(word.shape.rsplit("/", 1)[-1].split(" ")[0] in SHELLS for word in command.arguments):
            yield _critical("reverse-shell", "gives a remote machine a shell here")
    elif name in {"nc", "ncat", "netcat", "socat"} and any(
        s.name in SHELLS for s in scene.stages(command) if s is not command
    ):
        if any(word.shape.startswith(("127.", "localhost")) for word in command.arguments):
            return
        yield _critical("reverse-shell", "connects a shell with a remote machine")
    elif name == "socat" and any("exec:" in w.shape.lower() or "system:" in w.shape.lower() for w in command.arguments):
        yield _critical("reverse-shell", "connects a shell with a remote machine")
    elif name.startswith(("python", "perl", "ruby", "php")) and command.has("-c", "-e", "-r"):
        code = " ".join(word.shape for word in command.arguments)
        yield from (
            _critical("reverse-shell", "connects a shell with a remote machine") for _ in _REVERSE.findall(code)[:1]
        )
