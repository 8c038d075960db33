"""Commands that read credentials, send private data away, or open a way in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors import reverse_shells
from aces_ci.core.scripts.detectors.reverse_shells import PEER
from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.flow.output import piped, spelled
from aces_ci.core.scripts.flow.private_files import (
    BODY,
    PICKERS,
    SENDERS,
    TOKEN_TOOLS,
    carries,
    handed_over,
    reads,
    stored,
)
from aces_ci.core.scripts.hazards import hosts, sureness
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command, Word

_SECRET_NAME = re2.compile(
    r"\$\{?\w*(SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_?KEY|ACCESS_KEY|TOKEN|"
    r"CREDENTIALS?)\w*\}?"
)
_PUBLISHES = frozenset(
    {(thing, verb) for thing in ("issue", "pr", "mr") for verb in ("create", "comment", "edit", "note")}
    | {("gist", "create"), ("gist", "edit"), ("release", "create"), ("release", "upload"), ("snippet", "create")}
)
"""What `gh` and `glab` put where others read it."""
"""A shell as such; `SYSTEM:"bash -c handler"` runs one program for whoever asks."""
_LOGIN = frozenset({"-H", "--header", "-u", "--user", "--oauth2-bearer", "-b", "--cookie"})
"""Options whose word says who asks."""
_SHADY = frozenset({Host.DROP, Host.ADDRESS, Host.PLAIN})
"""No API that a setting belongs to is found there."""
_TO_ONES_OWN = frozenset({"scp", "rsync", "sftp", "aws", "gsutil", "gcloud", "az", "rclone"})
"""Programs that log in where they copy to."""
_RAW = frozenset({"nc", "ncat", "netcat", "socat", "telnet", "ftp"})
_DNS = frozenset({"dig", "nslookup", "host", "ping"})


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every such shape of one command."""
    yield from reverse_shells.find(scene, command)
    if sends(command):
        yield from _sending(scene, command)
    secrets = reads(scene, command)
    if secrets and not sends(command):
        yield _secret_read(secrets[0])
    if command.name in _DNS:
        words = [word for word in command.arguments if word.text is None]
        inner = (each for stage in scene.inner(command) if stage.name for each in carries(scene, stage))
        held = (*inner, *_used(scene, command, words)) if words else ()
        private = [each for each in held if not _setting(each)]
        if private:
            sent = private[0].origin
            doubt = sureness.leaving(sent, (), published=True)
            yield _critical("dns-exfiltration", f"sends {sent} away inside a host name", sent, doubt)


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
    if name in {"gh", "glab"}:
        return tuple(word.shape for word in command.operands[:2]) in _PUBLISHES
    if name == "git":
        return any(word.shape == "push" for word in command.operands[:1])
    return name in SENDERS


def _critical(shape: str, message: str, target: str | None = None, doubt: str = "") -> Suspicion:
    return Suspicion(
        kind=Kind.EXFILTRATION, shape=shape, severity=Severity.CRITICAL, message=message, target=target, doubt=doubt
    )


def _ends(command: Command) -> frozenset[Host]:
    """The kinds of the hosts that a sender is told in words: URLs, or the operands of `nc` and its like."""
    kinds = hosts.kinds(hosts.destinations(command))
    if command.name in _RAW:
        kinds |= {hosts.host(f"https://{word.shape}")[0] for word in command.operands if PEER.fullmatch(word.shape)}
    return kinds


def _published(command: Command) -> bool:
    """Whether all that is needed to reach a stranger is written out: a repository's URL, a mail address, a gist."""
    if command.name in {"gh", "glab"}:
        return True
    words = [word.shape for word in command.operands]
    if command.name == "git":
        return any("://" in word and "$" not in word for word in words)
    return command.name in {"mail", "sendmail"} and any("@" in word and "$" not in word for word in words)


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
    kinds = hosts.kinds(hosts.destinations(command))
    shady = bool(kinds & _SHADY)
    sources = [*scene.before(command), *scene.inner(command)]
    private = next(_content(scene, command, shady=shady), None)
    if private is not None:
        if kinds and kinds <= {Host.LOCAL}:
            return
        if _setting(private) and not shady:
            stranger = Host.UNKNOWN in kinds and TOKEN_TOOLS.match(private.origin) is not None
            yield Suspicion(
                kind=Kind.EXFILTRATION,
                shape="use-secret",
                severity=Severity.WARNING if stranger else Severity.INFO,
                confidence=Confidence.MEDIUM,
                message=f"passes a value of {private.origin} to another machine",
                target=private.origin,
            )
            return
        if command.name in _TO_ONES_OWN and paths.project_secret(private.origin):
            yield replace(
                _critical("send-secret", f"copies {private.origin} to another machine", private.origin),
                severity=Severity.WARNING,
            )  # how a project is deployed, or backed up
            return
        doubt = sureness.leaving(
            private.origin, kinds | _ends(command), part=private.part, published=_published(command)
        )
        yield _critical("send-secret", f"sends {private.origin} to another machine", private.origin, doubt)
    elif Host.DROP in kinds and (sources or command.has(*BODY)):
        # a named file that goes to a file host is an upload; a stream of who knows what is not
        severity = Severity.CRITICAL if sources else Severity.WARNING
        yield Suspicion(
            kind=Kind.EXFILTRATION, shape="send-to-drop", severity=severity, target=hosts.of(command)[0],
            message="sends data to a site that collects whatever arrives", doubt=sureness.UNKNOWN_DATA,
        )  # fmt: skip
    elif _secret_in_url(command):
        yield Suspicion(
            kind=Kind.EXFILTRATION, shape="secret-in-url", severity=Severity.INFO, confidence=Confidence.LOW,
            message="puts a secret into a URL, where logs keep it", target=hosts.of(command)[0],
        )  # fmt: skip


def _content(scene: Scene, command: Command, *, shady: bool) -> Iterator[Held]:
    """What of private data a sender gets, the nearest source first."""
    if command.name == "git":
        yield from (each for each in _committed(scene, command) if not _project(each))
        return
    if command.has(*BODY) or takes_input(command) or command.name in {"scp", "rsync", "aws", "gsutil"}:
        # a key that is copied to a server of one's own is how one sets it up; a credential is not
        copies = command.name in {"scp", "rsync"}
        direct = _direct(scene, command) if copies else carries(scene, command)
        yield from direct
        yield from (Held(content=Content.PRIVATE, origin=each) for each in handed_over(scene, command))
    if takes_input(command):
        yield from (each for each in piped(scene, command) if each.content is Content.PRIVATE)
        yield from (each for r in command.redirects if r.body for each in _private(scene.held(command).used(r.body)))
    wanted = _direct if _only_logs_in(command) else carries
    for stage in scene.inner(command):
        yield from (_narrowed(scene, command, each) for each in wanted(scene, stage))
    if not scene.inner(command) and not _only_logs_in(command):
        yield from _private(each for word in command.arguments for each in spelled(word.shape))
    data, headers = _parts(command)
    yield from (each for each in _used(scene, command, data) if shady or not (each.part and _project(each)))
    if shady:
        yield from _used(scene, command, headers)


def _committed(scene: Scene, command: Command) -> Iterator[Held]:
    """What of private files lies in the repository that is pushed, once something was added to it."""
    before = scene.commands[: command.index]
    if any(each.name == "git" and any(word.shape == "add" for word in each.operands[:1]) for each in before):
        yield from _private(scene.held(command).below(command.folder))


def _direct(scene: Scene, command: Command) -> list[Held]:
    """Credentials alone, without the keys by which one logs in somewhere."""
    named = [Held(content=Content.PRIVATE, origin=each) for each in reads(scene, command)]
    return named + [each for each in stored(scene, command) if each.content is Content.PRIVATE]


def _used(scene: Scene, command: Command, words: Iterable[Word]) -> Iterator[Held]:
    """What the variables hold that are written in some of its words."""
    now = scene.held(command)
    return _private(each for word in words if word.text is None for each in now.used(word.shape))


def _private(held: Iterable[Held]) -> Iterator[Held]:
    return (each for each in held if each.content is Content.PRIVATE)


def _parts(command: Command) -> tuple[Sequence[Word], Sequence[Word]]:
    """The words that are sent as they are, and those of headers: a token there is how one logs in."""
    headers: list[Word] = []
    data: list[Word] = []
    for before, word in zip([None, *command.arguments], command.arguments, strict=False):
        joined = word.shape.startswith(("--header=", "--user=", "-H"))
        (headers if joined or (before is not None and before.shape in _LOGIN) else data).append(word)
    return data, headers


def _only_logs_in(command: Command) -> bool:
    """Whether all that is substituted stands in headers: a key in the header of its API is how that API is used."""
    pairs = zip([None, *command.arguments], command.arguments, strict=False)
    filled = [before for before, word in pairs if "$(" in word.shape or "`" in word.shape]
    return all(before is not None and before.shape in _LOGIN for before in filled)


def _narrowed(scene: Scene, command: Command, held: Held) -> Held:
    """The same as a part, where a program picks one value out of it before it is sent."""
    return replace(held, part=held.part or any(stage.name in PICKERS for stage in scene.inner(command)))


def _project(held: Held) -> bool:
    return paths.project_secret(held.origin) or TOKEN_TOOLS.match(held.origin) is not None


def _setting(held: Held) -> bool:
    """Whether it is one value of an application's own settings, or a token that is meant to be handed out."""
    return TOKEN_TOOLS.match(held.origin) is not None or (held.part and paths.project_secret(held.origin))


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
