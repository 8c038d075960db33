"""The files of one skill out of a tree of names: which belong to it, and which exist outside. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aces_ci.changes.links import maybe_linked
from aces_ci.changes.owner import MANIFEST, belongs_to_root_skill, manifest_in
from aces_ci.changes.tree import Entry, EntryKind, Tree
from aces_ci.core.repo_path import ancestors_of, join, parent_of, resolve
from aces_ci.core.skill import FileKind, SkillFile

FILE_CAP = 1024 * 1024
"""Bytes of one file that are loaded."""
SKILL_CAP = 32 * 1024 * 1024
"""Bytes of one skill that are loaded; what comes after it in path order is `oversize`."""
_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_LONGEST = 1024
_MOST_LINKS = 2000
_MOST_NAMED = 200
_NAMED = re.compile(r"\b(?:scripts|references|assets|templates|resources)/[\w./@-]*\w")
"""A path below a folder that a plugin's skills may share, as a command or a sentence names it."""
_WITHOUT_CONTENT = {EntryKind.SYMLINK: FileKind.SYMLINK, EntryKind.SUBMODULE: FileKind.SUBMODULE}


def entries_of(tree: Tree, root: str, manifest: str, root_links: frozenset[str]) -> Sequence[tuple[str, Entry]]:
    """Skill-relative path and entry of everything that belongs to a skill, sorted; nested skills do not.

    `root_links` is what the manifest links to, looked at only for the root skill.
    """
    inside_exact = manifest == MANIFEST and root != "."

    def enter(folder: str) -> bool:
        inner = manifest_in(tree, folder)
        return inner is None or (inside_exact and inner != MANIFEST)

    leaves = ((path, entry) for path, entry in tree.walk(root, enter) if entry.kind is not EntryKind.FOLDER)
    if root == ".":
        return sorted(leaf for leaf in leaves if belongs_to_root_skill(leaf[0], manifest, root_links))
    return sorted((path.removeprefix(f"{root}/"), entry) for path, entry in leaves)


def skill_file(path: str, kind: EntryKind, size: int, data: bytes | None) -> SkillFile:
    """One file; `data` is None where it was not loaded. An LFS pointer tells where the content is, only."""
    if data is None:
        return SkillFile(path=path, kind=_WITHOUT_CONTENT.get(kind, FileKind.OVERSIZE), size=size)
    if len(data) <= _LFS_LONGEST and data.startswith(_LFS):
        return SkillFile(path=path, kind=FileKind.LFS, size=len(data))
    found = FileKind.EXECUTABLE if kind is EntryKind.EXECUTABLE else FileKind.REGULAR
    return SkillFile(path=path, kind=found, size=len(data), data=data)


def within_caps(sizes: Iterable[tuple[str, int]]) -> frozenset[str]:
    """The keys whose content may be loaded, given (key, size) in order."""
    chosen = set()
    left = SKILL_CAP
    for key, size in sizes:
        if size <= min(FILE_CAP, left):
            left -= size
            chosen.add(key)
    return frozenset(chosen)


def outside_of(tree: Tree, root: str, files: Mapping[str, SkillFile]) -> frozenset[str]:
    """Repository paths that the skill's Markdown links to, or that its manifest names below a folder that the
    skill lies in; only what exists, and none of its own files."""
    plugin_root = plugin_root_of(tree, root)
    wanted: set[str] = set()
    for path, file in files.items():
        text = file.text if path.lower().endswith((".md", ".markdown")) else None
        if text:
            wanted |= maybe_linked(text, parent_of(join(root, path)), plugin_root)
            if path.lower() == MANIFEST.lower():
                wanted |= {each for each in _named_above(text, root) if tree.entry(each) is not None}
    mine = {join(root, path) for path in files}
    return frozenset(path for path in sorted(wanted - mine)[:_MOST_LINKS] if tree.entry(path) is not None)


def _named_above(text: str, root: str) -> Iterator[str]:
    named = dict.fromkeys(match[0] for match in _NAMED.finditer(text))
    for path in list(named)[:_MOST_NAMED]:
        for folder in ancestors_of(root):
            resolved = resolve(folder, path)
            if resolved is not None:
                yield resolved


def plugin_root_of(tree: Tree, root: str) -> str | None:
    """The nearest folder that is a plugin, at or above `root`."""
    for folder in (root, *ancestors_of(root)):
        if tree.entry(join(folder, ".claude-plugin/plugin.json")) is not None:
            return folder
    return None
