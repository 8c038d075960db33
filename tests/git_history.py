"""Builds real repositories quickly: whole trees become commits through one `git fast-import` a call."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada Tester",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada Tester",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
}


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Submodule:
    """A gitlink."""

    commit: str = "1" * 40


@dataclass(frozen=True)
class Script:
    """An executable file."""

    text: str


Content = str | bytes | Link | Submodule | Script
Files = Mapping[str | bytes, Content | None]


def git(folder: Path, *args: str) -> str:
    """Runs git in a folder of our own making."""
    done = subprocess.run(["git", *args], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, timeout=120)
    return done.stdout.decode("utf-8", "replace").strip()


class History:
    """A repository; each commit is given as what differs from its parent."""

    def __init__(self, path: Path, *, bare: bool = True) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        git(path, "init", "--quiet", "--initial-branch=main", *(["--bare"] if bare else []))
        self._clock = 1_700_000_000

    def commit(self, branch: str, files: Files, parent: str | None = None) -> str:
        """One commit on `branch`; `None` deletes a path. Without `parent` it follows the branch's tip."""
        return self.commits(branch, [files], parent)[0]

    def commits(self, branch: str, steps: Sequence[Files], parent: str | None = None) -> list[str]:
        """Several commits on `branch`, the first on `parent`."""
        tip = parent or self.tip(branch)
        stream = b""
        for number, files in enumerate(steps, 1):
            self._clock += 60
            stream += f"commit refs/heads/{branch}\nmark :{number}\n".encode()
            stream += f"committer Ada Tester <ada@example.com> {self._clock} +0000\ndata 4\nstep\n".encode()
            if number == 1 and tip:
                stream += f"from {tip}\n".encode()
            stream += b"".join(_change(path, content) for path, content in files.items())
            stream += b"\n"
        if parent is not None and self.tip(branch):
            git(self.path, "update-ref", "-d", f"refs/heads/{branch}")
        marks = self.path / "marks.tmp"
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force", f"--export-marks={marks}"],
            cwd=self.path, env=ENVIRONMENT, input=stream, check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        rows = [line.split() for line in marks.read_text("ascii").splitlines()]
        marks.unlink()
        sha_of = dict(rows)
        return [sha_of[f":{number}"] for number in range(1, len(steps) + 1)]

    def merge(self, branch: str, first: str, second: str) -> str:
        """A merge commit of two commits with the tree of the second."""
        tree = git(self.path, "rev-parse", f"{second}^{{tree}}")
        sha = git(self.path, "commit-tree", tree, "-p", first, "-p", second, "-m", "merge")
        git(self.path, "update-ref", f"refs/heads/{branch}", sha)
        return sha

    def tip(self, branch: str) -> str:
        """The branch's commit, or an empty string."""
        return git(self.path, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


def skill(name: str, body: str = "", description: str = "Counts rows. Use when asked to count.") -> str:
    """The text of a valid SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\n# {name}\n\n{body}\n"


def _change(path: str | bytes, content: Content | None) -> bytes:
    raw = path.encode() if isinstance(path, str) else path
    quoted = b'"' + b"".join(bytes([c]) if 32 < c < 127 and c not in b'"\\' else b"\\%03o" % c for c in raw) + b'"'
    if content is None:
        return b"D " + quoted + b"\n"
    if isinstance(content, Submodule):
        return b"M 160000 " + content.commit.encode() + b" " + quoted + b"\n"
    mode = {Link: b"120000", Script: b"100755"}.get(type(content), b"100644")
    text = content.target if isinstance(content, Link) else content.text if isinstance(content, Script) else content
    data = text.encode() if isinstance(text, str) else text
    return b"M " + mode + b" inline " + quoted + b"\ndata " + str(len(data)).encode() + b"\n" + data + b"\n"
