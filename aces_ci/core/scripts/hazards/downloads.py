"""Commands that bring a text in: from another machine, or out of a form that no reader understands."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

import re2

from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.shell.command import Command

FETCHERS = frozenset(
    {"curl", "wget", "fetch", "http", "https", "xh", "aria2c", "axel", "lynx", "irm", "iwr", "invoke-restmethod",
     "invoke-webrequest"}
)  # fmt: skip

_SHOWN = re2.compile(r"-[A-Za-z]*O-|--output-document=-")
"""How `wget` is told to print what it gets."""
_FOLDERS: Mapping[str, frozenset[str]] = {
    "curl": frozenset({"--output-dir"}),
    "wget": frozenset({"-P", "--directory-prefix"}),
    "aria2c": frozenset({"-d", "--dir"}),
}
"""Options that name the folder into which is stored."""


def fetches(command: Command) -> bool:
    """Whether the command downloads something."""
    return (command.name or "").lower() in FETCHERS


def decodes(command: Command) -> bool:
    """Whether it makes readable what it reads."""
    if command.name in {"base64", "base32"}:
        return command.has("-d", "-D", "--decode")
    if command.name == "xxd":
        return command.has("-r")
    if command.name == "openssl":
        return command.has("-d") or any(word.text == "-d" for word in command.arguments)
    return command.name in {"uudecode", "rev"}


def saved(command: Command) -> frozenset[str]:
    """The paths under which a fetcher stores what it gets, as it names them."""
    paths: set[str] = set()
    words = command.arguments
    folder = ""
    for word, following in zip_longest(words, words[1:]):
        shape = word.shape
        if following is not None and (
            shape in {"-o", "--output", "-O", "--output-document", "-OutFile"}
            or (shape[:1] == "-" and shape[:2] != "--" and shape[-1:] in {"o"})
        ):
            paths.add(following.shape)
        elif following is not None and shape in _FOLDERS.get(command.name or "", ()):
            folder = following.shape.rstrip("/") + "/"
        elif shape.startswith(("--output=", "--output-document=")):
            paths.add(shape.split("=", 1)[1])
    remote = command.name in {"wget", "aria2c", "axel"} or command.has("-O", "--remote-name", "-J")
    shown = command.name == "wget" and any(_SHOWN.fullmatch(word.shape) for word in words)
    if remote and not shown and not (command.name == "wget" and paths):
        paths.update(folder + url.split("?")[0].rsplit("/", 1)[-1] for url in hosts.of(command))
    paths.update(r.target.shape for r in command.redirects if r.writes and r.target)
    return frozenset(path for path in paths if path and path != "-")
