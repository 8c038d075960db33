"""Edits that repair a skill and cannot change what it means.

Name, quotes, byte order mark, line ends, and the slashes of a path to a file that is there. What a comment sets aside
stays as it is. So does a value that is cut at ` #` (CO004): only its author knows whether a comment was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.finding import Edit
from aces_ci.core.reading.ignores import of_file
from aces_ci.core.rule import Rule
from aces_ci.core.skill import Skill

SAFE = ("SP001", "SP004", "CO001", "CO005", "CO008", "CO035")
"""Codes whose fix a program may apply."""


def edits(skill: Skill, rules: Sequence[Rule], codes: Iterable[str] | None = None) -> tuple[Edit, ...]:
    """The edits for one skill, in order of bytes and without overlap; an overlapping later one is left out."""
    wanted = frozenset(SAFE if codes is None else codes) & frozenset(SAFE)
    found: list[Edit] = []
    if skill.manifest not in skill.files or skill.files[skill.manifest].data is None:
        return ()
    for rule in rules:
        if rule.code not in wanted:
            continue
        for problem in rule.check(skill):
            notes = of_file(skill, problem.path or skill.manifest)
            # What nobody is told of is not changed behind their back.
            if problem.quiet or any(note.covers(rule.code, problem.line) for note in notes):
                continue
            found.extend(problem.edits)
            path = problem.path or skill.manifest
            held = skill.files[path].data if problem.replacement and path in skill.files else None
            if problem.replacement and held is not None:
                found.extend(_line_edit(path, held, problem.line, problem.replacement))
    kept: list[Edit] = []
    for edit in sorted(found, key=lambda edit: (edit.path, edit.start)):
        if not kept or kept[-1].path != edit.path or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def apply(files: Mapping[str, bytes], changes: Sequence[Edit]) -> dict[str, bytes]:
    """The new contents of every file that `changes` touch."""
    result = {edit.path: files[edit.path] for edit in changes}
    for edit in sorted(changes, key=lambda edit: edit.start, reverse=True):
        data = result[edit.path]
        result[edit.path] = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return result


def _line_edit(path: str, data: bytes, line: int, replacement: tuple[str, str]) -> list[Edit]:
    """A whole line replaced, its end of line kept; nothing where the bytes are not the text that was read."""
    start = 0
    for _ in range(line - 1):
        start = data.find(b"\n", start) + 1
        if start == 0:
            return []
    end = data.find(b"\n", start)
    end = len(data) if end < 0 else end
    if data[start:end].endswith(b"\r"):
        end -= 1
    if data[start:end] != replacement[0].encode():
        return []
    return [Edit(path=path, start=start, end=end, text=replacement[1])]
