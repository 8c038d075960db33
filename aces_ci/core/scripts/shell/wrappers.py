"""Programs that run another program: what they hide is what counts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aces_ci.core.scripts.shell.command import Within, Word
from aces_ci.core.scripts.shell.wrapper_options import CONTAINERS, LEADING, RUNNERS, VALUED

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash"})
"""Programs whose standard input, or `-c` text, is a shell script."""
INTERPRETERS = SHELLS | frozenset(
    {
        "python",
        "python2",
        "python3",
        "perl",
        "ruby",
        "node",
        "deno",
        "bun",
        "php",
        "pwsh",
        "powershell",
        "osascript",
        "lua",
    }
)
"""Programs that run what they read from standard input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """What a wrapper runs: more words, or the text of a script."""

    name: str
    words: tuple[Word, ...] = ()
    script: Word | None = None
    within: Within | None = None
    assignments: tuple[tuple[str, Word], ...] = ()
    folder: Word | None = None
    """Where the wrapper goes before it runs them: `env -C`."""
    given: tuple[Word, ...] = ()
    """Where `find` looks for what it hands over, with the conditions that what it finds has to meet."""
    positional: tuple[Word, ...] = ()
    """`$0`, `$1` … of the script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """A command with all its wrappers taken off. `names` are theirs, outermost first."""

    words: tuple[Word, ...]
    names: tuple[str, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    within: frozenset[Within] = frozenset()
    folders: tuple[str, ...] = ()
    """Where they go, one after the other."""
    given: tuple[Word, ...] = ()
    script: Word | None = None
    """The text that the words hand to a shell, `kind` what it makes of it, `positional` its `$0`, `$1` …"""
    kind: Within = Within.STRING
    positional: tuple[Word, ...] = ()


MAX_UNWRAP = 12
"""Wrappers in wrappers that are followed."""


def take_off(words: tuple[Word, ...]) -> Bare:
    """Wrapper after wrapper taken off; what hands a script to a shell keeps its words."""
    bare = Bare(words=words)
    for _ in range(MAX_UNWRAP):
        inner = unwrap(bare.words)
        if inner is None:
            break
        if inner.script is not None:
            kind = inner.within or Within.STRING
            return replace(bare, script=inner.script, kind=kind, positional=inner.positional)
        bare = Bare(
            words=inner.words,
            names=(*bare.names, inner.name),
            assignments=(*bare.assignments, *inner.assignments),
            within=bare.within | {inner.within} if inner.within else bare.within,
            folders=(*bare.folders, inner.folder.shape) if inner.folder else bare.folders,
            given=inner.given or bare.given,
        )
    return bare


def unwrap(words: Sequence[Word]) -> Inner | None:
    """One wrapper taken off, or None where the first word is the program that counts."""
    name = program(words)
    if name is None:
        return None
    if name in SHELLS:
        return _shell(name, words)
    if name == "eval" and len(words) > 1:
        return Inner(name=name, script=_joined(words[1:]), within=Within.STRING)
    if name == "su":
        return _flagged(name, words, ("-c", "--command"))
    if name == "find":
        return _find(words)
    if name in {"fd", "fdfind"}:
        return _fd(words)
    if name in VALUED:
        return _plain(name, words)
    second = words[1].text if len(words) > 1 else None
    if second is not None and (name, second) in RUNNERS:
        rest = _operands(words[2:], RUNNERS[name, second], 0)
        return Inner(name=f"{name} {second}", words=rest) if rest else None
    if second is not None and (name, second) in CONTAINERS:
        rest = _operands(words[2:], CONTAINERS[name, second], 1)
        return Inner(name=f"{name} {second}", words=rest, within=Within.CONTAINER) if rest else None
    return None


def program(words: Sequence[Word]) -> str | None:
    """The first word without folders, or None where it is dynamic or missing."""
    text = words[0].text if words else None
    return text.rsplit("/", 1)[-1] if text else None


def _shell(name: str, words: Sequence[Word]) -> Inner | None:
    at = 1
    while at < len(words):
        option = words[at].shape
        if option[:1] not in "-+" or len(option) < 2:
            return None
        if option[0] == "-" and option[1] != "-" and "c" in option[1:]:
            place = next((n for n in range(at + 1, len(words)) if _is_text(words[n].shape)), None)
            if place is None:
                return None
            rest = tuple(words[place + 1 :])
            return Inner(name=name, script=words[place], within=Within.STRING, positional=rest)
        at += 2 if option in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"} else 1
    return None


def _is_text(shape: str) -> bool:
    return shape[:1] != "-" or " " in shape


def _flagged(name: str, words: Sequence[Word], flags: tuple[str, ...]) -> Inner | None:
    for word, following in itertools.pairwise(words):
        if word.shape in flags:
            return Inner(name=name, script=following, within=Within.STRING)
    return None


def _find(words: Sequence[Word]) -> Inner | None:
    for at, word in enumerate(words):
        if word.text in {"-exec", "-execdir", "-ok", "-okdir"}:
            ends = (i for i in range(at + 1, len(words)) if words[i].text in {";", "+"})
            rest = tuple(words[at + 1 : next(ends, len(words))])
            return Inner(name="find", words=rest, given=tuple(words[1:at])) if rest else None
    return None


def _fd(words: Sequence[Word]) -> Inner | None:
    """`fd PATTERN FOLDER -x rm`; a pattern that takes in everything is no condition."""
    at = next((n for n, word in enumerate(words) if word.text in {"-x", "-X", "--exec", "--exec-batch"}), None)
    if at is None or at + 1 == len(words):
        return None
    pattern, *folders = [word for word in words[1:at] if word.shape[:1] != "-"] or [_HERE]
    chosen = pattern.shape not in _ANYTHING or any(word.shape in {"-e", "-g"} for word in words[1:at])
    limits = [_NAMED, pattern] if chosen else []
    run = tuple(words[at + 1 :])
    run = run if any("{}" in word.shape for word in run) else (*run, _FOUND)
    return Inner(name="fd", words=run, given=(*(folders or [_HERE]), *limits))


_ANYTHING = frozenset({".", "", "*", ".*"})
_FOUND = Word(text="{}", shape="{}", line=1, column=1)
_HERE = Word(text=".", shape=".", line=1, column=1)
_NAMED = Word(text="-name", shape="-name", line=1, column=1)


def _plain(name: str, words: Sequence[Word]) -> Inner | None:
    if name == "command" and any(w.text in {"-v", "-V"} for w in words[1:2]):
        return None
    rest = _operands(words[1:], VALUED[name], LEADING.get(name, 0))
    assignments: list[tuple[str, Word]] = []
    if name == "env":
        while rest and "=" in rest[0].shape and rest[0].shape.split("=", 1)[0].isidentifier():
            key, value = rest[0].shape.split("=", 1)
            text = rest[0].text
            static = text.split("=", 1)[1] if text is not None else None
            place = rest[0]
            assignments.append((key, Word(text=static, shape=value, line=place.line, column=place.column)))
            rest = rest[1:]
    if not rest:
        return None
    within = Within.REMOTE if name == "ssh" else None
    folder = _folder(words) if name in {"env", "sudo"} else None
    if name in {"ssh", "watch"} or (len(rest) == 1 and name in {"parallel", "unbuffer"}):
        return Inner(name=name, script=_joined(rest), within=within or Within.STRING)
    return Inner(name=name, words=rest, within=within, assignments=tuple(assignments), folder=folder)


def _folder(words: Sequence[Word]) -> Word | None:
    """What `env -C`, `sudo -D` or their `--chdir` name."""
    for word, following in itertools.pairwise(words):
        if word.shape.startswith("--chdir="):
            return Word(text=word.text and word.text[8:], shape=word.shape[8:], line=word.line, column=word.column)
        if word.shape in {"-C", "-D", "--chdir"}:
            return following
        if word.shape[:1] != "-" and word is not words[0] and "=" not in word.shape:
            return None
    return None


def _operands(words: Sequence[Word], valued: frozenset[str], leading: int) -> tuple[Word, ...]:
    at = 0
    while at < len(words):
        shape = words[at].shape
        if shape == "--":
            at += 1
            if leading:
                at += leading
            return tuple(words[at:])
        if shape[:1] == "-" and len(shape) > 1:
            at += 2 if shape in valued else 1
            continue
        if leading:
            leading -= 1
            at += 1
            continue
        break
    return tuple(words[at:])


def _joined(words: Sequence[Word]) -> Word:
    dynamic = any(word.text is None for word in words)
    shape = " ".join(word.shape for word in words)
    return Word(
        text=None if dynamic else shape,
        shape=shape,
        line=words[0].line,
        column=words[0].column,
        quoted=len(words) == 1 and words[0].quoted,
    )
