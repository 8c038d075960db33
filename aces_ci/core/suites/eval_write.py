"""Cases as an agentskills.io file: what is read back is what was written, and what cannot be written is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from aces_ci.core.suites.case import Behavior, Case, Check, Role
from aces_ci.core.suites.check_args import role_of

_NUMBER = re.compile(r"[bc](\d+)")


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
    graded = [_assertion(item) for item in _in_order(case)]
    if graded:
        found["assertions"] = graded
    # Null too: a suite's cases are about its skill unless they say otherwise.
    found["should_trigger"] = case.trigger
    if case.bucket is not None:
        found["bucket"] = case.bucket.value
    if case.generated:
        found["generated"] = True
    return {**found, **case.unmapped}


def _in_order(case: Case) -> list[Behavior | Check]:
    """As the author had them: positions stand in the ids `b1`, `c2`; named ones come last."""

    def place(item: Behavior | Check) -> tuple[int, str]:
        number = _NUMBER.fullmatch(item.id)
        return (int(number[1]) if number else 1_000_000, "")

    return sorted([*case.behaviors, *case.checks], key=place)


def _assertion(item: Behavior | Check) -> object:
    weight = {} if item.weight == 1.0 else {"weight": item.weight}
    if isinstance(item, Behavior):
        if item.role is Role.MUST and not weight:
            return item.text
        return {"text": item.text, "role": item.role.value, **weight}
    named = {} if _NUMBER.fullmatch(item.id) else {"id": item.id}
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


def _staged(path: str) -> str:
    return path.removeprefix("evals/").removeprefix("files/")
