"""A repository at rest: commits, trees, blobs and the difference between two commits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from aces_ci.changes import deepen
from aces_ci.changes.diff import DiffEntry, parse_raw
from aces_ci.changes.links import Linked, linked
from aces_ci.changes.tree import Entry, GitTree, Tree, parse_listing
from aces_ci.core.errors import DeliveryError, UsageError
from aces_ci.core.repo_path import text_of
from aces_ci.shell.git import GitFailed, Plumbing, find_git_dir

BLOB_CAP = 4 * 1024 * 1024
"""Bytes of one file that anyone reads; longer ones are `oversize`."""
_TREE_CAP = 32 * 1024 * 1024
# Inexact renames compare every lost file with every new one; exact ones are found whatever this is.
_RENAME_LIMIT = 1000
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Repository:
    """Reads one repository by plumbing. A context manager; `close` ends its helper processes."""

    def __init__(self, git: Plumbing, top: Path, linked: Linked = linked) -> None:
        self.git = git
        self.linked = linked
        """Who finds the links of a manifest: a parser, which the main job keeps out of its own process."""
        self.top = top
        """The checkout's top, or the bare repository itself. Only for messages."""
        self._trees: dict[str, Tree] = {}

    @classmethod
    def open(cls, path: Path, command: str = "run", linked: Linked = linked) -> Repository:
        """The repository that `path` is in.

        Raises:
            UsageError: there is none.
        """
        found = find_git_dir(path)
        if found is None:
            shown = text_of(bytes(path.absolute()))
            missing = not path.exists()
            raise UsageError(
                f"{shown} {'does not exist' if missing else 'is not in a git repository'}",
                code="not_a_repository",
                why=f"`{command}` compares two commits; there is no .git here or above",
                do=f"check without history:   aces-ci check {shown}",
                path=shown,
            )
        git_dir, top = found
        return cls(Plumbing(git_dir, owned=(top,)), top, linked)

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the object readers."""
        self.git.close()

    @property
    def shallow(self) -> bool:
        """Whether history is cut off somewhere."""
        return self.git.run("rev-parse", "--is-shallow-repository")[1].strip() == b"true"

    def resolve(self, ref: str, bring: str | None = None) -> str:
        """The commit that `ref` names. A branch that exists only at the remote is found too. `bring` is the command
        to run first where it is not here.

        Raises:
            UsageError: it names no commit here, and the history is not shallow or the remote lacks it too.
        """
        sha = self._here(ref) or self._here(f"refs/remotes/{deepen.remote_of(self.git) or 'origin'}/{ref}")
        if sha is None and self.shallow:
            sha = deepen.fetch_tip(self.git, ref)
        if sha is not None:
            return sha
        shown = text_of(ref.encode("utf-8", "surrogateescape"))
        raise UsageError(
            f"`{shown}` names no commit in this repository",
            code="unknown_ref",
            at=text_of(bytes(self.top)),
            why="a change is what lies between two commits; one of them is missing",
            do=f"run before aces-ci, with a token that may read this repository:\n{bring}"
            if bring
            else "name a branch, tag or commit that `git rev-parse` knows; in CI, fetch it first:\n"
            'actions/checkout with `fetch-depth: 0`      GitLab: GIT_DEPTH: "0"',
        )

    def default_branch_tip(self, name: str | None = None) -> str | None:
        """The commit that policy is read from: the tip of `name`, else of what the remote calls its HEAD.

        Where there is no remote: `main`, then `master`. None where no such branch can be found.
        """
        remote = deepen.remote_of(self.git)
        if name is not None:
            names = [f"refs/remotes/{remote}/{name}"] if remote else []
            names.append(f"refs/heads/{name}")
        else:
            names = [f"refs/remotes/{remote}/HEAD"] if remote else []
            names += [
                f"{where}/{branch}"
                for branch in ("main", "master")
                for where in ([f"refs/remotes/{remote}"] if remote else []) + ["refs/heads"]
            ]
        for full in names:
            if sha := self._here(full):
                return sha
        return deepen.fetch_tip(self.git, name or "HEAD") if self.shallow else None

    def merge_base(self, base: str, head: str, base_name: str | None = None) -> str:
        """Where `head` left `base`; both are commits. Of several the first, as `git diff A...B`.

        A shallow history is deepened by 50, by 200, then wholly, until the answer is certain; a complete one
        is never touched.

        Raises:
            UsageError: too shallow and the remote does not help, or the two share no history.
        """
        return deepen.merge_base(self.git, base, head, base_name or base[:7], self.top)

    def diff(self, base: str, head: str) -> tuple[DiffEntry, ...]:
        """What differs between two commits' trees. Renames are paired; cost grows with the difference."""
        try:
            _, out = self.git.run(
                "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv",
                "--find-renames=50%", f"-l{_RENAME_LIMIT}", "--ignore-submodules=none",
                "--end-of-options", base, head,
            )  # fmt: skip
        except GitFailed as error:
            raise self._broken(error) from error
        return parse_raw(out)

    def tree(self, commit: str) -> Tree:
        """The tree of a commit, read as it is asked for."""
        if commit not in self._trees:
            _, out = self.git.run("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")
            self._trees[commit] = GitTree(out.strip().decode(), lambda oid: self._object(oid, _TREE_CAP))
        return self._trees[commit]

    def listing(self, commit: str, ending: re.Pattern[bytes]) -> dict[str, Entry]:
        """The paths of a commit whose row ends with `ending`: one pass over the whole tree, where it must be."""
        _, out = self.git.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit)
        return parse_listing(row for row in out.split(b"\0") if ending.search(row))

    def blob(self, oid: str, cap: int = BLOB_CAP) -> bytes | None:
        """The bytes of one blob, or None where it is longer than `cap`."""
        return self.blobs((oid,), cap)[oid]

    def blobs(self, oids: Iterable[str], cap: int = BLOB_CAP) -> Mapping[str, bytes | None]:
        """The bytes of many blobs in two passes of one process each; None where longer than `cap`.

        Raises:
            UsageError: an object is not here (a partial clone).
        """
        wanted = list(dict.fromkeys(oids))
        sizes = self.sizes(wanted)
        small = [oid for oid in wanted if sizes[oid] <= cap]
        try:
            return {**dict.fromkeys(wanted), **dict(zip(small, self.git.contents(small), strict=True))}
        except GitFailed as error:
            raise self._broken(error) from error

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """Bytes of each object.

        Raises:
            UsageError: an object is not here (a partial clone).
        """
        wanted = list(dict.fromkeys(oids))
        found: dict[str, int] = {}
        for oid, (_, size) in zip(wanted, self.git.sizes(wanted), strict=True):
            if size is None:
                raise self._broken(GitFailed("cat-file", 128, f"promisor: {oid} is missing"))
            found[oid] = size
        return found

    def file_at(self, commit: str, path: str, cap: int = BLOB_CAP) -> bytes | None:
        """The bytes of a regular file at a commit; None for nothing, a link, or more than `cap` bytes."""
        entry = self.tree(commit).entry(path)
        return self.blob(entry.oid, cap) if entry and entry.is_file else None

    def holds(self, commit: str, path: Path) -> bool:
        """Whether a commit has a file where `path` lies in the checkout, or a file below it."""
        top = self.top.resolve()
        if not path.is_relative_to(top):
            return False
        name = text_of(bytes(path.relative_to(top)))
        return name == "." or self.tree(commit).entry(name) is not None

    def _here(self, ref: str) -> str | None:
        if not ref or "\0" in ref:
            return None
        status, out = self.git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)
        )
        sha = out.strip().decode("utf-8", "replace")
        return sha if status == 0 and _SHA.fullmatch(sha) else None

    def _object(self, oid: str, cap: int) -> bytes:
        data = self.blob(oid, cap)
        if data is None:
            raise UsageError(
                f"a folder of this repository lists more than {cap // 2**20} MB of names",
                code="tree_too_large",
                at=f"git object {oid}",
                why="reading it could exhaust the memory of the runner",
                do="split the folder",
            )
        return data

    def _broken(self, error: GitFailed) -> UsageError | DeliveryError:
        if "promisor" in error.stderr:
            return UsageError(
                "this is a partial clone: objects that the comparison needs were not fetched",
                code="partial_clone",
                at=text_of(bytes(self.top)),
                why="aces-ci reads objects and never fetches them one by one from inside a job",
                do="clone without `--filter`; actions/checkout without `filter:`",
            )
        return DeliveryError(
            "git could not read this repository",
            code="git_failed",
            at=text_of(bytes(self.top)),
            why=" ".join(error.stderr.split())[:300] or str(error),
            do="run `git fsck` there; the clone may be damaged",
        )
