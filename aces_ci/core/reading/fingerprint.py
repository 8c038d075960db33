"""The identity of a problem that survives edits elsewhere in the file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from aces_ci.core.skill import Skill, universal_newlines


class Anchors:
    """What problems of one skill are fastened to: a field, else the text of the line, else the file as such.

    Line numbers are no part of it, so text moved up or down keeps its problems. What a *critical* problem says is:
    whoever accepted one accepted that one, and not what a line of the same words does after a change elsewhere.
    """

    def __init__(self, skill: Skill) -> None:
        self._skill = skill
        self._lines: dict[str, Sequence[str]] = {skill.manifest: skill.text.split("\n")}
        self._seen: Counter[str] = Counter()

    def fingerprint(
        self, code: str, path: str | None, line: int, *, whole_file: bool, end_line: int | None = None, charge: str = ""
    ) -> str:
        """16 hexadecimal digits; equal ones are told apart by their order: `ab`, `ab.2`, `ab.3`.

        With a `charge`, which is what a critical problem says, the text of all its lines counts as well.
        """
        file = path or self._skill.manifest
        if whole_file:
            anchor = ""
        elif charge:
            rows = range(line, max(line, end_line or line) + 1)
            anchor = "\0".join((charge, *(self._words(file, row) for row in rows)))
        else:
            anchor = self._field(file, line) or self._words(file, line)
        name = path or "manifest"
        value = hashlib.sha256(f"{code}\0{name}\0{anchor}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._seen[value] += 1
        return value if self._seen[value] == 1 else f"{value}.{self._seen[value]}"

    def _field(self, file: str, line: int) -> str:
        if file == self._skill.manifest and line < self._skill.body_line:
            for key, field in (self._skill.frontmatter or {}).items():
                if field.at_key.line <= line <= max(field.at_value.end_line, field.at_key.line):
                    return f"field {key}"
        return ""

    def _words(self, file: str, line: int) -> str:
        """The words of a line, counted as every rule counts lines, whatever bytes the file holds."""
        if file not in self._lines:
            entry = self._skill.files.get(file)
            text = ((entry.data if entry else None) or b"").decode("utf-8", "replace")
            self._lines[file] = universal_newlines(text).split("\n")
        lines = self._lines[file]
        return " ".join(lines[line - 1].split()) if 0 < line <= len(lines) else ""
