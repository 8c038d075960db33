"""Fills a change set with the skills themselves, read from git objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aces_ci.changes.collect import outside_of, with_content, within_caps
from aces_ci.changes.git import Repository
from aces_ci.changes.links import linked
from aces_ci.changes.owner import MANIFEST, belongs_to_root_skill, manifest_among
from aces_ci.changes.parse import parse_skill
from aces_ci.changes.tree import Entry, EntryKind, Tree
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.repo_path import ancestors_of, join
from aces_ci.core.skill import FileKind, Skill, SkillFile


def load(repository: Repository, changes: ChangeSet) -> ChangeSet:
    """`changes` with `before` and `after` read and parsed, and each name as the skill declares it."""
    return replace(changes, skills=tuple(_loaded(repository, changes, change) for change in changes.skills))


def named(repository: Repository, changes: ChangeSet) -> ChangeSet:
    """`changes` with each name as the skill declares it; reads nothing but the manifests."""
    return replace(changes, skills=tuple(_named(repository, changes, change) for change in changes.skills))


def skill_at(repository: Repository, commit: str, root: str) -> Skill | None:
    """The skill whose folder is `root` at a commit, or None where there is none."""
    tree = repository.tree(commit)
    manifest = _manifest(tree, root)
    if manifest is None:
        return None
    entries = _entries(repository, tree, root, manifest)
    sizes = repository.sizes(entry.oid for _, entry in entries if entry.kind is not EntryKind.SUBMODULE)
    loadable = within_caps((path, sizes[entry.oid]) for path, entry in entries if entry.is_file)
    contents = repository.blobs(entry.oid for path, entry in entries if path in loadable)
    files: dict[str, SkillFile] = {}
    for path, entry in entries:
        data = contents.get(entry.oid) if path in loadable else None
        if data is not None:
            files[path] = with_content(path, entry.kind is EntryKind.EXECUTABLE, data)
        else:
            files[path] = SkillFile(path=path, kind=_KINDS[entry.kind], size=sizes.get(entry.oid, 0))
    outside = outside_of(root, files, _plugin_root(tree, root), lambda path: _exists(tree, path))
    return parse_skill(root=root, files=files, outside=outside)


_KINDS = {
    EntryKind.FILE: FileKind.OVERSIZE,
    EntryKind.EXECUTABLE: FileKind.OVERSIZE,
    EntryKind.SYMLINK: FileKind.SYMLINK,
    EntryKind.SUBMODULE: FileKind.SUBMODULE,
}


def _loaded(repository: Repository, changes: ChangeSet, change: SkillChange) -> SkillChange:
    before = after = None
    if change.how is not How.ADDED:
        before = skill_at(repository, changes.merge_base, change.previous_path or change.path)
    if change.how is not How.DELETED:
        after = skill_at(repository, changes.head, change.path)
    declared = after or before
    return replace(change, before=before, after=after, name=(declared and declared.name) or change.name)


def _named(repository: Repository, changes: ChangeSet, change: SkillChange) -> SkillChange:
    commit = changes.merge_base if change.how is How.DELETED else changes.head
    manifest = _manifest(repository.tree(commit), change.path) or MANIFEST
    data = repository.file_at(commit, join(change.path, manifest))
    if data is None:
        return change
    skill = parse_skill(root=change.path, files={manifest: with_content(manifest, False, data)})
    return replace(change, name=skill.name or change.name)


def _manifest(tree: Tree, root: str) -> str | None:
    entries = tree.folder(root) or {}
    return manifest_among(name for name, entry in entries.items() if entry.may_be_manifest)


def _entries(repository: Repository, tree: Tree, root: str, manifest: str) -> Sequence[tuple[str, Entry]]:
    """Skill-relative path and entry of everything that belongs to the skill; nested skills are skipped."""
    links: frozenset[str] = frozenset()
    if root == ".":
        data = repository.file_at(tree.commit, manifest)
        links = linked((data or b"").decode("utf-8", "replace"), ".", ".")
    nested_only_exact = manifest == MANIFEST and root != "."

    def enter(folder: str) -> bool:
        inner = _manifest(tree, folder)
        return inner is None or (nested_only_exact and inner != MANIFEST)

    found = []
    for path, entry in tree.walk(root, enter):
        if root != ".":
            found.append((path.removeprefix(f"{root}/"), entry))
        elif belongs_to_root_skill(path, manifest, links):
            found.append((path, entry))
    return sorted(found)


def _plugin_root(tree: Tree, root: str) -> str | None:
    above = (root, *ancestors_of(root)) if root != "." else (root,)
    return next((folder for folder in above if tree.entry(join(folder, ".claude-plugin/plugin.json"))), None)


def _exists(tree: Tree, path: str) -> bool:
    return tree.entry(path) is not None
