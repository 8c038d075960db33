"""A terminal: no forge, nothing is posted anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.event import Event, EventKind
from aces_ci.core.foreign import Origin
from aces_ci.core.foreign_json import nothing_to_post
from aces_ci.core.slash import Purpose
from aces_ci.forges._links import PageLinks
from aces_ci.ports.forge import ForgeOptions, Links, Posted, Publication
from aces_ci.shell.log import Log

HEAD = "HEAD"
"""Stands for the commit that is checked out; only git knows its SHA."""


class Local:
    """Where neither GitHub nor GitLab runs us. The texts are files only."""

    name = "local"

    def __init__(self, env: Mapping[str, str], log: Log, options: ForgeOptions | None = None) -> None:
        self._env = env
        self._log = log

    @staticmethod
    def applies(env: Mapping[str, str]) -> bool:
        """True where no other forge's CI runs us."""
        return env.get("GITHUB_ACTIONS") != "true" and env.get("GITLAB_CI") != "true"

    @staticmethod
    def links(server_url: str) -> Links:
        """Links that lead nowhere."""
        return PageLinks("")

    def event(self, repo_dir: Path) -> Event:
        """The checkout as it stands. `head_sha` is the word HEAD: the caller resolves it with git."""
        return Event(kind=EventKind.LOCAL, forge=self.name, repo=repo_dir.resolve().name, head_sha=HEAD)

    def publish(self, event: Event, publication: Publication) -> Posted:
        """Print the annotations as lines."""
        for note in publication.annotations:
            self._log.annotate(note.level, note.message, file=note.path, line=str(note.line), title=note.title)
        return Posted(comment="none", notices=("no forge here: the comment is in comment.md",))

    def approval(self, event: Event, purpose: Purpose, key: str, *, use: bool = True) -> Approval | Refusal | None:
        """At a terminal nobody approves: the price is asked there."""
        return None

    def recheck(self, event: Event, approval: Approval) -> Refusal | None:
        """There is nothing to read again."""
        return None

    def policy(self) -> bytes | None:
        """There is a checkout."""
        return None

    def followed(self) -> Sequence[int | None]:
        """None but that which was named, and it is refused."""
        return (None,)

    def foreign(self, source: str, artifact: str, change: int | None) -> tuple[Origin, bytes]:
        """There is no other job."""
        raise nothing_to_post(
            "no_forge",
            "this is no CI job, so no other job's report belongs to it",
            "read comment.md, or name a report.json in a job of GitHub Actions or GitLab CI",
        )


FORGE = Local
