"""Evidence to JSON lines and back, strictly: the format of `evidence.jsonl`.

A line is `{"kind": ..., "v": 1, ...fields}`. Unknown kinds, unknown fields and wrong types are refused with the
line's number, because a line that is misread could turn into a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.diagnosis import Diagnosed
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import (
    SCHEMA_VERSION,
    ChangedSkill,
    Evidence,
    Imported,
    Judgement,
    LastPush,
    Planned,
    RunEnded,
    RunStarted,
    Skipped,
    Structure,
)
from aces_ci.core.finding import Finding
from aces_ci.core.proposal import Proposed
from aces_ci.core.score import Score
from aces_ci.core.trial import Trial

KINDS: dict[str, type[Any]] = {
    "run": RunStarted,
    "skill": ChangedSkill,
    "structure": Structure,
    "finding": Finding,
    "judgement": Judgement,
    "trial": Trial,
    "score": Score,
    "skipped": Skipped,
    "imported": Imported,
    "diagnosed": Diagnosed,
    "planned": Planned,
    "proposed": Proposed,
    "last_push": LastPush,
    "end": RunEnded,
}
_NAMES = {cls: name for name, cls in KINDS.items()}
LINE_LIMIT = 1_000_000
"""Bytes of one line; the largest honest one (a judgement with three votes) is under 50 kB."""


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind])


def to_line(evidence: Evidence) -> str:
    """One JSON object on one line, ASCII only, without a newline at its end."""
    kind = _NAMES[type(evidence)]
    value = _adapter(kind).dump_python(evidence, mode="json")
    return json.dumps({"kind": kind, "v": SCHEMA_VERSION, **value}, allow_nan=False)


def from_line(line: str, *, number: int = 1, source: str = "evidence") -> Evidence:
    """Parse one line.

    Raises:
        UsageError: it is not a line that this version writes; says where and why.
    """

    def refuse(why: str) -> UsageError:
        return UsageError(
            f"{source}:{number}: not a line of evidence that this version reads",
            code="evidence_line",
            path=source,
            line=number,
            why=why,
            do="write it again with the same version of aces-ci, or drop the line",
        )

    if len(line) > LINE_LIMIT:
        raise refuse(f"it is longer than {LINE_LIMIT} characters")
    try:
        raw = json.loads(line, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
    except (ValueError, RecursionError) as error:
        raise refuse(f"not JSON: {error}") from None
    if not isinstance(raw, dict) or raw.pop("v", None) != SCHEMA_VERSION:
        raise refuse(f"its version is not {SCHEMA_VERSION}")
    kind = str(raw.pop("kind", None))
    cls = KINDS.get(kind)
    if cls is None:
        raise refuse("its kind is unknown")
    unknown = set(raw) - {item.name for item in fields(cls)}
    if unknown:
        raise refuse(f"unknown fields: {', '.join(sorted(map(str, unknown)))[:200]}")
    try:
        value: Evidence = _adapter(kind).validate_json(json.dumps(raw), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise refuse(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return value


def read_lines(lines: Iterable[str], *, source: str = "evidence") -> Iterator[Evidence]:
    """Every line; a torn last line (the process died while writing) is left out, any other bad one raises."""
    rows = list(lines)
    for number, line in enumerate(rows, start=1):
        if not line.strip():
            continue
        if number == len(rows) and not line.endswith("\n"):
            return
        yield from_line(line, number=number, source=source)
