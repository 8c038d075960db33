"""Codes that a user names, whole or by their beginnings, with a suggestion for what is no code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aces_ci.core.errors import UsageError
from aces_ci.core.reading.further_codes import FURTHER
from aces_ci.core.rule import Rule

if TYPE_CHECKING:
    from aces_ci.settings.load import Loaded


_LINE = re.compile(r"(?P<path>[^()]+):(?P<line>\d+)(?: |$)")


def ignored(loaded: Loaded, rules: Sequence[Rule]) -> frozenset[str]:
    """The codes of `structural.ignore`.

    Raises:
        UsageError: one matches no rule; located where the settings come from.
    """
    key = "structural.ignore"
    origin = next((where for known, where in loaded.origins.items() if known.startswith(key)), "")
    at = _LINE.match(origin)
    try:
        return matching(loaded.settings.structural.ignore, rules, f"`{key}`")
    except UsageError as error:
        raise UsageError(
            f"{at['path']}:{at['line']}: {error.message}" if at else f"{origin}: {error.message}",
            code=error.code,
            path=at["path"] if at else None,
            line=int(at["line"]) if at else None,
            do=error.do,
        ) from None


def matching(given: Iterable[str], rules: Sequence[Rule], option: str) -> frozenset[str]:
    """The codes that `given` stands for: `SP004`, `SP` or `ALL`, several of them separated by commas.

    Raises:
        UsageError: one matches no rule.
    """
    known = [*(rule.code for rule in rules), *FURTHER]
    found: set[str] = set()
    for text in (part.strip().upper() for value in given for part in value.split(",")):
        if not text:
            continue
        hits = known if text == "ALL" else [code for code in known if code.startswith(text)]
        if not hits:
            close = difflib.get_close_matches(text, known, n=1, cutoff=0.5)
            raise UsageError(
                f"{option} {text}: no rule has that code",
                code="unknown_rule",
                do=f"did you mean {close[0]}? all codes: aces-ci rules" if close else "all codes: aces-ci rules",
            )
        found.update(hits)
    return frozenset(found)
