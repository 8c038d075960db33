"""A skill's own `evals/environment/Dockerfile`: read before it is built, and only what cannot change our run.

`# syntax=` runs any program as the builder; `ONBUILD` acts in our build and `VOLUME` in our run; `ADD` of a URL and
foreign stages reach the network as the daemon. User, entry point, health check and environment are set by us anyway.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from aces_ci.core.errors import UsageError

SIZE_LIMIT = 65536
_ALLOWED = frozenset(
    {"FROM", "RUN", "COPY", "ADD", "ENV", "ARG", "WORKDIR", "LABEL", "SHELL", "USER", "CMD", "ENTRYPOINT", "EXPOSE"}
)
_DIRECTIVE = re.compile(r"^\s*#\s*(syntax|escape|check)\s*=", re.IGNORECASE)
_CONTINUED = re.compile(r"\\[ \t]*$")
"""The builder's own words for it: other white space behind the sign ends the instruction."""
_REMOTE = re.compile(r"(?i)://|git@|\.git(?![a-z0-9_])|[$\\]")
"""Also what becomes an address later: a variable, or a sign that JSON escapes."""
_STAGE = re.compile(r"[a-z][a-z0-9_.-]*")


def rebased(data: bytes, *, path: str, base: str, onto: str) -> bytes:
    """A Dockerfile that rule 14 of docs/trust.md allows, with `onto` wherever it begins with `base`.

    `base` is the one image that may stand behind FROM; what is built is what was read.

    Raises:
        UsageError: located at the line that is refused, with what to do instead.
    """
    if len(data) > SIZE_LIMIT:
        raise _refused(path, 1, f"it is longer than {SIZE_LIMIT} bytes", "keep it to a few RUN lines")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _refused(path, 1, "it is not UTF-8", "save it as UTF-8") from None
    stages: list[str] = []
    lines = text.split("\n")
    for number, last, line in _instructions(text, path):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word not in _ALLOWED:
            raise _refused(
                path, number, f"{word[:20]} is not allowed here", "leave it out: aces-ci sets it for every run"
            )
        if word == "FROM":
            image = _from(rest, number, path, base, stages)
            named = f" AS {stages[-1]}" if stages[-1] else ""
            lines[number - 1 : last] = [f"FROM {onto if image == base else image}{named}", *[""] * (last - number)]
        elif not stages and word != "ARG":
            raise _refused(path, number, "it does not begin with FROM", f"begin with `FROM {base}`")
        _flags(word, rest, number, path, stages)
    if not stages:
        raise _refused(path, 1, "it has no FROM", f"begin with `FROM {base}`")
    return "\n".join(lines).encode()


def _instructions(text: str, path: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, instruction) with continuation lines joined, comments left out, directives refused.

    Lines end where the builder ends them, at a line feed: what only Python takes for an end or for white space could
    hide an instruction behind a continued one, and is refused.
    """
    whole, start = "", 0
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        odd = next((char for char in line if _misread(char)), None)
        if odd is not None:
            raise _refused(path, number, f"it holds the character U+{ord(odd):04X}", "write it with plain blanks")
        if _DIRECTIVE.match(line):
            raise _refused(path, number, "a parser directive chooses another builder", "delete the line")
        if line.lstrip().startswith("#") or not line.strip():
            continue
        start = start or number
        continued = _CONTINUED.search(line)
        if continued:
            # As the builder does: nothing stands for the line's end, so `VOL\` and `UME` are one word.
            whole += line[: continued.start()]
            continue
        whole += line
        if whole.strip():
            yield start, number, " ".join(whole.split())
        whole, start = "", 0
    if whole.strip():
        yield start, number, " ".join(whole.split())


def _misread(char: str) -> bool:
    return char not in " \t" and unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp")


def _from(rest: str, number: int, path: str, base: str, stages: list[str]) -> str:
    """The image or earlier stage. Adds the stage's name, empty where it has none: they are also called by number."""
    words = rest.split()
    if not words or words[0].startswith("--") or (words[0] != base and words[0].lower() not in filter(None, stages)):
        raise _refused(path, number, f"only one base image is allowed: {base}", f"write `FROM {base}`")
    named = len(words) == 3 and words[1].upper() == "AS" and _STAGE.fullmatch(words[2].lower())
    if not named and len(words) != 1:
        raise _refused(path, number, "FROM takes an image and at most `AS name`", f"write `FROM {base}`")
    stages.append(words[2].lower() if named else "")
    return words[0]


def _flags(word: str, rest: str, number: int, path: str, stages: list[str]) -> None:
    flags = [part for part in rest.split() if part.startswith("--")] if word in ("RUN", "COPY", "ADD") else []
    for flag in flags if word != "RUN" else _leading(rest):
        name, _, value = flag[2:].partition("=")
        if name == "from" and value and value.lower() in (*stages[:-1], *map(str, range(len(stages) - 1))):
            continue
        if word in ("COPY", "ADD") and name in ("chown", "chmod"):
            continue
        raise _refused(path, number, f"{word} {flag[:40]} is not allowed", "use a plain RUN or COPY")
    if word == "RUN" and rest.lstrip().startswith("<<"):
        raise _refused(path, number, "here-documents need another builder", "put the script in a file and COPY it")
    if word == "ADD" and _REMOTE.search(rest):
        raise _refused(path, number, "ADD may not fetch", "put the file beside the Dockerfile and COPY it")


def _leading(rest: str) -> list[str]:
    found = []
    for part in rest.split():
        if not part.startswith("--"):
            break
        found.append(part)
    return found


def _refused(path: str, line: int, what: str, do: str) -> UsageError:
    return UsageError(
        f"{path}:{line}: {what}",
        code="environment_dockerfile",
        path=path,
        line=line,
        why="this file is built beside the Docker socket, before any sandbox exists",
        do=do,
    )
