"""What became of failed calls: repaired by a later similar call that works, or left broken."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.grading.likeness import Trait, likeness
from aces_ci.core.trace.actions import Action

_KILLED = frozenset({137, 143})
"""Exit codes of what is killed; at the end of a run that is the deadline, not a mistake of the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failed call. `repaired` is the step of the similar call that worked, or None."""

    step: int
    what: str
    repaired: int | None


def failures(actions: Sequence[Action]) -> tuple[Failure, ...]:
    """Every failed call in order.

    Similar is a try at the same deed, changed or repeated: `likeness` says what that is. A call whose result is
    missing, because the run was cut off, has not failed.
    """
    if not any(action.failed for action in actions):
        return ()
    worked: dict[Trait, list[int]] = {}
    for index, action in enumerate(actions):
        if action.failed is False:
            for trait in likeness(action).offered:
                worked.setdefault(trait, []).append(index)
    found: list[Failure] = []
    for index, action in enumerate(actions):
        if action.failed is not True or (action.code in _KILLED and index == len(actions) - 1):
            continue
        later = [at for trait in likeness(action).wanted if (at := _after(worked.get(trait, []), index)) is not None]
        repaired = actions[min(later)].step if later else None
        found.append(Failure(step=action.step, what=_name(action), repaired=repaired))
    return tuple(found)


def _after(indices: Sequence[int], index: int) -> int | None:
    at = bisect_right(indices, index)
    return indices[at] if at < len(indices) else None


def _name(action: Action) -> str:
    if action.commands:
        return action.commands[-1].source.split("\n", 1)[0][:60]
    return f"{action.tool} {action.path or action.skill or ''}".strip()[:60]
