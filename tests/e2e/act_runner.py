"""Runs a repository's workflow with act, the action built from this checkout, against the fake GitHub.

The action is in the form in which it is released, `docker://` with an image built from this checkout's Dockerfile.
One thing differs: the default of `api_url`, because a workflow cannot move `github.api_url` and the fake is on
loopback. Artifact and cache actions are played by a folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes.github import FakeGitHub
from tests.git_history import ENVIRONMENT, git, skill

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples/github"
PAYLOADS = ROOT / "tests/e2e/node_modules/@octokit/webhooks-examples/api.github.com/index.json"
RUNNER_IMAGE = "aces-ci-base:bookworm"
VERSION = "v0.4.0"
_UPLOAD = """\
name: upload
inputs:
  name: {required: true}
  path: {required: true}
  if-no-files-found: {default: warn}
  retention-days: {default: "1"}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", FROM: "${{ inputs.path }}"}
      run: |
        mkdir -p "/artifacts/$NAME"
        if [ -d "$FROM" ]; then FROM="$FROM/."; fi
        if [ -e "$FROM" ]; then cp -r "$FROM" "/artifacts/$NAME/"; fi
"""
_DOWNLOAD = """\
name: download
inputs: {pattern: {default: ""}, path: {default: .}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {PATTERN: "${{ inputs.pattern }}", TO: "${{ inputs.path }}"}
      run: |
        mkdir -p "$TO"
        for folder in /artifacts/$PATTERN; do if [ -d "$folder" ]; then cp -r "$folder" "$TO/"; fi; done
"""


_CACHE = """\
name: cache
inputs: {path: {required: true}, key: {required: true}, restore-keys: {default: ""}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {FROM: "${{ inputs.path }}", KEY: "${{ inputs.key }}"}
      run: |
        COMMAND
"""
_RESTORE = (
    'for kept in /artifacts/cache/*; do if [ -e "$kept" ]; then mkdir -p "${FROM%/*}"; cp "$kept" "$FROM"; fi; done'
)
_SAVE = 'mkdir -p /artifacts/cache; cp "$FROM" "/artifacts/cache/$KEY"'


@dataclass(slots=True)
class Runner:
    """A repository with one workflow, an event, and the forge behind it."""

    tmp: Path
    repo: Path
    fake: FakeGitHub
    base: str
    head: str
    workflow: str
    secrets: dict[str, str] = field(default_factory=lambda: {"GITHUB_TOKEN": "tok"})

    def edit(self, old: str, new: str) -> None:
        """Change the workflow that the user copied."""
        path = self.repo / ".github/workflows" / self.workflow
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def run(self, event: str, payload: dict[str, Any], *words: str) -> tuple[int, str]:
        """One event; act's exit code and log without colours."""
        path = self.tmp / "event.json"
        path.write_text(json.dumps(payload))
        local = {
            "aces-ci/aces-ci@" + VERSION: _action(self.tmp, self.fake.url),
            **{f"{name}@{sha}": self.tmp / "stubs" / name.partition("/")[2] for name, sha in _pinned().items()},
        }
        done = subprocess.run(
            [
                str(Path(sys.executable).parent / "act"),
                event,
                *("--eventpath", str(path)),
                *("--workflows", f".github/workflows/{self.workflow}"),
                *("--platform", f"ubuntu-latest={RUNNER_IMAGE}"),
                *("--pull=false", "--no-cache-server", "--no-skip-checkout=false"),
                *("--container-options", f"-v {self.tmp}/artifacts:/artifacts"),
                *[word for name, value in self.secrets.items() for word in ("--secret", f"{name}={value}")],
                *[word for name, folder in local.items() for word in ("--local-repository", f"{name}={folder}")],
                *words,
            ],
            cwd=self.repo,
            env={**ENVIRONMENT, "HOME": str(self.tmp), "DOCKER_BUILDKIT": "0", "PATH": os.environ["PATH"]},
            capture_output=True,
            timeout=420,
        )
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", text)


def runner(tmp: Path, fake: FakeGitHub, example: str, name: str = "skills.yml") -> Runner:
    """main has two skills, the branch breaks one and improves the other."""
    repo = tmp / "repo"
    (repo / ".github/workflows").mkdir(parents=True)
    shutil.copy(EXAMPLES / example, repo / ".github/workflows" / name)
    git(repo, "init", "--quiet", "--initial-branch=main", ".")
    git(repo, "remote", "add", "origin", f"https://github.com/{fake.repo}")
    base = commit(repo, {"parcel-quote": skill("parcel-quote"), "log-triage": skill("log-triage")})
    git(repo, "update-ref", "refs/remotes/origin/main", base)
    git(repo, "checkout", "--quiet", "-b", "topic")
    head = commit(repo, {"parcel-quote": skill("parcel_quote"), "log-triage": skill("log-triage", "Read the log.")})
    (tmp / "artifacts").mkdir()
    for stub, text in (
        ("upload-artifact", _UPLOAD),
        ("download-artifact", _DOWNLOAD),
        ("cache/restore", _CACHE.replace("COMMAND", _RESTORE)),
        ("cache/save", _CACHE.replace("COMMAND", _SAVE)),
    ):
        (tmp / "stubs" / stub).mkdir(parents=True)
        (tmp / "stubs" / stub / "action.yml").write_text(text)
    return Runner(tmp, repo, fake, base, head, name)


def payload(name: str, action: str | None = None) -> dict[str, Any]:
    """A recorded webhook payload of that event."""
    found: dict[str, Any] = next(row for row in _payloads()[name] if action in (None, row.get("action")))
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


@cache
def _payloads() -> dict[str, list[dict[str, Any]]]:
    return {row["name"]: row["examples"] for row in json.loads(PAYLOADS.read_text())}


def _pinned() -> dict[str, str]:
    """The artifact and cache actions and their SHAs, as the examples and our workflows pin them."""
    text = "".join(path.read_text() for path in [*EXAMPLES.glob("*.yml"), *(ROOT / ".github/workflows").glob("*.yml")])
    return dict(re.findall(r"uses: (actions/(?:(?:up|down)load-artifact|cache))(?:/\w+)?@([0-9a-f]{40})", text))


def _action(tmp: Path, api_url: str) -> Path:
    """The action's repository: its metadata and the reusable workflows."""
    target = tmp / "action"
    if target.exists():
        return target
    target.mkdir()
    shutil.copy(ROOT / "action.yml", target / "action.yml")
    shutil.copytree(ROOT / ".github", target / ".github")
    text = (target / "action.yml").read_text()
    for old, new in (("${{ github.api_url }}", api_url), ("image: Dockerfile", f"image: docker://{image()}")):
        assert old in text
        text = text.replace(old, new)
    (target / "action.yml").write_text(text)
    return target


@cache
def image() -> str:
    """The image of this checkout, built once a session; ACES_E2E_IMAGE names one that is already there."""
    ready = os.environ.get("ACES_E2E_IMAGE")
    if ready:
        return ready
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", "aces-ci:act", str(ROOT)],
        env={"PATH": os.environ["PATH"], "DOCKER_BUILDKIT": "0", "HOME": os.environ.get("HOME", "/root")},
        check=True,
        capture_output=True,
        timeout=1200,
    )
    return "aces-ci:act"


def commit(path: Path, skills: dict[str, str]) -> str:
    """Write these skills and commit everything; returns the SHA."""
    for name, text in skills.items():
        (path / "skills" / name).mkdir(parents=True, exist_ok=True)
        (path / "skills" / name / "SKILL.md").write_text(text)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "step")
    return git(path, "rev-parse", "HEAD")
