"""Finds the merge base, fetching more history only where it is cut off."""

from __future__ import annotations

import re
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.repo_path import text_of
from aces_ci.shell.git import GitFailed, Plumbing

STEPS: tuple[int | None, ...] = (50, 200, None)
"""By how many commits the history grows each time; None is all of it."""
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TIMED_OUT = ", timed out"
_HTTP = re.compile(r"returned error: (\d{3})")


def remote_of(git: Plumbing) -> str | None:
    """The remote to ask: `origin`, else the only one."""
    _, out = git.run("config", "-z", "--name-only", "--get-regexp", r"^remote\..*\.url$", ok=(0, 1))
    names = [key[len("remote.") : -len(".url")] for key in out.decode("utf-8", "replace").split("\0") if key]
    if "origin" in names:
        return "origin"
    return names[0] if len(set(names)) == 1 else None


def fetch_tip(git: Plumbing, ref: str) -> str | None:
    """The commit that `ref` names at the remote, fetched alone; None where the remote does not tell."""
    remote = remote_of(git)
    if remote is None:
        return None
    name = ref.removeprefix(f"{remote}/")
    try:
        if _SHA.fullmatch(ref):
            sha = ref
        else:
            there = git.ls_remote(remote, *dict.fromkeys((name, f"refs/heads/{name}", f"refs/tags/{name}")))
            wanted = (f"refs/heads/{name}", f"refs/tags/{name}^{{}}", f"refs/tags/{name}", name)
            found = next((there[full] for full in wanted if full in there), None)
            if found is None:
                return None
            sha = found
        git.fetch("--depth=1", "--end-of-options", remote, sha)
    except GitFailed:
        return None
    return sha


def merge_base(git: Plumbing, base: str, head: str, base_name: str, top: Path) -> str:
    """See `Repository.merge_base`."""
    if (found := _settled(git, base, head, base_name, top)) is not None:
        return found
    remote = remote_of(git)
    tried: list[str] = []
    trouble = "there is no remote to ask"
    for step in STEPS if remote else ():
        tried.append("all" if step is None else str(step))
        reason = _grow(git, remote or "", step, base, head)
        if reason is not None:
            trouble = f"{remote} did not answer{reason}"
            if reason == _TIMED_OUT:
                break
        elif (found := _settled(git, base, head, base_name, top)) is not None:
            return found
        else:
            trouble = f"{remote} itself is cut off"
    fetched = int(git.run("rev-list", "--count", head)[1])
    steps = f"tried {', '.join(tried)}: " if tried else ""
    raise UsageError(
        f"cannot find where this branch left {base_name}: "
        f"only {fetched} commit{' was' if fetched == 1 else 's were'} fetched",
        code="history_too_shallow",
        at=f"{text_of(bytes(top))} (shallow clone; {steps}{trouble})",
        why="without the merge base, changes of other people would count as yours",
        do='actions/checkout with `fetch-depth: 0`      GitLab: GIT_DEPTH: "0"',
    )


def _settled(git: Plumbing, base: str, head: str, base_name: str, top: Path) -> str | None:
    """The merge base where what is here proves it; None where a cut leaves doubt."""
    cuts = git.shallow_commits()
    status, out = git.run("merge-base", base, head, ok=(0, 1))
    if status == 0:
        found = out.decode().split()[0]
        # Behind a cut between the two and their merge base a nearer one could hide.
        _, between = git.run("rev-list", base, head, "--not", found)
        if cuts.isdisjoint(between.decode().split()):
            return found
    if cuts:
        return None
    raise UsageError(
        f"this branch and {base_name} share no history",
        code="no_merge_base",
        at=f"{base[:7]} and {head[:7]} in {text_of(bytes(top))}",
        why="a change is measured from the commit where the branch left its base; there is none",
        do="compare with a base that the branch was made from",
    )


def _grow(git: Plumbing, remote: str, step: int | None, base: str, head: str) -> str | None:
    """Deepens by one step; None, or why not. `--deepen` only ever adds, `--depth` could cut."""
    how = "--unshallow" if step is None else f"--deepen={step}"
    try:
        git.fetch(how, "--end-of-options", remote, base, head)
    except GitFailed:
        # A commit that was force-pushed away, or a server that serves only branches: ask for those.
        try:
            git.fetch(how, "--end-of-options", remote)
        except GitFailed as error:
            return _reason(error)
    return None


def _reason(error: GitFailed) -> str:
    """Why, in a word; never git's own sentence, which may quote an address with a token in it."""
    if match := _HTTP.search(error.stderr):
        return f", {match[1]}"
    known = {
        "could not read Username": ", no credentials",
        "Permission denied": ", permission denied",
        "Authentication failed": ", authentication failed",
        "Could not resolve host": ", unknown host",
        "does not appear to be a git repository": ", no repository there",
        "does not exist": ", no repository there",
        "timed out": _TIMED_OUT,
    }
    return next((word for sign, word in known.items() if sign in error.stderr), "")
