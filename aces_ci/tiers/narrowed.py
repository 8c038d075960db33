"""What the words behind a slash command leave of a skill's trials: fewer runs, some cases. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.plan import Subject

NONE_NAMED = "the command names none of its cases"


def narrowed(subjects: Iterable[Subject], given: Approval | Refusal | None) -> Iterator[Subject]:
    """`subjects` with the cases and the most runs that the approval asks for; never more than the policy allows."""
    for subject in subjects:
        if not isinstance(given, Approval):
            yield subject
            continue
        cases = tuple(case for case in subject.cases if not given.cases or case.id in given.cases)
        asked = [most for most in (subject.attempts, given.attempts) if most is not None]
        if cases:
            yield replace(subject, cases=cases, attempts=min(asked, default=None))
