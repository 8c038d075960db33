"""Sentences that have a reader run by hand what no scan can read: a paste to copy, an archive that a password locks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hosts import Host

LONGEST = 1500
"""Characters of one paragraph that are looked through."""
_INTO_A_TERMINAL = re2.compile(
    r"(?is)\b(copy|paste|run|execute|enter)\b.{0,80}\b(terminal|powershell|shell|command (prompt|line)|console)\b|"
    r"(复制|粘贴|运行|执行).{0,40}(终端|命令行|控制台)"
)
_LOCKED = re2.compile(
    r"(?is)\.(zip|rar|7z)\b.{0,200}\b(pass(word|code)?|pwd)\b\W{1,6}[\w!@#$-]{3,}|"
    r"\.(zip|rar|7z)\b.{0,200}密码\W{0,6}[\w!@#$-]{3,}"
)
_STARTS = re2.compile(
    r"(?is)\b(run|execute|launch|start|open)\b.{0,40}(executable|\.exe|\.msi|\.dmg|\.pkg|installer|program|\bfile\b|"
    r"provider|driver|agent|core|utility)|(运行|启动|执行)"
)
_NEEDED = re2.compile(r"(?i)\b(required?|requires|prerequisite|must|before|important)\b|重要|必须|需要|前提")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """One such paragraph, at its 1-based line. `what` is a clause that begins with a verb in the third person."""

    line: int
    what: str


def find(text: str) -> Iterator[Handed]:
    """Every such paragraph of a document, once for each address that it leads to."""
    if "://" not in text:
        return
    line, told = 1, set[tuple[str, str]]()
    for paragraph in text.split("\n\n"):
        what = _what(paragraph[:LONGEST], text)
        url = next(iter(hosts.urls(paragraph))) if what else ""
        if what and (what, url) not in told:
            told.add((what, url))
            at = next((n for n, row in enumerate(paragraph.split("\n")) if "://" in row), 0)
            yield Handed(line=line + at, what=f"{what} ({url[:120]})")
        line += paragraph.count("\n") + 2


def _what(paragraph: str, text: str) -> str:
    urls = hosts.urls(paragraph)
    if not urls:
        return ""
    if Host.DROP in hosts.kinds(urls) and _INTO_A_TERMINAL.search(paragraph):
        return "has a script copied from a paste site into a terminal"
    if _LOCKED.search(paragraph) and _STARTS.search(paragraph) and _NEEDED.search(text[:4000]):
        return "has a program run out of an archive that a password locks against every scan"
    return ""
