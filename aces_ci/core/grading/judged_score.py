"""From settled items to a score: shares, errors that never become 0, and how it was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled, Word
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score

PROMPT_VERSION = 1
"""Of the judge's rules and of the way evidence is shown; part of every judged score's method."""
NO_JUDGE = "no judge"


def missing(items: Sequence[Item], settled: Mapping[str, Settled]) -> str | None:
    """Why not all items are settled, as a clause; None where they are."""
    for item in items:
        found = settled.get(item.id)
        if found is None:
            return f"{item.id} was not asked"
        if found.error is not None:
            return f"the judge could not say about {item.id}: {found.error}"
    return None


def parts(items: Sequence[Item], settled: Mapping[str, Settled]) -> list[Part]:
    """One part an item: 1 for yes, 0 for no and for cannot tell."""
    return [_part(item, settled[item.id]) for item in items]


def cites(items: Sequence[Item], settled: Mapping[str, Settled]) -> tuple[int, ...]:
    """Steps that the accepted quotes stand in."""
    return tuple(step for item in items if item.id in settled for step in settled[item.id].cites)


def method(settled: Iterable[Settled], way: str = "votes") -> str:
    """`judge/p1/way`: judge, prompt version, method. Arms with different ones are not compared."""
    judges = sorted({each.judge for each in settled if each.judge})
    return f"{'+'.join(judges) or 'judge'}/p{PROMPT_VERSION}/{way}"


def worst(found: Sequence[Part], whole: str) -> str:
    """The clause of the first part that was not met, else `whole`."""
    return next((f"{part.name}: {part.because}" for part in found if part.value < 1), whole)


def unscored(subject: Subject, metric: str, why: str, settled: Iterable[Settled] = ()) -> Score:
    """A score that says that it is none."""
    return subject.score(metric, None, why, method=method(settled) if why != NO_JUDGE else "deterministic")


def _part(item: Item, settled: Settled) -> Part:
    name = item.id.rsplit("/", 1)[-1]
    notes = [settled.reason or (settled.word.value if settled.word else "")]
    if settled.word is Word.CANNOT_TELL:
        notes.append("counted as no, because the judge cannot tell")
    if settled.unproven:
        notes.append("a yes without a quote that exists counts as no")
    if settled.injection:
        notes.append("the judge reports text that tries to instruct it")
    return Part(name=name, value=float(settled.yes), because="; ".join(note for note in notes if note))
