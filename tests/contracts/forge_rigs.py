"""The three forges, each with a server of its kind behind it, for the one suite that all of them pass."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aces_ci.core.event import Event
from aces_ci.core.pages import Annotation
from aces_ci.core.sticky import Marker, with_since
from aces_ci.forges.github import GitHub
from aces_ci.forges.gitlab import GitLab
from aces_ci.forges.local import Local
from aces_ci.ports.forge import Forge, ForgeOptions, Publication
from aces_ci.shell.log import Dialect, Log
from tests.fakes.github import HELPER, FakeGitHub
from tests.fakes.gitlab import BOT as GITLAB_BOT
from tests.fakes.gitlab import FakeGitLab, Member
from tests.fakes.server import Answer, LoopbackServer

HEAD = "7be01c4a9d3e5f60718293a4b5c6d7e8f9012345"
NEXT_HEAD = "8ce01c4a9d3e5f60718293a4b5c6d7e8f9012345"
BASE = "d20aa91b6c7d8e9f00112233445566778899aabb"
NUMBER = 42


@dataclass(slots=True)
class Rig:
    """One forge ready to post under change request 42, and how to look behind it."""

    name: str
    forge: Forge
    env: dict[str, str]
    log: io.StringIO
    remake: Callable[..., Forge]
    server: LoopbackServer | None = None
    written: Callable[[], list[str]] = list
    """The comments as the server has them."""
    plant: Callable[..., object] = lambda body, ours=False: None
    move_head: Callable[[str], object] = lambda sha: None
    approved: Callable[[], Forge] = lambda: Local({}, Log(io.StringIO()))
    """Lets a maintainer approve the head in the strongest way there is; the forge in the job which that starts."""
    demote: Callable[[], object] = lambda: None
    """Takes the maintainer's right to write away."""
    settle: Callable[[bytes], object] = lambda data: None
    """Puts an `aces.yml` on the default branch."""
    write: str = ""
    """The method that edits a comment."""
    too_long: Answer = field(default_factory=Answer)
    forbidden: Answer = field(default_factory=Answer)

    def bodies(self) -> list[str]:
        """The comments, without the time that an edited one keeps in its marker."""
        return [with_since(text, None) for text in self.written()]

    @property
    def posts(self) -> bool:
        """False for the forge that has nowhere to post."""
        return self.server is not None

    def event(self) -> Event:
        """What the forge reads from its environment."""
        return self.forge.event(Path())


def body(text: str, head: str = HEAD, key: str = "default") -> str:
    """A comment as the renderer makes it."""
    return f"{Marker(key=key, head=head).line}\n### {text}\n"


def publication(text: str = "one", head: str = HEAD, **more: object) -> Publication:
    """A run's texts."""
    values: dict[str, object] = {
        "comment": body(text, head),
        "nothing_comment": body("no skill changed", head),
        "smaller_comment": body(f"small {text}", head),
        "key": "default",
        "head_sha": head,
        "summary": f"## {text}\n",
        "annotations": (),
        "outputs": {"verdict": "clean"},
        "failed": False,
        "title": text,
    }
    return Publication(**{**values, **more})  # type: ignore[arg-type]


def note(level: str = "error", number: int = 1, **more: object) -> Annotation:
    """An annotation."""
    values: dict[str, object] = {
        "level": level,
        "path": "skills/a/SKILL.md",
        "line": number,
        "end_line": number,
        "title": f"a: thing {number}",
        "message": "What, why, fix.",
    }
    return Annotation(**{**values, **more})  # type: ignore[arg-type]


@contextmanager
def github(tmp: Path, *, token: str | None = "tok") -> Iterator[Rig]:
    """GitHub on a pull request of the repository's own branch."""
    with FakeGitHub().running() as fake:
        pull = fake.pull(NUMBER, HEAD, base_sha=BASE)
        path = tmp / "event.json"
        path.write_text(
            json.dumps(
                {
                    "action": "opened",
                    "number": NUMBER,
                    "pull_request": pull,
                    "repository": {"full_name": fake.repo, "id": fake.repo_id, "default_branch": "main"},
                }
            )
        )
        env = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": fake.repo,
            "GITHUB_SHA": "e" * 40,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_API_URL": fake.url,
            "GITHUB_RUN_ID": "8101",
            "GITHUB_OUTPUT": str(tmp / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp / "summary"),
        }
        log = io.StringIO()

        def remake(token: str | None = token, **env_more: str) -> Forge:
            return GitHub({**env, **env_more}, Log(log, Dialect.GITHUB), ForgeOptions(token=token))

        def approved() -> Forge:
            fake.permissions["ana"] = "maintain"
            fake.run(8101, "pull_request_target", BASE)
            fake.review(8101, "aces-live", "ana")
            return GitHub(env, Log(log, Dialect.GITHUB), ForgeOptions(token=token, environment="aces-live"))

        yield Rig(
            name="github",
            forge=remake(),
            env=env,
            log=log,
            remake=remake,
            server=fake.server,
            written=lambda: fake.bodies(NUMBER),
            plant=lambda text, ours=False: fake.comment(NUMBER, text, *((fake.tokens["tok"],) if ours else (HELPER,))),
            move_head=lambda sha: fake.pulls[NUMBER]["head"].update(sha=sha),
            approved=approved,
            settle=lambda data: fake.files.update({"aces.yml": ("100644", data)}),
            demote=lambda: fake.permissions.update(ana="read"),
            write="PATCH",
            too_long=Answer(
                status=422,
                body={"message": "Validation Failed", "errors": [{"message": "Body is too long (maximum is 65536)"}]},
            ),
            forbidden=Answer(status=403, body={"message": "Resource not accessible by integration"}),
        )


@contextmanager
def gitlab(tmp: Path, *, token: str | None = "glpat") -> Iterator[Rig]:
    """GitLab on a merge request of the project's own branch, detached pipeline."""
    with FakeGitLab().running() as fake:
        fake.change(NUMBER, HEAD)
        env = {
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_API_V4_URL": fake.url,
            "CI_SERVER_URL": "https://gitlab.example",
            "CI_PROJECT_PATH": fake.project,
            "CI_PROJECT_ID": str(fake.project_id),
            "CI_COMMIT_SHA": HEAD,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_TOKEN": "job",
            "CI_JOB_URL": "https://gitlab.example/acme/agent-skills/-/jobs/90417",
            "CI_MERGE_REQUEST_IID": str(NUMBER),
            "CI_MERGE_REQUEST_PROJECT_ID": str(fake.project_id),
            "CI_MERGE_REQUEST_PROJECT_PATH": fake.project,
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(fake.project_id),
            "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": fake.project,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_LABELS": "",
        }
        log = io.StringIO()

        def remake(token: str | None = token, **env_more: str) -> Forge:
            return GitLab({**env, **env_more}, Log(log, Dialect.GITLAB), ForgeOptions(token=token))

        def approved() -> Forge:
            fake.members[50] = Member(id=50, username="ana", level=40)
            pressed = {"CI_JOB_MANUAL": "true", "GITLAB_USER_ID": "50", "CI_JOB_STARTED_AT": fake.now()}
            return remake(**pressed)

        yield Rig(
            name="gitlab",
            forge=remake(),
            env=env,
            log=log,
            remake=remake,
            server=fake.server,
            written=lambda: fake.bodies(NUMBER),
            plant=lambda text, ours=False: fake.comment(NUMBER, text, *((GITLAB_BOT,) if ours else ())),
            move_head=lambda sha: fake.changes[NUMBER].update(sha=sha),
            approved=approved,
            settle=lambda data: fake.files.update({"aces.yml": data}),
            demote=lambda: fake.members.update({50: Member(id=50, username="ana", level=10)}),
            write="PUT",
            too_long=Answer(status=400, body={"message": {"note": ["is too long (maximum is 1000000 characters)"]}}),
            forbidden=Answer(status=403, body={"message": "403 Forbidden"}),
        )


@contextmanager
def local(tmp: Path) -> Iterator[Rig]:
    """A terminal."""
    log = io.StringIO()
    env: Mapping[str, str] = {}
    yield Rig(
        name="local",
        forge=Local(env, Log(log)),
        env=dict(env),
        log=log,
        remake=lambda **_: Local(env, Log(log)),
    )


RIGS = {"github": github, "gitlab": gitlab, "local": local}
