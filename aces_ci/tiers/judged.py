"""Tier 2: criteria over one skill become judgements. Two votes, a third where they differ or one is no vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from aces_ci.core.asking.exhibit import Exhibit
from aces_ci.core.asking.judge_score import apart
from aces_ci.core.asking.question import Answer
from aces_ci.core.asking.quoting import cleaned, folded
from aces_ci.core.asking.rubric import PASS_SCORE, Needs, Rubric
from aces_ci.core.evidence import Judgement, Vote
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.rubric_prompt import PROMPT_VERSION, edition, question

MOST_VOTES = 3
TEXT_LIMIT = 300
"""Characters of a reason, quote or fix that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """One asking: a vote, or why it is none."""

    answer: Answer
    vote: Vote | None = None
    error: str = ""
    injection: bool = False
    contradicts: bool = False
    """The judge's own flag and its score say different things."""


def judge(exhibit: Exhibit, rubrics: Sequence[Rubric], asker: Asker, *, votes: int) -> Iterable[Judgement]:
    """One judgement a criterion, in the order of `rubrics`. A failed vote is an error, never a score."""
    asked = [rubric for rubric in rubrics if rubric.needs is Needs.NOTHING or exhibit.has_files]
    readings = _read_all([(rubric, number) for rubric in asked for number in range(1, votes + 1)], exhibit, asker)
    # One vote is one opinion: a user who asks for one gets one, however it went.
    doubtful = [rubric for rubric in asked if 1 < votes < MOST_VOTES and _doubtful(readings[rubric.name])]
    for name, more in _read_all([(rubric, MOST_VOTES) for rubric in doubtful], exhibit, asker).items():
        readings[name] = [*readings[name], *more]
    for rubric in rubrics:
        if rubric in asked:
            found = _settled(rubric, exhibit, readings[rubric.name], least=min(2, votes))
            yield replace(found, edition=edition(tuple(rubrics), votes))
        else:
            yield _inapplicable(rubric, exhibit)


def _read_all(wanted: Sequence[tuple[Rubric, int]], exhibit: Exhibit, asker: Asker) -> dict[str, list[_Reading]]:
    answers = asker.ask([question(rubric, exhibit, number) for rubric, number in wanted])
    found: dict[str, list[_Reading]] = {}
    for (rubric, _), answer in zip(wanted, answers, strict=True):
        found.setdefault(rubric.name, []).append(_read(rubric, answer, exhibit))
    return found


def _read(rubric: Rubric, answer: Answer, exhibit: Exhibit) -> _Reading:
    reply = answer.reply
    if reply is None:
        return _Reading(answer=answer, error=answer.error or "no answer came back")
    injection = reply["injection_suspected"] is True
    if reply["criterion"] != rubric.name:
        return _Reading(answer=answer, error="the reply is about another criterion", injection=injection)
    score, line = reply["score"], reply["line"]
    assert isinstance(score, int | float) and isinstance(line, int | float)
    quote = str(reply["quote"])
    place = exhibit.find(quote, int(line), str(reply["path"])) if quote.strip() else None
    if place is None:
        why = "its quote does not stand in the skill" if quote.strip() else "it gives no quote"
        return _Reading(answer=answer, error=why, injection=injection)
    vote = Vote(
        score=float(score),
        passed=score >= PASS_SCORE,
        reason=_short(reply["reason"]),
        quote=_short(quote),
        line=place[1],
        path=place[0],
        fix=_short(reply["fix"]),
        searched=_short(reply["searched"]),
    )
    return _Reading(answer=answer, vote=vote, injection=injection, contradicts=reply["pass"] is not vote.passed)


def _doubtful(readings: Sequence[_Reading]) -> bool:
    votes = [reading.vote for reading in readings if reading.vote is not None]
    if len(votes) < len(readings) or any(reading.contradicts for reading in readings):
        return True
    return apart(votes)


def _settled(rubric: Rubric, exhibit: Exhibit, readings: Sequence[_Reading], *, least: int) -> Judgement:
    votes = tuple(reading.vote for reading in readings if reading.vote is not None)
    errors = [reading.error for reading in readings if reading.vote is None]
    models = sorted({reading.answer.model for reading in readings if reading.answer.model})
    score: float | None = None
    because = ""
    if len(models) > 1:
        because = f"two models answered: {', '.join(models)}"
    elif len(votes) < least:
        because = f"{len(votes)} of {len(readings)} votes can be used: {errors[0]}"
    elif errors and apart(votes):
        said = " and ".join(f"{vote.score:g}" for vote in votes)
        because = f"the votes {said} differ, and the one that could settle it cannot be used: {errors[0]}"
    else:
        score = float(median(vote.score for vote in votes))
    fresh = [reading.answer for reading in readings if not reading.answer.cached]
    counted = fresh or [reading.answer for reading in readings]
    costs = [answer.usd_micros for answer in counted]
    return Judgement(
        skill=exhibit.skill,
        criterion=rubric.name,
        side=exhibit.side,
        votes=votes,
        score=score,
        because=because,
        judge=f"{'+'.join(models)}/p{PROMPT_VERSION}" if models else "",
        injection_suspected=exhibit.hidings > 0 or any(reading.injection for reading in readings),
        usd_micros=None if None in costs else sum(cost or 0 for cost in costs),
        tokens=sum(answer.input_tokens + answer.output_tokens for answer in counted),
        cached=not fresh,
        sampling=_sampling([reading.answer.sampling for reading in readings if reading.answer.reply is not None]),
    )


def _inapplicable(rubric: Rubric, exhibit: Exhibit) -> Judgement:
    return Judgement(
        skill=exhibit.skill,
        criterion=rubric.name,
        side=exhibit.side,
        because="not applicable: no scripts",
    )


def _sampling(sent: Sequence[Mapping[str, object]]) -> str:
    # The temperature first: it is what people look for.
    texts = {
        ", ".join(f"{key} {each[key]}" for key in sorted(each, key=lambda key: (key != "temperature", key)))
        for each in sent
    }
    return " or ".join(sorted(text or "the model's own sampling" for text in texts)) if texts != {""} else ""


def _short(value: object) -> str:
    text = folded(cleaned(str(value)))
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1].rstrip() + "…"
