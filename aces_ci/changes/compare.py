"""Two commits become the change set between the merge base and the head."""

from __future__ import annotations

from aces_ci.changes.detect import changed_paths, detect
from aces_ci.changes.git import Repository
from aces_ci.changes.owner import Owners, manifests_above
from aces_ci.changes.survey import SharedFiles, links_of_root_skill, users_of
from aces_ci.core.change import ChangeSet


def compare(repository: Repository, base: str, head: str, base_name: str | None = None) -> ChangeSet:
    """The skills that `head` changes against where it left `base`; both are commits. Skills are not loaded.

    Cost grows with the difference; only a changed path that no skill owns costs one bounded look at every
    manifest of the head.

    Raises:
        UsageError: history too shallow, or none in common.
    """
    start = repository.merge_base(base, head, base_name)
    return between(repository, start, head)


def between(repository: Repository, start: str, head: str) -> ChangeSet:
    """The same between two commits as they are, with no look for a merge base (a push's before and after)."""
    entries = repository.diff(start, head)
    paths = changed_paths(entries)
    before = manifests_above(repository.tree(start), paths)
    after = manifests_above(repository.tree(head), paths)
    root_links: frozenset[str] = frozenset()
    if "." in before or "." in after:
        root_links = links_of_root_skill(repository, start) | links_of_root_skill(repository, head)
    owners = Owners(manifests={**before, **after}, root_links=root_links)
    unowned = [path for path in paths if owners.of(path) is None]
    shared = users_of(repository, head, frozenset(unowned)) if unowned else SharedFiles({})
    return detect(
        merge_base=start,
        head=head,
        entries=entries,
        before=before,
        after=after,
        root_links=root_links,
        shared=shared.users,
        notes=shared.notes,
    )
