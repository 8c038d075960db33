"""What each arm promises about the target skill, as texts that can be looked for in a request."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.control import Expectation
from aces_ci.core.trial import Arm

HEAD = 100
"""Characters of a text by which it is recognised: listings are cut, and never before this."""
MIN_LINE = 40
"""A shorter line of a skill may stand in any text."""
MAX_LINES = 8


def promise(arm: Arm, *, name: str, description: str, body: str, known: Sequence[str]) -> Expectation:
    """The expectation to arm a trial with.

    `name`, `description` and `body` are the target's in this arm (the previous version's in `previous`; in
    `baseline` those of the version under test). `known` are texts that the model sees in every arm: the
    prompt, fixtures, support skills. What stands in them says nothing and is not looked for.
    """
    seen = _flat("\n".join(known))
    head = _flat(description)[:HEAD].strip()
    if arm is not Arm.BASELINE:
        return Expectation(listed=(head,) if head else ())
    lines = [line for line in map(_flat, body.splitlines()) if len(line) >= MIN_LINE][:MAX_LINES]
    absent = (head, *lines) if len(head) >= MIN_LINE else tuple(lines)
    unlisted = (name,) if "-" in name or "_" in name else ()
    return Expectation(
        absent=tuple(text for text in absent if text not in seen),
        unlisted=tuple(text for text in unlisted if text not in seen),
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
