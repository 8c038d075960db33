"""The files of one skill out of any tree of names: which belong to it, and which exist outside. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from aces_ci.changes.links import linked
from aces_ci.core.repo_path import join, parent_of
from aces_ci.core.skill import FileKind, SkillFile

FILE_CAP = 1024 * 1024
"""Bytes of one file that are loaded."""
SKILL_CAP = 32 * 1024 * 1024
"""Bytes of one skill that are loaded; what comes after it in path order is `oversize`."""
_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_LONGEST = 1024
_MOST_LINKS = 2000


def with_content(path: str, executable: bool, data: bytes) -> SkillFile:
    """A file whose bytes were read. A Git LFS pointer says where the content is, and is not it."""
    if len(data) <= _LFS_LONGEST and data.startswith(_LFS):
        return SkillFile(path=path, kind=FileKind.LFS, size=len(data))
    kind = FileKind.EXECUTABLE if executable else FileKind.REGULAR
    return SkillFile(path=path, kind=kind, size=len(data), data=data)


def within_caps(sizes: Iterable[tuple[str, int]]) -> frozenset[str]:
    """The keys whose content may be loaded, given (key, size) in order."""
    chosen = set()
    left = SKILL_CAP
    for key, size in sizes:
        if size <= min(FILE_CAP, left):
            left -= size
            chosen.add(key)
    return frozenset(chosen)


def outside_of(
    root: str, files: Mapping[str, SkillFile], plugin_root: str | None, exists: Callable[[str], bool]
) -> frozenset[str]:
    """Repository paths that the skill's Markdown links to, that exist, and that are not among its files."""
    wanted: set[str] = set()
    for path, file in files.items():
        text = file.text if path.lower().endswith((".md", ".markdown")) else None
        if text:
            wanted |= linked(text, parent_of(join(root, path)), plugin_root)
    mine = {join(root, path) for path in files}
    return frozenset(path for path in sorted(wanted - mine)[:_MOST_LINKS] if exists(path))
