"""Cases out of rows that share the shape `{id, prompt, expected_output, assertions, files}` under several names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile, Role
from aces_ci.core.suites.case_keys import CASE_KEYS
from aces_ci.dialects._assertions import assertions_at
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._fixtures import files_at, folder_at
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._typed import case_id, flag_at, text_at, texts_at, trigger_at
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


def read_rows(document: Document, rows: object, shape: Shape, pointer: str) -> Reading:
    """Every case of a list; a bad row is an error of its own and its neighbours are still read."""
    notes = Notes(document)

    def read(row: Mapping[str, Any], at: str, number: int) -> list[Case]:
        case = read_case(row, notes, shape, at, number)
        return [] if case is None else [case]

    return reading(notes, each(rows, notes, pointer, "{id, prompt, ...}", read))


def read_case(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str, number: int) -> Case | None:
    """One case, or None with the reason among the errors."""
    before = notes.refused
    identity = case_id(row.get("id"), notes, at, number)
    prompt, others = _first(row, shape.prompt, notes, at)
    if prompt is None and not any(isinstance(row.get(key), list | dict | int | float) for key in shape.prompt):
        notes.error(at, f"case {number} has no {shape.prompt[0]}", f"write the task under `{shape.prompt[0]}`")
    if identity is None or prompt is None:
        return None
    reference, more = _first(row, shape.reference, notes, at)
    graded = Graded(notes)
    assertions_at(row, shape.assertions, graded, at)
    for index, text in enumerate(texts_at(row, "must_not", notes, at)):
        graded.sentence(text, Role.MUST_NOT, at=f"{at}/must_not/{index}")
    trigger, expected = _trigger(row, notes, shape, at)
    if not graded.behaviors and not graded.checks and reference is None and trigger is None:
        notes.warn(at, f"case `{identity}` cannot be graded: no expected output and no assertion", "add one of them")
    case = Case(
        id=identity,
        prompt=prompt,
        files=_files(row, notes, shape, at),
        trigger=trigger,
        expected_skill=expected,
        acceptable_skills=tuple(
            name for key in ("acceptable_skills", "acceptable_alternates") for name in texts_at(row, key, notes, at)
        ),
        expected_script=text_at(row, "expected_script", notes, at),
        reference=reference,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=_bucket(row, trigger, notes, at),
        provenance=f"{notes.document.path}#{at}",
        generated=flag_at(row, "generated", notes, at) is True,
        unmapped={**notes.unknown(row, CASE_KEYS), **others, **more, **graded.left},
    )
    return case if notes.refused == before else None


def _first(row: Mapping[str, Any], keys: Sequence[str], notes: Notes, at: str) -> tuple[str | None, dict[str, Any]]:
    """(the text of the first key that has one, further keys that say something else: named, and kept)."""
    found, left = None, {}
    for key in keys:
        text = text_at(row, key, notes, at)
        if text is None or text == found:
            continue
        if found is None:
            found, used = text, key
        else:
            notes.warn(f"{at}/{key}", f"both `{used}` and `{key}` are given; `{used}` is used", "keep one")
            left[key] = text
    return found, left


def _trigger(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str) -> tuple[bool | None, str | None]:
    """(should it trigger, which skill): an explicit null is a negative case; `should_trigger` outranks it."""
    name = notes.document.skill_name
    expected = row.get("expected_skill")
    if expected is not None and not (isinstance(expected, str) and expected.strip()):
        # Neither a skill nor the null that makes a case negative: whatever was guessed could be the opposite.
        said = "empty" if isinstance(expected, str) else f"{kind_of(expected)}, not text"
        notes.refuse(f"{at}/expected_skill", f"`expected_skill` is {said}", "write a skill's name, or null for none")
        return None, None
    given = trigger_at(row, "should_trigger", notes, at)
    if given is not None:
        if "expected_skill" in row and given is (expected is None):
            said = "the skill must stay out" if expected else "the skill is to be used"
            notes.warn(f"{at}/expected_skill", f"`should_trigger` says that {said}: this is not used", "keep one")
        return given, (expected or name) if given else None
    if "should_trigger" in row and expected is None:
        # An explicit null: the case says nothing about routing.
        return None, None
    if "expected_skill" in row:
        return (True, expected) if expected else (False, None)
    return (True, name) if shape.default_skill else (None, None)


def _files(row: Mapping[str, Any], notes: Notes, shape: Shape, at: str) -> tuple[CaseFile, ...]:
    if "files" not in row and shape.all_files:
        return folder_at("evals/files", notes)
    return files_at(row.get("files"), notes, f"{at}/files", shape.roots)


def _bucket(row: Mapping[str, Any], trigger: bool | None, notes: Notes, at: str) -> Bucket | None:
    value = row.get("bucket")
    if isinstance(value, str) and value in set(Bucket):
        return Bucket(value)
    if value is not None:
        known = ", ".join(bucket.value for bucket in Bucket)
        notes.error(f"{at}/bucket", f"there is no bucket `{str(value)[:40]}`", f"write one of {known}")
    return Bucket.NEGATIVE if trigger is False else None


def is_rows(data: object, test: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Whether data is a list in which some object passes the test."""
    return isinstance(data, list) and any(isinstance(row, Mapping) and test(row) for row in data[:50])
