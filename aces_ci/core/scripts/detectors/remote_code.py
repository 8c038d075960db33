"""Commands that run code which nobody looked at: fetched or decoded, and executed in one go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.scripts.shell.wrappers import INTERPRETERS, SHELLS

FETCHERS = frozenset(
    {
        "curl",
        "wget",
        "fetch",
        "http",
        "https",
        "xh",
        "aria2c",
        "axel",
        "lynx",
        "irm",
        "iwr",
        "invoke-restmethod",
        "invoke-webrequest",
    }
)
_DECODERS = frozenset({"base64", "base32", "xxd", "openssl", "uudecode", "gpg", "rev", "tr", "gunzip", "zcat"})
_EVALUATORS = frozenset({"eval", "source", ".", "iex", "invoke-expression"})
_LANGUAGES = INTERPRETERS - SHELLS
_RUNNERS = INTERPRETERS | {"source", "."}
_BY_HOST: Mapping[Host, tuple[Severity, str]] = {
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
_INLINE = re2.compile(
    r"(?i)\bexec\s*\(\s*(__import__|requests|urllib|urlopen|base64|zlib|marshal|codecs)|\b(exec|eval)\s*\(.*\b(b64decode|urlopen|requests\.get)\b"
)


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every shape of unseen code that one command runs."""
    if runs_stdin(command):
        yield from _piped(scene, command)
    yield from _substituted(scene, command)
    yield from _saved(scene, command)
    if command.name in _LANGUAGES and command.has("-c", "-e"):
        code = " ".join(word.shape for word in command.arguments)
        if _INLINE.search(code):
            yield _suspicion("decoded-code", Severity.CRITICAL, "runs code that it decodes or downloads at run time")


def runs_stdin(command: Command) -> bool:
    """Whether the command executes what it reads: `sh`, `bash -s -- x`, `python3 -`, but not `python3 -m json.tool`."""
    name = (command.name or "").lower()
    if name in {"iex", "invoke-expression"}:
        return True
    if name not in INTERPRETERS and not _versioned(name):
        return False
    if name in SHELLS and command.has("-s"):
        return True
    if command.has("-c", "-e", "-m", "-p", "-n", "-r", "--eval", "--print", "--version", "-h", "--help", "-l"):
        return name in SHELLS and not command.has("-c", "--version", "--help", "-n")
    operands = command.operands
    if name in {"deno", "bun"}:
        return len(operands) >= 2 and operands[0].shape == "run" and operands[1].shape == "-"
    return not operands or operands[0].shape in {"-", "/dev/stdin"}


def _versioned(name: str) -> bool:
    return name.startswith("python") and name[6:].replace(".", "").isdigit()


def _suspicion(
    shape: str, severity: Severity, message: str, target: str | None = None, confidence: Confidence = Confidence.HIGH
) -> Suspicion:
    return Suspicion(
        kind=Kind.REMOTE_CODE, shape=shape, severity=severity, message=message, target=target, confidence=confidence
    )


def fetches(command: Command) -> bool:
    """Whether the command downloads something."""
    return (command.name or "").lower() in FETCHERS


def _piped(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if any(redirect.body is not None for redirect in command.redirects):
        return  # the program is the here-document; what is piped in never gets there
    before = scene.before(command)
    sources = [other for stage in before for other in (stage, *scene.inner(stage))]
    fetcher = next((stage for stage in sources if fetches(stage)), None)
    if fetcher is not None:
        yield _fetched("pipe-to-shell", f"pipes a download into {command.name}", fetcher)
    elif any(_decodes(stage) for stage in before):
        yield _suspicion("decoded-code", Severity.CRITICAL, f"decodes a text and runs it with {command.name}")


def _decodes(command: Command) -> bool:
    if command.name in {"base64", "base32"}:
        return command.has("-d", "-D", "--decode")
    if command.name == "xxd":
        return command.has("-r")
    if command.name == "openssl":
        return command.has("-d") or any(word.text == "-d" for word in command.arguments)
    return command.name in {"uudecode", "rev"}


def _fetched(shape: str, what: str, fetcher: Command) -> Suspicion:
    places = [(hosts.host(url), url) for url in hosts.destinations(fetcher)]
    if not places:
        return _suspicion(
            shape, Severity.WARNING, f"{what} from an address that only the run knows", None, Confidence.MEDIUM
        )
    (kind, name), url = max(places, key=lambda place: -_BY_HOST[place[0][0]][0].rank)
    severity, why = _BY_HOST[kind]
    confidence = Confidence.MEDIUM if kind is Host.DYNAMIC else Confidence.HIGH
    return _suspicion(shape, severity, f"{what}, {why}" + (f" ({name})" if name else ""), url, confidence)


def _substituted(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """`bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(curl …)"`, `source <(curl …)`."""
    name = (command.name or "").lower()
    handed = name in SHELLS and command.has("-c")
    if not (name in _EVALUATORS or name in INTERPRETERS or "eval" in command.wrappers):
        return
    for inner in scene.inner(command):
        direct = Within.PROCESS in inner.within or (
            Within.SUBSTITUTION in inner.within and _is_the_script(scene, command, inner)
        )
        if not direct:
            continue
        if fetches(inner) and inner.position == 0:
            yield _fetched("pipe-to-shell", f"runs a download with {name}", inner)
        elif _decodes(inner):
            yield _suspicion("decoded-code", Severity.CRITICAL, f"decodes a text and runs it with {name}")
    del handed


def _is_the_script(scene: Scene, command: Command, inner: Command) -> bool:
    """Whether the substitution stands where a program is named, so that its output is run."""
    if command.name in _EVALUATORS:
        return True
    parent = scene.commands[inner.parent] if inner.parent is not None else command
    return bool(parent.words) and parent.words[0].text is None and parent.words[0].shape.startswith(("$(", "`"))


def _saved(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """A file that an earlier command of the same script downloaded, run without a checksum between."""
    target = _run_file(command)
    if target is None:
        return
    checked = False
    for other in scene.commands[: command.index]:
        if other.name in {
            "sha256sum",
            "shasum",
            "sha512sum",
            "gpg",
            "cosign",
            "minisign",
            "openssl",
            "md5sum",
            "b2sum",
        }:
            checked = True
        if fetches(other) and target in saved_files(other):
            if not checked:
                found = _fetched("download-and-run", "downloads a file and runs it", other)
                severity = (
                    Severity.WARNING
                    if found.severity is Severity.CRITICAL and "http" in found.message
                    else found.severity
                )
                yield _suspicion(found.shape, severity, found.message, found.target, found.confidence)
            return


def saved_files(command: Command) -> frozenset[str]:
    """Names, without folders, under which a fetcher stores what it gets."""
    names: set[str] = set()
    words = command.arguments
    for word, following in zip(words, [*words[1:], None], strict=True):
        shape = word.shape
        if following is not None and (
            shape in {"-o", "--output", "-O", "--output-document", "-OutFile"}
            or (shape[:1] == "-" and shape[:2] != "--" and shape[-1:] in {"o"})
        ):
            names.add(following.shape.rsplit("/", 1)[-1])
        elif shape.startswith(("--output=", "--output-document=")):
            names.add(shape.split("=", 1)[1].rsplit("/", 1)[-1])
    remote = command.name == "wget" or command.has("-O", "--remote-name", "-J")
    if remote and not (command.name == "wget" and names):
        names.update(url.split("?")[0].rsplit("/", 1)[-1] for url in hosts.of(command))
    names.update(r.target.shape.rsplit("/", 1)[-1] for r in command.redirects if r.writes and r.target)
    return frozenset(name for name in names if name and name != "-")


def _run_file(command: Command) -> str | None:
    if command.words and command.words[0].shape.startswith(("./", "/tmp/", "/var/tmp/")):
        return command.words[0].shape.rsplit("/", 1)[-1]
    if command.name in _RUNNERS and command.operands:
        return command.operands[0].shape.rsplit("/", 1)[-1]
    return None
