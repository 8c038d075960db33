"""What ruff and shellcheck say of one place, read from their JSON, with the fix that a reader is told."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aces_ci.core.reading.script_fixes import advised

LOST = frozenset({"S110", "S112"})
"""Every exception caught and passed over: worth a note, since some scripts mean it."""
TITLE = 60
LONGEST = 66
"""Characters of a rewritten line that a fix shows: it can be copied where a terminal does not break it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a linter says of one place."""

    rule: str
    message: str
    serious: bool
    line: int
    end_line: int | None
    column: int | None
    end_column: int | None
    fix: str | None = None
    inserts: tuple[tuple[int, int, str], ...] = ()


def shortened(title: str) -> str:
    """Its first sentence, at most as long as a title may be, cut between words."""
    return textwrap.shorten(title.split(". ")[0], TITLE, placeholder="…")


def of_ruff(output: bytes) -> Iterator[Remark]:
    """Every remark of one run. Raises ValueError, TypeError or KeyError: this is no answer of ruff."""
    for entry in json.loads(output or b"[]"):
        start, end = entry["location"], entry["end_location"]
        code = entry["code"] or "invalid-syntax"
        yield Remark(
            rule=code,
            message=str(entry["message"]),
            serious=code not in LOST
            and (code == "invalid-syntax" or code.startswith(("E9", "F63", "F7", "F82", "PLE", "S"))),
            line=int(start["row"]),
            end_line=int(end["row"]),
            column=int(start["column"]),
            end_column=int(end["column"]),
            fix=(entry.get("fix") or {}).get("message"),
        )


def of_shellcheck(output: bytes) -> Iterator[Remark]:
    """The same of shellcheck."""
    for entry in json.loads(output or b"{}").get("comments", ()):
        yield Remark(
            rule=f"SC{int(entry['code'])}",
            message=str(entry["message"]),
            serious=entry["level"] in {"error", "warning"},
            line=int(entry["line"]),
            end_line=int(entry["endLine"]),
            column=int(entry["column"]),
            end_column=int(entry["endColumn"]),
            inserts=_inserts(entry),
        )


def _inserts(entry: Mapping[str, Any]) -> tuple[tuple[int, int, str], ...]:
    """What shellcheck would write, where all of it is on the remark's own line: (from, to, text), 0-based."""
    changes = (entry.get("fix") or {}).get("replacements", ())
    if any(not entry["line"] == change["line"] == change["endLine"] for change in changes):
        return ()
    return tuple((int(each["column"]) - 1, int(each["endColumn"]) - 1, str(each["replacement"])) for each in changes)


def _rewritten(line: str, inserts: Sequence[tuple[int, int, str]]) -> str | None:
    """The line as shellcheck would have it; None where it says nothing, or counts a tab as eight columns."""
    if not inserts or "\t" in line:
        return None
    for start, end, text in sorted(inserts, reverse=True):
        line = line[:start] + text + line[end:]
    return line.strip()


def fix(tool: str, remark: Remark, line: str, *, syntax: bool) -> str:
    """The line as it should be, where the linter knows; else what to do."""
    rewritten = _rewritten(line, remark.inserts)
    if rewritten is not None and len(rewritten) <= LONGEST:
        return f"write: {rewritten}"
    if remark.fix:
        return remark.fix[0].lower() + remark.fix[1:]
    if syntax:
        return f"correct the syntax at line {remark.line}, column {remark.column}; nothing runs before that"
    return advised(tool, remark.rule, remark.message)
