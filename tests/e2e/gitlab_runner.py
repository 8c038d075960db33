"""Runs a project's pipeline with gitlab-ci-local against the fake GitLab."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.gitlab import FakeGitLab
from tests.git_history import ENVIRONMENT, git, skill

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests/e2e/node_modules/gitlab-ci-local/dist/index.js"
NUMBER = 42
INCLUDE_LOCAL = "include:\n  - local: /gitlab-ci-component.yml\n"
INCLUDE_COMPONENT = "include:\n  - component: $CI_SERVER_FQDN/$CI_PROJECT_PATH/aces-ci@$CI_COMMIT_SHA\n"


@dataclass(slots=True)
class Project:
    """A checkout of a merge request's branch whose `origin/main` is where it left."""

    path: Path
    fake: FakeGitLab
    base: str
    head: str
    variables: dict[str, str] = field(default_factory=dict)
    seconds: int = 240

    def run(self, *jobs: str, **variables: str) -> tuple[int, str]:
        """Run the pipeline, or jobs of it; exit code and everything that was printed.

        A failed job counts although the runner's own exit code is 0 where `allow_failure` lists other codes.
        """
        code, out, err = self._call(*jobs, variables=variables)
        return code or int(re.search(r"(?m)^\s*FAIL\s", out) is not None), out + err

    def jobs(self, **variables: str) -> dict[str, str]:
        """Names of the jobs that this context selects, with their `when`."""
        _, text, _ = self._call("--list", variables=variables)
        table = text[text.index("name ") :].splitlines()
        at = table[0].index("when")
        return {
            row[: table[0].index("description")].strip(): row[at:].split()[0] for row in table[1:] if row[:1].strip()
        }

    def preview(self, **variables: str) -> str:
        """The merged configuration."""
        _, text, _ = self._call("--preview", variables=variables)
        return text[text.index("---\n") :]

    def _call(self, *words: str, variables: dict[str, str]) -> tuple[int, str, str]:
        known = {
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_API_V4_URL": self.fake.url,
            "CI_SERVER_URL": "https://gitlab.example",
            "CI_PROJECT_ID": str(self.fake.project_id),
            "CI_PROJECT_PATH": self.fake.project,
            "CI_COMMIT_SHA": self.head,
            "CI_DEFAULT_BRANCH": "main",
            "CI_COMMIT_BRANCH": "",
            "CI_JOB_TOKEN": "job",
            "CI_MERGE_REQUEST_IID": str(NUMBER),
            "CI_MERGE_REQUEST_PROJECT_ID": str(self.fake.project_id),
            "CI_MERGE_REQUEST_PROJECT_PATH": self.fake.project,
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(self.fake.project_id),
            "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": self.fake.project,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_LABELS": "",
            "ACES_GITLAB_TOKEN": "glpat",
            **self.variables,
            **variables,
        }
        given = [word for name, value in known.items() for word in ("--variable", f"{name}={value}")]
        done = subprocess.run(
            [
                "node",
                str(RUNNER),
                "--force-shell-executor",
                *given,
                "--ignore-predefined-vars",
                ",".join(known),
                *words,
            ],
            cwd=self.path,
            env={
                **ENVIRONMENT,
                "HOME": str(self.path.parent),
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            },
            capture_output=True,
            timeout=self.seconds,
        )
        out, err = (_plain(text) for text in (done.stdout, done.stderr))
        return done.returncode, out, err


def _plain(data: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", data.decode("utf-8", "replace"))


def project(tmp: Path, fake: FakeGitLab, pipeline: str) -> Project:
    """`pipeline` is the .gitlab-ci.yml; main has two skills, the branch breaks one and improves the other."""
    path = tmp / "project"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main", ".")
    (path / "templates").mkdir()
    for name in ("gitlab-ci-component.yml", "templates/aces-ci.yml"):
        shutil.copy(ROOT / name, path / name)
    (path / ".gitlab-ci.yml").write_text(pipeline)
    base = _commit(path, {"parcel-quote": skill("parcel-quote"), "log-triage": skill("log-triage")})
    git(path, "remote", "add", "origin", "git@gitlab.example:acme/agent-skills.git")
    git(path, "update-ref", "refs/remotes/origin/main", base)
    git(path, "checkout", "--quiet", "-b", "topic")
    head = _commit(path, {"parcel-quote": skill("parcel_quote"), "log-triage": skill("log-triage", "Read the log.")})
    fake.change(NUMBER, head)
    return Project(path, fake, base, head)


def _commit(path: Path, skills: dict[str, str]) -> str:
    for name, text in skills.items():
        (path / "skills" / name).mkdir(parents=True, exist_ok=True)
        (path / "skills" / name / "SKILL.md").write_text(text)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "step")
    return git(path, "rev-parse", "HEAD")
