"""From judgements to a skill's score, its range, and whether it moved: computed by us, never taken from a judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.asking.rubric import APART
from aces_ci.core.evidence import Judgement, Vote

LEAST_SHARE = 0.8
"""Of the criteria that apply, so many must be answered; below that there is no score."""
NOT_APPLICABLE = "not applicable"


class Moved(StrEnum):
    """The change against the merge base. More than the votes' own spread, or nothing can be said."""

    GAINED = "gained"
    LOST = "lost"
    WITHIN = "within the judge's own spread"
    UNKNOWN = "unknown"
    """No skill there, other judges, or too little in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideScore:
    """One side of one skill. Scores are 0 to 10."""

    score: float
    low: float
    """Mean over criteria of the lowest vote."""
    high: float
    answered: int
    asked: int
    """Criteria that apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """On how many criteria all votes that can be used said the same (`apart`)."""

    agreed: int
    criteria: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A judge as it was asked; one that differs in any part is another judge."""

    judge: str
    """Resolved model and prompt version."""
    edition: str
    """As `Judgement.edition`."""
    sampling: str


def setups(judgements: Iterable[Judgement]) -> tuple[Setup, ...]:
    """All that gave a score."""
    scored = [row for row in judgements if row.score is not None]
    found = dict.fromkeys(Setup(judge=row.judge, edition=row.edition, sampling=row.sampling) for row in scored)
    return tuple(found)


def apart(votes: Sequence[Vote]) -> bool:
    """Whether votes differ: by `APART` points or more, or on passing."""
    scores = [vote.score for vote in votes]
    return len(votes) > 1 and (max(scores) - min(scores) >= APART or len({vote.passed for vote in votes}) > 1)


def judges(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """All judges that gave a score, sorted."""
    return tuple(sorted({row.judge for row in judgements if row.score is not None}))


def side_score(judgements: Iterable[Judgement], side: str, only: frozenset[str] | None = None) -> SideScore | None:
    """The mean over the criteria of one side; None where too few were answered or several judges answered."""
    rows = [row for row in judgements if row.side == side and not row.because.startswith(NOT_APPLICABLE)]
    rows = [row for row in rows if only is None or row.criterion in only]
    scored = [row for row in rows if row.score is not None and row.votes]
    if not scored or len(scored) < LEAST_SHARE * len(rows) or len(judges(scored)) > 1:
        return None
    return SideScore(
        score=_mean([row.score or 0.0 for row in scored]),
        low=_mean([min(vote.score for vote in row.votes) for row in scored]),
        high=_mean([max(vote.score for vote in row.votes) for row in scored]),
        answered=len(scored),
        asked=len(rows),
    )


def moved(judgements: Sequence[Judgement]) -> Moved:
    """Head against base over the criteria that both sides answered: apart only where the ranges do not meet."""
    answered: Mapping[str, set[str]] = {"head": set(), "base": set()}
    for row in judgements:
        if row.score is not None and row.side in answered:
            answered[row.side].add(row.criterion)
    common = frozenset(answered["head"] & answered["base"])
    head, base = side_score(judgements, "head", common), side_score(judgements, "base", common)
    widest = max(len(answered["head"]), len(answered["base"]), 1)
    if head is None or base is None or len(common) < LEAST_SHARE * widest or len(judges(judgements)) > 1:
        return Moved.UNKNOWN
    if head.low > base.high:
        return Moved.GAINED
    return Moved.LOST if head.high < base.low else Moved.WITHIN


def agreement(judgements: Iterable[Judgement]) -> Agreement:
    """Over all criteria that have at least two votes."""
    voted = [row.votes for row in judgements if len(row.votes) >= 2]
    return Agreement(agreed=sum(not apart(votes) for votes in voted), criteria=len(voted))


def worst(judgements: Iterable[Judgement], count: int = 2) -> tuple[Judgement, ...]:
    """The head's lowest criteria that do not pass, lowest first."""
    failed = [
        row
        for row in judgements
        if row.side == "head" and row.score is not None and any(not vote.passed for vote in row.votes)
    ]
    return tuple(sorted(failed, key=lambda row: (row.score or 0.0, row.criterion))[:count])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
