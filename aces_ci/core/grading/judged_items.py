"""The questions that more than one metric builds on, so that they are asked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading.judged import Form, Item, Locus, Settled
from aces_ci.core.grading.opening import about_opening, opening
from aces_ci.core.grading.subject import Subject
from aces_ci.core.suites.case import Role

ACCURACY: Mapping[str, str] = {
    "action_correct": "What was done is the right thing to do for this request.",
    "facts_agree": "Every fact, number and name in the result agrees with the expected answer.",
    "task_addressed": "The result addresses the whole of the request, not a part of it or something else.",
    "actionable": "The person who asked can use the result as it stands, without doing the work again.",
}
"""The four items of accuracy that are blind to the skill (its fifth, the right skill, is read off the
trace).
"""
END_STATE = "goal/end_state"
REACHED = "goal/reached"


def accuracy(subject: Subject) -> Sequence[Item]:
    """The four outcome items; none where the case has no reference answer, or the agent did nothing at all."""
    if not subject.case.reference or subject.idle:
        return ()
    return tuple(
        Item(id=f"accuracy/{name}", claim=claim, locus=Locus.OUTCOME, reference=subject.case.reference)
        for name, claim in ACCURACY.items()
    )


def goal(subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
    """First where the run ended, in two sentences; then whether that is the goal. Nothing once it is
    settled.
    """
    if not subject.case.reference or subject.idle or REACHED in settled:
        return ()
    state = settled.get(END_STATE)
    if state is None:
        claim = "What did the person want, and in which state did the work end?"
        return (Item(id=END_STATE, claim=claim, locus=Locus.PROCESS, form=Form.SUMMARY),)
    if state.summary is None:
        return ()
    claim = f"This end state is what the expected answer describes: {state.summary}"
    return (Item(id=REACHED, claim=claim, locus=Locus.OUTCOME, reference=subject.case.reference),)


def reached(settled: Mapping[str, Settled]) -> Settled | None:
    """Whether the goal was reached; the end state's error where there was none to compare."""
    return settled.get(REACHED) or settled.get(END_STATE)


def behaviors(subject: Subject) -> Sequence[Item]:
    """One item for each behaviour that the trace itself does not answer."""
    items = []
    for behavior in subject.case.behaviors:
        if opening(subject, behavior) is not None:
            continue
        prohibited = behavior.role is Role.MUST_NOT
        claim = f"This prohibition was respected: {behavior.text}" if prohibited else behavior.text
        locus = Locus.READINGS if about_opening(subject, behavior.text) else Locus.PROCESS
        items.append(Item(id=f"behavior/{behavior.id}", claim=claim, locus=locus, absence=prohibited))
    return tuple(items)
