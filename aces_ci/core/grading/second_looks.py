"""Looks that an agent takes twice: a folder listed again, a file read again, with nothing changed in between."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.grading.thrift import LISTERS, READERS
from aces_ci.core.scripts.files.touch import How
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.folders import below
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.outcome import acting
from aces_ci.core.trace.tools import Deed

_STILL = frozenset({Deed.PLAN, Deed.SKILL})
"""Deeds that change no file and look at none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One call that only looks. `call` is what must be the same for the second to be the same look."""

    step: int
    lists: bool
    place: str
    """As the call names it; untrusted text."""
    call: str


def second_looks(actions: Sequence[Action]) -> tuple[Look, ...]:
    """The second look at each place, in order. Any call that may have changed something begins anew.

    A folder is listed again whatever the options; of a file only the very same call is a second one, since another may
    read its next page.
    """
    found: list[Look] = []
    known: set[tuple[bool, str]] = set()
    for action in actions:
        look = look_of(action)
        if look is None:
            if action.deed not in _STILL and not _only_looks(action):
                known.clear()
            continue
        key = (look.lists, look.call)
        if key in known and not any((one.lists, one.call) == key for one in found):
            found.append(look)
        known.add(key)
    return tuple(found)


def look_of(action: Action) -> Look | None:
    """The call as one look that worked; None where it is none, or nobody can tell at what."""
    if action.output is None or action.failed is not False or not _only_looks(action):
        return None
    if action.deed is not Deed.SHELL:
        if not action.path:
            return None
        # What a search looks for in a folder makes it another look.
        whole = json.dumps(dict(action.arguments), sort_keys=True, default=str)
        return Look(step=action.step, lists=action.deed is Deed.LIST, place=action.path, call=whole)
    (command,) = _working(action)
    lists = command.name in LISTERS
    words = [word for word in command.argv if word is not None]
    # What options of other listers than `ls` take stands among their operands.
    several = len(command.operands) > 1 and (not lists or command.name == "ls")
    if len(words) < len(command.argv) or several or (not command.operands and not lists):
        return None
    place = command.operands[0].shape if command.operands else "."
    where = below(command.folder, place.removeprefix("./").rstrip("/") or place)
    call = f"ls {where}" if command.name == "ls" else f"{command.folder}: {' '.join(words)}"
    return Look(step=action.step, lists=lists, place=place, call=call)


def _working(action: Action) -> list[Command]:
    return [each for each in acting(action.commands) if each.name != "cd"]


def _only_looks(action: Action) -> bool:
    """Of a shell one listing or reading command, without a redirection; of a tool its deed."""
    if action.deed in {Deed.LIST, Deed.READ}:
        return True
    if action.deed is not Deed.SHELL or any(touch.how is not How.READ for touch in action.touches):
        return False
    working = _working(action)
    return len(working) == 1 and (working[0].name or "") in LISTERS | READERS
