"""What an author should know of a suite before money is spent on it: leaks, gaps, and too few cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from aces_ci.core.case import Case
from aces_ci.ports.dialect import Remark
from aces_ci.tiers.suite import Suite

Attainable = Callable[[int, int], bool]
"""(cases, attempts) -> whether a verdict can ever be reached."""
LAST_LOOK = 8
_WORD = re.compile(r"[^\W_]+")
# A shorter reference ("yes", "42") stands in many honest prompts.
_LEAK_WORDS = 4


def advise(suite: Suite, attainable: Attainable, *, attempts: int = LAST_LOOK) -> Iterator[Remark]:
    """Warnings on a whole suite; each names what to do."""
    cases = suite.cases
    if not cases:
        return
    path = suite.files[0].path
    yield from (_remark(case, message, hint) for case in cases for message, hint in _of_case(case))
    if not any(case.trigger is False for case in cases):
        yield Remark(
            path=path,
            line=None,
            pointer="",
            message="no negative case: nothing shows that the skill stays out where it should",
            hint="add a task close by that the skill must not touch, with `expected_skill: null`",
        )
    if not attainable(len(cases), attempts):
        needed = next((n for n in range(len(cases) + 1, 41) if attainable(n, attempts)), None)
        more = f"{needed} cases would do" if needed else "more cases or attempts are needed"
        yield Remark(
            path=path,
            line=None,
            pointer="",
            message=f"{len(cases)} cases at {attempts} attempts can never reach a verdict; {more}",
            hint="aces-ci evals create PATH --add N drafts more",
        )


def _of_case(case: Case) -> Iterator[tuple[str, str]]:
    if case.reference and leaks(case.prompt, case.reference):
        yield (
            f"the prompt of `{case.id}` contains its expected output",
            "ask for it without saying it; both arms would score",
        )


def leaks(prompt: str, reference: str) -> bool:
    """Whether the reference's words stand in the prompt in their order, all in one place."""
    wanted = [word.casefold() for word in _WORD.findall(reference)]
    if len(wanted) < _LEAK_WORDS and len("".join(wanted)) < 12:
        return False
    return f" {' '.join(wanted)} " in f" {' '.join(word.casefold() for word in _WORD.findall(prompt))} "


def _remark(case: Case, message: str, hint: str) -> Remark:
    path, _, pointer = case.provenance.partition("#")
    return Remark(path=path, line=None, pointer=pointer, message=message, hint=hint)


def count_negatives(cases: Sequence[Case]) -> int:
    """Cases in which the skill must stay out."""
    return sum(case.trigger is False for case in cases)
