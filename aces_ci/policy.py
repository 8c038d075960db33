"""Where gates, budgets and providers are read from: the default branch tip, never the change (docs/trust.md rule 2)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aces_ci.changes.git import Repository
from aces_ci.core.errors import AcesError, UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import Evidence, PolicySource, RunStarted
from aces_ci.core.policy_file import POLICY_FILE, SIZE_LIMIT, no_policy_file
from aces_ci.settings import source
from aces_ci.settings.load import load
from aces_ci.settings.source import Document
from aces_ci.shell.files import read_bounded
from aces_ci.shell.git import top_of

MISNAMED = "aces.yaml"
NOT_READ = f"{MISNAMED} is not read; the file is {POLICY_FILE}"
Say = Callable[[str], None]


def to_stderr(text: str) -> None:
    """A warning at a terminal, beside what a command prints."""
    sys.stderr.write(f"warning: {text}\n")


def find_policy(
    repository: Repository, event: Event, config: Path | None, say: Say
) -> tuple[PolicySource, Document | None]:
    """The policy and where it stands.

    An explicit `--config` comes from the trusted workflow. Otherwise the file of that fixed name at the default
    branch's tip decides, a regular blob of at most 64 KB; without one, the built-in defaults. The head's own file is
    only validated and shown. `say` hears of a file beside it that only looks like the policy.

    Raises:
        UsageError: the deciding file is broken, or `--config` cannot be read.
    """
    if config is not None:
        return PolicySource(ref=str(config), path=str(config)), source.read(_read(config), str(config))
    tip = repository.default_branch_tip(event.default_branch)
    name = event.default_branch or "default branch"
    deciding = _at(repository, tip, name) if tip else None
    head = repository.file_at(event.head_sha, POLICY_FILE)
    if any(repository.file_at(sha, MISNAMED) is not None for sha in (tip, event.head_sha) if sha):
        say(NOT_READ)
    differs = head != deciding and event.kind is not EventKind.PUSH
    place = PolicySource(
        ref=name if deciding is not None else "built-in defaults",
        sha=tip if deciding is not None else None,
        path=POLICY_FILE if deciding is not None else None,
        head_differs=differs and head is not None,
        head_problem=_problem(head) if differs and head is not None else None,
    )
    with blamed(place):
        return place, source.read(deciding, POLICY_FILE) if deciding is not None else None


def _at(repository: Repository, tip: str, branch: str) -> bytes | None:
    """The file at the tip. What stands in its place and is no file must not look like there being none."""
    entry = repository.tree(tip).entry(POLICY_FILE)
    data = repository.file_at(tip, POLICY_FILE)
    if entry is None or data is not None:
        return data
    raise no_policy_file(branch, regular=entry.is_file)


@contextmanager
def blamed(policy: PolicySource) -> Iterator[None]:
    """An error in the deciding file says whose it is: nobody finds it in the change under evaluation."""
    try:
        yield
    except UsageError as error:
        if policy.sha is not None and error.path == policy.path and error.at is None:
            error.at = f"{policy.ref} {policy.sha[:7]} (default branch tip)"
        raise


def from_evidence(rows: Iterable[Evidence]) -> Document:
    """How the run that left `rows` wanted to be told: who merges its shards has neither its policy nor a checkout."""
    header = next((row for row in rows if isinstance(row, RunStarted)), None)
    told = header.settings.get("comment") if header is not None else None
    return Document(name="the evidence's first line", data={} if told is None else {"comment": told})


def from_worktree(root: Path, config: Path | None, say: Say = to_stderr) -> Document | None:
    """The settings file as `check`, `live` and `settings` read it at a terminal: the working tree's.

    From a folder further down it is the one at the top of the checkout, as in `run`, unless the folder has its own.
    """
    if config is not None:
        return source.read(_read(config), str(config))
    if not (root / POLICY_FILE).exists():
        root = top_of(root)
    if (root / MISNAMED).exists():
        say(NOT_READ)
    path = root / POLICY_FILE
    return source.read(_read(path), POLICY_FILE) if path.exists() else None


def _problem(head: bytes) -> str | None:
    """What is wrong with the head's file, in one line; it would break every run after its merge."""
    try:
        load(policy=source.read(head, POLICY_FILE))
    except AcesError as error:
        return error.message
    return None


def _read(config: Path) -> bytes:
    try:
        return read_bounded(config, limit=SIZE_LIMIT)
    except FileNotFoundError:
        raise UsageError(
            f"there is no settings file {config}", code="no_config", path=str(config), do="correct --config"
        ) from None
