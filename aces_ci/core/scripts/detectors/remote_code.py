"""Commands that run code which nobody looked at: fetched or decoded, and executed in one go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors.planted import runs_later
from aces_ci.core.scripts.flow.output import piped, told
from aces_ci.core.scripts.flow.private_files import stored
from aces_ci.core.scripts.flow.running import EVALUATORS, file_run, held_and_run, runs_stdin
from aces_ci.core.scripts.flow.written import written
from aces_ci.core.scripts.hazards import hosts, sureness
from aces_ci.core.scripts.hazards.downloads import decodes, fetches, saved
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.holdings import Content
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.scripts.shell.wrappers import INTERPRETERS, SHELLS

_LANGUAGES = INTERPRETERS - SHELLS
_CHECKS = frozenset(
    {"sha256sum", "shasum", "sha512sum", "gpg", "cosign", "minisign", "openssl", "md5sum", "b2sum"}
)  # fmt: skip
BY_HOST: Mapping[Host, tuple[Severity, str]] = {
    Host.LOCAL: (Severity.INFO, "from this machine"),
    Host.VENDOR: (Severity.WARNING, "from a vendor's installer"),
    Host.KNOWN: (Severity.WARNING, "from a public host"),
    Host.UNKNOWN: (Severity.CRITICAL, "from a host that nobody vouches for"),
    Host.PLAIN: (Severity.CRITICAL, "over plain http"),
    Host.ADDRESS: (Severity.CRITICAL, "from a bare IP address"),
    Host.DROP: (Severity.CRITICAL, "from a paste or tunnel site"),
    Host.SHORTENER: (Severity.CRITICAL, "from behind a link shortener"),
    Host.DYNAMIC: (Severity.WARNING, "from an address that only the run knows"),
}
"""How bad it is to run what such a host serves, with the words for it."""
_INLINE = re2.compile(
    r"(?i)\bexec\s*\(\s*(__import__|requests|urllib|urlopen|base64|zlib|marshal|codecs)|\b(exec|eval)\s*\(.*\b(b64decode|urlopen|requests\.get)\b"
)


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every shape of unseen code that one command runs."""
    plain = [*(_piped(scene, command) if runs_stdin(command) else ()), *_substituted(scene, command)]
    yield from plain
    if not plain:  # what went through a variable or a file is the longer way to the same
        yield from _saved(scene, command)
        yield from _held(scene, command)
    yield from _left(scene, command)
    if command.name in _LANGUAGES and command.has("-c", "-e"):
        code = " ".join(word.shape for word in command.arguments)
        if _INLINE.search(code):
            yield _decoded(scene, command, "runs code that it decodes or downloads at run time")


def _suspicion(
    shape: str, severity: Severity, message: str, target: str | None = None, confidence: Confidence = Confidence.HIGH
) -> Suspicion:
    return Suspicion(
        kind=Kind.REMOTE_CODE, shape=shape, severity=severity, message=message, target=target, confidence=confidence
    )


def _decoded(scene: Scene, near: Command, message: str) -> Suspicion:
    """Code that is decoded: the sign is plain where the encoded text is there to be seen."""
    beside = " | ".join(each.source for each in (*scene.stages(near), *scene.inner(near)))
    doubt = sureness.payload(beside, (each.source for each in scene.commands))
    if doubt and decodes(near) and any(word.text is not None for word in near.operands):
        doubt = ""  # it reads a file of its own
    return replace(_suspicion("decoded-code", Severity.CRITICAL, message), doubt=doubt)


def _piped(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if any(redirect.body is not None for redirect in command.redirects):
        return  # the program is the here-document; what is piped in never gets there
    before = scene.before(command)
    sources = [other for stage in before for other in (stage, *scene.inner(stage))]
    fetcher = next((stage for stage in sources if fetches(stage)), None)
    if fetcher is not None:
        yield _fetched("pipe-to-shell", f"pipes a download into {command.name}", fetcher)
    elif (decoder := next((stage for stage in before if decodes(stage)), None)) is not None:
        yield _decoded(scene, decoder, f"decodes a text and runs it with {command.name}")


def _fetched(shape: str, what: str, fetcher: Command) -> Suspicion:
    found = [
        url if url in fetcher.source else url.replace("http://", "https://", 1) for url in hosts.destinations(fetcher)
    ]
    places = [(hosts.host(url), url) for url in found]  # where no scheme is written, the host decides
    if not places:
        return _suspicion(
            shape, Severity.WARNING, f"{what} from an address that only the run knows", None, Confidence.MEDIUM
        )
    (kind, name), url = max(places, key=lambda place: -BY_HOST[place[0][0]][0].rank)
    severity, why = BY_HOST[kind]
    confidence = Confidence.MEDIUM if kind is Host.DYNAMIC else Confidence.HIGH
    return _suspicion(shape, severity, f"{what}, {why}" + (f" ({name})" if name else ""), url, confidence)


def _substituted(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """`bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(curl …)"`, `source <(curl …)`."""
    name = (command.name or "").lower()
    handed = name in SHELLS and command.has("-c")
    if not (name in EVALUATORS or name in INTERPRETERS or "eval" in command.wrappers):
        return
    for inner in scene.inner(command):
        direct = Within.PROCESS in inner.within or (
            Within.SUBSTITUTION in inner.within and _is_the_script(scene, command, inner)
        )
        if not direct:
            continue
        if fetches(inner) and inner.position == 0:
            yield _fetched("pipe-to-shell", f"runs a download with {name}", inner)
        elif decodes(inner):
            yield _decoded(scene, inner, f"decodes a text and runs it with {name}")
    del handed


def _is_the_script(scene: Scene, command: Command, inner: Command) -> bool:
    """Whether the substitution stands where a program is named, so that its output is run."""
    if command.name in EVALUATORS:
        return True
    parent = scene.commands[inner.parent] if inner.parent is not None else command
    return bool(parent.words) and parent.words[0].text is None and parent.words[0].shape.startswith(("$(", "`"))


def _held(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Code that went through a variable or a file before it is run."""
    for each in held_and_run(scene, command):
        if each.content is Content.DECODED:
            yield _decoded(scene, scene.commands[each.by], "runs a text that this script decodes")
        elif each.content is Content.FETCHED and not _checked(scene.commands[each.by : command.index]):
            yield _fetched("download-and-run", "runs a download", scene.commands[each.by])


def _left(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """A download that is put where something runs it later: a start file, a job, a hook."""
    own = saved(command) if fetches(command) else ()
    if any(runs_later(path) for path in own):
        yield _fetched("download-and-run", "leaves a download where it is run later", command)
        return
    if not any(runs_later(path) for path in written(command)):
        return
    placed = stored(scene, command) if command.name in {"cp", "mv", "install", "ln"} else told(scene, command)
    for each in (*placed, *(piped(scene, command) if command.name == "tee" else ())):
        if each.content is Content.FETCHED:
            yield _fetched("download-and-run", "leaves a download where it is run later", scene.commands[each.by])
            return


def _checked(between: Sequence[Command]) -> bool:
    """Whether a digest or a signature is looked at."""
    return any(command.name in _CHECKS for command in between)


def _saved(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """A file that an earlier command of the same script downloaded, run without a checksum between."""
    target = file_run(command)
    if target is None:
        return
    target = target.rsplit("/", 1)[-1]
    for other in scene.fetchers:
        if other.index < command.index and target in {path.rsplit("/", 1)[-1] for path in saved(other)}:
            if not _checked(scene.commands[: command.index]):
                yield _fetched("download-and-run", "downloads a file and runs it", other)
            return
