"""One line of a labels file: what a person says about one criterion of one skill."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import normpath

from aces_ci.core.errors import UsageError

KEYS = frozenset({"skill", "criterion", "pass"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's word."""

    skill: str
    """Folder of the skill, relative to the labels file, in its shortest spelling."""
    criterion: str
    passes: bool


def read(lines: Iterable[str], criteria: Iterable[str], source: str) -> Iterator[Label]:
    """Every label.

    Raises:
        UsageError: a line is no label, or two lines contradict each other; located.
    """
    known = frozenset(criteria)
    seen: dict[tuple[str, str], bool] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            label = _label(line, known)
            if seen.get((label.skill, label.criterion), label.passes) is not label.passes:
                raise _NoLabel("an earlier line says the opposite")
        except _NoLabel as error:
            raise UsageError(
                f"{source}:{number}: not a label",
                code="label",
                path=source,
                line=number,
                why=str(error),
                do='write {"skill": "path/to/skill", "criterion": "example_quality", "pass": true}',
            ) from None
        if (label.skill, label.criterion) not in seen:
            seen[label.skill, label.criterion] = label.passes
            yield label


class _NoLabel(Exception):
    """Why a line is none, as a clause."""


def _label(line: str, known: frozenset[str]) -> Label:
    try:
        row = json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _NoLabel(f"not JSON: {error}") from None
    if not isinstance(row, dict) or set(row) != KEYS:
        raise _NoLabel(f"a label has exactly the keys {', '.join(sorted(KEYS))}")
    skill, criterion, passes = row["skill"], row["criterion"], row["pass"]
    if not isinstance(skill, str) or not isinstance(passes, bool) or not isinstance(criterion, str):
        raise _NoLabel("`skill` and `criterion` are text, `pass` is true or false")
    if not skill.strip() or not all(map(str.isprintable, skill)):
        raise _NoLabel("`skill` is no path")
    if criterion not in known:
        raise _NoLabel(f"there is no criterion `{criterion[:80]}`; there are {', '.join(sorted(known))}")
    # One skill is one item, however its path is spelled.
    return Label(skill=normpath(skill), criterion=criterion, passes=passes)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NoLabel("it gives a key twice")
    return found
