"""Cases out of rows that share the shape `{id, prompt, expected_output, assertions, files}` under several names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Behavior, Bucket, Case, Role
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.ports.dialect import Document, Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a dialect calls things, and where its paths begin."""

    prompt: Sequence[str] = ("prompt", "question")
    reference: Sequence[str] = ("expected_output", "ground_truth")
    assertions: Sequence[str] = ("assertions", "expectations", "expected_behavior")
    roots: Sequence[str] = ("evals", "")
    default_skill: bool = False
    """An absent `expected_skill` means the skill itself (the reference's object form)."""
    all_files: bool = False
    """Absent `files` means everything below evals/files."""


KNOWN = frozenset(
    {
        "id", "prompt", "question", "expected_output", "ground_truth", "assertions", "expectations",
        "expected_behavior", "expected_skill", "expected_script", "acceptable_skills", "acceptable_alternates",
        "should_trigger", "files", "bucket", "generated",
    }
)  # fmt: skip


def read_rows(document: Document, rows: object, shape: Shape, pointer: str) -> Reading:
    """Every case of a list; a bad row is an error of its own and its neighbours are still read."""
    notes = Notes(document)
    if not isinstance(rows, list):
        notes.error(pointer, f"`{pointer.strip('/') or 'the file'}` is {kind_of(rows)}, not a list", "write a list")
        return reading(notes, [])
    if len(rows) > CASE_LIMIT:
        notes.error(pointer, f"{len(rows)} cases, of which {CASE_LIMIT} are read", "split the file")
    cases = []
    for number, row in enumerate(rows[:CASE_LIMIT], start=1):
        at = f"{pointer}/{number - 1}"
        if not isinstance(row, Mapping):
            notes.error(at, f"case {number} is {kind_of(row)}, not an object", "write {id, prompt, ...}")
            continue
        case = read_case(row, notes, shape, at, number)
        if case is not None:
            cases.append(case)
    return reading(notes, cases)


def read_case(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str, number: int) -> Case | None:
    """One case, or None with the reason among the errors."""
    identity = _values.case_id(row.get("id"), notes, at, number)
    prompt = _first(row, shape.prompt, notes, at)
    if prompt is None and not any(isinstance(row.get(key), list | dict | int | float) for key in shape.prompt):
        notes.error(at, f"case {number} has no {shape.prompt[0]}", f"write the task under `{shape.prompt[0]}`")
    if identity is None or prompt is None:
        return None
    before = notes.refused
    reference = _first(row, shape.reference, notes, at)
    behaviors, checks = _values.assertions_at(row, shape.assertions, notes, at)
    prohibitions = row.get("must_not")
    if isinstance(prohibitions, list) and all(isinstance(text, str) and text.strip() for text in prohibitions):
        first = len(behaviors) + len(checks) + 1
        behaviors += [
            Behavior(id=f"b{place}", text=text.strip(), role=Role.MUST_NOT)
            for place, text in enumerate(prohibitions, start=first)
        ]
        known = KNOWN | {"must_not"}
    else:
        known = KNOWN
    trigger, expected = _trigger(row, notes, shape, at)
    if not behaviors and not checks and reference is None and trigger is None:
        notes.warn(at, f"case `{identity}` cannot be graded: no expected output and no assertion", "add one of them")
    case = Case(
        id=identity,
        prompt=prompt,
        files=_files(row, notes, shape, at),
        trigger=trigger,
        expected_skill=expected,
        acceptable_skills=tuple(
            name
            for key in ("acceptable_skills", "acceptable_alternates")
            for name in _values.texts_at(row, key, notes, at)
        ),
        expected_script=_values.text_at(row, "expected_script", notes, at),
        reference=reference,
        checks=tuple(checks),
        behaviors=tuple(behaviors),
        bucket=_bucket(row, trigger),
        provenance=f"{notes.document.path}#{at}",
        generated=row.get("generated") is True,
        unmapped=notes.unknown(row, known),
    )
    return case if notes.refused == before else None


def reading(notes: Notes, cases: Sequence[Case]) -> Reading:
    """Notes and cases together."""
    errors, warnings = notes.told()
    return Reading(cases=tuple(cases), errors=errors, warnings=warnings, ignored_keys=tuple(notes.ignored))


def _first(row: Mapping[str, Any], keys: Sequence[str], notes: Notes, at: str) -> str | None:
    return next((text for key in keys if (text := _values.text_at(row, key, notes, at)) is not None), None)


def _trigger(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str) -> tuple[bool | None, str | None]:
    """(should it trigger, which skill): an explicit null is a negative case; `should_trigger` outranks it."""
    name = notes.document.skill_name
    expected = row.get("expected_skill")
    if expected is not None and not (isinstance(expected, str) and expected.strip()):
        # Neither a skill nor the null that makes a case negative: whatever was guessed could be the opposite.
        said = "empty" if isinstance(expected, str) else f"{kind_of(expected)}, not text"
        notes.refuse(f"{at}/expected_skill", f"`expected_skill` is {said}", "write a skill's name, or null for none")
        return None, None
    given = row.get("should_trigger")
    if isinstance(given, bool):
        return given, (expected or name) if given else None
    if given is None and "should_trigger" in row:
        # An explicit null: the case says nothing about routing.
        return None, expected
    if given is not None:
        notes.error(f"{at}/should_trigger", "`should_trigger` is neither true nor false", "write true or false")
    if "expected_skill" in row:
        return (True, expected) if expected else (False, None)
    return (True, name) if shape.default_skill else (None, None)


def _files(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str) -> tuple[Any, ...]:
    if "files" not in row and shape.all_files and any(p.startswith("evals/files/") for p in notes.document.siblings):
        return _values.files_at("evals/files", notes, f"{at}/files", ("",))
    return _values.files_at(row.get("files"), notes, f"{at}/files", shape.roots)


def _bucket(row: Mapping[str, Any], trigger: bool | None) -> Bucket | None:
    value = row.get("bucket")
    if isinstance(value, str) and value in set(Bucket):
        return Bucket(value)
    return Bucket.NEGATIVE if trigger is False else None


def is_rows(data: object, test: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Whether data is a list in which some object passes the test."""
    return isinstance(data, list) and any(isinstance(row, Mapping) and test(row) for row in data[:50])
