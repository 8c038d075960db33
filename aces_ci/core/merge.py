"""Evidence of one run, or of its shards, sorted by what it is; refuses what does not belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aces_ci.core.diagnosis import Diagnosed
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import (
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
from aces_ci.core.inert import code
from aces_ci.core.proposal import Proposed
from aces_ci.core.score import Score
from aces_ci.core.trial import Trial


@dataclass(slots=True)
class Sorted:
    """All evidence by kind. Later lines with an id replace earlier ones: a resumed run writes some again."""

    header: RunStarted
    skills: dict[str, ChangedSkill] = field(default_factory=dict)
    structures: dict[str, Structure] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    judgements: dict[str, Judgement] = field(default_factory=dict)
    trials: dict[str, Trial] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    skipped: dict[str, Skipped] = field(default_factory=dict)
    imported: dict[str, Imported] = field(default_factory=dict)
    diagnosed: dict[str, Diagnosed] = field(default_factory=dict)
    planned: dict[str, Planned] = field(default_factory=dict)
    proposed: dict[str, Proposed] = field(default_factory=dict)
    last_pushes: dict[str, LastPush] = field(default_factory=dict)
    ended: dict[str, RunEnded] = field(default_factory=dict)
    missing_shards: tuple[int, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all shards; a shard that is given twice took its time once."""
        return sum(row.seconds for row in self.ended.values())


def merge(evidence: Iterable[Evidence]) -> Sorted:
    """Sort the lines of one run.

    Raises:
        UsageError: no header, headers of different runs (another commit, base or policy), or lines about a skill
            that no line announces.
    """
    rows = list(evidence)
    headers = [row for row in rows if isinstance(row, RunStarted)]
    if not headers:
        raise UsageError(
            "this evidence has no first line: nothing says which commits it is about",
            code="evidence_header",
            do="give the evidence.jsonl that `aces-ci run` wrote, whole",
        )
    first = headers[0]
    for other in headers[1:]:
        if _identity(other) != _identity(first):
            raise UsageError(
                "these shards are of different runs",
                code="shards_differ",
                why=f"one is about {first.event.head_sha[:7]}, another about {other.event.head_sha[:7]}, or their "
                "settings differ; merged they would make a verdict that nobody ran",
                do="give the shards of one run",
            )
    found = Sorted(header=first, missing_shards=_missing(headers, rows))
    for row in rows:
        _put(found, row)
    _whole(found)
    return found


def _whole(found: Sorted) -> None:
    """Every skill that a verdict may rest on is announced; without its line it would drop out of the report."""
    kinds = (found.structures, found.findings, found.judgements, found.trials, found.diagnosed, found.planned)
    told = dict.fromkeys(row.skill for rows in (*kinds, found.proposed, found.last_pushes) for row in rows.values())
    announced = {row.path for row in found.skills.values()}
    lost = [path for path in told if path not in announced]
    if lost:
        named = ", ".join(code(path) for path in lost[:4]) + (f" and {len(lost) - 4} more" if len(lost) > 4 else "")
        raise UsageError(
            f"this evidence has results of {named}, but no line that says how the skill changed",
            code="evidence_skill",
            why="without it the skill would be left out of the verdict as if nothing were wrong with it",
            do="give the evidence.jsonl that `aces-ci run` wrote, whole",
        )


def _identity(header: RunStarted) -> tuple[object, ...]:
    return (
        header.event.head_sha,
        header.merge_base,
        header.policy,
        header.version,
        tuple(sorted((key, repr(value)) for key, value in header.settings.items())),
        (header.shard or (1, 1))[1],
    )


def _missing(headers: list[RunStarted], rows: list[Evidence]) -> tuple[int, ...]:
    count = (headers[0].shard or (1, 1))[1]
    ended = {(row.shard or (1, 1))[0] for row in rows if isinstance(row, RunEnded)}
    return tuple(index for index in range(1, count + 1) if index not in ended)


_PLACES: Mapping[type, str] = {
    ChangedSkill: "skills",
    Structure: "structures",
    Finding: "findings",
    Judgement: "judgements",
    Trial: "trials",
    Score: "scores",
    Skipped: "skipped",
    Imported: "imported",
    Diagnosed: "diagnosed",
    Planned: "planned",
    Proposed: "proposed",
    LastPush: "last_pushes",
    RunEnded: "ended",
}


def _put(found: Sorted, row: Evidence) -> None:
    if not isinstance(row, RunStarted):
        # One structure, diagnosis, proposal a skill; everything else by its own id.
        key = row.skill if isinstance(row, Structure | Diagnosed | LastPush | Proposed) else row.id
        getattr(found, _PLACES[type(row)])[key] = row
