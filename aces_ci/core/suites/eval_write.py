"""Cases as an agentskills.io file: what is read back is what was written, and what cannot be written is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from aces_ci.core.suites.case import Behavior, Case, Check, Role
from aces_ci.core.suites.case_keys import CASE_KEYS
from aces_ci.core.suites.check_args import role_of

_NUMBER = re.compile(r"[bc]([1-9]\d{0,8})")


def write(cases: Sequence[Case], skill_name: str) -> tuple[str, tuple[str, ...]]:
    """(text of `evals/evals.json`, one clause for each thing that this format cannot say)."""
    lost = tuple(clause for case in cases for clause in _lost(case, skill_name))
    document = {"skill_name": skill_name, "evals": [row(case) for case in cases]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n", lost


def row(case: Case) -> dict[str, Any]:
    """One item of `evals`. Keys that say nothing are left out."""
    found: dict[str, Any] = {"id": case.id, "prompt": case.prompt}
    if case.reference is not None:
        found["expected_output"] = case.reference
    if case.files:
        found["files"] = [file.source for file in case.files if file.source]
    graded = [assertion(item, position) for position, item in enumerate(_in_order(case), start=1)]
    if graded:
        found["assertions"] = graded
    # Null too: a suite's cases are about its skill unless they say otherwise.
    found["should_trigger"] = case.trigger
    if case.bucket is not None:
        found["bucket"] = case.bucket.value
    if case.generated:
        found["generated"] = True
    # A key that another tool left is kept, but never in the place of one that a reader of this format understands.
    return {**found, **{key: value for key, value in case.unmapped.items() if key not in CASE_KEYS}}


def _in_order(case: Case) -> list[Behavior | Check]:
    """As the author had them: positions stand in the ids `b1`, `c2`; named ones stand where a number is left out.

    Sentences keep their order among themselves, and so do checks.
    """
    behaviors, checks = list(case.behaviors), list(case.checks)
    found: list[Behavior | Check] = []
    while behaviors and checks:
        one, other = behaviors[0], checks[0]
        numbers = (_number(one), _number(other))
        due = len(found) + 1
        first = numbers[0] == due or (
            numbers[1] != due and (numbers[0] is None or (numbers[1] is not None and numbers[0] < numbers[1]))
        )
        found.append(behaviors.pop(0) if first else checks.pop(0))
    return [*found, *behaviors, *checks]


def _number(item: Behavior | Check) -> int | None:
    """The position that an id stands for; None where it is a name."""
    letter = "b" if isinstance(item, Behavior) else "c"
    number = _NUMBER.fullmatch(item.id)
    return int(number[1]) if number and item.id[0] == letter else None


def assertion(item: Behavior | Check, position: int) -> object:
    """One assertion. Its id is written where a reader would give it another one at this position."""
    weight = {} if item.weight == 1.0 else {"weight": item.weight}
    named = {} if _number(item) == position else {"id": item.id}
    if isinstance(item, Behavior):
        if item.role is Role.MUST and not weight and not named:
            return item.text
        return {"text": item.text, "role": item.role.value, **weight, **named}
    role = {} if item.role is role_of(item.kind) else {"role": item.role.value}
    said = {"text": item.text} if item.text else {}
    return {"check": item.kind.value, **item.args, **said, **role, **weight, **named}


def _lost(case: Case, skill_name: str) -> Iterator[str]:
    if case.expected_skill is not None and case.expected_skill != skill_name:
        yield f"{case.id}: that `{case.expected_skill}` is the skill to use"
    if case.acceptable_skills:
        yield f"{case.id}: other acceptable skills"
    if case.expected_script is not None:
        yield f"{case.id}: the expected script (write it as a check `script_run`)"
    if any(file.content is not None for file in case.files):
        yield f"{case.id}: inline files (write them below evals/files)"
    if any(file.source and file.target != _staged(file.source) for file in case.files):
        yield f"{case.id}: another name of a file in the workspace"
    for key in case.unmapped:
        if key in CASE_KEYS:
            yield f"{case.id}: its own key `{key[:60]}`, which means something else here"


def _staged(path: str) -> str:
    return path.removeprefix("evals/").removeprefix("files/")
