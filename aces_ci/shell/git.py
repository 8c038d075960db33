"""Runs git plumbing on a repository whose contents may be hostile.

Every command names its git directory, runs in `/`, and starts from an empty environment; no hook, file-system
monitor, external diff, pager or system and user configuration takes part, and no transport is allowed except
in `fetch`. Nothing here ever runs in a checkout or in a collected workspace: git executes what the
configuration of the folder it stands in tells it to.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO

from aces_ci.core.errors import DeliveryError

_PIN = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.askPass=",
    "credential.interactive=never",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.writeCommitGraph=false",
    "protocol.allow=never",
)
# Overrides every `protocol.*.allow` of the repository's own configuration, which `protocol.allow` would not.
_NO_PROTOCOL = {"GIT_ALLOW_PROTOCOL": "none"}
_FETCH = {"GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file"}
# Fetching may need the agent that holds the user's key, a proxy and the company's certificates.
_FETCH_PASSES = (
    "SSH_AUTH_SOCK",
    *(f"{name}_proxy" for name in ("http", "https", "no")),
    *(f"{name}_PROXY" for name in ("HTTPS", "NO")),
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
)
_IN_FLIGHT = 400  # requests of about 41 bytes: always fit the pipe, so writing before reading cannot hang
_CAP = 256 * 1024 * 1024


class GitFailed(Exception):
    """A git command ended with a status other than the ones it may have. Carries its standard error."""

    def __init__(self, command: str, status: int, stderr: str) -> None:
        super().__init__(f"git {command} ended with {status}: {stderr}")
        self.status = status
        self.stderr = stderr


class Plumbing:
    """Plumbing commands on one git directory."""

    def __init__(self, git_dir: Path, owned: Sequence[Path] = ()) -> None:
        """`owned` are the directories whose ownership by somebody else is accepted, for these calls only."""
        program = shutil.which("git")
        if program is None:
            raise DeliveryError("git is not installed", code="no_git", do="install git 2.38 or newer and start again")
        self._program = program
        self._git_dir = git_dir
        self._owned = tuple(dict.fromkeys((git_dir, *owned)))
        # Imported here: it costs a tenth of a second, and `check` looks for a repository without ever opening one.
        from git.cmd import Git

        self._git = Git("/")
        self._batches: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, *args: str, ok: Sequence[int] = (0,), cap: int = _CAP) -> tuple[int, bytes]:
        """Status and standard output of one command.

        Raises:
            GitFailed: a status that is not in `ok`, or more than `cap` bytes of output.
        """
        process = self._start(args)
        with process:
            out, err = _pipes(process)
            data = out.read(cap + 1)
            if len(data) > cap:
                process.kill()
            stderr = err.read().decode("utf-8", "replace")
        if len(data) > cap:
            raise GitFailed(args[0], process.returncode, f"more than {cap} bytes of output")
        if process.returncode not in ok:
            raise GitFailed(args[0], process.returncode, stderr)
        return process.returncode, data

    def shallow_commits(self) -> frozenset[str]:
        """The commits whose parents were cut off; empty for a complete history."""
        _, out = self.run("rev-parse", "--git-path", "shallow")
        path = Path(os.fsdecode(out.rstrip(b"\n")))
        return frozenset(path.read_text("ascii").split()) if path.is_file() else frozenset()

    def fetch(self, *args: str, seconds: int = 300) -> None:
        """The only command that may reach a remote; writes objects, never FETCH_HEAD, tags or submodules."""
        flags = (
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-show-forced-updates",
        )
        self._over_network("fetch", *flags, *args, seconds=seconds)

    def ls_remote(self, remote: str, *patterns: str) -> dict[str, str]:
        """What `remote` advertises for the given full ref names: name -> object id."""
        out = self._over_network("ls-remote", "--quiet", "--end-of-options", remote, *patterns, seconds=60)
        rows = (line.split("\t", 1) for line in out.decode("utf-8", "replace").splitlines() if "\t" in line)
        return {name: oid for oid, name in rows}

    def sizes(self, oids: Sequence[str]) -> Iterator[tuple[str, int | None]]:
        """Type and size in bytes of each object, in order; the size is None where it is not here."""
        asked = iter(oids)
        while chunk := list(islice(asked, _IN_FLIGHT)):
            out = self._ask("--batch-check", chunk)
            for _ in chunk:
                fields = out.readline().split()
                if len(fields) != 3:
                    yield "missing", None
                else:
                    yield fields[1].decode(), int(fields[2])

    def contents(self, oids: Sequence[str]) -> Iterator[bytes]:
        """The bytes of each object, in order; ask `sizes` first, nothing is capped here."""
        asked = iter(oids)
        while chunk := list(islice(asked, _IN_FLIGHT)):
            out = self._ask("--batch", chunk)
            for oid in chunk:
                fields = out.readline().split()
                if len(fields) != 3:
                    raise GitFailed("cat-file", 128, f"{oid} is not here: {self._last_words('--batch')}")
                data = out.read(int(fields[2]))
                out.read(1)
                yield data

    def close(self) -> None:
        """Ends the object readers."""
        for process in self._batches.values():
            process.communicate()
        self._batches.clear()

    def _ask(self, mode: str, oids: Sequence[str]) -> IO[bytes]:
        process = self._batches.get(mode)
        if process is None:
            process = self._batches[mode] = self._start(("cat-file", mode), istream=subprocess.PIPE)
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
            process.stdin.flush()
        except BrokenPipeError as error:
            raise GitFailed("cat-file", 128, self._last_words(mode)) from error
        return _pipes(process)[0]

    def _last_words(self, mode: str) -> str:
        process = self._batches.pop(mode)
        process.kill()
        return process.communicate()[1].decode("utf-8", "replace")

    def _start(self, args: Sequence[str], istream: int | None = None) -> subprocess.Popen[bytes]:
        wrapper = self._git.execute(self._command(args), istream=istream, as_process=True)
        # The wrapper ends its process when it is dropped; ours live as long as this object.
        process, wrapper.proc = wrapper.proc, None
        assert process is not None
        return process

    def _over_network(self, *args: str, seconds: int) -> bytes:
        passed = {name: os.environ[name] for name in _FETCH_PASSES if name in os.environ}
        status, out, err = self._git.execute(
            self._command(args, extra=_FETCH | passed, seconds=seconds),
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
        )
        if status != 0:
            raise GitFailed(args[0], status, f"timed out after {seconds} s" if status == 124 else str(err))
        return out

    def _command(
        self,
        args: Sequence[str],
        extra: dict[str, str] = _NO_PROTOCOL,
        seconds: int | None = None,
    ) -> list[str]:
        variables = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_CONFIG_COUNT": str(len(self._owned)),
            **extra,
        }
        for number, path in enumerate(self._owned):
            variables[f"GIT_CONFIG_KEY_{number}"] = "safe.directory"
            variables[f"GIT_CONFIG_VALUE_{number}"] = str(path)
        # GitPython hands on the whole environment of this process; `env -i` empties it.
        command = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        if seconds is not None:
            command += ["timeout", "--kill-after=5", str(seconds)]
        settings = [word for setting in _PIN for word in ("-c", setting)]
        return [*command, self._program, f"--git-dir={self._git_dir}", *settings, *args]


def find_git_dir(start: Path) -> tuple[Path, Path] | None:
    """The git directory and the top of the checkout that `start` is in, found without running git.

    A folder that is merely *shaped* like a bare repository is accepted only where nothing above it is a
    repository: inside a checkout it is content, and its configuration would be an attacker's.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        dot_git = folder / ".git"
        if dot_git.is_dir() and (dot_git / "HEAD").exists():
            return dot_git, folder
        if dot_git.is_file():
            match = re.match(r"gitdir: (.+)", dot_git.read_text("utf-8", "surrogateescape"))
            target = (folder / match[1].rstrip("\n")).resolve() if match else None
            if target is not None and target.is_dir():
                return target, folder
    if (start / "HEAD").is_file() and (start / "objects").is_dir() and (start / "refs").is_dir():
        return start, start
    return None


def top_of(folder: Path) -> Path:
    """Where a repository keeps what is asked of all of it: the top of the checkout, else the folder itself."""
    found = find_git_dir(folder)
    return folder if found is None or found[1] == folder.resolve() else found[1]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdout is not None and process.stderr is not None
    return process.stdout, process.stderr
