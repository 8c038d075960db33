"""Which skills a change touches, one entry a skill."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.skill import Skill


class How(StrEnum):
    """What happened to a skill between merge base and head."""

    ADDED = "added"
    MODIFIED = "modified"
    RENAMED = "renamed"
    DELETED = "deleted"
    UNCHANGED = "unchanged"
    """Not touched, and looked at all the same: a schedule or a person asked for every skill."""


class Part(StrEnum):
    """Which part of a skill a changed file belongs to."""

    MANIFEST = "manifest"
    SCRIPTS = "scripts"
    REFERENCES = "references"
    ASSETS = "assets"
    EVALS = "evals"
    OTHER = "other"


class BecauseKind(StrEnum):
    """Why a skill counts as changed."""

    OWN_FILE = "own_file"
    SHARED_FILE = "shared_file"
    REMOVED_SHARED_FILE = "removed_shared_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """The first path that made a skill count as changed."""

    kind: BecauseKind
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChange:
    """One changed skill. `before` is None when added, `after` when deleted; both None where not loaded."""

    how: How
    path: str
    """At head; where deleted, at the merge base."""
    name: str
    previous_path: str | None = None
    parts: tuple[Part, ...] = ()
    files: tuple[str, ...] = ()
    """Changed paths, repository-relative."""
    because: Because
    before: Skill | None = None
    after: Skill | None = None

    @property
    def label(self) -> str:
        """The skill's folder name, or its declared name for a root skill."""
        return self.path.rsplit("/", 1)[-1] if self.path != "." else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """All that changed between `merge_base` and `head`."""

    merge_base: str
    head: str
    skills: tuple[SkillChange, ...]
    unowned: tuple[str, ...] = ()
    """Changed paths that belong to no skill."""
    elsewhere: int = 0
    """Changed skills with evals that other shards of this run measure: alpha is divided over them as well."""
    notes: tuple[str, ...] = ()
    """What was not looked at because it is too large, one sentence each; reported, never silent."""


def has_previous(how: How, parts: Collection[Part]) -> bool:
    """Whether the base holds another version of what agents read of a skill."""
    return how in {How.MODIFIED, How.RENAMED} and bool(set(parts) - {Part.EVALS})
