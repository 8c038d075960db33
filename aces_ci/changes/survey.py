"""Who links to a file that lies in no skill."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from aces_ci.changes.git import Repository
from aces_ci.changes.links import may_name, maybe_linked
from aces_ci.changes.owner import manifest_among, manifest_in, without_lookalikes
from aces_ci.changes.tree import Entry
from aces_ci.core.repo_path import ancestors_of, bytes_of, join, parent_of

# The end of a row of a listing.
_SKILL_OR_PLUGIN = re.compile(rb"(?:[\t/](?i:skill\.md)|[\t/]\.claude-plugin/plugin\.json)\Z")
_MANIFEST_CAP = 256 * 1024
_SCAN_CAP = 128 * 1024 * 1024


def links_of_root_skill(repository: Repository, commit: str) -> frozenset[str]:
    """What the root skill's manifest links to; empty where there is no root skill."""
    name = manifest_in(repository.tree(commit), ".")
    data = repository.file_at(commit, name, _MANIFEST_CAP) if name else None
    return repository.linked(data.decode("utf-8", "replace"), ".", ".") if data else frozenset()


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """Path -> roots of the skills that link to it, and what was not looked at."""

    users: dict[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()


def users_of(repository: Repository, commit: str, paths: Collection[str]) -> SharedFiles:
    """The skills at `commit` whose manifest links to any of `paths`, which lie in no skill.

    One pass over the tree's names and the manifests, bounded in bytes.
    """
    manifests, plugins = _skills_and_plugins(repository.listing(commit, _SKILL_OR_PLUGIN))
    oid_of = {root: oid for root, oid in manifests.items() if root != "."}
    sizes = repository.sizes(oid_of.values())
    notes: list[str] = []
    wanted = [oid for oid in dict.fromkeys(oid_of.values()) if sizes[oid] <= _MANIFEST_CAP]
    if sum(sizes[oid] for oid in wanted) > _SCAN_CAP:
        return SharedFiles({}, ("skills that link to a shared file were not looked for: too many manifests",))
    if len(wanted) < len(sizes):
        notes.append("links to shared files were not looked for in manifests longer than 256 KB")
    contents = repository.blobs(wanted, _MANIFEST_CAP)
    names = frozenset(bytes_of(path.rpartition("/")[2]) for path in paths)
    users: dict[str, list[str]] = {}
    for root, oid in oid_of.items():
        data = contents.get(oid)
        if not data or not may_name(data, names):
            continue
        plugin = next((above for above in (root, *ancestors_of(root)) if above in plugins), None)
        text = data.decode("utf-8", "replace")
        # The parser decides, but is asked only where a quick look finds something.
        if maybe_linked(text, root, plugin).isdisjoint(paths):
            continue
        for path in repository.linked(text, root, plugin).intersection(paths):
            users.setdefault(path, []).append(root)
    return SharedFiles({path: tuple(sorted(roots)) for path, roots in users.items()}, tuple(notes))


def _skills_and_plugins(listing: Mapping[str, Entry]) -> tuple[dict[str, str], frozenset[str]]:
    """Root of each skill -> object of its manifest, and the roots of the plugins."""
    names: dict[str, list[str]] = {}
    plugins = set()
    for path, entry in listing.items():
        folder, name = parent_of(path), path.rpartition("/")[2]
        if name == "plugin.json":
            plugins.add(parent_of(folder))
        elif entry.is_file:
            names.setdefault(folder, []).append(name)
    manifests = without_lookalikes({folder: str(manifest_among(found)) for folder, found in names.items()})
    return {root: listing[join(root, name)].oid for root, name in manifests.items()}, frozenset(plugins)
