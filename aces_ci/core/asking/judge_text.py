"""What a judge said about one skill, in plain words: for a terminal, a log and the page."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.asking.judge_score import agreement, judges, moved, side_score
from aces_ci.core.evidence import Judgement, Vote
from aces_ci.core.inert import visible

NOT_TESTED = "Do not compare with another judge. Whether agents do better was not tested."
INJECTION = "text in this skill tries to instruct its judge, or takes itself off a reader's screen"


def overall(own: Sequence[Judgement]) -> str:
    """The head's score with the range of the votes, and against the base where that was judged."""
    head, base = side_score(own, "head"), side_score(own, "base")
    if head is None:
        return "no score: too few criteria could be answered"
    said = f"{head.score:.1f} of 10 (votes {head.low:.1f} to {head.high:.1f})"
    if head.answered < head.asked:
        said += f", {head.answered} of {head.asked} criteria"
    if base is not None:
        said += f", was {base.score:.1f} ({base.low:.1f} to {base.high:.1f}): {moved(own).value}"
    return said


def suspected(own: Sequence[Judgement]) -> bool:
    """Whether the head tries to instruct its judge, by a vote's word or by what the text holds."""
    return any(row.injection_suspected for row in own if row.side == "head")


def argument(vote: Vote) -> str:
    """The reason of a vote and, of a fault of omission, what was searched for. Not escaped."""
    return f"{vote.reason} Looked for: {vote.searched}" if vote.searched else vote.reason


def advice(row: Judgement) -> list[str]:
    """One weak criterion: place and reason, the quote, the fix."""
    vote = min(row.votes, key=lambda vote: vote.score)
    where = f"{visible(vote.path, 120)}:{vote.line}: " if vote.line else ""
    lines = [f"  weak: {row.criterion.replace('_', ' ')} {row.score:g}: {where}{visible(argument(vote), 500)}"]
    if vote.quote:
        lines.append(f'    "{visible(vote.quote, 200)}"')
    return [*lines, f"    fix: {visible(vote.fix, 300)}"] if vote.fix else lines


def who(rows: Sequence[Judgement]) -> str:
    """The judges by name, with what was sent and how often two votes agree."""
    said = visible(", ".join(judges(rows)), 200) or "none answered"
    sampling = sorted({row.sampling for row in rows if row.sampling})
    said += f" · {visible(sampling[0], 80)}" if len(sampling) == 1 else ""
    agreed = agreement(rows)
    return said + (f" · votes agree on {agreed.agreed} of {agreed.criteria} criteria" if agreed.criteria else "")
