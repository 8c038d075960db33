"""Comments that set findings aside, with a reason: `aces-ignore CO031: why`, in any comment syntax."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from aces_ci.core.finding import Finding
from aces_ci.core.skill import Skill

_COMMENT = re.compile(
    r"(?:<!--|#|//|/\*|--|;)\s*aces-ignore(?P<file>-file)?:?\s+"
    r"(?P<codes>[A-Z]{2}\d{3}(?:\s*,\s*[A-Z]{2}\d{3})*)\s*(?:[:(]\s*|-\s+)?(?P<reason>.*?)\s*(?:-->|\*/|\)|$)"
)


@dataclass(frozen=True, slots=True)
class Ignore:
    """One comment. It covers its own line and, where it stands alone, the next one; or the whole file."""

    line: int
    codes: tuple[str, ...]
    reason: str
    whole_file: bool
    alone: bool

    def covers(self, code: str, line: int) -> bool:
        """Whether a finding of `code` on `line` of the same file is meant. Without a reason nothing is."""
        if code not in self.codes or not self.reason:
            return False
        return self.whole_file or line == self.line or (self.alone and line == self.line + 1)


def ignores(text: str) -> Iterator[Ignore]:
    """All such comments of a file, in order."""
    if "aces-ignore" not in text:
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for match in _COMMENT.finditer(line):
            codes = tuple(code.strip() for code in match["codes"].split(","))
            alone = not line[: match.start()].strip()
            yield Ignore(number, codes, match["reason"].strip(), bool(match["file"]), alone)


def powerless(skill: Skill, codes: Collection[str], grave: Collection[Finding] = ()) -> Iterator[tuple[str, int, str]]:
    """Comments of a skill that do nothing: skill-relative path, line, and why.

    Args:
        codes: those that there are.
        grave: the skill's critical findings, which no comment sets aside.
    """
    for path in sorted(skill.files):
        for note in of_file(skill, path):
            unknown = [code for code in note.codes if code not in codes]
            if not note.reason:
                yield path, note.line, "has no reason, so it sets nothing aside"
            elif unknown:
                yield path, note.line, f"names {unknown[0]}, which is no code"
            else:
                here = skill.path_of(path)
                held = next((f for f in grave if f.path == here and note.covers(f.code, f.line)), None)
                if held is not None:
                    where = "" if held.line == note.line else f" of line {held.line}"
                    yield path, note.line, f"does not set {held.code}{where} aside: it is critical there"


def of_file(skill: Skill, path: str) -> tuple[Ignore, ...]:
    """Those of one file of a skill, by skill-relative path; none where it is no text."""
    file = skill.files.get(path)
    text = skill.text if path == skill.manifest else (file.text if file else None)
    return tuple(ignores(text or ""))
