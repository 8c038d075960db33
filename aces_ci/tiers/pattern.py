"""What makes a pattern over runs clear enough to be named, and the value that names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aces_ci.core.diagnosis import Cause, Diagnosis, Excerpt, Place
from aces_ci.tiers.case_runs import Run, Runs, excerpt, first_difference

CLEAR = 0.4
"""Difference of shares between the arms from which a pattern is named."""
MOSTLY = 0.5


def gap(item: Diagnosis) -> float:
    """How much more often this change shows it."""
    before = item.compared[0] / item.compared[1] if item.compared and item.compared[1] else 0.0
    return item.seen[0] / item.seen[1] - before if item.seen[1] else 0.0


def count(runs: Sequence[Run], test: Callable[[Run], bool]) -> tuple[int, int]:
    """In how many of how many."""
    return sum(map(test, runs)), len(runs)


def clear(seen: tuple[int, int], compared: tuple[int, int], least: float = MOSTLY) -> bool:
    """Whether this change shows it in enough runs, and clearly more often."""
    if not seen[1] or not compared[1]:
        return False
    share = seen[0] / seen[1]
    return share >= least and share - compared[0] / compared[1] >= CLEAR


def _sides(runs: Runs, hit: Run, step: int | None) -> tuple[Excerpt | None, Excerpt | None]:
    """The two excerpts side by side: around the cited step here, from the first difference there."""
    other = runs.beside(hit)
    start = first_difference(hit, other) if other else 0
    around = None if step is None else (lambda action: action.step >= step)
    return excerpt(hit, around, start), excerpt(other, None, start)


def made(  # noqa: PLR0913 - one value from its parts, by keyword
    runs: Runs,
    cause: Cause,
    *,
    seen: tuple[int, int],
    compared: tuple[int, int],
    what: str,
    hit: Run,
    step: int | None = None,
    place: Place | None = None,
    suggestion: str = "",
) -> Diagnosis:
    """One diagnosis with both excerpts; the suggestion is kept only with a place or a cite."""
    this, other = _sides(runs, hit, step)
    cites = ((hit.trial.digest, step),) if step is not None else ()
    return Diagnosis(
        cause=cause,
        cases=runs.cases,
        seen=seen,
        compared=compared,
        what=what,
        suggestion=suggestion if place is not None or cites else "",
        place=place,
        cites=cites,
        this=this,
        other=other,
    )
