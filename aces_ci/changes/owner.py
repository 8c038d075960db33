"""Which skill a path belongs to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aces_ci.changes.tree import Tree
from aces_ci.core.change import Part
from aces_ci.core.repo_path import ancestors_of

MANIFEST = "SKILL.md"
PART_FOLDERS: Mapping[str, Part] = {
    "scripts": Part.SCRIPTS,
    "references": Part.REFERENCES,
    "assets": Part.ASSETS,
    "evals": Part.EVALS,
}


def manifest_among(names: Iterable[str]) -> str | None:
    """The manifest among a folder's names: `SKILL.md`, else the first other spelling of exactly that name."""
    spellings = sorted(name for name in names if name.lower() == "skill.md")
    return MANIFEST if MANIFEST in spellings else next(iter(spellings), None)


def without_lookalikes(manifests: Mapping[str, str]) -> dict[str, str]:
    """Drops a `skill.md` that lies inside another skill: there it is a document, not a misspelt manifest."""
    exact = {folder for folder, name in manifests.items() if name == MANIFEST and folder != "."}
    return {
        folder: name
        for folder, name in manifests.items()
        if name == MANIFEST or not exact.intersection(ancestors_of(folder))
    }


def manifest_in(tree: Tree, folder: str) -> str | None:
    """The manifest of a folder, or None where the folder is no skill."""
    entries = tree.folder(folder) or {}
    return manifest_among(name for name, entry in entries.items() if entry.may_be_manifest)


def manifests_above(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Folder -> manifest name, for the folders above `paths` that hold one."""
    folders = dict.fromkeys(above for path in paths for above in ancestors_of(path))
    found = {folder: name for folder in folders if (name := manifest_in(tree, folder)) is not None}
    return without_lookalikes(found)


def belongs_to_root_skill(path: str, manifest: str, links: frozenset[str]) -> bool:
    """Whether a path in no nested skill is part of the root skill."""
    first, slash, _ = path.partition("/")
    return path == manifest or path in links or (bool(slash) and first in PART_FOLDERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """The skills that could own a path: folder -> manifest name, for at least every folder above it."""

    manifests: Mapping[str, str]
    root_links: frozenset[str] = field(default_factory=frozenset)
    """What the root skill's manifest links to."""

    def of(self, path: str) -> str | None:
        """The root of the skill that owns `path`: the nearest folder above it that holds a manifest.

        The root skill owns its manifest, what that links to, and the four folders a skill may have; the rest
        of the repository is nobody's.
        """
        for folder in ancestors_of(path):
            if folder in self.manifests and (folder != "." or self._is_the_root_skills(path)):
                return folder
        return None

    def part(self, root: str, path: str) -> Part:
        """Which part of the skill at `root` the path is."""
        inside = path if root == "." else path.removeprefix(f"{root}/")
        if inside == self.manifests.get(root):
            return Part.MANIFEST
        first, slash, _ = inside.partition("/")
        return PART_FOLDERS.get(first, Part.OTHER) if slash else Part.OTHER

    def _is_the_root_skills(self, path: str) -> bool:
        return belongs_to_root_skill(path, self.manifests["."], self.root_links)
