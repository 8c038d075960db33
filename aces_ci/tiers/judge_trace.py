"""Asks a judge about one trial and settles its votes: two, a third where they differ, every quote checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.grading.judged import Form, Item, Locus, Settled, Word
from aces_ci.core.grading.subject import Subject
from aces_ci.tiers.judge_evidence import Evidence, evidence
from aces_ci.tiers.judge_prompt import REASK, question

Key = tuple[str, int]
Ask = Callable[[Sequence[Question]], Mapping[Key, Answer]]
"""Answers by (question's item, vote). Asked in batches; equal questions may be answered from a cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vote:
    word: Word | None = None
    error: str | None = None
    unquoted: bool = False
    cites: tuple[int, ...] = ()
    reason: str = ""
    injection: bool = False
    judge: str = ""


def settle(items: Sequence[Item], subject: Subject, ask: Ask) -> Mapping[str, Settled]:
    """Every item settled, or with the error that prevented it. A failed vote is an error, never a no."""
    shown = {locus: evidence(subject, locus) for locus in Locus}
    court = _Court(subject, shown, ask)
    closed = [item for item in items if item.form is Form.CLOSED]
    summaries = [item for item in items if item.form is Form.SUMMARY]
    votes = court.votes([(item, vote) for item in closed for vote in (1, 2)])
    split = [item for item in closed if _differ(votes[item.id, 1], votes[item.id, 2])]
    reasons = {item.id: (votes[item.id, 1].reason, votes[item.id, 2].reason) for item in split}
    votes.update(court.votes([(item, 3) for item in split], reasons))
    settled = {
        item.id: _closed(item, [votes[item.id, number] for number in (1, 2, 3) if (item.id, number) in votes])
        for item in closed
    }
    settled.update(court.summaries(summaries))
    return {item.id: replace(settled[item.id], truncated=shown[item.locus].truncated, way=_way(item)) for item in items}


class _Court:
    def __init__(self, subject: Subject, shown: Mapping[Locus, Evidence], ask: Ask) -> None:
        self.subject = subject
        self.shown = shown
        self.ask = ask

    def votes(
        self, wanted: Sequence[tuple[Item, int]], reasons: Mapping[str, tuple[str, str]] | None = None
    ) -> dict[Key, _Vote]:
        """Votes by item and number. A yes without a quote that exists is asked once more, then it tells nothing."""
        first = self._asked(wanted, 0, reasons)
        doubtful = [(item, vote) for item, vote in wanted if first[item.id, vote].unquoted]
        again = self._asked(doubtful, REASK, reasons)
        for key, vote in again.items():
            first[key] = replace(vote, word=Word.CANNOT_TELL) if vote.unquoted else vote
        return first

    def _asked(
        self, wanted: Sequence[tuple[Item, int]], shift: int, reasons: Mapping[str, tuple[str, str]] | None
    ) -> dict[Key, _Vote]:
        if not wanted:
            return {}
        questions = {
            (item.id, vote): question(
                item, self.shown[item.locus], self.subject, vote + shift, (reasons or {}).get(item.id, ())
            )
            for item, vote in wanted
        }
        answers = self.ask(list(questions.values()))
        return {
            (item.id, vote): _read(item, self._answer(answers, questions[item.id, vote]), self.shown[item.locus])
            for item, vote in wanted
        }

    def summaries(self, items: Sequence[Item]) -> dict[str, Settled]:
        """Summaries, asked once each."""
        questions = {item.id: question(item, self.shown[item.locus], self.subject, 1) for item in items}
        answers = self.ask(list(questions.values())) if questions else {}
        return {item.id: _summary(item, self._answer(answers, questions[item.id])) for item in items}

    @staticmethod
    def _answer(answers: Mapping[Key, Answer], asked: Question) -> Answer:
        missing = Answer(item=asked.item, vote=asked.vote, error="no answer came back")
        return answers.get((asked.item, asked.vote), missing)


def _read(item: Item, answer: Answer, shown: Evidence) -> _Vote:
    judge = answer.model or ""
    reply = answer.reply
    if reply is None:
        return _Vote(error=answer.error or "no answer came back", judge=judge)
    verdict, listed = reply.get("verdict"), reply.get("evidence")
    if verdict not in tuple(Word) or not isinstance(listed, Sequence) or isinstance(listed, str):
        return _Vote(error="the reply has not the form that was asked for", judge=judge)
    word = Word(str(verdict))
    quotes = [entry for entry in listed if isinstance(entry, Mapping)]
    found = [shown.step_of(_row(entry.get("row")), str(entry.get("quote", ""))) for entry in quotes]
    steps = tuple(dict.fromkeys(step for step in found if step))
    proven = any(step is not None for step in found)
    return _Vote(
        word=word,
        unquoted=word is Word.YES and not proven and not item.absence,
        cites=steps,
        reason=" ".join(str(reply.get("reason", "")).split())[:300],
        injection=reply.get("injection_suspected") is True,
        judge=judge,
    )


def _closed(item: Item, votes: Sequence[_Vote]) -> Settled:
    judges = sorted({vote.judge for vote in votes if vote.judge})
    broken = next((vote for vote in votes if vote.error), None)
    if broken is not None:
        return Settled(item=item.id, error=broken.error, judge=judges[0] if judges else "")
    if len(judges) > 1:
        return Settled(item=item.id, error=f"two models answered: {', '.join(judges)}", judge=judges[0])
    words = [vote.word for vote in votes if vote.word is not None]
    word = next((each for each in words if words.count(each) > 1), Word.CANNOT_TELL)
    speaker = next((vote for vote in votes if vote.word is word), votes[-1])
    return Settled(
        item=item.id,
        word=word,
        cites=tuple(dict.fromkeys(step for vote in votes if vote.word is word for step in vote.cites)),
        votes=tuple(words),
        agreed=len(words) == 2,
        unproven=any(vote.unquoted for vote in votes),
        injection=any(vote.injection for vote in votes),
        judge=judges[0] if judges else "",
        reason=speaker.reason,
    )


def _summary(item: Item, answer: Answer) -> Settled:
    judge = answer.model or ""
    state = answer.reply.get("end_state") if answer.reply is not None else None
    if not isinstance(state, str) or not state.strip():
        error = answer.error or "the reply has no end_state"
        return Settled(item=item.id, error=error, judge=judge)
    return Settled(item=item.id, summary=" ".join(state.split())[:1_000], judge=judge)


def _differ(one: _Vote, other: _Vote) -> bool:
    return one.word is not None and other.word is not None and one.word is not other.word


def _row(value: object) -> int:
    return value if isinstance(value, int) else -1


def _way(item: Item) -> str:
    return "two_step" if item.id.startswith("goal/") else "votes"
