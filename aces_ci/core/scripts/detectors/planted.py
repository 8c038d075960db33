"""Shell scripts that a command leaves where something runs them later: a job, a start file, a hook, a unit."""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterable, Iterator

import re2

from aces_ci.core.scripts.flow.output import told
from aces_ci.core.scripts.flow.written import written
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.folders import below
from aces_ci.core.scripts.shell.handed import read_in

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
_ARGUMENTS = re2.compile(r"(?s)<key>ProgramArguments</key>\s*<array>(.*?)</array>")
_STRING = re2.compile(r"(?s)<string>(.*?)</string>")
_PLACERS = frozenset({"cp", "mv", "install", "ln"})
_SCHEDULERS = frozenset({"at", "batch"})
_STDIN = frozenset({"-", "/dev/stdin"})


def schedules(command: Command) -> bool:
    """Whether it replaces the user's table of jobs (`crontab FILE`, `… | crontab -`)."""
    reads = not command.arguments or bool(command.operands)
    return command.name == "crontab" and reads and not command.has("-l", "-r", "-e")


def runs_later(path: str) -> bool:
    """Whether a file of that name is run by something else: a shell that starts, the machine, git, an agent."""
    return bool(START_FILE.search(path) or AUTOSTART.search(path) or _HOOK.search(path))


def planted(scene: Scene, command: Command) -> Iterator[str]:
    """Every script that a command leaves to be run later, as far as its text is written out."""
    if schedules(command):
        for text in _table(scene, command):
            yield from _jobs(text, user=False)
    elif command.name in _SCHEDULERS:
        yield from _read(scene, command)
    elif command.name == "trap" and len(command.operands) > 1:
        yield command.operands[0].shape
    elif command.name == "alias":
        yield from (word.shape.partition("=")[2] for word in command.operands if "=" in word.shape)
    for path in written(command):
        if runs_later(path):
            yield from _scripts(path, "\n".join(_put(scene, command)))


def _scripts(path: str, text: str) -> Iterator[str]:
    """The scripts in a file of that name."""
    if _TABLE.search(path):
        yield from _jobs(text, user=_SYSTEM_TABLE.search(path) is not None)
    elif _UNIT.search(path):
        yield from (found.group(1) for row in text.split("\n") if (found := _STARTS.match(row)))
    elif path.endswith(".plist"):
        for found in _ARGUMENTS.findall(text):
            yield shlex.join(html.unescape(word) for word in _STRING.findall(found))
    else:
        yield text


def _jobs(text: str, *, user: bool) -> Iterator[str]:
    """What the lines of a table of jobs run; with `user`, the word after the times says as whom."""
    for row in text.split("\n"):
        found = _JOB.match(row)
        if found:
            yield found.group(1).partition(" ")[2] if user else found.group(1)


def _table(scene: Scene, command: Command) -> Iterator[str]:
    """What `crontab` gets: from its standard input, or from a file that the script has written before."""
    file = next((word.shape for word in command.operands if word.shape not in _STDIN), None)
    if file is None:
        yield from _read(scene, command)
    else:
        yield from _texts(scene.held(command).named(below(command.folder, file)))


def _read(scene: Scene, command: Command) -> Iterator[str]:
    """What reaches its standard input: a here-document, else all that the stages before it print."""
    if any(redirect.body for redirect in command.redirects):
        yield from read_in(command, scene.commands)
        return
    for other in scene.before(command):
        yield from _texts(told(scene, other))


def _put(scene: Scene, command: Command) -> Iterator[str]:
    """What it puts into the file that it writes: its output, what is piped in, or a copy of a file."""
    if command.name == "tee":
        yield from _read(scene, command)
    elif command.name in _PLACERS:
        for word in command.operands[:-1]:
            yield from _texts(scene.held(command).named(below(command.folder, word.shape)))
    else:
        yield from _texts(told(scene, command))


def _texts(held: Iterable[Held]) -> Iterator[str]:
    return (each.origin for each in held if each.content is Content.WRITTEN)
