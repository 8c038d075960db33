"""Commands that read credentials, send private data away, or open a way in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts import hosts, paths
from aces_ci.core.scripts.command import Command, Word
from aces_ci.core.scripts.hazard import Kind
from aces_ci.core.scripts.hosts import Host
from aces_ci.core.scripts.scene import Scene, Suspicion
from aces_ci.core.scripts.wrappers import SHELLS

_READERS = frozenset(
    {
        "cat",
        "less",
        "more",
        "head",
        "tail",
        "grep",
        "egrep",
        "rg",
        "awk",
        "sed",
        "strings",
        "xxd",
        "base64",
        "od",
        "cp",
        "tar",
        "zip",
        "gzip",
        "bat",
        "nl",
        "sort",
        "cut",
        "tee",
        "dd",
        "openssl",
        "gpg",
        "jq",
    }
)
_DUMPERS = frozenset({"env", "printenv", "export", "set", "declare"})
_COPIERS = frozenset({"scp", "rsync", "sftp"})
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg"})
_FILTERS = frozenset({"grep", "egrep", "rg", "wc", "head", "sort", "cut", "awk", "sed"})
"""What follows `env` when one variable of it is looked for."""
_SENDERS = frozenset(
    {
        "curl",
        "wget",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "scp",
        "rsync",
        "sftp",
        "ftp",
        "http",
        "https",
        "xh",
        "mail",
        "sendmail",
        "telnet",
        "rclone",
    }
)
_BODY = (
    "-d",
    "-F",
    "-T",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--form",
    "--upload-file",
    "--post-data",
    "--post-file",
    "--body-file",
    "--body-data",
    "--json",
)
_KEYCHAIN = re2.compile(
    r"^(security (find-(generic|internet)-password|dump-keychain|export)|secret-tool (lookup|search)|kwallet-query)\b"
)
_TOKEN_TOOLS = re2.compile(
    r"^(gcloud auth print-(access|identity)-token|aws configure (get|export-credentials)|gh auth token|op read|"
    r"vault (read|kv get))\b"
)
"""Programs whose purpose is to hand out one token; a note when read, but it may not be sent on."""
_KEEPERS = ("security ", "secret-tool ", "kwallet-query", "gcloud ", "aws ", "gh ", "op ", "vault ")
"""How a text begins that one of the two can match."""
_OPENING = _READERS | _SENDERS | _DUMPERS
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
        private = [path for inner in scene.inner(command) for path in reads(scene, inner)]
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
    return name in _SENDERS


def reads(scene: Scene, command: Command) -> list[str]:
    """Credential files that the command opens, and dumps of keychains or of the environment."""
    name = command.name or ""
    text = " ".join(word.shape for word in command.words)
    keychain = text.startswith(_KEEPERS) and (_KEYCHAIN.match(text) or _TOKEN_TOOLS.match(text))
    if name not in _OPENING and not keychain:
        return []
    words = _files(name, command.arguments)
    found = [word.shape.split("=", 1)[-1].lstrip("@") for word in words if paths.secret(_file(word))]
    found += [r.target.shape for r in command.redirects if r.target and not r.writes and paths.secret(r.target.shape)]
    if keychain:
        found.append(text[:60])
    dumps = name in _DUMPERS and not (command.arguments or command.assignments or "env" in command.wrappers)
    if dumps and not any(stage.name in _FILTERS for stage in scene.after(command)):
        found.append("the environment")
    return found


def _files(name: str, arguments: Sequence[Word]) -> Sequence[Word]:
    """The words that may name a file to be read: not where a copy goes, and not what is searched for."""
    if name in {"cp", "tee"}:
        return arguments[:-1]
    if name in _COPIERS:
        return [
            word for before, word in zip([None, *arguments], arguments, strict=False) if not _for_login(before, word)
        ]
    if name in _SEARCHERS and not any(word.shape in {"-e", "-f"} for word in arguments):
        pattern = next((at for at, word in enumerate(arguments) if not word.shape.startswith("-")), len(arguments))
        return (*arguments[:pattern], *arguments[pattern + 1 :])
    return arguments


def _for_login(before: Word | None, word: Word) -> bool:
    """Whether a word of `scp` or `rsync` says how to log in: `-i KEY`, `-e "ssh -i KEY"`."""
    option = before is not None and before.shape in {"-i", "-e", "--rsh", "-F", "-o"}
    return option or word.shape.startswith(("--rsh=", "-i", "-o"))


def _file(word: Word) -> str:
    shape = word.shape
    for separator in ("=@", "@", "=<", "if="):
        if separator in shape:
            shape = shape.split(separator, 1)[1]
            break
    return shape.split(";", 1)[0]


def _critical(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.EXFILTRATION, shape=shape, severity=Severity.CRITICAL, message=message, target=target)


def _secret_read(path: str) -> Suspicion:
    project = paths.project_secret(path) or path == "the environment" or _TOKEN_TOOLS.match(path) is not None
    return Suspicion(
        kind=Kind.SECRET_READ,
        shape="secret-read",
        severity=Severity.INFO if project else Severity.WARNING,
        message=f"reads credentials ({path})",
        target=path,
        confidence=Confidence.MEDIUM if project else Confidence.HIGH,
    )


def _sending(scene: Scene, command: Command) -> Iterator[Suspicion]:
    private = (
        list(reads(scene, command)) if command.name in {"scp", "rsync", "aws", "gsutil"} or command.has(*_BODY) else []
    )
    sources = [*scene.before(command), *scene.inner(command)]
    if not private and takes_input(command):
        private = [path for stage in scene.before(command) for path in reads(scene, stage)]
    if not private:
        private = [path for stage in scene.inner(command) for path in reads(scene, stage)]
    kinds = {hosts.host(url)[0] for url in hosts.destinations(command)}
    if private:
        if kinds and kinds <= {Host.LOCAL}:
            return
        if _one_field(scene, command, private[0]) and not kinds & {Host.DROP, Host.ADDRESS, Host.PLAIN}:
            stranger = Host.UNKNOWN in kinds and _TOKEN_TOOLS.match(private[0]) is not None
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
    elif Host.DROP in kinds and (sources or command.has(*_BODY)):
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


def _one_field(scene: Scene, command: Command, path: str) -> bool:
    """Whether a program picks one value out of an application's own settings: how an API is used."""
    if _TOKEN_TOOLS.match(path):
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
    elif sockets and any(reads(scene, stage) for stage in (command, *scene.before(command))):
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
