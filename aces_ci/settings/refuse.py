"""A rejected setting to one located error."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from aces_ci.core.errors import UsageError
from aces_ci.settings.source import Document
from aces_ci.settings.words import expected, known, resolved

COMMAND_LINE = "command line"
_OWN = "Value error, "


def explain(error: ValidationError, policy: Document | None, origins: Mapping[str, str]) -> UsageError:
    """The first thing that is wrong, in full, and a line for each further one.

    `origins` are those of `settings.load.Loaded`: they tell a value of the file from one of the command line.
    """
    rows = error.errors(include_url=False, include_input=False, include_context=False)
    (first, brief), *others = (_explained(row, policy, origins) for row in rows)
    # One value that fits none of a setting's kinds is refused once by each of them.
    first.also = tuple(dict.fromkeys(other for _, other in others if other != brief))
    return first


def _explained(first: ErrorDetails, policy: Document | None, origins: Mapping[str, str]) -> tuple[UsageError, str]:
    """One thing that is wrong, located; and the same in one line."""
    unknown = first["type"] == "extra_forbidden"
    path = tuple(map(str, first["loc"])) if unknown else resolved(first["loc"])
    elsewhere = _elsewhere(path, policy, origins)
    document = None if elsewhere else policy
    if unknown:
        return _unknown(path, document, elsewhere)
    if first["type"] == "missing":
        said = "is missing"
        # The setting that lacks it has a place, the missing one has none.
        shown = path[:-1]
    else:
        message = first["msg"]
        said = message.removeprefix(_OWN) if message.startswith(_OWN) else f"must be {expected(path)}"
        shown = path
    span = document.span(shown) if document else None
    where = f"{document.name}:{span[0]}:{span[1]}: " if document and span else ""
    refused = UsageError(
        f"{where}`{'.'.join(path)}` {said}",
        code="setting",
        at=elsewhere,
        path=document.name if document and span else None,
        line=span[0] if span else None,
        do=f"see `aces-ci settings {path[0]}`" if path else "see `aces-ci settings`",
        excerpt=document.excerpt(*span, "") if document and span else (),
    )
    return refused, refused.message


def _unknown(path: tuple[str, ...], document: Document | None, elsewhere: str | None) -> tuple[UsageError, str]:
    close = difflib.get_close_matches(path[-1], known(path), n=1, cutoff=0.5)
    note = f"did you mean `{close[0]}`?" if close else ""
    place = document.place(path) if document else None
    if len(path) > 1:
        parent = f"in `{'.'.join(path[:-1])}`"
    elif elsewhere:
        parent = f"on the {elsewhere}" if elsewhere == COMMAND_LINE else f"in {elsewhere}"
    else:
        parent = f"in {document.name if document else 'the settings'}"
    where = f"{document.name}:{place[0]}:{place[1]}: " if document and place else ""
    message = f"{where}unknown key `{path[-1]}` {parent}"
    brief = f"{message}; {note}" if note else message
    refused = UsageError(
        message if place else brief,
        code="setting",
        at=elsewhere,
        path=document.name if document and place else None,
        line=place[0] if place else None,
        why="an ignored key could spend money or open a gate unnoticed",
        do="rename it; all keys: aces-ci settings",
        excerpt=document.excerpt(*place, len(path[-1]), note) if document and place else (),
    )
    return refused, brief


def _elsewhere(path: tuple[str, ...], policy: Document | None, origins: Mapping[str, str]) -> str | None:
    """Where the value stands if it is not the file's: the command line, an input, the environment."""
    key = ".".join(path)
    # A list of the command line is one origin, its items have none: parents count, and so do children.
    found = [
        where for name, where in origins.items() if f"{name}.".startswith(f"{key}.") or f"{key}.".startswith(f"{name}.")
    ]
    other = [where for where in found if policy is None or not where.startswith(f"{policy.name}:")]
    return other[0] if other else None
