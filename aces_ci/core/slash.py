"""The slash command: `/aces live|accept [SHA] [attempts=N] [case=ID]`, the whole first line of a comment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_LINE = re.compile(r"/aces (live|accept)((?: \S+)*)")
_SHA = re.compile(r"[0-9a-f]{40}")
_SHORT = re.compile(r"[0-9A-Fa-f]{4,40}")
_OPTION = re.compile(r"(attempts)=([1-9][0-9]?)|(case)=([A-Za-z0-9][A-Za-z0-9._-]{0,63})")


class Purpose(StrEnum):
    """What an approval is for."""

    LIVE = "live"
    ACCEPT = "accept"

    @property
    def label(self) -> str:
        """The label that asks for the same."""
        return f"aces:{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. `sha` None: the head at comment time, which only own branches may leave out."""

    purpose: Purpose
    sha: str | None = None
    attempts: int | None = None
    cases: tuple[str, ...] = ()


def is_command(body: str) -> bool:
    """Whether a comment addresses us at all; others are passed over in silence."""
    return re.match(r"/aces(\s|$)", body) is not None


def read_command(body: str) -> Command | str:
    """The command in the first line of `body`, or the sentence that says what is wrong with it."""
    line = body.split("\n", 1)[0].rstrip("\r ")
    found = _LINE.fullmatch(line)
    if found is None:
        return "The first line must be `/aces live SHA` or `/aces accept SHA`, with single spaces."
    sha: str | None = None
    attempts: int | None = None
    cases: list[str] = []
    for word in found[2].split():
        option = _OPTION.fullmatch(word)
        if option is not None and option[1]:
            attempts = int(option[2])
        elif option is not None:
            cases.append(option[4])
        elif _SHA.fullmatch(word) and sha is None:
            sha = word
        elif _SHORT.fullmatch(word):
            return "The SHA must be given once and in full, 40 small hex digits: shorter ones can be forged."
        else:
            return "After the SHA only `attempts=N` and `case=ID` are understood."
    return Command(purpose=Purpose(found[1]), sha=sha, attempts=attempts, cases=tuple(cases))
