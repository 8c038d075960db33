"""Shell scripts that a command leaves where something runs them later: a job, a start file, a hook, a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.handed import printed, read_in

START_FILE = re2.compile(
    r"(^|/)(\.(bashrc|bash_profile|zshrc|zprofile|zshenv|profile|bash_login|config/fish/config\.fish|bash_aliases)|"
    r"profile\.d/[\w.-]+|etc/(profile|bash\.bashrc|environment))$"
)
"""What a shell reads when it starts."""
AUTOSTART = re2.compile(
    r"(^|/)(cron(tab|\.d|\.daily|\.hourly|\.weekly|\.monthly)?(/|$)|etc/systemd/|\.config/systemd/|LaunchAgents/|"
    r"LaunchDaemons/|\.config/autostart/|init\.d/|rc\.local$|etc/ld\.so\.preload$)"
)
"""What the machine starts by itself."""
_HOOK = re2.compile(r"(^|/)(\.git/hooks|\.husky|\.claude/hooks)/[\w.-]+$")
_TABLE = re2.compile(r"(^|/)cron(tab|\.d)(/|$)|/cron/")
_SYSTEM_TABLE = re2.compile(r"(^|/)etc/cron(tab|\.d)(/|$)")
_UNIT = re2.compile(r"\.(service|desktop)$")
_JOB = re2.compile(r"^\s*(?:@\w+|(?:[\d*/,\-A-Za-z]+\s+){4}[\d*/,\-A-Za-z]+)\s+(.*)$")
_STARTS = re2.compile(r"^Exec\w*=[-@:+!]*(.*)$")
_SCHEDULERS = frozenset({"at", "batch"})
_STDIN = frozenset({"-", "/dev/stdin"})


def written(command: Command) -> tuple[str, ...]:
    """The files that a command writes, appends to or puts in place, as it names them."""
    found = [r.target.shape for r in command.redirects if r.writes and r.target]
    if command.name == "tee":
        found += [word.shape for word in command.operands]
    if command.name in {"cp", "mv", "install", "ln"} and command.operands:
        found.append(command.operands[-1].shape)
    if command.name == "sed" and command.has("-i"):
        found += [word.shape for word in command.operands[1:]]
    return tuple(found)


def schedules(command: Command) -> bool:
    """Whether it replaces the user's table of jobs (`crontab FILE`, `… | crontab -`)."""
    reads = not command.arguments or bool(command.operands)
    return command.name == "crontab" and reads and not command.has("-l", "-r", "-e")


def planted(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """Every script that `command`, one of `commands`, leaves to be run later, as far as its text is written out."""
    if schedules(command):
        for text in _table(command, commands):
            yield from _jobs(text, user=False)
    elif command.name in _SCHEDULERS:
        yield from _read(command, commands)
    elif command.name == "trap" and len(command.operands) > 1:
        yield command.operands[0].shape
    elif command.name == "alias":
        yield from (word.shape.partition("=")[2] for word in command.operands if "=" in word.shape)
    for path in written(command):
        if START_FILE.search(path) or AUTOSTART.search(path) or _HOOK.search(path):
            text = "\n".join(_read(command, commands) if command.name == "tee" else _said(command))
            yield from _scripts(path, text)


def _scripts(path: str, text: str) -> Iterator[str]:
    """The scripts in a file of that name."""
    if _TABLE.search(path):
        yield from _jobs(text, user=_SYSTEM_TABLE.search(path) is not None)
    elif _UNIT.search(path):
        yield from (found.group(1) for row in text.split("\n") if (found := _STARTS.match(row)))
    elif not path.endswith(".plist"):
        yield text


def _jobs(text: str, *, user: bool) -> Iterator[str]:
    """What the lines of a table of jobs run; with `user`, the word after the times says as whom."""
    for row in text.split("\n"):
        found = _JOB.match(row)
        if found:
            yield found.group(1).partition(" ")[2] if user else found.group(1)


def _table(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """What `crontab` gets: from its standard input, or from a file that the script has written before."""
    file = next((word.shape for word in command.operands if word.shape not in _STDIN), None)
    if file is None:
        yield from _read(command, commands)
        return
    for other in commands[: command.index]:
        if file in written(other):
            yield from _read(other, commands) if other.name == "tee" else _said(other)


def _read(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """What reaches its standard input: a here-document, else all that the stages before it print."""
    if any(redirect.body for redirect in command.redirects):
        yield from read_in(command, commands)
        return
    for other in commands:
        if other.pipeline == command.pipeline and other.position < command.position:
            yield from _said(other)


def _said(command: Command) -> Iterator[str]:
    text = printed(command)
    if text:
        yield text
