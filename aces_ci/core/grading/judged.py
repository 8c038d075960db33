"""What a metric asks a judge about one trial, and what the votes came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Locus(StrEnum):
    """The part of a trial that an item may be judged on. It is chosen by the item, before the judge sees
    anything.
    """

    OUTCOME = "outcome"
    """The answer and the files that were left behind."""
    PROCESS = "process"
    """The calls with their results, and the answer. Narration between calls is no evidence."""
    READINGS = "readings"
    """The same with the places at which a skill was opened, for items that are about that."""


class Form(StrEnum):
    """How an item is answered."""

    CLOSED = "closed"
    """yes, no or cannot_tell, with quotes; two votes, a third where they differ."""
    SUMMARY = "summary"
    """Two sentences, asked once: what was wanted, where it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question about one trial. Items with one id are one question, whichever metrics ask it."""

    id: str
    claim: str
    """The sentence to be judged. It may be an author's: it is data to the judge, never an instruction."""
    locus: Locus
    form: Form = Form.CLOSED
    reference: str | None = None
    """The author's expected answer, shown beside the evidence."""
    absence: bool = False
    """A *yes* says that something did not happen, so there is nothing to quote."""


class Word(StrEnum):
    """A judge's word. An item that `cannot_tell` settles is left out of its metric, counted and shown."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What the votes on one item came to. Exactly one of `word`, `summary` and `error` is set."""

    item: str
    word: Word | None = None
    summary: str | None = None
    error: str | None = None
    """Why nobody knows: never a no."""
    cites: tuple[int, ...] = ()
    """Step ids whose quotes were found."""
    votes: tuple[Word, ...] = ()
    agreed: bool = True
    """Whether the first two votes said the same."""
    unproven: bool = False
    """A vote said yes twice without a quote that exists: it tells nothing."""
    injection: bool = False
    """A vote reports that the evidence tries to instruct the judge."""
    truncated: bool = False
    """The evidence did not fit and was cut."""
    judge: str = ""
    """Resolved model."""
    way: str = "votes"
    """`votes`, `two_step` or `ragas`: how it was settled."""
    reason: str = ""

    @property
    def yes(self) -> bool:
        """Whether it counts as a yes."""
        return self.word is Word.YES
