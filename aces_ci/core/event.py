"""What happened: the trigger of a run, as every forge tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    """What can start a run (`docs/github.md`)."""

    CHANGE_REQUEST = "change_request"
    PUSH = "push"
    MERGE_GROUP = "merge_group"
    DISPATCH = "dispatch"
    SCHEDULE = "schedule"
    COMMAND = "command"
    """A person's slash command in a comment."""
    LOCAL = "local"


class Trust(StrEnum):
    """Whose bytes the head is. Everything that spends, executes or decides looks at this."""

    OWN = "own"
    FORK = "fork"
    SCHEDULED = "scheduled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One trigger. SHAs are 40 lower-case hex digits."""

    kind: EventKind
    forge: str
    """Name of the forge plug-in: github, gitlab, local."""
    repo: str
    """`owner/name`, or the directory's name where there is no forge."""
    head_sha: str
    base_sha: str | None = None
    """The target branch's commit, or the commit before a push; the merge base is computed, not taken."""
    base_ref: str | None = None
    """Name of the target branch, e.g. `main`."""
    default_branch: str | None = None
    change_request: int | None = None
    labels: frozenset[str] = frozenset()
    trust: Trust = Trust.OWN
    head_repo: str | None = None
    """`owner/name` of the repository the head lives in; None where it was deleted."""
    server_url: str = ""
    run_url: str | None = None
    actor: str | None = None
    title: str | None = None
    """How the forge names the trigger in its own words, e.g. `pull_request`."""
    comment: int | None = None
    """Id of the comment that carried the command, where `kind` is COMMAND."""
    label: str | None = None
    """The label whose setting was the trigger."""
    worktree: bool = False
    """What was looked at is the working tree, and `head_sha`, the commit below it, does not hold it like that."""

    @property
    def head_fetch(self) -> str | None:
        """The command that brings the head of a change request: a fork's is on no branch of this repository."""
        refs = {"github": "pull", "gitlab": "merge-requests"}.get(self.forge)
        if refs is None or self.change_request is None:
            return None
        return f"git fetch --no-tags origin refs/{refs}/{self.change_request}/head"

    @property
    def base_name(self) -> str:
        """The word for the base in sentences: the branch, or `the base`."""
        return self.base_ref or "the base"
