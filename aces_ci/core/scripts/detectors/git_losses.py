"""Work and history that a git command throws away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command

_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_EVERYTHING = frozenset({".", "./", ":/", ":", "*", "./*", "..", "../", ":(top)"})
"""Pathspecs that name the whole tree."""


def git(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """What a warning says of the machine of a reader, a note says of an everyday command that loses work."""
    words = _words(command)
    verb = words[0] if words else ""
    rest = words[1:]
    if verb == "push":
        yield from _push(rest)
    elif verb == "reset" and "--hard" in rest:
        yield _info("git-reset-hard", "throws uncommitted work away")
    elif verb in {"checkout", "restore", "switch"} and _discards(verb, rest):
        yield _info("git-discard", "throws uncommitted work of the whole tree away")
    elif verb == "clean" and _short(rest, "f", "--force") and not _short(rest, "n", "--dry-run"):
        everything = _short(rest, "x") or _short(rest, "d") or _short(rest, "X")
        yield (_warning if everything else _info)("git-clean", "deletes files that git does not track")
    elif verb == "rm" and _short(rest, "r") and "--cached" not in rest and _EVERYTHING & set(rest):
        yield _warning("git-remove", "deletes every file that git tracks")
    elif verb in {"filter-branch", "filter-repo"}:
        yield _warning("git-rewrite", "rewrites the repository's history")
    elif verb == "stash" and rest[:1] in (["clear"], ["drop"]):
        yield _info("git-stash-drop", "throws stashed work away")
    elif verb == "reflog" and rest[:1] == ["expire"]:
        yield _warning("git-reflog", "deletes what git could recover from")


def _push(rest: Sequence[str]) -> Iterator[Suspicion]:
    plus = next((word for word in rest if word.startswith("+") and len(word) > 1), None)
    if _short(rest, "f", "--force") or plus or "--mirror" in rest:
        yield _warning("git-push-force", "overwrites the history of a remote branch", plus)
    elif "--delete" in rest or "-d" in rest or any(word[:1] == ":" and len(word) > 1 for word in rest):
        yield _info("git-push-delete", "deletes a remote branch")


def _discards(verb: str, rest: Sequence[str]) -> bool:
    """Whether the whole tree goes back to what is committed; `restore --staged` alone changes no file."""
    if verb == "switch":
        return _short(rest, "f", "--force") or "--discard-changes" in rest
    if verb == "checkout" and _short(rest, "f", "--force"):
        return True
    index_only = verb == "restore" and _short(rest, "S", "--staged") and not _short(rest, "W", "--worktree")
    return not index_only and bool(_EVERYTHING & set(rest))


def _short(words: Sequence[str], letter: str, long: str = "") -> bool:
    """Whether an option is given, alone or in a cluster."""
    return any(word == long or (word[:1] == "-" and word[:2] != "--" and letter in word[1:]) for word in words)


def _words(command: Command) -> list[str]:
    words = [word.shape for word in command.arguments]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _VALUED else words[1:]
    return words


def _warning(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=Severity.WARNING, message=message, target=target)


def _info(shape: str, message: str) -> Suspicion:
    return Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=Severity.INFO, message=message)
