"""A fork's pull request from its own job to the trusted poster, with GitHub played by the fake."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aces_ci.jobs.post import Options as PostOptions
from aces_ci.jobs.post import post
from aces_ci.jobs.run import Options as RunOptions
from aces_ci.jobs.run import run
from tests.fakes.github import FakeGitHub
from tests.git_history import Content, History, skill

NUMBER, RUN, FORK_ID = 42, 8230, 9
FORK = "mira-k/agent-skills"
WORKFLOW = ".github/workflows/skills.yml"


@dataclass(slots=True)
class Fork:
    """A repository with `main`, a fork's head on it, and the open pull request."""

    fake: FakeGitHub
    repo: Path
    base: str
    head: str
    tmp: Path

    def job(self, token: str = "read-only") -> tuple[int, str, dict[str, Any]]:
        """The fork's own job: exit code, log and report."""
        payload = {
            "action": "opened",
            "number": NUMBER,
            "pull_request": self.fake.pulls[NUMBER],
            "repository": {"full_name": self.fake.repo, "id": self.fake.repo_id, "default_branch": "main"},
        }
        env = self.env("pull_request", payload, token)
        log = io.StringIO()
        output = self.tmp / "aces-results"
        code = run(RunOptions(repo=self.repo, output=output), env=env, stdout=io.StringIO(), stderr=log)
        return code, log.getvalue(), json.loads((output / "report.json").read_text())

    def finished(self, document: object, **run_more: Any) -> None:
        """The job uploads `document` (bytes: as they are) and its run completes."""
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.fake.artifacts[RUN] = [("aces-results", packed({"report.json": data}, zipfile.ZIP_STORED))]
        self.fake.runs[RUN] = {
            "id": RUN,
            "event": "pull_request",
            "path": WORKFLOW,
            "status": "completed",
            "conclusion": "success",
            "head_sha": self.head,
            "head_branch": "patch-1",
            "head_repository": {"id": FORK_ID, "full_name": FORK},
            "repository": {"id": self.fake.repo_id, "full_name": self.fake.repo},
            "pull_requests": [],
            **run_more,
        }

    def post(self, env_more: Mapping[str, str] | None = None, **more: Any) -> str:
        """The trusted job; returns its log."""
        payload = {"action": "completed", "workflow_run": {"id": RUN}}
        env = {**self.env("workflow_run", payload, "tok"), **(env_more or {})}
        log = io.StringIO()
        values = {
            "path": None,
            "repo": self.tmp,
            "source": WORKFLOW,
            "artifact": "aces-results",
            "change": None,
            **more,
        }
        assert post(PostOptions(**values), env=env, stderr=log) == 0
        return log.getvalue()

    def env(self, name: str, payload: object, token: str) -> dict[str, str]:
        """A job's environment, with its event file written."""
        path = self.tmp / f"{name}.json"
        path.write_text(json.dumps(payload))
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": self.fake.repo,
            "GITHUB_SHA": self.head,
            "GITHUB_RUN_ID": str(RUN),
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(self.tmp / f"{name}-summary.md"),
            "GITHUB_OUTPUT": str(self.tmp / f"{name}-output"),
            "INPUT_GITHUB_TOKEN": token,
            "INPUT_API_URL": self.fake.url,
        }


@contextmanager
def fork(
    tmp: Path, on_main: Mapping[str, Content] | None = None, of_fork: Mapping[str, Content | None] | None = None
) -> Iterator[Fork]:
    """One skill on main, changed by the fork: one error (its name), some advice, unless the files are given."""
    history = History(tmp / "repo", bare=False)
    base = history.commit("main", on_main or {"skills/tide-tables/SKILL.md": skill("tide-tables")})
    changed = of_fork or {"skills/tide-tables/SKILL.md": skill("tide_tables", "More.")}
    head = history.commit("patch-1", changed, base)
    with FakeGitHub().running() as fake:
        fake.pull(NUMBER, head, base_sha=base, head_repo=(FORK_ID, FORK))
        yield Fork(fake, history.path, base, head, tmp)


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()
