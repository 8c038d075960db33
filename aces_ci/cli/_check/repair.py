"""`--fix` and `--diff`: the safe edits of every skill, written or shown."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Sequence
from dataclasses import replace

import click

from aces_ci.changes.worktree import Found
from aces_ci.cli._check.examine import Demand
from aces_ci.core.amount import plural
from aces_ci.core.errors import AcesError
from aces_ci.core.inert import named
from aces_ci.core.repo_path import bytes_of, join
from aces_ci.shell.files import Folder
from aces_ci.tiers.fixes import SAFE, apply, edits

NOTHING = "nothing to fix: nothing was found that a program may mend"
ROUNDS = 5
"""Times that a skill is looked at again after it was repaired."""


def repair(found: Sequence[Found], demand: Demand, *, write: bool) -> list[str]:
    """The unified diff of all edits; with `write` they are also made, and counted on stderr."""
    codes = frozenset(SAFE) - demand.disabled
    if demand.selected is not None:
        codes &= demand.selected
    rows: list[str] = []
    files = 0
    for entry in found:
        before = {path: data for path, file in entry.files.items() if (data := file.data) is not None}
        for path, after in _repaired(entry, demand, codes).items():
            name = join(entry.root, path)
            rows += _diff(name, before[path], after)
            files += write and _written(entry, name, after)
    if write:
        click.echo(f"fixed: {plural(files, 'file')}" if rows else NOTHING, err=True)
    return rows


def _written(entry: Found, name: str, data: bytes) -> bool:
    """Replaces a file in one step, its mode kept; False where the user or the system does not let us, which is said."""
    path = entry.top / bytes_of(name).decode("utf-8", "surrogateescape")
    mode = stat.S_IMODE(path.lstat().st_mode)
    why = "it is read-only" if not mode & 0o200 else None
    if why is None:
        try:
            Folder.at(path.parent, cwd=entry.top).write(path.name, data, mode=mode)
        except AcesError as error:
            why = error.message
    if why is not None:
        click.echo(f"not fixed: {named(name)}: {why}", err=True)
    return why is None


def _repaired(found: Found, demand: Demand, codes: frozenset[str]) -> dict[str, bytes]:
    """The new content of every file that the edits touch.

    Frontmatter that can be read again may show a name to mend, and one line can hold two paths: a second call would
    otherwise find something left to do.
    """
    after: dict[str, bytes] = {}
    for _ in range(ROUNDS):
        changes = edits(found.skill(), demand.rules, codes)
        if not changes:
            break
        now = {path: data for path, file in found.files.items() if (data := file.data) is not None}
        touched = apply(now, changes)
        after |= touched
        new = {path: replace(found.files[path], data=data, size=len(data)) for path, data in touched.items()}
        found = replace(found, files={**found.files, **new})
    return after


def _diff(name: str, before: bytes, after: bytes) -> list[str]:
    """Line ends are shown, since they may be all that changes."""
    old, new = (_lines(data) for data in (before, after))
    return list(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").replace("\ufeff", "<BOM>").replace("\r", "<CR>")
    rows = [named(row) for row in text.split("\n")]
    return [f"{row}\n" for row in (rows if rows[-1] else rows[:-1])]
