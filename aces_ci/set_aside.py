"""What a team has decided to live with: the codes of `structural.ignore`, and the baseline file.

In a run both come from where policy comes from, never from the change: whoever adds a finding could add its excuse.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aces_ci.changes.git import Repository
from aces_ci.core.errors import AcesError, UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.reading.codes import matching
from aces_ci.core.reading.known_findings import FILE, LIMIT, Known, load
from aces_ci.settings.load import Loaded

_KEY = "structural.ignore"
_LINE = re.compile(r"(?P<path>[^()]+):(?P<line>\d+)(?: |$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What the default branch lists as known, and how much more the change would list."""

    known: Known
    added: int = 0
    """Findings that the head's file lists and the deciding one does not; a baseline may only shrink."""


def spelled_out(loaded: Loaded, rules: Sequence[str]) -> Loaded:
    """The settings with every code of `structural.ignore` whole, `rules` being the codes that there are.

    Raises:
        UsageError: one matches no rule; located where the settings come from.
    """
    structural = loaded.settings.structural
    origin = next((where for known, where in loaded.origins.items() if known.startswith(_KEY)), "")
    at = _LINE.match(origin)
    try:
        codes = matching(structural.ignore, rules, f"`{_KEY}`")
    except UsageError as error:
        raise UsageError(
            f"{at['path']}:{at['line']}: {error.message}" if at else f"{origin}: {error.message}",
            code=error.code,
            path=at["path"] if at else None,
            line=int(at["line"]) if at else None,
            do=error.do,
        ) from None
    whole = structural.model_copy(update={"ignore": tuple(sorted(codes))})
    return replace(loaded, settings=loaded.settings.model_copy(update={"structural": whole}))


def baseline(repository: Repository, event: Event, named: str | None) -> Baseline:
    """The file at the default branch's tip; `named` by the settings, else `.aces-baseline.json` where there is one.

    Raises:
        UsageError: the named file is not there, or the file is no baseline; located.
    """
    path = posixpath.normpath(named or FILE)
    tip = repository.default_branch_tip(event.default_branch)
    place = f"{event.default_branch or 'default branch'} {tip[:7]} (default branch tip)" if tip else None
    data = repository.file_at(tip, path, LIMIT) if tip else None
    if data is None and named is not None:
        raise UsageError(
            f"there is no baseline file {path}",
            code="no_baseline",
            at=place or "no default branch was found",
            why="known findings are read from the default branch, where the settings name that file",
            do="commit it there (aces-ci check --write-baseline), or take `structural.baseline_file` out",
        )
    try:
        known = load(data.decode("utf-8", "replace"), path) if data is not None else Known()
    except UsageError as error:
        error.at = place
        raise
    if event.kind is EventKind.PUSH or event.head_sha == tip:
        return Baseline(known=known)
    return Baseline(known=known, added=_added(repository.file_at(event.head_sha, path, LIMIT), known))


def _added(head: bytes | None, known: Known) -> int:
    """How many findings the head's file lists beyond `known`; none where nothing can be read from it."""
    try:
        ahead = load(head.decode("utf-8", "replace"), FILE) if head is not None else Known()
    except AcesError:
        return 0
    return sum(mark not in known.findings.get(skill, {}) for skill, marks in ahead.findings.items() for mark in marks)
