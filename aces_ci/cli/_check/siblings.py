"""The skills beside a skill: those that an agent has to tell apart from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from aces_ci.changes.owner import manifest_in
from aces_ci.changes.parse import parse_skill
from aces_ci.changes.tree import EntryKind
from aces_ci.changes.worktree import DiskTree
from aces_ci.core.repo_path import join
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, sibling_of

MOST = 300
"""Siblings that are looked at; a folder with more of them is compared with these."""
_CAP = 256 * 1024


def siblings_of(top: Path, folder: str, parsed: Mapping[tuple[Path, str], Skill]) -> tuple[Sibling, ...]:
    """Name and description of every skill directly below `folder` (relative to `top`), in order of paths.

    Skills in `parsed` are not read again, so the answer is the same whichever of them were named.
    """
    tree = DiskTree(top)
    found = []
    for root in _roots(tree, folder or "."):
        skill = parsed.get((top, root)) or _read(tree, root)
        if (sibling := sibling_of(skill)) is not None:
            found.append(sibling)
    return tuple(found)


def _roots(tree: DiskTree, folder: str) -> Iterator[str]:
    entries = tree.folder(folder) or {}
    names = [name for name, entry in entries.items() if entry.kind is EntryKind.FOLDER]
    roots = (join(folder, name) for name in names[: 10 * MOST])
    yield from [root for root in roots if manifest_in(tree, root)][:MOST]


def _read(tree: DiskTree, root: str) -> Skill:
    manifest = manifest_in(tree, root) or "SKILL.md"
    data = tree.read(join(root, manifest), _CAP)
    file = SkillFile(path=manifest, kind=FileKind.REGULAR, size=len(data or b""), data=data)
    return parse_skill(root=root, files={manifest: file})
