"""Settings whose value is a program that something else starts: a prompt, a pager, an alias of git, a library."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import re2

from aces_ci.core.scripts.shell.command import Command

_VARIABLES = frozenset(
    {"PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV", "PAGER", "MANPAGER", "GIT_PAGER", "EDITOR",
     "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
     "GIT_PROXY_COMMAND", "SSH_ASKPASS", "SUDO_ASKPASS", "LESSOPEN", "LESSCLOSE", "BROWSER", "RSYNC_RSH",
     "SYSTEMD_EDITOR", "FCEDIT", "PERL5DB", "NPM_CONFIG_SCRIPT_SHELL", "npm_config_script_shell"}
)  # fmt: skip
"""Variables whose value a shell, git or a pager runs."""
_GIT_KEYS = re2.compile(
    r"(?i)core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath)|pager\.[\w-]+|sequence\.editor|"
    r"gpg(\.[\w-]+)?\.program|diff\.external|(diff|merge|difftool|mergetool)\..+\.(command|cmd|textconv|driver)|"
    r"filter\..+\.(clean|smudge|process)|interactive\.difffilter|credential(\..+)?\.helper|"
    r"uploadpack\.packobjectshook|trailer\..+\.(command|cmd)|web\.browser|browser\..+\.cmd|man\..+\.cmd|"
    r"remote\..+\.(uploadpack|receivepack|vcs)|sendemail\..*cmd|init\.templatedir"
)
"""Settings of git whose value it runs."""
_ALIAS = re2.compile(r"(?i)alias\..+")
_SETTERS = frozenset({"config", "set", "--add", "--replace-all"})


def started(command: Command) -> Iterator[str]:
    """The text of every program that a setting of the command leaves to others to start."""
    yield from (word.shape for name, word in command.assignments if name in _VARIABLES)
    if command.name == "git":
        for key, value in _settings([word.shape for word in command.arguments]):
            if _ALIAS.fullmatch(key) or key.lower().startswith("credential."):
                yield from [value[1:]] if value.startswith("!") else []
            elif _GIT_KEYS.fullmatch(key):
                yield value
    elif command.name == "launchctl" and any(word.shape == "submit" for word in command.arguments):
        words = [word.shape for word in command.words]
        yield " ".join(words[words.index("--") + 1 :]) if "--" in words else ""


def _settings(shapes: list[str]) -> Iterator[tuple[str, str]]:
    """`-c KEY=VALUE` and `config … KEY VALUE`."""
    for before, shape in itertools.pairwise(shapes):
        if before in {"-c", "--config"} and "=" in shape:
            yield shape.partition("=")[0], shape.partition("=")[2]
    if "config" in shapes:
        told = [shape for shape in shapes[shapes.index("config") + 1 :] if shape[:1] != "-" and shape not in _SETTERS]
        yield from [(told[0], told[1])] if len(told) > 1 else []
