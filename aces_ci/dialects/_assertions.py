"""A list of assertions, whatever each of them is: a sentence, or an object that says how it is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import kind_of


def assertions_at(row: Mapping[str, Any], keys: Sequence[str], graded: Graded, pointer: str) -> None:
    """Assertions under the first key that is present: strings are judged, objects become checks where they say how."""
    notes = graded.notes
    present = [key for key in keys if row.get(key) is not None]
    for other in present[1:]:
        notes.warn(
            f"{pointer}/{other}", f"both `{present[0]}` and `{other}` are given; `{present[0]}` is used", "keep one"
        )
        graded.left[other] = row[other]
    if not present:
        return
    value = row[present[0]]
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list):
        notes.error(f"{pointer}/{present[0]}", f"`{present[0]}` is {kind_of(value)}, not a list", "write a list")
        return
    for number, item in enumerate(rows, start=1):
        at = f"{pointer}/{present[0]}/{number - 1}"
        if isinstance(item, str) and item.strip():
            graded.sentence(item, number=number, at=at)
        elif isinstance(item, dict):
            graded.object(item, number, at)
        else:
            notes.error(at, f"assertion {number} is {kind_of(item)}", "write a sentence, or an object with `check`")
