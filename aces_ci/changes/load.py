"""Fills a change set with the skills themselves, read from git objects."""

from __future__ import annotations

from dataclasses import replace

from aces_ci.changes.collect import entries_of, outside_of, skill_file, within_caps
from aces_ci.changes.git import Repository
from aces_ci.changes.owner import MANIFEST, manifest_in
from aces_ci.changes.parse import parse_skill
from aces_ci.changes.survey import links_of_root_skill
from aces_ci.changes.tree import EntryKind
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.repo_path import join
from aces_ci.core.skill import Skill, Snapshot

MOST_SIBLINGS = 300
SIBLING_CAP = 256 * 1024
"""Bytes of a sibling's manifest; only its frontmatter is wanted."""


def load(repository: Repository, changes: ChangeSet) -> ChangeSet:
    """`changes` with `before` and `after` read and parsed, and each name as the skill declares it."""
    return replace(changes, skills=tuple(_loaded(repository, changes, change) for change in changes.skills))


def named(repository: Repository, changes: ChangeSet) -> ChangeSet:
    """`changes` with each name as the skill declares it; reads nothing but the manifests."""
    return replace(changes, skills=tuple(_named(repository, changes, change) for change in changes.skills))


def skill_at(repository: Repository, commit: str, root: str) -> Skill | None:
    """The skill whose folder is `root` at a commit, or None where there is none."""
    found = snapshot_at(repository, commit, root)
    if found is None:
        return None
    return parse_skill(root=root, files=found.files, outside=found.outside)


def snapshot_at(repository: Repository, commit: str, root: str) -> Snapshot | None:
    """The bytes of that skill, not yet parsed: what is handed to the unprivileged reader."""
    tree = repository.tree(commit)
    manifest = manifest_in(tree, root)
    if manifest is None:
        return None
    links = links_of_root_skill(repository, commit) if root == "." else frozenset[str]()
    entries = entries_of(tree, root, manifest, links)
    sizes = repository.sizes(entry.oid for _, entry in entries if entry.kind is not EntryKind.SUBMODULE)
    loadable = within_caps((path, sizes[entry.oid]) for path, entry in entries if entry.is_file)
    contents = repository.blobs(entry.oid for path, entry in entries if path in loadable)
    files = {
        path: skill_file(
            path,
            entry.kind,
            sizes.get(entry.oid, 0),
            contents.get(entry.oid) if path in loadable else None,
        )
        for path, entry in entries
    }
    return Snapshot(root=root, files=files, outside=outside_of(tree, root, files))


def manifests_in(repository: Repository, commit: str, folder: str) -> tuple[Snapshot, ...]:
    """The manifests of the skills that stand side by side in a folder: what an agent chooses from.

    At most 300 of them; their other files are not read.
    """
    tree = repository.tree(commit)
    entries = tree.folder(folder or ".") or {}
    roots = [join(folder, name) for name, entry in entries.items() if entry.kind is EntryKind.FOLDER]
    found = []
    for beside in roots[: 10 * MOST_SIBLINGS]:
        manifest = manifest_in(tree, beside)
        entry = tree.entry(join(beside, manifest)) if manifest else None
        if manifest and entry is not None and entry.is_file:
            found.append((beside, manifest, entry.oid))
    contents = repository.blobs((oid for _, _, oid in found[:MOST_SIBLINGS]), SIBLING_CAP)
    return tuple(
        Snapshot(root=beside, files={manifest: skill_file(manifest, EntryKind.FILE, len(data), data)})
        for beside, manifest, oid in found[:MOST_SIBLINGS]
        if (data := contents.get(oid)) is not None
    )


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
    manifest = manifest_in(repository.tree(commit), change.path) or MANIFEST
    data = repository.file_at(commit, join(change.path, manifest))
    if data is None:
        return change
    file = skill_file(manifest, EntryKind.FILE, len(data), data)
    return replace(change, name=parse_skill(root=change.path, files={manifest: file}).name or change.name)
