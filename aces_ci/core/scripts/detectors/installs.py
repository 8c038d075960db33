"""Installs that take whatever is newest, or from wherever it is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scan.snippets import Site, snippets, text_of
from aces_ci.core.scan.stance import Stance, stance
from aces_ci.core.scripts.detectors.newest import NEWEST, newest
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.commands import parse
from aces_ci.core.skill import Skill

_SHA = re2.compile(r"[@#][0-9a-f]{7,40}\b")
_GIT = re2.compile(r"(git\+(https?|ssh)://|^github:|^https://github\.com/[\w.-]+/[\w.-]+(\.git)?($|[@#]))")
_TAG = re2.compile(r"[@#]v?\d[\w.]*$")
_PYTHON = frozenset({"pip", "pip3", "uv", "pipx", "uvx"})
_NODE_RUN = frozenset({"npx", "bunx", "pnpx"})
_REQUIREMENT = re2.compile(r"^[A-Za-z0-9][\w.-]*(\[[\w, .-]+\])?\s*(;.*)?(#.*)?$")
_MANY = 3
"""Findings of the mildest kind that one file may bring: more say nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Install:
    """One install that is not pinned, at its place."""

    path: str
    line: int
    column: int
    what: str
    """A clause that continues "This …"."""
    severity: Severity
    confidence: Confidence


def find(skill: Skill) -> Iterator[Install]:
    """Every such install in scripts, code blocks and requirements files; one a line and kind."""
    told: set[tuple[str, int, str]] = set()
    for install in _each(skill):
        mark = (install.path, install.line, install.what)
        if mark not in told:
            told.add(mark)
            yield install


def _each(skill: Skill) -> Iterator[Install]:
    named: set[str] = set()
    for snippet in snippets(skill):
        if snippet.site is Site.INLINE or not _may_install(snippet.text):
            continue
        text = text_of(skill, skill.files[snippet.path]) or ""
        for command in parse(snippet.text):
            judged = _judge(command) or newest(command)
            if judged is None:
                continue
            what, severity, confidence = judged
            if what.startswith(NEWEST):
                if snippet.path in named:
                    continue
                named.add(snippet.path)
            line = snippet.line + command.line - 1
            if snippet.site is Site.FENCE and severity is Severity.WARNING:
                told = stance(text, line, subject=True)
                severity = Severity.INFO if told is Stance.TALKS else severity
            column = command.column + (snippet.column - 1 if command.line == 1 else 0)
            yield Install(
                path=snippet.path, line=line, column=column, what=what, severity=severity, confidence=confidence
            )
    for path in sorted(skill.files):
        name = PurePosixPath(path).name
        if name.startswith("requirements") and name.endswith(".txt"):
            yield from _requirements(path, text_of(skill, skill.files[path]) or "")


def _may_install(text: str) -> bool:
    return any(word in text for word in ("install", "npx", "uvx", "bunx", "pnpx", "pnpm dlx", "add ", "pipx"))


def _judge(command: Command) -> tuple[str, Severity, Confidence] | None:
    name = command.name or ""
    shapes = [word.shape for word in command.arguments]
    if name in {"python", "python3"} and shapes[:2] == ["-m", "pip"]:
        name, shapes = "pip", shapes[2:]
    if name in _PYTHON and (
        name == "uvx" or "install" in shapes or "add" in shapes or "run" in shapes or "tool" in shapes
    ):
        return _python(shapes)
    if name in _NODE_RUN or (name in {"npm", "pnpm", "yarn", "bun"} and shapes[:1] in (["exec"], ["dlx"], ["x"])):
        latest = next((s for s in shapes if s.endswith(("@latest", "@next", "@canary", "@beta"))), None)
        if latest:
            return f"fetches and runs {latest} at each use", Severity.INFO, Confidence.MEDIUM
    if name in {"npm", "pnpm", "yarn", "bun"} and shapes[:1] and shapes[0] in {"install", "i", "add"}:
        return _node(shapes)
    if name == "go" and shapes[:1] == ["install"] and any(s.endswith("@latest") for s in shapes):
        return "installs the newest version of a Go program", Severity.INFO, Confidence.MEDIUM
    if name == "cargo" and shapes[:1] == ["install"] and command.has("--git") and not command.has("--rev", "--tag"):
        return "installs a branch of a repository", Severity.WARNING, Confidence.HIGH
    return None


def _python(shapes: list[str]) -> tuple[str, Severity, Confidence] | None:
    for at, shape in enumerate(shapes):
        value = shape.split("=", 1)[1] if "=" in shape else (shapes[at + 1] if at + 1 < len(shapes) else "")
        option = shape.split("=", 1)[0]
        if option == "--extra-index-url":
            return (
                "installs from two indexes, so that a stranger's package of the same name can win",
                Severity.WARNING,
                Confidence.MEDIUM,
            )
        if option in {"-i", "--index-url", "--find-links", "-f"} and value.startswith("http://"):
            return "installs packages over plain http", Severity.WARNING, Confidence.HIGH
        if _GIT.search(shape) and not _SHA.search(shape):
            if _TAG.search(shape):
                return "installs a tag of a repository, which can be moved", Severity.INFO, Confidence.MEDIUM
            return "installs a branch of a repository", Severity.WARNING, Confidence.HIGH
        if shape.startswith("http://"):
            return "installs a package over plain http", Severity.WARNING, Confidence.HIGH
    return None


def _node(shapes: list[str]) -> tuple[str, Severity, Confidence] | None:
    for at, shape in enumerate(shapes):
        following = shapes[at + 1] if at + 1 < len(shapes) else ""
        if shape.startswith("--registry=http://") or (shape == "--registry" and following.startswith("http://")):
            return "installs packages over plain http", Severity.WARNING, Confidence.HIGH
        if _GIT.search(shape) and not _SHA.search(shape):
            return "installs a branch of a repository", Severity.WARNING, Confidence.HIGH
        if shape.startswith("http://"):
            return "installs a package over plain http", Severity.WARNING, Confidence.HIGH
    return None


def _requirements(path: str, text: str) -> Iterator[Install]:
    count = 0
    for number, row in enumerate(text.split("\n"), start=1):
        if _REQUIREMENT.match(row.strip()) and count < _MANY:
            count += 1
            name = row.split("#")[0].split(";")[0].strip()
            yield Install(
                path=path,
                line=number,
                column=1,
                what=f"takes any version of {name}",
                severity=Severity.INFO,
                confidence=Confidence.HIGH,
            )
