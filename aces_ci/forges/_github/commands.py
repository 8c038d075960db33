"""Log commands of a step: the runner shows ten of each level and drops the rest in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aces_ci.core.pages import Annotation

LIMIT = 10
"""Annotations of one level and step."""


def at_most(notes: Sequence[Annotation], limit: int = LIMIT) -> list[Annotation]:
    """`notes` in their order, at most `limit` of each level; the last of a full level says how many are
    left out."""
    total = {level: sum(note.level == level for note in notes) for level in {note.level for note in notes}}
    seen = dict.fromkeys(total, 0)
    kept: list[Annotation] = []
    for note in notes:
        seen[note.level] += 1
        if total[note.level] <= limit or seen[note.level] < limit:
            kept.append(note)
        elif seen[note.level] == limit:
            left = total[note.level] - limit + 1
            kept.append(
                replace(
                    note,
                    title=f"{left} more in the summary",
                    message=f"GitHub shows {limit} of a level; the summary and the report have all.",
                )
            )
    return kept
