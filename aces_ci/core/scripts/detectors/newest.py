"""Packages that are installed, or fetched and run, by name alone: whatever version is the newest that day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.shell.command import Command

NEWEST = "takes the newest version of "
"""How the clause begins, so that one such finding a file is enough."""
_INSTALLS: Mapping[str, Sequence[tuple[str, ...]]] = {
    "pip": (("install",),), "pip3": (("install",),), "uv": (("pip", "install"), ("tool", "install")),
    "pipx": (("install",), ("run",)), "npm": (("install",), ("i",), ("add",)), "pnpm": (("add",), ("dlx",)),
    "yarn": (("add",), ("global", "add"), ("dlx",)), "bun": (("add",), ("x",)), "gem": (("install",),),
    "cargo": (("install",),), "npx": ((),), "bunx": ((),), "uvx": ((),), "pnpx": ((),),
}  # fmt: skip
"""Program -> the words after which packages are named."""
_ONE = frozenset({"npx", "bunx", "uvx", "pnpx", "pipx"})
"""Programs that run the first package; what follows are its arguments."""
_VALUED = frozenset(
    {"-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-t", "--target", "-i", "--index-url", "--python",
     "-p", "--package", "--from", "--with", "--prefix", "--registry", "-v", "--version", "--git", "--path", "--root",
     "--extra-index-url", "--find-links", "-f", "-C", "--features", "--source"}
)  # fmt: skip
_NAME = re2.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*(?:\[[\w, .-]+\])?(?:(?:>=|~=|>|!=).*)?")
"""A package without a version, or with the lowest one alone."""
_FILE = re2.compile(r"\.(whl|tgz|gz|zip|gem|crate|txt|toml)$")


def newest(command: Command) -> tuple[str, Severity, Confidence] | None:
    """What one command installs without a version, as a clause, a severity and a confidence."""
    words = [word.shape for word in command.arguments]
    name = command.name or ""
    if name.startswith("python") and words[:2] == ["-m", "pip"]:
        name, words = "pip", words[2:]
    for verbs in _INSTALLS.get(name, ()):
        if tuple(words[: len(verbs)]) != verbs:
            continue
        pinned = any(word in {"--version", "-v", "--git", "--path", "--require-hashes", "--locked"} for word in words)
        packages = _operands(words[len(verbs) :])
        packages = packages[:1] if name in _ONE or verbs in {("dlx",), ("x",)} else packages
        loose = [each for each in packages if _NAME.fullmatch(each) and not _FILE.search(each)]
        if loose and not pinned:
            return f"{NEWEST}{loose[0]}", Severity.INFO, Confidence.LOW
    return None


def _operands(words: Sequence[str]) -> list[str]:
    before: Sequence[str | None] = [None, *words]
    return [word for option, word in zip(before, words, strict=False) if word[:1] != "-" and option not in _VALUED]
