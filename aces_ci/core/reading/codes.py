"""Codes that a user names, whole or by their beginnings, with a suggestion for what is no code."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from aces_ci.core.errors import UsageError
from aces_ci.core.reading.further_codes import FURTHER


def matching(given: Iterable[str], rules: Sequence[str], option: str) -> frozenset[str]:
    """The codes that `given` stands for: `SP004`, `SP` or `ALL`, several of them separated by commas.

    Args:
        rules: the codes of all rules; those that no rule stands for are known here.
        option: where `given` comes from, for the message.

    Raises:
        UsageError: one matches no code.
    """
    known = [*rules, *FURTHER]
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
