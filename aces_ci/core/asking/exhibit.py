"""What a judge is shown of one skill: numbered lines, nothing hidden, cut with marks; and where its quotes stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.asking.quoting import ELISION, cleaned, cut, folded
from aces_ci.core.skill import SkillFile

MANIFEST_LIMIT = 60_000
"""Characters of the manifest."""
FILE_LIMIT = 3_000
FILES_LIMIT = 30_000
"""Characters of all files beside the manifest."""
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
    texts: Mapping[str, str]
    """What is shown, by skill-relative path, the manifest first."""
    omitted: tuple[str, ...] = ()
    """Paths of scripts and references that are not shown."""
    findings: tuple[str, ...] = ()
    """What the rules of tier 1 say, one `CODE file: title` each, sorted."""

    @property
    def has_files(self) -> bool:
        """Whether there is anything beside the manifest that a criterion about files could read."""
        return len(self.texts) > 1 or bool(self.omitted)

    def shown(self) -> dict[str, object]:
        """The data of the question. Equal skills give equal data."""
        return {
            "skill_folder": cleaned(self.skill.rsplit("/", 1)[-1]),
            "files": [{"path": cleaned(path), "text": _numbered(text)} for path, text in self.texts.items()],
            "files_not_shown": [cleaned(path) for path in self.omitted],
            "rule_findings": list(self.findings),
        }

    def find(self, quote: str, near: int | None = None, path: str = "") -> tuple[str, int] | None:
        """(path, line) where the quote begins, white space apart; None where it stands nowhere.

        Of several places the named file and the line nearest to `near` win.
        """
        wanted = folded(_NUMBERED.sub("", quote)).strip("…. ")
        if len(wanted) < QUOTE_LEAST:
            return None
        places = [(name, line) for name, text in self.texts.items() for line in _lines_of(text, wanted)]
        if not places:
            return None
        return min(places, key=lambda place: (place[0] != path, abs(place[1] - (near or 1)), place))


def exhibit(
    *, skill: str, side: str, manifest: str, files: Mapping[str, SkillFile], findings: Iterable[str] = ()
) -> Exhibit:
    """Builds it from the files of a skill; what is no text is named and not shown."""
    own = files.get(manifest)
    texts = {manifest: cut(cleaned(_text(own)), MANIFEST_LIMIT)}
    omitted: list[str] = []
    room = FILES_LIMIT
    for path in sorted(path for path in files if path.startswith(_BESIDE)):
        text = files[path].text
        if text is None or room <= 0:
            omitted.append(path)
            continue
        shown = cut(cleaned(text), min(FILE_LIMIT, room))
        room -= len(shown)
        texts[path] = shown
    return Exhibit(
        skill=skill,
        side=side,
        manifest=manifest,
        texts=texts,
        omitted=tuple(omitted),
        findings=tuple(sorted(set(findings))),
    )


def _text(file: SkillFile | None) -> str:
    if file is None or file.data is None:
        return ""
    return file.data.decode("utf-8-sig", "replace")


def _numbered(text: str) -> str:
    """Each line with its number in the file; a cut text's tail is not numbered, because its numbers are gone."""
    rows: list[str] = []
    counted = True
    for number, line in enumerate(text.split("\n"), start=1):
        counted = counted and not line.startswith(f"{ELISION} ")
        rows.append(f"{number}| {line}" if counted else line)
    return "\n".join(rows)


def _lines_of(text: str, wanted: str) -> Sequence[int]:
    """Lines on which a folded quote begins."""
    words: list[str] = []
    lines: list[int] = []
    starts: list[int] = []
    length = 0
    for number, line in enumerate(text.split("\n"), start=1):
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
