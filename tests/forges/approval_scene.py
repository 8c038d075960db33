"""A fork's pull request, the people around it, and the job that asks whether it may spend."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.slash import Purpose
from aces_ci.core.sticky import Marker
from aces_ci.forges.github import GitHub
from aces_ci.ports.forge import ForgeOptions
from aces_ci.shell.log import Log
from tests.fakes.github import BOT, PERSON, FakeGitHub

HEAD, OTHER, TIP = "a" * 40, "b" * 40, "c" * 40
NUMBER, RUN = 42, 8230


@dataclass(slots=True)
class Scene:
    """A fork's pull request with our comment on its head, and a maintainer called ana."""

    fake: FakeGitHub

    def see(self, head: str = HEAD) -> None:
        """Our structural run of `head` posts its result."""
        self.fake.comment(NUMBER, Marker(key="default", head=head).line + "\nx", BOT)

    def label(self, by: str = "ana", *, person: bool = True, purpose: Purpose = Purpose.LIVE) -> None:
        """Somebody sets the label."""
        pull = self.fake.pulls[NUMBER]
        pull["labels"] = [{"name": purpose.label}]
        self.fake.happened(NUMBER, "labeled", by, person=person, label={"name": purpose.label})

    def push(self, head: str, *, force: bool = False) -> None:
        """The author pushes."""
        self.fake.pulls[NUMBER]["head"]["sha"] = head
        if force:
            self.fake.happened(NUMBER, "head_ref_force_pushed", "mira-k")

    def comment(self, body: str) -> int:
        """A person comments."""
        return int(self.fake.comment(NUMBER, body, PERSON)["id"])

    def ask(
        self,
        *,
        head: str = HEAD,
        comment: int | None = None,
        attempt: int = 1,
        purpose: Purpose = Purpose.LIVE,
        base: str = "main",
        use: bool = True,
        **options: Any,
    ) -> Approval | Refusal | None:
        """What the job that was triggered at `head` gets."""
        event = self.event(head=head, comment=comment, base=base)
        return self.forge(attempt, **options).approval(event, purpose, "default", use=use)

    def forge(self, attempt: int = 1, **options: Any) -> GitHub:
        """A job of run 8230, whose token may do all that is asked of it."""
        env = {
            "GITHUB_REPOSITORY": self.fake.repo,
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_RUN_ID": str(RUN),
            "GITHUB_SHA": TIP,
        }
        return GitHub(env, Log(io.StringIO()), ForgeOptions(token="tok", api_url=self.fake.url, **options))

    def event(self, *, head: str = HEAD, comment: int | None = None, base: str = "main") -> Event:
        """The trigger, as the payload has it."""
        return Event(
            kind=EventKind.COMMAND if comment else EventKind.CHANGE_REQUEST,
            forge="github",
            repo=self.fake.repo,
            head_sha=head,
            base_sha=self.fake.pulls[NUMBER]["base"]["sha"],
            base_ref=base,
            change_request=NUMBER,
            labels=frozenset(row["name"] for row in self.fake.pulls[NUMBER]["labels"]),
            trust=Trust.FORK,
            comment=comment,
        )

    def code(self, **asked: Any) -> str:
        """The refusal's word."""
        found = self.ask(**asked)
        assert isinstance(found, Refusal), found
        return found.code


@contextmanager
def fork_s_pull_request() -> Iterator[Scene]:
    """Ana maintains, tri triages, mira-k is the author."""
    with FakeGitHub().running() as fake:
        fake.pull(NUMBER, HEAD, head_repo=(9, "mira-k/agent-skills"))
        fake.permissions.update({"ana": "maintain", "mira-k": "read", "tri": "triage"})
        yield Scene(fake)
