"""What each changed skill weighs: the estimated cost by which runs are divided into shards."""

from __future__ import annotations

from aces_ci.changes.collect import entries_of
from aces_ci.changes.git import Repository
from aces_ci.changes.owner import manifest_in
from aces_ci.changes.survey import links_of_root_skill
from aces_ci.changes.tree import EntryKind
from aces_ci.core.change import ChangeSet, How


def weigh(repository: Repository, changes: ChangeSet) -> dict[str, int]:
    """Path of each changed skill to its bytes at head, from git's index of sizes alone; a deleted one
    weighs 0."""
    return {
        change.path: 0 if change.how is How.DELETED else _bytes(repository, changes.head, change.path)
        for change in changes.skills
    }


def _bytes(repository: Repository, commit: str, root: str) -> int:
    tree = repository.tree(commit)
    manifest = manifest_in(tree, root)
    if manifest is None:
        return 0
    links = links_of_root_skill(repository, commit) if root == "." else frozenset[str]()
    entries = [entry for _, entry in entries_of(tree, root, manifest, links) if entry.kind is not EntryKind.SUBMODULE]
    sizes = repository.sizes(entry.oid for entry in entries)
    return sum(sizes.get(entry.oid, 0) for entry in entries)
