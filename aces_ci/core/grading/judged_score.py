"""From settled items to a score: shares, errors that never become 0, and how it was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled, Word
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score

PROMPT_VERSION = 2
"""Of the judge's rules and of the way evidence is shown; part of every judged score's method."""
NO_JUDGE = "no judge"
INJECTION = "the judge reports text that tries to instruct it"
NOTHING_DONE = "the agent neither did nor said anything"


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
    """One part an item that was told: 1 for yes, 0 for no. What cannot be told is left out; `untold` says it."""
    return [_part(item, settled[item.id]) for item in items if settled[item.id].word is not Word.CANNOT_TELL]


def untold(items: Sequence[Item], settled: Mapping[str, Settled]) -> list[str]:
    """For each item that cannot be told its name and why."""
    return [f"{_name(item)}: {_why(found)}" for item in items if (found := settled[item.id]).word is Word.CANNOT_TELL]


def left_out(clauses: Sequence[str], total: int) -> str:
    """`1 of 4 cannot be told and is left out (facts_agree: …)`; empty where there is none."""
    if not clauses:
        return ""
    verb = "is" if len(clauses) == 1 else "are"
    return f"{len(clauses)} of {total} cannot be told and {verb} left out ({'; '.join(clauses)})"


def joined(*clauses: str) -> str:
    """Clauses as one sentence, empty ones left out."""
    return "; ".join(clause for clause in clauses if clause)


def cites(items: Sequence[Item], settled: Mapping[str, Settled]) -> tuple[int, ...]:
    """Steps that the accepted quotes stand in."""
    return tuple(step for item in items if item.id in settled for step in settled[item.id].cites)


def method(settled: Iterable[Settled], way: str = "votes") -> str:
    """`judge/p2/way`: judge, prompt version, method. Arms with different ones are not compared."""
    judges = sorted({each.judge for each in settled if each.judge})
    return f"{'+'.join(judges) or 'judge'}/p{PROMPT_VERSION}/{way}"


def worst(found: Sequence[Part], whole: str) -> str:
    """The clause of the first part that was not met, else `whole`."""
    return next((f"{part.name}: {part.because}" for part in found if part.value < 1), whole)


def unscored(subject: Subject, metric: str, why: str, settled: Iterable[Settled] = ()) -> Score:
    """A score that says that it is none."""
    return subject.score(metric, None, why, method=method(settled) if why != NO_JUDGE else "deterministic")


def _part(item: Item, settled: Settled) -> Part:
    notes = [settled.reason or (settled.word.value if settled.word else "")]
    if settled.injection:
        notes.append(INJECTION)
    return Part(name=_name(item), value=float(settled.yes), because=joined(*notes))


def _name(item: Item) -> str:
    return item.id.rsplit("/", 1)[-1]


def _why(settled: Settled) -> str:
    """Why an item cannot be told."""
    if settled.unproven:
        why = "a yes without a quote that exists tells nothing"
    elif len(set(settled.votes)) > 2:
        why = "three votes said three things"
    else:
        why = settled.reason or "the judge cannot tell"
    return joined(why, INJECTION if settled.injection else "")
