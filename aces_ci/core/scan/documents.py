"""The text files of a skill, and what kind of place a line of one is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from aces_ci.core.reading.outline import markup
from aces_ci.core.scan.snippets import text_of
from aces_ci.core.skill import Skill


def documents(skill: Skill) -> Iterator[tuple[str, str]]:
    """(path, text) of every file that is text, whatever its name, in order of path."""
    for path in sorted(skill.files):
        text = text_of(skill, skill.files[path])
        if text:
            yield path, text


def site_of(text: str, line: int) -> str:
    """`fence`, `comment`, `table` or `prose`: what a 1-based line of a Markdown text is part of."""
    return _sites(text).get(line, "prose")


def in_code(text: str, at: int) -> bool:
    """Whether an offset of a Markdown text stands between two backticks of its line, where everything is shown."""
    end = text.find("\n", at)
    closed = text.find("`", at, len(text) if end < 0 else end) >= 0
    return closed and text.count("`", text.rfind("\n", 0, at) + 1, at) % 2 == 1


@lru_cache(maxsize=256)
def _sites(text: str) -> dict[int, str]:
    parts = markup(text)
    sites: dict[int, str] = {}
    for code in parts.codes:
        sites.update(dict.fromkeys(range(code.line, code.end_line + 1), "fence"))
    at = text.find("<!--")
    while at != -1:
        if in_code(text, at):
            at = text.find("<!--", at + 4)
            continue
        end = text.find("-->", at)
        end = len(text) if end == -1 else end
        first, last = text.count("\n", 0, at) + 1, text.count("\n", 0, end) + 1
        for line in range(first, last + 1):
            sites.setdefault(line, "comment")
        at = text.find("<!--", end)
    for number, row in enumerate(parts.lines, start=1):
        stripped = row.strip()
        if stripped.startswith("|") and stripped.count("|") > 2:
            sites.setdefault(number, "table")
        elif stripped.startswith("[//]: #"):
            sites.setdefault(number, "comment")
    return sites
