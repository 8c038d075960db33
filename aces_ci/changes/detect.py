"""A difference becomes changed skills, one entry a skill. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aces_ci.changes.diff import DiffEntry
from aces_ci.changes.owner import Owners
from aces_ci.core.change import Because, BecauseKind, ChangeSet, How, Part, SkillChange
from aces_ci.core.repo_path import join

_ORDER = {part: number for number, part in enumerate(Part)}


def detect(
    *,
    merge_base: str,
    head: str,
    entries: Sequence[DiffEntry],
    before: Mapping[str, str],
    after: Mapping[str, str],
    root_links: frozenset[str] = frozenset(),
    shared: Mapping[str, tuple[str, ...]] | None = None,
    notes: tuple[str, ...] = (),
) -> ChangeSet:
    """The changed skills between two trees.

    Args:
        entries: what differs.
        before, after: folder -> name of its manifest, on each side, for every folder above a changed path.
        root_links: what the root skill's manifest links to, on either side.
        shared: changed path of no skill -> roots of the skills at head whose manifest links to it.
        notes: what could not be looked at, passed through.
    """
    owners = Owners(manifests={**before, **after}, root_links=root_links)
    own: dict[str, list[str]] = defaultdict(list)
    unowned: list[str] = []
    for path in changed_paths(entries):
        root = owners.of(path)
        if root is None:
            unowned.append(path)
        else:
            own[root].append(path)
    moves = _moves(entries, own, before, after)
    old_of = {new: old for old, new in moves.items()}
    found = [_change(root, old_of.get(root), own, before, after, owners) for root in own if root not in moves]
    at_head = {entry.new_path for entry in entries if entry.new_path is not None}
    found = _with_shared(found, shared or {}, at_head)
    return ChangeSet(
        merge_base=merge_base,
        head=head,
        skills=tuple(sorted(found, key=lambda change: change.path)),
        unowned=tuple(path for path in unowned if not (shared or {}).get(path)),
        notes=notes,
    )


def changed_paths(entries: Sequence[DiffEntry]) -> tuple[str, ...]:
    """Every path that differs, once, sorted."""
    return tuple(sorted({path for entry in entries for path in entry.paths}))


def _moves(
    entries: Sequence[DiffEntry],
    own: Mapping[str, Sequence[str]],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> dict[str, str]:
    """Old root -> new root of every moved skill: one that is gone, paired with one that is new.

    A moved manifest decides. Where it was rewritten too much for that, the folder's name and at least one
    other file must have moved along. A manifest that became another skill's reference moves nothing.
    """
    gone = {root for root in own if root in before and root not in after}
    new = {root for root in own if root in after and root not in before}
    old_manifests = {join(root, before[root]): root for root in gone}
    new_manifests = {join(root, after[root]): root for root in new}
    moves: dict[str, str] = {}
    along: Counter[tuple[str, str]] = Counter()
    owners = Owners(manifests={**before, **after})
    for entry in entries:
        if entry.status != "R" or entry.old_path is None or entry.new_path is None:
            continue
        if entry.old_path in old_manifests and entry.new_path in new_manifests:
            moves[old_manifests[entry.old_path]] = new_manifests[entry.new_path]
        else:
            along[owners.of(entry.old_path) or "", owners.of(entry.new_path) or ""] += 1
    for (source, target), _ in along.most_common():
        free = source in gone and target in new and source not in moves and target not in moves.values()
        if free and source.rpartition("/")[2] == target.rpartition("/")[2]:
            moves[source] = target
    return moves


def _change(
    root: str,
    previous: str | None,
    own: Mapping[str, Sequence[str]],
    before: Mapping[str, str],
    after: Mapping[str, str],
    owners: Owners,
) -> SkillChange:
    sides = [(root, path) for path in own[root]] + [(previous, path) for path in own.get(previous or "", ())]
    files = tuple(sorted(path for _, path in sides))
    if previous is not None:
        how = How.RENAMED
    elif root not in after:
        how = How.DELETED
    else:
        how = How.MODIFIED if root in before else How.ADDED
    parts = {owners.part(side or root, path) for side, path in sides}
    manifest = join(root, owners.manifests[root])
    return SkillChange(
        how=how,
        path=root,
        name=_folder_name(root),
        previous_path=previous,
        parts=tuple(sorted(parts, key=_ORDER.__getitem__)),
        files=files,
        because=Because(kind=BecauseKind.OWN_FILE, path=manifest if manifest in files else files[0]),
    )


def _with_shared(
    found: Sequence[SkillChange], shared: Mapping[str, tuple[str, ...]], at_head: set[str]
) -> list[SkillChange]:
    """Adds the skills that only a shared file changed, and that file to the skills that changed anyway."""
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted(shared):
        for root in shared[path]:
            files[root].append(path)
    changed = [replace(change, files=tuple(sorted((*change.files, *files.pop(change.path, ()))))) for change in found]
    return changed + [
        SkillChange(
            how=How.MODIFIED,
            path=root,
            name=_folder_name(root),
            parts=(Part.OTHER,),
            files=tuple(paths),
            because=Because(
                kind=BecauseKind.SHARED_FILE if paths[0] in at_head else BecauseKind.REMOVED_SHARED_FILE,
                path=paths[0],
            ),
        )
        for root, paths in files.items()
    ]


def _folder_name(root: str) -> str:
    return "root skill" if root == "." else root.rpartition("/")[2]
