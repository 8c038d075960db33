"""The identity of a problem that survives edits elsewhere in the file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from aces_ci.core.skill import Skill


def anchor(skill: Skill, path: str | None, line: int, whole_file: bool) -> str:
    """What a problem is fastened to: the field, else the text of the line, else the file as such.

    Line numbers are no part of it, so text moved up or down keeps its problems.
    """
    file = path or skill.manifest
    if whole_file:
        return ""
    if file == skill.manifest and line < skill.body_line:
        for key, field in (skill.frontmatter or {}).items():
            if field.at_key.line <= line <= max(field.at_value.end_line, field.at_key.line):
                return f"field {key}"
    if file == skill.manifest:
        lines = skill.text.split("\n")
    else:
        entry = skill.files.get(file)
        lines = ((entry.text if entry else None) or "").splitlines()
    return " ".join(lines[line - 1].split()) if 0 < line <= len(lines) else ""


def fingerprint(code: str, path: str, anchored: str) -> str:
    """16 hexadecimal digits over code, skill-relative path and anchor."""
    return hashlib.sha256(f"{code}\0{path}\0{anchored}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def numbered(fingerprints: Iterable[str]) -> list[str]:
    """Equal fingerprints told apart by their order: `ab`, `ab.2`, `ab.3`."""
    seen: Counter[str] = Counter()
    result = []
    for value in fingerprints:
        seen[value] += 1
        result.append(value if seen[value] == 1 else f"{value}.{seen[value]}")
    return result
