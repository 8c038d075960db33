"""Where a change request lives: who triggered, what may be posted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.event import Event
from aces_ci.core.foreign import Origin
from aces_ci.core.pages import Annotation
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.slash import Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """All finished texts of one run; a forge posts what it can."""

    comment: str | None
    """Markdown; None: leave no new comment, but edit an existing one to `nothing_comment`."""
    nothing_comment: str
    smaller_comment: str
    """The same verdict, shorter: used once where the forge says that the body is too long."""
    key: str
    """Sticky comments with different keys live side by side."""
    head_sha: str
    summary: str
    annotations: Sequence[Annotation]
    outputs: Mapping[str, str]
    failed: bool
    title: str
    """The headline without Markdown."""
    check_run: bool = False
    """Also write a check run, where the forge has such a thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What came of it, for the log. `notices` are sentences for a person."""

    comment: str
    """`created`, `edited`, `unchanged`, `none`, `refused`, `stale`."""
    url: str | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeOptions:
    """What the trusted side may tell a forge beside the environment."""

    token: str | None = None
    """Overrides the token that the forge finds in the environment."""
    api_url: str | None = None
    """Overrides the API's address; the token goes to this host and no other."""
    environment: str | None = None
    """The deployment environment that this job waited for: its review is the approval, where the forge has such."""
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    """Sees everything that is sent."""


class Links(Protocol):
    """Builds links into the forge's pages; pure."""

    def blob(self, repo: str, sha: str, path: str, line: int | None, end_line: int | None = None) -> str | None:
        """A link to a line of a file at a commit (`?plain=1` for Markdown), percent-encoded; None: no
        pages."""
        ...

    def commit(self, repo: str, sha: str) -> str | None:
        """A link to a commit."""
        ...


class Forge(Protocol):
    """One forge. Every method may raise DeliveryError; NotPermitted never leaves `publish`."""

    name: str

    @staticmethod
    def applies(env: Mapping[str, str]) -> bool:
        """Whether this process runs under this forge's CI."""
        ...

    def event(self, repo_dir: Path) -> Event:
        """What happened.

        Raises:
            UsageError: the environment contradicts itself, or the event is one we cannot evaluate.
        """
        ...

    def publish(self, event: Event, publication: Publication) -> Posted:
        """Post the texts: comment in place, annotations, summary, outputs. Rights missing is a notice."""
        ...

    def approval(self, event: Event, purpose: Purpose, key: str, *, use: bool = True) -> Approval | Refusal | None:
        """What a person asked for by label, command, review or button, decided and *used up*; None: nobody asked.

        `key` is that of our sticky comment, whose time tells when the text checks of the head were there to
        look at. Without `use` it is only looked at, and a later run may still use it.
        """
        ...

    def recheck(self, event: Event, approval: Approval) -> Refusal | None:
        """Whether an approval that was given still holds now: before the first paid request, and by every
        shard."""
        ...

    def policy(self) -> bytes | None:
        """The policy file at the tip of the default branch, for a job without a checkout; None: there is none.

        Raises:
            UsageError: what stands there is no regular file of at most 64 KB.
            DeliveryError, NotPermitted: it could not be read.
        """
        ...

    def followed(self) -> Sequence[int | None]:
        """The change requests whose foreign reports this job posts where none is named: that of the run which its
        event tells (None), or every open one that comes from a fork."""
        ...

    def foreign(self, source: str, artifact: str, change: int | None) -> tuple[Origin, bytes]:
        """The report that a job without rights left for us, and what the forge says of that job.

        Args:
            source: path of the workflow (GitHub), or name of the job (GitLab), that alone is believed.
            artifact: name of the artifact (GitHub).
            change: the merge request (GitLab); on GitHub the `workflow_run` event tells.

        Raises:
            UsageError: a run, change request or artifact that docs/trust.md rule 10 refuses.
        """
        ...
