"""Cases out of a list of rows: a bad one leaves its neighbours, and what is read stays within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.core.suites.case_size import SUITE_LIMIT
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.ports.dialect import Reading

ReadRow = Callable[[Mapping[str, Any], str, int], Iterable[Case]]
"""(row, its pointer, its number from 1) -> its cases: none where something is wrong with it, which is said."""


def each(rows: object, notes: Notes, pointer: str, form: str, read: ReadRow) -> list[Case]:
    """The cases of every row. More rows than `CASE_LIMIT`, and more text than `SUITE_LIMIT`, are an error each."""
    if not isinstance(rows, list):
        notes.error(pointer, f"`{pointer.strip('/') or 'the file'}` is {kind_of(rows)}, not a list", "write a list")
        return []
    if len(rows) > CASE_LIMIT:
        notes.error(pointer, f"{len(rows)} cases, of which {CASE_LIMIT} are read", "split the file")
    found: list[Case] = []
    for number, row in enumerate(rows[:CASE_LIMIT], start=1):
        at = f"{pointer}/{number - 1}"
        if not isinstance(row, Mapping):
            notes.error(at, f"case {number} is {kind_of(row)}, not an object", f"write {form}")
            continue
        for case in read(row, at, number):
            if not kept(case, notes, at):
                continue
            found.append(case)
            if within(case, len(found), notes, at) is False:
                return found
    return found


def kept(case: Case, notes: Notes, at: str) -> bool:
    """Whether a case can be laid out: two fixtures of one name would be one file."""
    name = notes.doubled(case.files)
    if name is None:
        return True
    notes.refuse(at, f"two files would be `{name[:80]}` in the workspace", "give each a name of its own")
    return False


def within(case: Case, count: int, notes: Notes, at: str) -> bool:
    """Whether there is room for more cases behind this one; where there is none, that is an error."""
    if count > CASE_LIMIT:
        notes.error(at, f"more than {CASE_LIMIT} cases; the rest is not read", "split the suite")
        return False
    if notes.add_weight(case) <= SUITE_LIMIT:
        return True
    said = f"the first {count} cases hold more than {SUITE_LIMIT >> 20} MiB with what they share written out"
    notes.error(at, f"{said}; the rest is not read", "shorten what every case repeats, or name fewer files in each")
    return False


def reading(notes: Notes, cases: Sequence[Case]) -> Reading:
    """Notes and cases together."""
    errors, warnings = notes.told()
    return Reading(cases=tuple(cases), errors=errors, warnings=warnings, ignored_keys=notes.ignored)
