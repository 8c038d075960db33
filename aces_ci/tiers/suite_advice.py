"""What an author should know of a suite before money is spent on it: leaks, gaps, and too few cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from aces_ci.core.amount import plural
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.suites.case import Bucket, Case, CheckKind, Role
from aces_ci.ports.dialect import Remark
from aces_ci.tiers.suite_reading import Suite

Attainable = Callable[[int, Sequence[int]], bool]
"""(cases, cumulative attempts at the looks) -> whether a verdict can ever be reached."""
LAST_LOOK = 8
_WORD = re.compile(r"[^\W_]+")
# A shorter reference ("yes", "42") stands in many honest prompts.
_LEAK_WORDS = 4
_LOOKED_FOR = 6


def advise(
    suite: Suite, attainable: Attainable, *, skill_name: str = "", attempts: int = LAST_LOOK
) -> Iterator[Remark]:
    """Warnings on a whole suite; each names what to do."""
    cases = suite.cases
    if not cases:
        return
    path = suite.files[0].path
    yield from (_remark(case, message, hint) for case in cases for message, hint in _of_case(case, skill_name))
    if not any(case.trigger is False for case in cases):
        yield Remark(
            path=path,
            line=None,
            pointer="",
            message="no negative case: nothing shows that the skill stays out where it should",
            hint="add a task close by that the skill must not touch, with `expected_skill: null`",
        )
    looks = (*(look for look in LivePlan().looks if look < attempts), attempts)
    if not attainable(len(cases), looks):
        needed = next((n for n in range(len(cases) + 1, 41) if attainable(n, looks)), None)
        more = f"{needed} cases would do" if needed else "more cases or attempts are needed"
        yield Remark(
            path=path,
            line=None,
            pointer="",
            message=f"{plural(len(cases), 'case')} at {plural(attempts, 'attempt')} can never reach a verdict; {more}",
            hint="aces-ci evals create PATH --add N drafts more",
        )


def _of_case(case: Case, skill_name: str) -> Iterator[tuple[str, str]]:
    if case.reference and leaks(case.prompt, case.reference):
        yield (
            f"the prompt of `{case.id}` contains its expected output",
            "ask for it without saying it; both arms would score",
        )
    for value in _looked_for(case):
        if value.casefold() in case.prompt.casefold():
            yield (
                f"the prompt of `{case.id}` contains `{value[:60]}`, which a check looks for",
                "look for something that only a solved task shows; both arms would score",
            )
            break
    if case.bucket is not Bucket.EXPLICIT and names(case.prompt, skill_name):
        yield (
            f"the prompt of `{case.id}` names the skill: the arm without it is told about it",
            'describe the need instead, or say `"bucket": "explicit"` if that is what the case is for',
        )


def names(prompt: str, skill: str) -> bool:
    """Whether a prompt speaks of the skill itself. A name of one plain word (`pdf`) needs the word skill beside it."""
    if not skill:
        return False
    text, name = prompt.casefold(), re.escape(skill.casefold())
    if re.search(r"[-_:]", skill) and re.search(rf"(?<![\w-]){name}(?![\w-])", text):
        return True
    return (
        re.search(rf"(?<![\w/.-])(?:[/$]{name}|{name}[`'\"]? skill|skill [`'\"]?{name})(?![\w/.-])", text) is not None
    )


def _looked_for(case: Case) -> Iterator[str]:
    """Texts that an outcome check wants in the answer; short ones stand in many honest prompts."""
    for check in case.checks:
        if check.kind is CheckKind.CONTAINS and check.role is Role.OUTCOME:
            given = check.args.get("values", check.args.get("value"))
            for value in given if isinstance(given, list | tuple) else (given,):
                if isinstance(value, str) and len(value) >= _LOOKED_FOR:
                    yield value


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
