"""Which skill a bare name means, where no path says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aces_ci.core.amount import plural
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain

_MOST_NAMED = 6


def called(name: str, roots: Sequence[str], declared: Callable[[str], str | None]) -> str | None:
    """The root that bears `name`: its folder does, else its manifest declares it; None where none does.

    `declared`: root to the manifest's name, asked only where no folder bears it.

    Raises:
        UsageError: several do.
    """
    found = [root for root in roots if _folder(root) == name] or [root for root in roots if declared(root) == name]
    if len(found) > 1:
        raise UsageError(
            f"{plain(name, 80)} is the name of {plural(len(found), 'skill')}: {_listed(found)}",
            code="ambiguous_skill",
            do="give the path of one",
        )
    return found[0] if found else None


def instead(roots: Sequence[str]) -> str:
    """What else could have been named."""
    if not roots:
        return "name a folder that holds SKILL.md"
    return f"correct the path, or name a skill that is here: {_listed(roots)}"


def _folder(root: str) -> str:
    return root.rpartition("/")[2]


def _listed(roots: Sequence[str]) -> str:
    shown, more = sorted(roots)[:_MOST_NAMED], len(roots) - _MOST_NAMED
    return ", ".join(plain(root, 80) for root in shown) + (f" and {more} more" if more > 0 else "")
