"""The one way text reaches a CI log.

Runners read commands out of the log: GitHub takes `::name::` at the start of a line and the older
`##[name]` anywhere in one, GitLab folds at `section_start`. So text of others is prefixed, both tokens are
broken, and escape characters are dropped; `::stop-commands::` is only the second belt.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_TOKEN = re.compile(r":(?=:)|#(?=#\[)|section(?=_(start|end))")
MESSAGE_LIMIT = 4096
"""Characters of one log command's message; the runner cuts there."""


class Dialect(StrEnum):
    """Which runner reads the log."""

    GITHUB = "github"
    GITLAB = "gitlab"
    PLAIN = "plain"


def dialect_of(env: Mapping[str, str]) -> Dialect:
    """The runner that this environment belongs to."""
    if env.get("GITHUB_ACTIONS") == "true":
        return Dialect.GITHUB
    return Dialect.GITLAB if env.get("GITLAB_CI") == "true" else Dialect.PLAIN


def inert(text: str) -> str:
    """One line of anyone's text as no runner reads it: no controls, no command tokens, line ends as `\\n`
    text."""
    flat = text.replace("\r\n", "\\n").replace("\n", "\\n").replace("\t", " ")
    flat = _CONTROL.sub("", flat)
    return _TOKEN.sub(r"\g<0> ", flat)


def escape_data(text: str) -> str:
    """A log command's message, escaped as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A log command's property value."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _same(text: str) -> str:
    return text


@dataclass(slots=True)
class Log:
    """Writes lines to `stream`, flushing each. `redact` sees every line last."""

    stream: TextIO
    dialect: Dialect = Dialect.PLAIN
    redact: Callable[[str], str] = _same
    clock: Callable[[], float] = time.time
    _depth: int = field(default=0, init=False)

    def line(self, text: str) -> None:
        """One line in our own words. Values inside it are made inert all the same."""
        self._write(inert(text))

    def untrusted(self, text: str) -> None:
        """Lines of a skill, a trace or a model: prefixed, inert, and under stop-commands where there is
        such a thing."""
        token = secrets.token_hex(16)
        if self.dialect is Dialect.GITHUB:
            self._write(f"::stop-commands::{token}")
        for row in text.splitlines() or [""]:
            self._write(f"| {inert(row)}")
        if self.dialect is Dialect.GITHUB:
            self._write(f"::{token}::")

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Fold what is printed inside. Groups do not nest on GitHub, so an inner one is a plain line."""
        name = f"aces_{secrets.token_hex(4)}"
        outer, self._depth = self._depth, self._depth + 1
        if self.dialect is Dialect.GITHUB and not outer:
            self._write(f"::group::{escape_data(inert(title))}")
        elif self.dialect is Dialect.GITLAB:
            self._write(f"\x1b[0Ksection_start:{int(self.clock())}:{name}\r\x1b[0K{inert(title)}")
        else:
            self._write(inert(title))
        try:
            yield
        finally:
            self._depth = outer
            if self.dialect is Dialect.GITHUB and not outer:
                self._write("::endgroup::")
            elif self.dialect is Dialect.GITLAB:
                self._write(f"\x1b[0Ksection_end:{int(self.clock())}:{name}\r\x1b[0K")

    def annotate(self, level: str, message: str, **properties: str) -> None:
        """An annotation where the runner has them, else a plain line. Cut to what the runner keeps."""
        text = _CONTROL.sub("", message.replace("\n", " "))[:MESSAGE_LIMIT]
        if self.dialect is not Dialect.GITHUB:
            place = ":".join(properties[key] for key in ("file", "line") if key in properties)
            title = f"{properties['title']}. " if properties.get("title") else ""
            self.line(f"{level}: {place + ': ' if place else ''}{title}{text}".rstrip())
            return
        listed = ",".join(
            f"{key.rstrip('_')}={escape_property(_CONTROL.sub('', value))}" for key, value in properties.items()
        )
        self._write(f"::{level}{' ' + listed if listed else ''}::{escape_data(text)}")

    def mask(self, secret: str) -> None:
        """Tell the runner to hide `secret`, line by line: it masks only single lines."""
        if self.dialect is Dialect.GITHUB:
            for row in secret.splitlines():
                if row.strip():
                    self.stream.write(f"::add-mask::{escape_data(row)}\n")
            self.stream.flush()

    def _write(self, row: str) -> None:
        self.stream.write(self.redact(row) + "\n")
        self.stream.flush()
