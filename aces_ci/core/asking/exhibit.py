"""What a judge is shown of one skill: numbered lines, nothing hidden, cut with marks; and where its quotes stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.asking.quoting import ELISION, Excerpt, cleaned, excerpts, folded, hidings, joined, marked
from aces_ci.core.skill import SkillFile

MANIFEST_LIMIT = 60_000
"""Characters of the manifest."""
FILE_LIMIT = 3_000
FILES_LIMIT = 30_000
"""Characters of all files beside the manifest."""
LISTED = 1_000
"""Paths of files that are not shown."""
QUOTE_LEAST = 8
"""Characters of a quote; a shorter one stands everywhere."""
_BESIDE = ("scripts/", "references/")
_NUMBERED = re.compile(r"(?m)^\s*\d+\| ?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """One skill on one side, ready to be shown."""

    skill: str
    """Repository-relative path."""
    side: str
    manifest: str
    """File name of the manifest."""
    texts: Mapping[str, tuple[Excerpt, ...]]
    """What is shown, by skill-relative path, the manifest first."""
    omitted: tuple[str, ...] = ()
    """Every other file of the skill, sorted."""
    hidings: int = 0
    """Places at which a file takes text off a reader's screen (`quoting.hidings`)."""
    findings: tuple[str, ...] = ()
    """What the rules of tier 1 say, one `CODE file: title` each, sorted."""

    @property
    def has_files(self) -> bool:
        """Whether there are scripts or references, which a criterion about files could read."""
        return any(path.startswith(_BESIDE) for path in (*self.texts, *self.omitted))

    def shown(self) -> dict[str, object]:
        """The data of the question. Equal skills give equal data."""
        return {
            "skill_folder": cleaned(self.skill.rsplit("/", 1)[-1]),
            "files": [{"path": cleaned(path), "text": _numbered(text)} for path, text in self.texts.items()],
            "files_not_shown": _listed(self.omitted),
            "rule_findings": [cleaned(finding) for finding in self.findings],
        }

    def find(self, quote: str, near: int | None = None, path: str = "") -> tuple[str, int] | None:
        """(path, line) where the quote begins, white space apart; None where it stands nowhere.

        Of several places the named file and the line nearest to `near` win.
        """
        wanted = folded(_NUMBERED.sub("", quote)).strip("…. ")
        if len(wanted) < QUOTE_LEAST:
            return None
        places = [
            (name, line) for name, parts in self.texts.items() for part in parts for line in _lines_of(part, wanted)
        ]
        if not places:
            return None
        return min(places, key=lambda place: (place[0] != path, abs(place[1] - (near or 1)), place))


def exhibit(
    *, skill: str, side: str, manifest: str, files: Mapping[str, SkillFile], findings: Iterable[str] = ()
) -> Exhibit:
    """Builds it from the files of a skill; what is not shown is named, all of it."""
    beside = {path: files[path].text for path in sorted(files) if path.startswith(_BESIDE)}
    texts = {manifest: _text(files.get(manifest)), **{path: text for path, text in beside.items() if text is not None}}
    shown: dict[str, tuple[Excerpt, ...]] = {}
    room = FILES_LIMIT
    for path, text in texts.items():
        if path == manifest:
            shown[path] = excerpts(marked(text), MANIFEST_LIMIT)
        elif room > 0:
            shown[path] = excerpts(marked(text), min(FILE_LIMIT, room))
            room -= sum(len(part.text) for part in shown[path])
    return Exhibit(
        skill=skill,
        side=side,
        manifest=manifest,
        texts=shown,
        omitted=tuple(sorted(set(files) - set(shown))),
        hidings=sum(map(hidings, texts.values())),
        findings=tuple(sorted(set(findings))),
    )


def _text(file: SkillFile | None) -> str:
    """A manifest, with a mark for each byte that is not UTF-8."""
    if file is None or file.data is None:
        return ""
    return file.data.decode("utf-8-sig", "replace")


def _listed(paths: Sequence[str]) -> list[str]:
    more = len(paths) - LISTED
    return [*map(marked, paths[:LISTED]), *([f"{ELISION} {more} more files {ELISION}"] if more > 0 else [])]


def _numbered(parts: Sequence[Excerpt]) -> str:
    """Each line with its number in the file."""
    return joined(parts, _lines)


def _lines(part: Excerpt) -> str:
    return "\n".join(f"{number}| {line}" for number, line in enumerate(part.text.split("\n"), start=part.line))


def _lines_of(part: Excerpt, wanted: str) -> Sequence[int]:
    """Lines of the file on which a folded quote begins."""
    words: list[str] = []
    lines: list[int] = []
    starts: list[int] = []
    length = 0
    for number, line in enumerate(part.text.split("\n"), start=part.line):
        for word in line.split():
            starts.append(length)
            lines.append(number)
            words.append(word)
            length += len(word) + 1
    whole = " ".join(words)
    found: list[int] = []
    at = whole.find(wanted)
    while at != -1 and len(found) < 50:
        found.append(lines[_at_or_before(starts, at)])
        at = whole.find(wanted, at + 1)
    return found


def _at_or_before(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, at) - 1
