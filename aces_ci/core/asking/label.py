"""One line of a labels file: what a person says about one criterion of one skill."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aces_ci.core.errors import UsageError

KEYS = frozenset({"skill", "criterion", "pass"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's word."""

    skill: str
    """Folder of the skill, relative to the labels file."""
    criterion: str
    passes: bool


def read(lines: Iterable[str], criteria: Iterable[str], source: str) -> Iterator[Label]:
    """Every label.

    Raises:
        UsageError: a line is no label, or two lines contradict each other; located.
    """
    known = frozenset(criteria)
    seen: dict[tuple[str, str], bool] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        why = ""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            row, why = None, f"not JSON: {error}"
        if not why and (not isinstance(row, dict) or set(row) != KEYS):
            why = f"a label has exactly the keys {', '.join(sorted(KEYS))}"
        elif not why and not (isinstance(row["skill"], str) and isinstance(row["pass"], bool)):
            why = "`skill` is text, `pass` is true or false"
        elif not why and row["criterion"] not in known:
            why = f"there is no criterion `{row['criterion']}`; there are {', '.join(sorted(known))}"
        elif not why and seen.get((row["skill"], row["criterion"]), row["pass"]) is not row["pass"]:
            why = "an earlier line says the opposite"
        if why:
            raise UsageError(
                f"{source}:{number}: not a label",
                code="label",
                path=source,
                line=number,
                why=why,
                do='write {"skill": "path/to/skill", "criterion": "example_quality", "pass": true}',
            )
        if (row["skill"], row["criterion"]) not in seen:
            seen[row["skill"], row["criterion"]] = row["pass"]
            yield Label(skill=row["skill"], criterion=row["criterion"], passes=row["pass"])
